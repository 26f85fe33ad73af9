"""The whole of control over a real store in memory, with shipped fakes for every neighbour outside.

A test says things (`say`), lets parts of control have their turn (`judge`, `answer`, `deliver`), and looks at the
chats (`sender.texts()`) and the store.
"""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from zoneinfo import ZoneInfo

from steward.control.approvals import Approvals
from steward.control.arrivals import Arrivals
from steward.control.audiences import Audiences
from steward.control.authorities import Authorities
from steward.control.chatbook import Chatbook
from steward.control.command_presses import CommandPresses
from steward.control.commands import Commands
from steward.control.endings import Endings
from steward.control.endpoints import Endpoints
from steward.control.grounds import Grounds, proves
from steward.control.guards import Guards
from steward.control.intake import Intake
from steward.control.marks import Marks
from steward.control.outbox import Courier
from steward.control.places import Places
from steward.control.presses import Presses
from steward.control.profiles import Profiles
from steward.control.recovery import Recovery
from steward.control.registry import ConfiguredSource, Sources
from steward.control.scopes import Scopes
from steward.control.standing import Standing
from steward.control.telling import Telling
from steward.control.turns import TurnLimits, Turns
from steward.dispatch.local import EventWake
from steward.model.audience import DEFAULT_LIMITS, ChatMode, Grant, GrantOrigin, Limits
from steward.model.events import (
    ChatType,
    Content,
    Envelope,
    Event,
    EventKind,
    Lane,
    Mention,
    Message,
    Principal,
    PrincipalKind,
    TextContent,
    Unparsable,
)
from steward.model.ids import (
    AppId,
    ChatId,
    ConversationId,
    EventId,
    MessageRef,
    OpenId,
    SourceId,
    TenantKey,
    WorkerId,
)
from steward.model.reading import Snapshot
from steward.policy.scope import Access
from steward.ports.world import Clock
from steward.store import Store, open_store
from steward.testing.directory import FakeDirectory
from steward.testing.endpoint import Says, Script, ScriptedEndpoint
from steward.testing.sender import ScriptedSender
from steward.testing.source import ScriptedSource
from steward.testing.wire import LaidWire
from steward.testing.world import CountedTokens, FakeClock
from tests.contracts.given import rows
from tests.steward.control.told import commands_over

APP = AppId("cli_sim_a")
OURS = TenantKey("tenant_ours")
BOT = OpenId("ou_bot")
OWNER = OpenId("ou_owner")
MEMBER = OpenId("ou_member")
TEAM = ChatId("oc_team")
PLANS = SourceId("plans")
WORKER = WorkerId("worker-1")
TTL = timedelta(seconds=60)

GOOD = b'{"classification": "overview", "claims": [{"text": "x", "cites": [], "kind": "absence", "scope": {"view": "todos"}}]}'
"""A candidate that the judge lets through; what it says of nothing read is then written by code."""

TEAM_GRANT = Grant("team", f"group:{TEAM}", (PLANS,), None, GrantOrigin.CONFIG)


