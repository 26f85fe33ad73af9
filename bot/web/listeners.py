"""The two listeners of the process. Public: the webhook and `/healthz`, nothing else. Admin: what operators look at.

Both are plain aiohttp applications made elsewhere; here they are closed up (everything unknown is the same empty 404, no
server banner) and served.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from bot.web.health import add_healthz

_KEEPALIVE_SECONDS = 75.0
_SHUTDOWN_SECONDS = 10.0


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
    """Serve both until the block ends; then let requests in flight finish, for ten seconds. Port 0 takes a free one.

    Raises OSError where an address cannot be bound; then neither is served.
    """
    async with (
        _served(public, host, port) as bound,
        _served(admin, admin_host, admin_port) as admin_bound,
    ):
        yield Ports(bound, admin_bound)


@asynccontextmanager
async def _served(app: web.Application, host: str, port: int) -> AsyncIterator[int]:
    app.on_response_prepare.append(_without_banner)
    runner = web.AppRunner(
        app,
        access_log=None,
        handler_cancellation=False,  # a client that hangs up must not cut a commit short
        auto_decompress=False,  # signatures are over raw bytes
        keepalive_timeout=_KEEPALIVE_SECONDS,
        shutdown_timeout=_SHUTDOWN_SECONDS,
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


@web.middleware
async def _nothing_else(request: web.Request, handler: Handler) -> web.StreamResponse:
    """A path or method that is not served looks like one that does not exist."""
    try:
        return await handler(request)
    except web.HTTPException:
        return web.Response(status=404)


async def _without_banner(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.popall(hdrs.SERVER, None)
