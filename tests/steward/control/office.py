"""Approvals over a real store in memory, with shipped fakes for every neighbour outside.

A test sends a command (`tell`), lets the courier have its turn, presses what came (`press`), and looks at the chats.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from steward.control.approvals import Approvals
from steward.control.approved import Approved
from steward.control.arrivals import Arrivals
from steward.control.authorities import Authorities
from steward.control.chatbook import Chatbook
from steward.control.granting import Granting
from steward.control.guards import Guards
from steward.control.outbox import Courier
from steward.control.places import Places
from steward.control.profiles import Profiles
from steward.control.registry import ConfiguredSource, Sources
from steward.control.scopes import Scopes
from steward.control.standing import Standing
from steward.control.telling import Telling
from steward.dispatch.local import EventWake
from steward.model.action import ClickRefusal
from steward.model.approval import ApprovalRefusal
from steward.model.audience import ChatMode, DirectoryFailure, Grant, GrantOrigin, Limits, Person
from steward.model.audit import AuditAct, AuditRow
from steward.model.command import Command, CommandName
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.events import (
    ChatType,
    Click,
    Envelope,
    EventKind,
    Lane,
    Membership,
    Message,
    Principal,
    PrincipalKind,
    Taken,
    TextContent,
)
from steward.model.ids import (
    ChatId,
    ConversationId,
    EventId,
    MessageRef,
    OpenId,
    SourceId,
    TenantKey,
)
from steward.model.owner import Authority
from steward.model.profile import HostFacts, RuntimeProfile
from steward.model.turn import Language
from steward.policy.scope import Access
from steward.store import Store, open_store
from steward.testing.directory import FakeDirectory
from steward.testing.sender import Arrival, ScriptedSender
from steward.testing.source import ScriptedSource
from steward.testing.world import CountedTokens, FakeClock
from steward.texts import approvals as texts
from steward.texts.catalogue import Text
from steward.texts.toasts import REFUSED
from tests.contracts.given import TTL, rows
from tests.steward.control.workshop import APP, MEMBER, OURS, OWNER, PLANS, TEAM, WORKER
from tests.steward.evidence import PAYMENTS, SEARCH, goal, snapshot

THEIRS = TenantKey("tenant_theirs")
HOME = ChatId("oc_home")
TASKS = SourceId("tasks")
TEAM_KEY = f"group:{TEAM}"
NOT_NOW = DirectoryFailure(retry=True, reason="timeout")
OF_CONFIG = Grant("team", TEAM_KEY, (TASKS,), None, GrantOrigin.CONFIG)
GRANT, REVOKE, PROFILE, IAM = (
    CommandName.GRANT,
    CommandName.REVOKE,
    CommandName.PROFILE,
    CommandName.IAM,
)
HOST = HostFacts(frozenset({RuntimeProfile.TRUSTED_OWNER.value}), False, True, False)


@dataclass
class Office:
    """`approvals` and what stands around it; the owner is OWNER, whose private chat is HOME."""

    store: Store
    clock: FakeClock
    directory: FakeDirectory
    sender: ScriptedSender
    approvals: Approvals
    arrivals: Arrivals
    courier: Courier
    sources: dict[SourceId, ScriptedSource]
    said: int = field(default=0)

    async def tell(
        self,
        name: CommandName,
        *arguments: str,
        sender: OpenId = OWNER,
        chat: ChatId = HOME,
        chat_type: ChatType = ChatType.P2P,
        tenant: TenantKey = OURS,
        kept: str | None = "",
        language: Language = Language.EN,
        deliver: bool = True,
    ) -> list[Arrival]:
        """Send a command, and deliver what it leads to. `kept`: what the platform has in its place; None: nothing."""
        self.said += 1
        text = " ".join([f"/{name.value}", *arguments])
        message = Message(
            ref=MessageRef(APP, f"om_{self.said}"),
            conversation=ConversationId(APP, chat),
            chat_type=chat_type,
            sender=Principal(sender, tenant, PrincipalKind.PERSON),
            parent=None,
            mentions=(),
            content=TextContent(text),
            sent_at=self.clock.now(),
        )
        if kept is not None:
            self.directory.said(message.ref, chat, sender, kept or text)
        item = await self.taken(EventKind.MESSAGE, message.conversation, message.ref)
        command = Command(name, arguments)
        owner = await self.approvals.authorities.owner()
        authority = Authority(None if owner is None else owner.open_id, OURS)
        await self.approvals.asked(item, message, command, authority, language)
        return await self.deliver() if deliver else []

    async def join(self, chat: ChatId = TEAM, operator: OpenId = MEMBER) -> list[Arrival]:
        """The bot is added to a chat."""
        self.said += 1
        conversation = ConversationId(APP, chat)
        event = Membership(
            conversation, True, True, None, Principal(operator, OURS, PrincipalKind.PERSON)
        )
        item = await self.taken(EventKind.MEMBERSHIP, conversation)
        await self.arrivals.joined(item, event)
        return await self.deliver()

    async def taken(
        self, kind: EventKind, conversation: ConversationId, message: MessageRef | None = None
    ) -> Taken:
        """An event, recorded and under intake's lease."""
        envelope = self._envelope(kind, conversation, message)
        await self.store.inbox.record([envelope])
        (item,) = await self.store.inbox.take(WORKER, lane=Lane.ORDERED, limit=1, ttl=TTL)
        return item

    async def deliver(self) -> list[Arrival]:
        """What is due is sent; what came into the chats by it."""
        before = len(self.sender.arrived)
        while await self.courier.round():
            pass
        for arrival in self.sender.arrived[before:]:
            self.directory.sent(arrival)
        return self.sender.arrived[before:]

    async def press(
        self,
        card: Arrival,
        nonce: str,
        operator: OpenId | None = OWNER,
        *,
        chat: ChatId = HOME,
        tenant: TenantKey = OURS,
    ) -> ClickReply:
        """Press a button of a card as it stands in `chat`."""
        return await self.click(card.sent.message, nonce, operator, chat=chat, tenant=tenant)

    async def click(
        self,
        message: MessageRef,
        nonce: str,
        operator: OpenId | None = OWNER,
        *,
        chat: ChatId = HOME,
        tenant: TenantKey = OURS,
    ) -> ClickReply:
        """Press on any message."""
        self.said += 1
        where = ConversationId(APP, chat)
        who = Principal(operator, tenant, PrincipalKind.PERSON)
        click = Click(message, where, who, nonce)
        stored = await self.store.effects.find(click)
        assert stored is not None
        envelope = self._envelope(EventKind.CLICK, where, message)
        return await Approved(self.approvals).pressed(envelope, click, stored)

    async def nonces(self) -> list[str]:
        """Of every button, the oldest first."""
        return [
            row[0] for row in await rows(self.store, "SELECT nonce FROM command_button ORDER BY id")
        ]

    async def held(self, audience: str) -> list[tuple[list[str], list[str] | None]]:
        """Sources and goals of the grants in force."""
        found = await self.store.grants.of(audience)
        return [
            (list(one.sources), None if one.goals is None else list(one.goals)) for one in found
        ]

    async def audited(self) -> list[AuditRow]:
        """Newest first, without what was delivered."""
        rows = [entry.row for entry in await self.store.audit.recent(most=50)]
        return [row for row in rows if row.act is not AuditAct.DELIVERED]

    def _envelope(
        self, kind: EventKind, conversation: ConversationId, message: MessageRef | None
    ) -> Envelope:
        now, lane = self.clock.now(), Lane.NOW if kind is EventKind.CLICK else Lane.ORDERED
        name = EventId(f"evt_{self.said}")
        return Envelope(APP, name, kind, lane, conversation, message, OURS, now, now, b"{}")