@dataclass
class Workshop:
    """Control's parts, built as bot.app builds them."""

    store: Store
    clock: FakeClock
    endpoint: ScriptedEndpoint
    sender: ScriptedSender
    directory: FakeDirectory
    wire: LaidWire
    scripts: dict[str, Script]
    source: ScriptedSource
    scopes: Scopes
    intake: Intake
    turns: Turns
    courier: Courier
    recovery: Recovery
    marks: Marks
    standing: Standing
    grounds: Grounds
    approvals: Approvals
    command_presses: CommandPresses
    tokens: CountedTokens
    said: int = field(default=0)

    @property
    def presses(self) -> Presses:
        """What carries out a press."""
        return Presses(
            clicks=self.store.clicks,
            ledger=self.store.ledger,
            scopes=self.scopes,
            standing=self.standing,
            sender=self.sender,
            turns=EventWake(),
            deliveries=EventWake(),
            authorities=self.standing.authorities,
            commands=self.command_presses,
            endpoints=self.grounds.endpoints,
            clock=self.clock,
            tokens=self.tokens,
            zone=ZoneInfo("Asia/Shanghai"),
            limits=DEFAULT_LIMITS,
        )

    async def say(
        self,
        text: str = "How is it going?",
        *,
        sender: OpenId | None = MEMBER,
        chat: ChatId = TEAM,
        chat_type: ChatType = ChatType.GROUP,
        tenant: TenantKey | None = OURS,
        kind: PrincipalKind = PrincipalKind.PERSON,
        mentions: Sequence[OpenId] = (BOT,),
        parent: MessageRef | None = None,
        content: Content | None = None,
        kept: bool = True,
        lane: Lane = Lane.ORDERED,
    ) -> Message:
        """Record a message; a question for the bot in the team's group unless told otherwise.

        `kept` False: the platform has no such message, as where its event was made up.
        """
        self.said += 1
        message = Message(
            ref=MessageRef(APP, f"om_{self.said}"),
            conversation=ConversationId(APP, chat),
            chat_type=chat_type,
            sender=Principal(sender, tenant, kind),
            parent=parent,
            mentions=tuple(
                Mention(f"@_user_{number}", who, "name")
                for number, who in enumerate(mentions, start=1)
            ),
            content=content or TextContent(text),
            sent_at=self.clock.now(),
        )
        if kept:
            words = message.content
            said = words.text if isinstance(words, TextContent) else None
            self.directory.said(message.ref, chat, sender, said)
        await self.event(message, EventKind.MESSAGE, lane, message.conversation, message.ref)
        return message

    async def in_private(self, text: str, sender: OpenId, **changes: TenantKey) -> Message:
        """A message in this person's private chat with the bot."""
        chat = private_chat(sender)
        self.directory.add(chat, ChatMode.P2P)
        return await self.say(
            text,
            sender=sender,
            chat=chat,
            chat_type=ChatType.P2P,
            mentions=(),
            **changes,
        )

    async def event(
        self,
        event: Event | Unparsable | Exception,
        kind: EventKind,
        lane: Lane,
        conversation: ConversationId | None,
        message: MessageRef | None = None,
    ) -> EventId:
        """Record an event that will be read as `event`."""
        self.said += 1
        event_id = EventId(f"evt_{self.said}")
        self.wire.lay(event_id, event)
        now = self.clock.now()
        await self.store.inbox.record(
            [Envelope(APP, event_id, kind, lane, conversation, message, OURS, now, now, b"{}")]
        )
        return event_id

    async def judge(self, lane: Lane = Lane.ORDERED) -> None:
        """Intake has its turn, until nothing is due."""
        while await self.intake.round(lane):
            pass

    async def answer(self, worker: WorkerId = WORKER) -> None:
        """Every conversation with a queued question is worked on, one after another."""
        while leases := await self.store.conversations.claim(worker, limit=16, ttl=TTL):
            for lease in leases:
                await self.turns.work(lease)
                await self.store.conversations.release(lease)

    async def deliver(self) -> None:
        """The courier has its turn, until nothing is due."""
        before = len(self.sender.arrived)
        while await self.courier.round():
            pass
        for arrival in self.sender.arrived[before:]:
            self.directory.sent(arrival)

    async def ends(self) -> list[tuple[str, str | None]]:
        """Each question's status, and the code of its failure."""
        found = await rows(self.store, "SELECT status, failure FROM question ORDER BY id")
        return [(row[0], row[1] and json.loads(row[1])["code"]) for row in found]

    async def through(self) -> None:
        """Judge, answer and deliver."""
        await self.judge()
        await self.answer()
        await self.deliver()


@asynccontextmanager
async def open_workshop(
    *,
    grants: Sequence[Grant] = (TEAM_GRANT,),
    endpoint: ScriptedEndpoint | None = None,
    scripts: dict[str, Script] | None = None,
    voice: Callable[[Clock], ScriptedSender] = ScriptedSender,
    lookup: Callable[[Clock], FakeDirectory] = FakeDirectory,
    url: str = "sqlite://",
    access: Access = Access(groups=True, members_private=False),  # noqa: B008 - frozen
    total: timedelta = timedelta(seconds=5),
    limits: Limits = DEFAULT_LIMITS,
    simulated: bool = False,
    owner: OpenId | None = OWNER,
    greeting: bool = False,
    before: Workshop | None = None,
) -> AsyncIterator[Workshop]:
    """A workshop whose endpoint answers every question well, unless `scripts` or `endpoint` say otherwise.

    `greeting`: the owner is told of each group that the bot is added to. `before`: the one that was closed, for a restart over the same `url`. Time, tokens and what came in go on from there;
    `voice` and `lookup` give its sender and directory again, where the chats are to be the same.
    """
    clock, tokens, wire = _outside(before)
    scripts = {} if scripts is None else scripts
    played = endpoint or ScriptedEndpoint(_Defaulting(scripts))
    directory, sender = lookup(clock), voice(clock)
    if before is None:
        directory.add(TEAM)
    source = ScriptedSource(PLANS, [_nothing(clock)], clock=clock)
    sources = Sources([ConfiguredSource(PLANS, "Plans", source)])
    marks, wake = Marks(sender), EventWake()
    async with await open_store(url, clock) as store:
        await store.grants.sync(grants)
        authorities = await _authorities(store, directory, owner)
        scopes = Scopes(store.grants, (PLANS,), access)
        standing = Standing(authorities, directory, scopes, clock)
        endpoints = Endpoints(played)
        grounds = Grounds(
            endpoints=endpoints,
            stands=standing.patiently,
            profiles=Profiles(store.machine, simulated=simulated),
            proves=proves(directory),
            owns=authorities.owner,
        )
        endings = _endings(store, sources, sender, marks, clock, tokens)
        turns = Turns(
            conversations=store.conversations,
            ledger=store.ledger,
            sessions=store.sessions,
            scopes=scopes,
            grounds=grounds,
            endings=endings,
            limits=TurnLimits(total=total, grace=timedelta(seconds=1)),
        )
        telling = Telling(sender, limits)
        told = commands_over(
            store, sources, endpoints, standing, sender, turns, clock, tokens, simulated
        )
        yield Workshop(
            store=store,
            clock=clock,
            endpoint=played,
            sender=sender,
            directory=directory,
            wire=wire,
            scripts=scripts,
            source=source,
            scopes=scopes,
            intake=_intake(store, standing, telling, told, wire, marks, wake, turns, greeting),
            turns=turns,
            courier=_courier(store, standing, sender, wake),
            recovery=_recovery(store, standing, turns, endpoints),
            marks=marks,
            standing=standing,
            grounds=grounds,
            approvals=told[2],
            command_presses=told[1],
            tokens=tokens,
            said=0 if before is None else before.said,
        )


