"""Sends calls to the platform over one pooled session, and classifies every way in which they can fail.

Above: sender.py, directory.py, doctor. Below: sdk.py defines the calls, access.py keeps the token. Reads that
failed for a passing reason are tried again here; what a failed send means is the outbox's to decide (D4).
"""

import logging
from datetime import timedelta
from typing import TypeVar

import aiohttp
import orjson
from pydantic import ValidationError
from yarl import URL

from bot.lark.access import TenantToken
from bot.lark.calls import LarkCall
from bot.lark.errors import TOKEN_CODES, FailureClass, LarkFailure, refusal, unreadable
from bot.lark.replies import Reply, TokenReply
from bot.lark.sdk import Sdk
from steward.model.ids import AppId
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

CONNECTIONS = 32
CONNECT_SECONDS = 4.0
TOTAL_SECONDS = 10.0
ANSWER_LIMIT = 4 * 1024 * 1024
"""Bytes; a page of 50 messages stays far below."""

READ_TRIES = 3
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 2.0
PASSING = frozenset(
    {
        FailureClass.AMBIGUOUS,
        FailureClass.UNREACHABLE,
        FailureClass.RATE_LIMITED,
    }
)
"""What a read is tried again after."""

R = TypeVar("R", bound=Reply)


def open_session() -> aiohttp.ClientSession:
    """The one pooled session. The caller closes it. No cookies, no proxies of the environment."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=CONNECTIONS),
        timeout=aiohttp.ClientTimeout(
            total=TOTAL_SECONDS, connect=CONNECT_SECONDS, sock_connect=CONNECT_SECONDS
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
    )


class LarkClient:
    """One app on one domain, such as `https://open.feishu.cn`."""

    def __init__(
        self,
        domain: str,
        app_id: AppId,
        app_secret: str,
        clock: Clock,
        sdk: Sdk,
        session: aiohttp.ClientSession,
    ) -> None:
        self._domain = domain.rstrip("/")
        self._app_secret = app_secret
        self._clock = clock
        self._session = session
        self._token = TenantToken(clock, self._fetch_token)
        self.app_id = app_id
        self.sdk = sdk

    async def call(self, call: LarkCall, reply: type[R], *, idempotent: bool) -> R | LarkFailure:
        """One call. `idempotent` reads are tried up to three times; anything else goes out once."""
        tries = READ_TRIES if idempotent else 1
        pause = FIRST_PAUSE
        while True:
            outcome = await self._authorised(call, reply)
            tries -= 1
            if not isinstance(outcome, LarkFailure) or outcome.kind not in PASSING or not tries:
                return outcome
            wait = max(pause, (outcome.retry_after or timedelta()).total_seconds())
            if wait > LONGEST_PAUSE:
                return outcome
            await self._clock.sleep(wait)
            pause *= 2

    async def sign_in(self) -> LarkFailure | None:
        """Whether the platform takes our id and secret, for a start-up check. None: it does."""
        token = await self._token.current()
        return token if isinstance(token, LarkFailure) else None

    async def _authorised(self, call: LarkCall, reply: type[R]) -> R | LarkFailure:
        token = await self._token.current()
        if isinstance(token, LarkFailure):
            return token
        outcome = await self._exchange(call, reply, token)
        if isinstance(outcome, LarkFailure) and outcome.code in TOKEN_CODES:
            token = await self._token.replace(token)
            if isinstance(token, LarkFailure):
                return token
            outcome = await self._exchange(call, reply, token)
        return outcome

    async def _fetch_token(self) -> TokenReply | LarkFailure:
        call = self.sdk.tenant_token(self.app_id, self._app_secret)
        outcome = await self._exchange(call, TokenReply, None)
        if not isinstance(outcome, LarkFailure):
            return outcome
        # A lost token harms nothing: the call that needed it was certainly not made.
        match outcome.kind:
            case FailureClass.AMBIGUOUS:
                return LarkFailure(FailureClass.UNREACHABLE, outcome.code)
            case FailureClass.UNCLASSIFIED:
                return LarkFailure(FailureClass.TOKEN, outcome.code)
            case _:
                return outcome

    async def _exchange(self, call: LarkCall, reply: type[R], token: str | None) -> R | LarkFailure:
        outcome = await self._request(call, reply, token)
        if isinstance(outcome, LarkFailure):
            logger.warning(
                "lark: %s failed: %s (code %s)", call.operation, outcome.kind, outcome.code
            )
        return outcome

    async def _request(self, call: LarkCall, reply: type[R], token: str | None) -> R | LarkFailure:
        headers = {"Content-Type": "application/json; charset=utf-8"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        try:
            async with self._session.request(
                call.method,
                URL(self._domain + call.path, encoded=True),
                params=call.query,
                data=call.body,
                headers=headers,
                allow_redirects=False,
            ) as response:
                raw = await _read(response)
                return _judge(call, reply, response, raw)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
            return LarkFailure(FailureClass.UNREACHABLE)
        except (aiohttp.ClientError, TimeoutError):
            return LarkFailure(FailureClass.AMBIGUOUS)


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The body, or nothing where it is longer than any answer that we ask for."""
    raw = bytearray()
    async for chunk in response.content.iter_chunked(1 << 16):
        raw += chunk
        if len(raw) > ANSWER_LIMIT:
            return b""
    return bytes(raw)


def _judge(
    call: LarkCall, reply: type[R], response: aiohttp.ClientResponse, raw: bytes
) -> R | LarkFailure:
    retry_after = _reset(response)
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return unreadable(response.status, retry_after)
    code = document.get("code") if isinstance(document, dict) else None
    if not isinstance(code, int):
        return unreadable(response.status, retry_after)
    if code != 0:
        return refusal(call.operation, code, response.status, retry_after)
    try:
        return reply.model_validate(document)
    except ValidationError:
        return LarkFailure(FailureClass.AMBIGUOUS, code)


def _reset(response: aiohttp.ClientResponse) -> timedelta | None:
    """When the platform's window opens again: seconds, kept between one second and an hour."""
    text = response.headers.get("x-ogw-ratelimit-reset", "")
    if not (text.isascii() and text.isdigit()):
        return None
    return timedelta(seconds=min(max(int(text[:6]), 1), 3600))
