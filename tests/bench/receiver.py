"""The webhook alone, as the service serves it: with the record behind it, or with an inbound that returns at once.

As a program: `receiver [URL of a store]`. The second is the control: the same server, checks and answer, without the durable record.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

import uvloop
from aiohttp import web

from bot.lark.events import LarkWire
from bot.lark.webhook import Refusals, Webhook, WebhookSettings
from bot.simulator.model import SimulatedApp
from bot.web.listeners import public_app, serve_listeners
from steward.control.inbound import GroupCommit
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.events import Click, Envelope, Recorded
from steward.model.ids import AppId, InboxId, TenantKey
from steward.ports.inbound import Inbound
from steward.store import open_store
from steward.store.inbox import SqlInbox
from steward.world import SystemClock
from tests.bench.children import say


class AtOnce:
    """Implements ports.inbound.Inbound: keeps nothing."""

    async def record(self, envelope: Envelope) -> Recorded:
        return Recorded(InboxId(1), duplicate=False)

    async def click(self, envelope: Envelope) -> ClickReply:
        return ClickReply("", ReplyKind.INFO)


class Counted:
    """The inbox, with a count of its commits."""

    def __init__(self, inbox: SqlInbox) -> None:
        self._inbox = inbox
        self.commits = self.events = 0

    async def record(self, batch: Sequence[Envelope]) -> Sequence[Recorded]:
        self.commits += 1
        self.events += len(batch)
        return await self._inbox.record(batch)

    def taken(self) -> dict[str, int]:
        """What was counted since the last look."""
        counts = {"commits": self.commits, "events": self.events}
        self.commits = self.events = 0
        return counts


async def _serve(url: str | None) -> None:
    if url is None:
        async with _listening(AtOnce()) as port:
            await _until_input_ends(port, dict)
        return
    clock = SystemClock()
    async with await open_store(url, clock) as store:
        inbox = Counted(store.inbox)
        inbound = GroupCommit(inbox, _unpressed, LarkWire(), lambda lane: None)
        task = asyncio.get_running_loop().create_task(inbound.run())
        async with _listening(inbound) as port:
            await _until_input_ends(port, inbox.taken)
        task.cancel()


async def _unpressed(envelope: Envelope, click: Click) -> ClickReply:
    """Nobody presses anything here."""
    return ClickReply("", ReplyKind.INFO)


@asynccontextmanager
async def _listening(inbound: Inbound) -> AsyncIterator[int]:
    app = SimulatedApp()
    settings = WebhookSettings(
        app_id=AppId(app.app_id),
        encrypt_keys=(app.encrypt_key,),
        verification_tokens=(app.verification_token,),
        freshness=timedelta(hours=8),
    )
    tenant = TenantKey(app.tenant_key)
    webhook = Webhook(settings, inbound, SystemClock(), Refusals(), lambda: tenant)
    admin = web.Application()
    public = public_app(webhook.add_to)
    async with serve_listeners(public, admin, "127.0.0.1", 0, "127.0.0.1", 0) as ports:
        yield ports.public


async def _until_input_ends(port: int, asked: Callable[[], dict[str, int]]) -> None:
    """Say the port, then answer each line with what was counted since the last."""
    say({"port": port})
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    while await lines.readline():
        say(asked())


if __name__ == "__main__":
    uvloop.run(_serve(sys.argv[1] if len(sys.argv) > 1 else None))
