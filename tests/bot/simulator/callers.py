"""An app's side of the wire, as small as it can be: what a test sends, and what came back."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import aiohttp
import orjson

from bot.simulator.platform import Platform
from steward.testing.world import FakeClock

IM = "/open-apis/im/v1"
TOKEN_PATH = "/open-apis/auth/v3/tenant_access_token/internal"


class SkippingClock(FakeClock):
    """Nobody waits: each sleep moves the time on at once, and is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.advance(timedelta(seconds=seconds))


@dataclass(frozen=True)
class Answer:
    status: int
    document: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def code(self) -> int:
        return self.document["code"]

    @property
    def data(self) -> dict[str, Any]:
        return self.document["data"]


class Caller:
    """Calls one platform with one token."""

    def __init__(self, session: aiohttp.ClientSession, platform: Platform) -> None:
        self._session = session
        self._platform = platform
        self.token: str | None = None

    async def sign_in(self) -> str:
        app = self._platform.app
        answer = await self.call(
            "POST", TOKEN_PATH, {"app_id": app.app_id, "app_secret": app.app_secret}
        )
        self.token = answer.document["tenant_access_token"]
        return self.token

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        raw = body if body is None or isinstance(body, bytes) else orjson.dumps(body)
        async with self._session.request(
            method, path, data=raw, params=query, headers=headers
        ) as response:
            return Answer(response.status, orjson.loads(await response.read()), response.headers)

    async def send(self, chat_id: str, text: str = "hello", **more: Any) -> Answer:
        body = {"receive_id": chat_id, "msg_type": "text", "content": words(text)} | more
        return await self.call("POST", f"{IM}/messages", body, {"receive_id_type": "chat_id"})

    async def reply(self, message_id: str, text: str = "hello", **more: Any) -> Answer:
        body = {"msg_type": "text", "content": words(text)} | more
        return await self.call("POST", f"{IM}/messages/{message_id}/reply", body)

    async def react(self, message_id: str, emoji: str) -> Answer:
        body = {"reaction_type": {"emoji_type": emoji}}
        return await self.call("POST", f"{IM}/messages/{message_id}/reactions", body)


def words(text: str) -> str:
    return orjson.dumps({"text": text}).decode()


def card(*elements: Mapping[str, Any], **more: Any) -> str:
    return orjson.dumps({"schema": "2.0", "body": {"elements": list(elements)}} | more).decode()
