"""The two listeners of the process. Public: the webhook and `/healthz`, nothing else. Admin: what operators look at.

Both are plain aiohttp applications made elsewhere; here they are closed up (everything unknown is the same empty 404, no
server banner) and served.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from bot.web.health import add_healthz

_KEEPALIVE_SECONDS = 75.0
_SHUTDOWN_SECONDS = 3.0
"""For requests in flight at the end: as long as the platform itself waits. A stalled client is cut in twice that."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the listeners are bound."""

    public: int
    admin: int


def public_app(add_webhook: Callable[[web.Application], None]) -> web.Application:
    """The public application: `add_webhook` adds the one path that is not `/healthz`."""
    app = web.Application(middlewares=[_nothing_else])
    add_healthz(app)
    add_webhook(app)
    return app


@asynccontextmanager
async def serve_listeners(
    public: web.Application,
    admin: web.Application,
    host: str,
    port: int,
    admin_host: str,
    admin_port: int,
) -> AsyncIterator[Ports]:
    """Serve both until the block ends; then let requests in flight finish, for three seconds. Port 0 takes a free one.

    Raises OSError where an address cannot be bound; then neither is served.
    """
    public_runner, admin_runner = _runner(public), _runner(admin)
    try:
        bound = await _listening(public_runner, host, port)
        yield Ports(bound, await _listening(admin_runner, admin_host, admin_port))
    finally:
        # Together: the end of the process does not wait for the one and then for the other.
        await asyncio.gather(public_runner.cleanup(), admin_runner.cleanup())


def _runner(app: web.Application) -> web.AppRunner:
    app.on_response_prepare.append(_without_banner)
    return web.AppRunner(
        app,
        access_log=None,
        handler_cancellation=False,  # a client that hangs up must not cut a commit short
        auto_decompress=False,  # signatures are over raw bytes
        keepalive_timeout=_KEEPALIVE_SECONDS,
        shutdown_timeout=_SHUTDOWN_SECONDS,
    )


async def _listening(runner: web.AppRunner, host: str, port: int) -> int:
    await runner.setup()
    await web.TCPSite(runner, host, port).start()
    bound: int = runner.addresses[0][1]
    return bound


@web.middleware
async def _nothing_else(request: web.Request, handler: Handler) -> web.StreamResponse:
    """A path or method that is not served looks like one that does not exist."""
    try:
        return await handler(request)
    except web.HTTPException:
        return web.Response(status=404)


async def _without_banner(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.popall(hdrs.SERVER, None)