@asynccontextmanager
async def open_office(
    *,
    owner: OpenId | None = OWNER,
    home: ChatId | None = HOME,
    grants: tuple[Grant, ...] = (),
    access: Access = Access(groups=True, members_private=True),  # noqa: B008 - frozen
    sources: tuple[SourceId, ...] = (PLANS, TASKS),
) -> AsyncIterator[Office]:
    """Two sources with a goal each; TEAM holds two people, one of them of another tenant."""
    clock, tokens = FakeClock(), CountedTokens("nonce")
    directory, sender = FakeDirectory(clock), ScriptedSender(clock)
    directory.add(TEAM, title="Team")
    directory.add(HOME, ChatMode.P2P, title="")
    directory.people(TEAM, Person(OWNER, OURS), Person(OpenId("ou_guest"), THEIRS))
    goals = {PLANS: goal(PAYMENTS), TASKS: goal(SEARCH)}
    played = {
        one: ScriptedSource(one, [snapshot(goals[one], goals=(goals[one],))], clock=clock)
        for one in sources
    }
    configured = Sources([ConfiguredSource(one, one.title(), played[one]) for one in sources])
    async with await open_store("sqlite://", clock) as store:
        await store.grants.sync(grants)
        record = await store.owners.follow(APP, owner)
        if record is not None and home is not None:
            await store.owners.prove_chat(record, home)
        await store.owners.pin_tenant(APP, OURS, configured=True)
        scopes = Scopes(store.grants, sources, access)
        approvals = Approvals(
            authorities=Authorities(APP, store.owners, directory),
            directory=directory,
            granting=Granting(APP, directory, store.chats, store.grants, scopes, configured, clock),
            profiles=Profiles(store.machine, simulated=False),
            host=HOST,
            people=store.people,
            audit=store.audit,
            effects=store.effects,
            sender=sender,
            deliveries=EventWake(),
            clock=clock,
            tokens=tokens,
        )
        arrivals = Arrivals(
            approvals, store.inbox, Chatbook(APP, store.chats), Telling(sender, Limits())
        )
        standing = Standing(approvals.authorities, directory, scopes, clock)
        courier = Courier(
            worker=WORKER,
            outbox=store.outbox,
            ledger=store.ledger,
            guards=Guards(standing, Places(directory), clock),
            sender=sender,
            wake=EventWake(),
            clock=clock,
        )
        yield Office(store, clock, directory, sender, approvals, arrivals, courier, played)


def toast(text: Text, kind: ReplyKind, language: Language | None = Language.EN) -> ClickReply:
    if language is None:
        return ClickReply(text.en, kind, {one: text.of(one) for one in Language})
    return ClickReply(text.of(language), kind)


def no(why: ClickRefusal) -> ClickReply:
    mild = why in {ClickRefusal.USED, ClickRefusal.NOT_NOW}
    text = {ClickRefusal.EXPIRED: texts.EXPIRED, ClickRefusal.USED: texts.USED}.get(why)
    return toast(text or REFUSED[why], ReplyKind.INFO if mild else ReplyKind.WARNING, None)


APPLIED = toast(texts.APPLIED, ReplyKind.SUCCESS)


def lines(arrival: Arrival) -> list[str]:
    return arrival.text.split("\n")


async def refused(office: Office, arrivals: list[Arrival], why: ApprovalRefusal) -> None:
    (said,) = arrivals
    assert lines(said)[0].startswith(texts.REFUSED[why].en.split("{")[0])
    assert (await office.audited())[0].reason == why
    assert (await office.audited())[0].act is AuditAct.REFUSED
    assert await office.nonces() == []
