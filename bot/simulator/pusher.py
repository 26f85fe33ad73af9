"""Delivers events to a bot's request URL as the platform does: signed at the time of sending, retried for hours.

Above it are demos and tests; it takes what platform.py has `Pushed`. A delivery counts where HTTP 200 came
within three seconds, connecting in two.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import aiohttp
import orjson

from bot.simulator import clicks, crypto, documents
from bot.simulator.clicks import Pressed
from bot.simulator.delivery import Delivery
from bot.simulator.model import Document, Pushed
from bot.simulator.platform import Platform
from steward.ports.world import Clock

ANSWER_SECONDS = 3.0
CONNECT_SECONDS = 2.0
CHALLENGE_SECONDS = 1.0
RETRY_AFTER = (15.0, 300.0, 3600.0, 21600.0)
"""Seconds from each failed try to the next; after the last the platform gives up."""

Signature: TypeAlias = Literal["good", "bad", "missing"]


@dataclass(frozen=True, slots=True)
class Signed:
    """What goes over the wire in one delivery."""

    headers: dict[str, str]
    body: bytes


class Pusher:
    """Pushes to one URL. Without a `session` of the caller's it opens and closes its own (`async with`)."""

    def __init__(
        self,
        platform: Platform,
        url: str,
        clock: Clock,
        *,
        session: aiohttp.ClientSession | None = None,
        connections: int = 32,
        retry_after: Sequence[float] = RETRY_AFTER,
    ) -> None:
        self._platform = platform
        self._url = url
        self._clock = clock
        self._session = session
        self._connections = connections
        self._retry_after = retry_after
        self._owned: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> "Pusher":
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self._connections)
            self._session = self._owned = aiohttp.ClientSession(connector=connector)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._owned is not None:
            await self._owned.close()
            self._session = self._owned = None

    def signed(
        self,
        document: Document,
        *,
        encrypted: bool = True,
        signature: Signature = "good",
        timestamp_offset: float = 0,
        lower_case_headers: bool = False,
    ) -> Signed:
        """The bytes and headers of one delivery, sent now; `timestamp_offset` shifts its claimed time in seconds."""
        app = self._platform.app
        body = orjson.dumps(document)
        if encrypted:
            body = orjson.dumps({"encrypt": crypto.encrypt(body, app.encrypt_key, self._iv())})
        headers = {"Content-Type": "application/json;charset=utf-8"}
        if signature != "missing":
            timestamp = str(int(self._clock.now().timestamp() + timestamp_offset))
            nonce = self._platform.tokens.new()
            key = app.encrypt_key if signature == "good" else f"{app.encrypt_key}_wrong"
            headers |= {
                "X-Lark-Request-Timestamp": timestamp,
                "X-Lark-Request-Nonce": nonce,
                "X-Lark-Signature": crypto.sign(timestamp, nonce, key, body),
            }
        if lower_case_headers:
            headers = {name.lower(): value for name, value in headers.items()}
        return Signed(headers, body)

    async def push(
        self,
        pushed: Pushed,
        *,
        encrypted: bool = True,
        signature: Signature = "good",
        timestamp_offset: float = 0,
        lower_case_headers: bool = False,
        app_id: str | None = None,
        tenant_key: str | None = None,
        token: str | None = None,
    ) -> Delivery:
        """One try. `app_id`, `tenant_key` and `token` make the document claim others than the app's own."""
        document = documents.readdressed(
            pushed.document, app_id=app_id, tenant_key=tenant_key, token=token
        )
        signed = self.signed(
            document,
            encrypted=encrypted,
            signature=signature,
            timestamp_offset=timestamp_offset,
            lower_case_headers=lower_case_headers,
        )
        return await self.post(signed)

    async def deliver(self, pushed: Pushed) -> list[Delivery]:
        """Try until one is accepted or the schedule ends; waits pass on the clock, each try is signed anew."""
        deliveries = [await self.push(pushed)]
        for seconds in self._retry_after:
            if deliveries[-1].accepted:
                break
            await self._clock.sleep(seconds)
            deliveries.append(await self.push(pushed))
        return deliveries

    async def press(self, pushed: Pushed) -> Pressed:
        """A click: asked once, never again; what the answer holds takes effect on the card."""
        delivery = await self.push(pushed)
        if pushed.message is None:
            raise ValueError("only a click is pressed")
        return clicks.settle(self._platform, pushed.message, delivery)

    def asking(self, text: str, *, encrypted: bool = True, token: str | None = None) -> Signed:
        """The question whether the URL is the bot's: with the token in it, and never signed."""
        asked = documents.challenge(self._platform.app, text)
        document = documents.readdressed(asked, token=token)
        return self.signed(document, encrypted=encrypted, signature="missing")

    async def challenge(
        self, encrypted: bool = True, *, text: str | None = None, token: str | None = None
    ) -> Delivery:
        """Ask it; `text` is to come back as `{"challenge": text}` within a second."""
        asked = self.asking(text or self._platform.tokens.new(), encrypted=encrypted, token=token)
        return await self.post(asked, within=CHALLENGE_SECONDS)

    async def post(self, signed: Signed, *, within: float = ANSWER_SECONDS) -> Delivery:
        """Send these bytes as they are: also the very same delivery twice."""
        if self._session is None:
            raise RuntimeError("use the pusher in an `async with` block, or give it a session")
        loop = asyncio.get_running_loop()
        began = loop.time()
        timeout = aiohttp.ClientTimeout(total=within, sock_connect=CONNECT_SECONDS)
        try:
            async with self._session.post(
                self._url,
                data=signed.body,
                headers=signed.headers,
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                body = await response.read()
                return Delivery(response.status, body, loop.time() - began)
        except TimeoutError:
            return Delivery(None, b"", loop.time() - began, "timeout")
        except aiohttp.ClientError:
            return Delivery(None, b"", loop.time() - began, "connection")

    def _iv(self) -> bytes:
        return hashlib.sha256(self._platform.tokens.new().encode()).digest()[: crypto.IV_BYTES]
