"""`POST /lark/events`: verify, record, answer. Work happens after the record, elsewhere.

`handle` is free of any server, so that all of it is tested without a socket; `add_to` hangs it into aiohttp. Every
refusal has the same body, and the same status but for a body that is too large: the reason goes to `Refusals`
and the log, never to the wire (D1).
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import orjson
from aiohttp import web

from bot.lark.envelopes import envelope
from bot.lark.verification import Challenge, Refusal, Verified, Verifier
from steward.errors import SettingsError, StoreUnavailableError
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.events import Envelope, EventKind
from steward.model.ids import AppId, TenantKey
from steward.model.json import Json
from steward.model.turn import Language
from steward.policy.toasting import toast
from steward.ports.inbound import Inbound
from steward.ports.world import Clock
from steward.texts.toasts import CLICK_NOT_RECORDED

PATH = "/lark/events"
STALE_IS_RED = timedelta(minutes=10)
_REFUSED = b'{"error":"refused"}'
_RECORDED = b"{}"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """The app's identity and secrets: each of the latter current first, then the next one in a rotation.

    `freshness`: how far a request's signed instant may be from now; retries are signed anew, and the event store is
    the guard against replays. `max_body_bytes`: raw, as received.
    """

    app_id: AppId
    encrypt_keys: tuple[str, ...] = field(repr=False)
    verification_tokens: tuple[str, ...] = field(repr=False)
    freshness: timedelta = timedelta(hours=8)
    max_body_bytes: int = 1024 * 1024
    body_time: timedelta = timedelta(seconds=5)

    def __post_init__(self) -> None:
        """A blank secret would let everyone in: refused, as a missing one is."""
        needed = {
            "lark.app_id": (self.app_id,),
            "lark.encrypt_key": self.encrypt_keys,
            "lark.verification_token": self.verification_tokens,
        }
        for key, values in needed.items():
            if not values or not all(value.strip() for value in values):
                raise SettingsError(key, "needed by the webhook, and must not be blank")


@dataclass(frozen=True, slots=True)
class Ack:
    """What the platform gets back: 200 means recorded."""

    status: int
    body: bytes


class Refusals:
    """How many requests were turned away, and why; and when an authentic one last came too late."""

    def __init__(self) -> None:
        self._counts: Counter[Refusal] = Counter()
        self.last_stale_at: datetime | None = None

    @property
    def counts(self) -> Mapping[Refusal, int]:
        """Every reason with its number, zeros too."""
        return {reason: self._counts[reason] for reason in Refusal}

    def add(self, reason: Refusal, at: datetime) -> None:
        """Count one refusal."""
        self._counts[reason] += 1
        if reason is Refusal.STALE:
            self.last_stale_at = at

    def stale_reason(self, now: datetime) -> str | None:
        """A red word for /readyz while a stale event is recent: our clock, or the platform's way to us, is off."""
        recent = self.last_stale_at is not None and now - self.last_stale_at <= STALE_IS_RED
        return "stale_events_refused" if recent else None


class Webhook:
    """The HTTP transport. `tenant` gives the app's tenant once it is known."""

    def __init__(
        self,
        settings: WebhookSettings,
        inbound: Inbound,
        clock: Clock,
        refusals: Refusals,
        tenant: Callable[[], TenantKey | None],
    ) -> None:
        self._settings = settings
        self._inbound = inbound
        self._clock = clock
        self._refusals = refusals
        self._tenant = tenant
        self._verifier = Verifier(
            settings.app_id,
            settings.encrypt_keys,
            settings.verification_tokens,
            settings.freshness,
        )

    def add_to(self, app: web.Application) -> None:
        """Serve the one path."""
        app.router.add_post(PATH, self._serve)

    async def handle(self, headers: Mapping[str, str], body: bytes) -> Ack:
        """Answer one request, its header names in any case. Returns 200 for an event only once it is recorded."""
        if len(body) > self._settings.max_body_bytes:
            return self._refuse(Refusal.TOO_LARGE)
        now = self._clock.now()
        lowered = {name.lower(): value for name, value in headers.items()}
        match self._verifier.verdict(lowered, body, now, self._tenant()):
            case Refusal() as reason:
                return self._refuse(reason)
            case Challenge(text):
                return Ack(200, orjson.dumps({"challenge": text}))
            case Verified(plain, opening):
                return await self._take(envelope(plain, opening, self._settings.app_id, now))

    async def _take(self, event: Envelope) -> Ack:
        if event.kind is EventKind.CLICK:
            return await self._click(event)
        try:
            await self._inbound.record(event)
        except StoreUnavailableError:
            logger.warning("an event could not be recorded; the platform will send it again")
            return Ack(500, _REFUSED)
        return Ack(200, _RECORDED)

    async def _click(self, event: Envelope) -> Ack:
        """A click is not sent again, so that the person is told what happened whatever happened."""
        try:
            reply = await self._inbound.click(event)
        except StoreUnavailableError:
            logger.warning("a click could not be recorded")
            return Ack(200, _body_of(toast(CLICK_NOT_RECORDED, ReplyKind.ERROR)))
        return Ack(200, _body_of(reply))

    def _refuse(self, reason: Refusal) -> Ack:
        self._refusals.add(reason, self._clock.now())
        logger.warning("a webhook request was refused: %s", reason)
        return Ack(413 if reason is Refusal.TOO_LARGE else 401, _REFUSED)

    async def _serve(self, request: web.Request) -> web.Response:
        """Runs on when the client hangs up (listeners.py): a commit or a click's effect is not cut short."""
        body = await self._body(request)
        if isinstance(body, Refusal):
            ack = self._refuse(body)
        else:
            ack = await self.handle(request.headers, body)
        return web.Response(status=ack.status, body=ack.body, content_type="application/json")

    async def _body(self, request: web.Request) -> bytes | Refusal:
        """The raw bytes, read no further than one byte beyond the limit, whatever the length header says."""
        limit = self._settings.max_body_bytes
        body = bytearray()
        try:
            async with asyncio.timeout(self._settings.body_time.total_seconds()):
                while chunk := await request.content.readany():
                    body += chunk
                    if len(body) > limit:
                        return Refusal.TOO_LARGE
        except TimeoutError:
            return Refusal.TOO_SLOW
        return bytes(body)


_LOCALES = {Language.ZH: "zh_cn", Language.EN: "en_us"}


def _body_of(reply: ClickReply) -> bytes:
    shown: dict[str, Json] = {"type": reply.kind.value, "content": reply.toast}
    if reply.translations:
        shown["i18n"] = {_LOCALES[one]: text for one, text in reply.translations.items()}
    return orjson.dumps({"toast": shown})
