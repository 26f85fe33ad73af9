"""Who may look at the admin listener: a token, from the right host, and no foreign page.

The token is read from its file at each request, so that a changed one counts at once and a lost one locks the door.
The Host check stops a page that has pointed a name of its own at loopback; the Origin check stops foreign pages.
"""

import asyncio
import hmac
import os
import secrets
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from bot.web.health import Health, add_readyz
from bot.web.metrics import Metrics, add_metrics

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SCHEME = "bearer"


def admin_app(
    health: Health, metrics: Metrics, *, token_file: Path, allowed_hosts: frozenset[str] = LOOPBACK
) -> web.Application:
    """The admin application. `allowed_hosts`: names without port under which it may be called."""
    app = web.Application(middlewares=[_door(token_file, allowed_hosts)])
    add_readyz(app, health)
    add_metrics(app, metrics)
    return app


def made_token(path: Path) -> Path:
    """The file of the token at `path`, made at the first start, readable by its owner alone."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32))
    return path


def _door(token_file: Path, allowed_hosts: frozenset[str]) -> Middleware:
    @web.middleware
    async def door(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not _host_allowed(request, allowed_hosts) or not _same_origin(request):
            return web.json_response({"error": "refused"}, status=403)
        token = await asyncio.to_thread(_token, token_file)
        if token is None or not _bears(request, token):
            return web.json_response({"error": "refused"}, status=401)
        return await handler(request)

    return door


def _host_allowed(request: web.Request, allowed_hosts: frozenset[str]) -> bool:
    return _name(f"//{request.headers.get(hdrs.HOST, '')}") in allowed_hosts


def _same_origin(request: web.Request) -> bool:
    """A program sends no Origin; a page must be one of ours. `null` is a page of unknown origin."""
    origin = request.headers.get(hdrs.ORIGIN)
    if origin is None:
        return True
    scheme, _, place = origin.partition("://")
    return scheme in {"http", "https"} and place == request.headers.get(hdrs.HOST)


def _name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _token(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def _bears(request: web.Request, token: str) -> bool:
    scheme, _, given = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    sent = given.strip().encode("utf-8", "surrogatepass")
    return hmac.compare_digest(sent, token.encode()) and scheme.lower() == _SCHEME