def _outside(before: Workshop | None) -> tuple[FakeClock, CountedTokens, LaidWire]:
    if before is None:
        return FakeClock(), CountedTokens(), LaidWire()
    return before.clock, before.tokens, before.wire


async def _authorities(store: Store, directory: FakeDirectory, owner: OpenId | None) -> Authorities:
    """As after a start with this owner and this tenant configured."""
    await store.owners.follow(APP, owner)
    await store.owners.pin_tenant(APP, OURS, configured=True)
    return Authorities(APP, store.owners, directory)


def _endings(
    store: Store,
    sources: Sources,
    sender: ScriptedSender,
    marks: Marks,
    clock: FakeClock,
    tokens: CountedTokens,
) -> Endings:
    return Endings(
        ledger=store.ledger,
        people=store.people,
        sources=sources,
        sender=sender,
        watcher=marks,
        deliveries=EventWake(),
        clock=clock,
        tokens=tokens,
        zone=ZoneInfo("Asia/Shanghai"),
    )


def _nothing(clock: Clock) -> Snapshot:
    return Snapshot(rows=(), goals={}, as_of=clock.now(), revision="1", complete=True)


def _intake(
    store: Store,
    standing: Standing,
    telling: Telling,
    told: tuple[Commands, CommandPresses, Approvals],
    wire: LaidWire,
    marks: Marks,
    wake: EventWake,
    turns: Turns,
    greeting: bool,
) -> Intake:
    chatbook = Chatbook(APP, store.chats)
    arrivals = Arrivals(told[2], store.inbox, chatbook, telling)
    return Intake(
        worker=WORKER,
        inbox=store.inbox,
        outbox=store.outbox,
        directory=standing.directory,
        owners=store.owners,
        audiences=Audiences(standing.authorities, standing.directory, chatbook),
        chatbook=chatbook,
        scopes=standing.scopes,
        telling=telling,
        commands=told[0],
        wire=wire,
        watcher=marks,
        turns=wake,
        recalled=turns.recalled,
        deliveries=wake,
        clock=standing.clock,
        arrives=arrivals.joined if greeting else None,
    )


def _courier(store: Store, standing: Standing, sender: ScriptedSender, wake: EventWake) -> Courier:
    return Courier(
        worker=WORKER,
        outbox=store.outbox,
        ledger=store.ledger,
        guards=Guards(standing, Places(standing.directory), standing.clock),
        sender=sender,
        wake=wake,
        clock=standing.clock,
    )


def _recovery(store: Store, standing: Standing, turns: Turns, endpoints: Endpoints) -> Recovery:
    return Recovery(
        leases=store.leases,
        ledger=store.ledger,
        turns=turns,
        endpoints=endpoints,
        standing=standing,
        clock=standing.clock,
    )


class _Defaulting(dict[str, Script]):
    """Scripts by question; a question without one is answered well."""

    def __init__(self, scripts: dict[str, Script]) -> None:
        super().__init__()
        self._scripts = scripts

    def get(self, question: str, default: Script | None = None) -> Script | None:  # type: ignore[override] # narrower on purpose
        return self._scripts.get(question, [Says(GOOD)])


def private_chat(person: OpenId) -> ChatId:
    """This person's private chat with the bot."""
    return ChatId(f"oc_private_{person}")


def foreign(grant: Grant, chat: ChatId) -> Grant:
    """The same grant for another group."""
    return replace(grant, name=str(chat), audience=f"group:{chat}")
