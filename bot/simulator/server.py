"""The platform's HTTP side on loopback: routes a call, lets faults strike, answers, and keeps the record.

Rules live in api.py and below; everything that awaits or touches a socket lives here.
"""

from collections.abc import Awaitable, Callable

import orjson
from aiohttp import web

from bot.simulator import api
from bot.simulator.backstage import add_backstage
from bot.simulator.faults import Answer, Drop, LoseReply, Op, Page
from bot.simulator.model import Call, Document
from bot.simulator.platform import Platform
from bot.simulator.refusals import Refusal
from bot.simulator.request import Request
from steward.model.json import Json

SHUTDOWN_SECONDS = 0.2
"""How long `stop` waits for calls that are being slowed down."""

JSON_TYPE = "application/json; charset=utf-8"
HTML = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center></body></html>"


class PlatformServer:
    """Serves one platform until stopped. `url` is what a client takes for its domain."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Listen, and give the base URL; port 0 takes a free one."""
        application = web.Application(client_max_size=4 * 1024 * 1024)
        for op, operation in api.OPERATIONS.items():
            application.router.add_route(operation.method, operation.path, self._handler(op))
        add_backstage(application, self._platform)
        application.router.add_route("*", "/{rest:.*}", self._unknown)
        runner = web.AppRunner(
            application, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS, handle_signals=False
        )
        await runner.setup()
        await web.TCPSite(runner, host, port).start()
        self._runner = runner
        self.url = f"http://{host}:{runner.addresses[0][1]}"
        return self.url

    async def stop(self) -> None:
        """Stop listening and cut what is still open."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> "PlatformServer":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def _handler(self, op: Op) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(http: web.Request) -> web.StreamResponse:
            return await self._serve(op, http)

        return handle

    async def _serve(self, op: Op, http: web.Request) -> web.StreamResponse:
        platform = self._platform
        body = _parsed(await http.read())
        seconds, fault = platform.faults.take(op)
        if seconds:
            await platform.clock.sleep(seconds)
        if isinstance(fault, Page):
            self._record(op, http, body, fault.status, None)
            page = HTML.format(f"{fault.status} Bad Gateway")
            return web.Response(status=fault.status, text=page, content_type="text/html")
        if isinstance(fault, Drop):
            return self._cut(op, http, body)
        if isinstance(fault, Answer):
            return self._reply(op, http, body, fault.refusal)
        request = Request(http.match_info, http.query, body) if isinstance(body, dict) else None
        outcome = api.answer(platform, op, http.headers.get("Authorization"), request)
        if isinstance(fault, LoseReply):
            return self._cut(op, http, body)
        return self._reply(op, http, body, outcome)

    async def _unknown(self, http: web.Request) -> web.StreamResponse:
        self._record(None, http, _parsed(await http.read()), 404, None)
        return web.Response(status=404, text="404 page not found")

    def _reply(
        self, op: Op, http: web.Request, body: Json, outcome: Document | Refusal
    ) -> web.StreamResponse:
        status, code, headers = 200, 0, {"Content-Type": JSON_TYPE}
        if isinstance(outcome, Refusal):
            status, code, headers = outcome.status, outcome.code, headers | dict(outcome.headers)
        self._record(op, http, body, status, code)
        return web.Response(status=status, body=_document(outcome), headers=headers)

    def _cut(self, op: Op, http: web.Request, body: Json) -> web.StreamResponse:
        """Reset the connection: the caller sees no answer, and cannot tell what was done."""
        self._record(op, http, body, None, None)
        if http.transport is not None:
            http.transport.abort()
        return web.Response(status=500)

    def _record(
        self, op: Op | None, http: web.Request, body: Json, status: int | None, code: int | None
    ) -> None:
        at = self._platform.clock.now()
        query = dict(http.query)
        self._platform.calls.append(Call(op, http.method, http.path, query, body, at, status, code))
        self._platform.touch()


def _parsed(raw: bytes) -> Json:
    """The body as JSON; an empty one is an empty object, anything unreadable is None."""
    if not raw:
        return {}
    try:
        parsed: Json = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return parsed


def _document(outcome: Document | Refusal) -> bytes:
    if isinstance(outcome, Refusal):
        refused: Document = {"code": outcome.code, "msg": outcome.msg}
        if outcome.error is not None:
            refused["error"] = outcome.error
        return orjson.dumps(refused)
    return orjson.dumps({"code": 0, "msg": "success", **outcome})
