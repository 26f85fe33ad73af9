import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web

from bot.web.admin import admin_app
from bot.web.health import Health
from bot.web.listeners import Ports, public_app, serve_listeners
from bot.web.metrics import Metrics

LOOPBACK = "127.0.0.1"
PostHandler = Callable[[web.Request], Coroutine[Any, Any, web.Response]]


async def _echo(request: web.Request) -> web.Response:
    return web.Response(body=await request.read())


def _public(handler: PostHandler) -> web.Application:
    def add(app: web.Application) -> None:
        app.router.add_post("/lark/events", handler)

    return public_app(add)


@asynccontextmanager
async def _serving(folder: Path, handler: PostHandler = _echo) -> AsyncIterator[Ports]:
    token_file = folder / "token"
    token_file.write_text("t", encoding="utf-8")
    admin = admin_app(Health(), Metrics(), token_file=token_file)
    async with (
        asyncio.timeout(10),
        serve_listeners(_public(handler), admin, LOOPBACK, 0, LOOPBACK, 0) as ports,
    ):
        yield ports


async def test_the_public_listener_serves_two_things_and_nothing_else(tmp_path: Path) -> None:
    served: dict[tuple[str, str], tuple[int, bytes]] = {}
    async with (
        _serving(tmp_path) as ports,
        ClientSession(f"http://{LOOPBACK}:{ports.public}") as session,
    ):
        for method in ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"):
            for path in ("/lark/events", "/healthz", "/readyz", "/metrics", "/", "/lark/events/"):
                async with session.request(method, path) as response:
                    assert "Server" not in response.headers
                    served[method, path] = (response.status, await response.read())
    found = {key: answer for key, answer in served.items() if answer != (404, b"")}
    assert found == {
        ("POST", "/lark/events"): (200, b""),
        ("GET", "/healthz"): (200, b'{"alive": true}'),
    }


async def test_the_admin_listener_serves_no_events(tmp_path: Path) -> None:
    async with (
        _serving(tmp_path) as ports,
        ClientSession(f"http://{LOOPBACK}:{ports.admin}") as session,
    ):
        statuses = []
        for headers in ({}, {"Authorization": "Bearer t"}):
            for path in ("/lark/events", "/readyz"):
                async with session.get(path, headers=headers) as response:
                    assert "Server" not in response.headers
                    statuses.append(response.status)
    assert statuses == [401, 401, 404, 200]


async def test_a_client_that_hangs_up_does_not_cut_the_work_short(tmp_path: Path) -> None:
    entered, release, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slow(_: web.Request) -> web.Response:
        entered.set()
        await release.wait()
        done.set()
        return web.Response()

    async with _serving(tmp_path, slow) as ports:
        _, writer = await asyncio.open_connection(LOOPBACK, ports.public)
        writer.write(b"POST /lark/events HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        await entered.wait()
        writer.transport.abort()
        async with ClientSession() as session:
            for _ in range(3):
                async with session.get(f"http://{LOOPBACK}:{ports.public}/healthz") as response:
                    assert response.status == 200
        release.set()
        await done.wait()


async def test_a_request_in_flight_is_finished_at_the_end() -> None:
    entered, release = asyncio.Event(), asyncio.Event()

    async def slow(_: web.Request) -> web.Response:
        entered.set()
        await release.wait()
        return web.Response(text="finished")

    async def release_once_the_end_has_begun(_: web.Application) -> None:
        asyncio.get_running_loop().call_later(0.05, release.set)

    async def ask(port: int) -> str:
        url = f"http://{LOOPBACK}:{port}/lark/events"
        async with ClientSession() as session, session.post(url) as response:
            return await response.text()

    public = _public(slow)
    public.on_shutdown.append(release_once_the_end_has_begun)
    async with (
        asyncio.timeout(10),
        asyncio.TaskGroup() as tasks,
        serve_listeners(public, web.Application(), LOOPBACK, 0, LOOPBACK, 0) as ports,
    ):
        asking = tasks.create_task(ask(ports.public))
        await entered.wait()
    assert asking.result() == "finished"


async def test_bodies_are_handed_on_as_they_came(tmp_path: Path) -> None:
    async with _serving(tmp_path) as ports, ClientSession() as session:
        url = f"http://{LOOPBACK}:{ports.public}/lark/events"
        headers = {"Content-Encoding": "gzip"}
        async with session.post(url, data=b"not gzip at all", headers=headers) as response:
            assert await response.read() == b"not gzip at all"


async def test_an_address_that_is_taken_serves_neither(tmp_path: Path) -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="address"):
            async with serve_listeners(
                _public(_echo), web.Application(), LOOPBACK, 0, LOOPBACK, port
            ):
                pass
