import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.web.admin import admin_app
from bot.web.health import Health
from bot.web.metrics import Metrics, MetricType

TOKEN = "admin-token"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
Client = TestClient[web.Request, web.Application]


@pytest.fixture
def health() -> Health:
    return Health(["intake"])


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    path = tmp_path / "admin.token"
    path.write_text(f"{TOKEN}\n", encoding="utf-8")
    return path


@pytest.fixture
async def client(health: Health, token_file: Path) -> AsyncIterator[Client]:
    metrics = Metrics()
    metrics.single(MetricType.GAUGE, "ready_parts", "Parts.", lambda: 7)
    app = admin_app(health, metrics, token_file=token_file)
    async with asyncio.timeout(10), TestClient(TestServer(app)) as client:
        yield client


def _rewrite(path: Path, content: bytes | None) -> None:
    path.unlink()
    if content is not None:
        path.write_bytes(content)


async def _status(client: Client, path: str = "/metrics", **headers: str) -> int:
    async with client.get(path, headers=BEARER | headers) as response:
        return response.status


async def test_ready_lists_what_is_red(client: Client, health: Health) -> None:
    answers: list[tuple[int, Any]] = []
    for _ in range(2):
        async with client.get("/readyz", headers=BEARER) as response:
            answers.append((response.status, await response.json()))
        health.part_up("intake")
    assert answers == [
        (503, {"ready": False, "red": [{"part": "intake", "reason": "starting"}]}),
        (200, {"ready": True, "red": []}),
    ]


async def test_metrics_are_prometheus_text(client: Client) -> None:
    async with client.get("/metrics", headers=BEARER) as response:
        assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert "ready_parts 7\n" in await response.text()


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x",
     "Bearer é"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/readyz", "/metrics", "/unknown"])
async def test_without_the_token_nothing_is_told(
    client: Client, path: str, authorization: str
) -> None:
    assert await _status(client, path, Authorization=authorization) == 401


async def test_a_changed_token_counts_at_once(client: Client, token_file: Path) -> None:
    _rewrite(token_file, b"new-token")
    assert await _status(client) == 401
    assert await _status(client, Authorization="bearer new-token") == 200


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff"])
async def test_a_blank_or_broken_token_file_locks_the_door(
    client: Client, token_file: Path, content: bytes
) -> None:
    _rewrite(token_file, content)
    assert await _status(client) == 401
    assert await _status(client, Authorization="Bearer ") == 401


async def test_a_lost_token_file_locks_the_door(client: Client, token_file: Path) -> None:
    _rewrite(token_file, None)
    assert await _status(client) == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8071", 200),
        ("localhost", 200),
        ("[::1]:8071", 200),
        ("steward.example:8071", 403),
        ("127.0.0.1.evil.example", 403),
        ("127.0.0.1@evil.example", 403),
        ("[", 403),
        ("", 403),
    ],
)
async def test_a_host_that_is_not_allowed_is_refused(
    client: Client, host: str, status: int
) -> None:
    assert await _status(client, Host=host) == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:8071", 200),
        ("https://localhost:8071", 200),
        ("http://localhost:9999", 403),
        ("http://evil.example", 403),
        ("file://localhost:8071", 403),
        ("null", 403),
        ("", 403),
    ],
)
async def test_a_foreign_origin_is_refused(client: Client, origin: str, status: int) -> None:
    assert await _status(client, Host="localhost:8071", Origin=origin) == status


async def test_a_name_of_ours_may_be_allowed(token_file: Path) -> None:
    app = admin_app(
        Health(), Metrics(), token_file=token_file, allowed_hosts=frozenset({"admin.example"})
    )
    async with asyncio.timeout(10), TestClient(TestServer(app)) as client:
        assert await _status(client, Host="admin.example:8071") == 200
        assert await _status(client) == 403
