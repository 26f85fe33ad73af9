"""The whole table of trust: who asks, where, on what proof, under which profile and grants, and what they get. P2, P4, P7, A1, A2, A4.

First every cell through the decisions alone, against rules that are written here anew; then some cells of each kind
through the whole of control, where another order of the same decisions could undo them.
"""

import itertools
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from steward.model.audience import (
    Audience,
    AudienceKind,
    ChatFacts,
    ChatMode,
    Grant,
    GrantOrigin,
    MessageFacts,
)
from steward.model.command import Command, CommandName, UnknownCommand
from steward.model.events import ChatType, Message, Principal, PrincipalKind, TextContent
from steward.model.ids import (
    ChatId,
    ConversationId,
    GoalId,
    MessageRef,
    OpenId,
    SourceId,
    TenantKey,
)
from steward.model.profile import RuntimeProfile
from steward.model.reading import ScanQuery, View
from steward.policy.boundary import audience_of
from steward.policy.permitting import OWNERS, Permission, heard, permitted
from steward.policy.profile import effective, stored_of
from steward.policy.proof import Proof, is_private, proof_of
from steward.policy.scope import Access, scope_of
from steward.testing.endpoint import Says, Scans, ScriptedEndpoint
from steward.testing.world import EPOCH
from tests.acceptance.town import BOTH, GUEST, OUTER, THEIRS
from tests.contracts.given import rows
from tests.steward.control.sessions import apply, put_document
from tests.steward.control.workshop import (
    APP,
    GOOD,
    MEMBER,
    OURS,
    OWNER,
    PLANS,
    TEAM,
    Workshop,
    open_workshop,
    private_chat,
)

CHAT = ChatId("oc_here")
TASKS = SourceId("tasks")
ASKED = "How is it going?"
RESTRICTED_ONLY = frozenset({"restricted"})
TRUSTED = (
    b'{"schema_version":"machine_configuration_v0","namespaces":{"manager_runtime":'
    b'{"schema_version":"manager_runtime_profile_v0","runtime_profile":"trusted_owner"}%s}}'
)
STORED = {
    "absent": None,
    "restricted": TRUSTED.replace(b"trusted_owner", b"restricted") % b"",
    "trusted": TRUSTED % b"",
    "corrupt": TRUSTED.replace(b"trusted_owner", b"trusted") % b"",
    "cut off": (TRUSTED % b"")[:-1],
    "malformed sibling": TRUSTED % b',"other":[null]',
}
HOLD_TRUSTED = {"trusted", "malformed sibling"}
MINE, OTHERS = ("oc_here", OWNER, ASKED), ("oc_here", MEMBER, ASKED)
COPIES = (MINE, OTHERS, ("oc_elsewhere", OWNER, ASKED), None)
ACCESS = Access(groups=True, members_private=True)
GRANTS = {
    "none": (),
    "group": (Grant("a", f"group:{CHAT}", (PLANS,), None, GrantOrigin.OWNER),),
    "external": (Grant("b", f"external:{CHAT}", (PLANS,), None, GrantOrigin.OWNER),),
    "members": (Grant("c", "members", (PLANS,), None, GrantOrigin.OWNER),),
    "owner": (Grant("d", "owner", (PLANS,), (GoalId("one"),), GrantOrigin.OWNER),),
}
COMMANDS: tuple[Command | UnknownCommand, ...] = (*map(Command, CommandName), UnknownCommand("x"))


class Cell(NamedTuple):
    """The facts that come with a message, and those that the platform has."""

    chat_type: ChatType
    tenant: TenantKey | None
    sender: OpenId | None
    mode: ChatMode
    external: bool | None
    chat_tenant: TenantKey | None
    copy: tuple[str, OpenId, str] | None

    @property
    def message(self) -> Message:
        return Message(
            ref=MessageRef(APP, "om_1"),
            conversation=ConversationId(APP, CHAT),
            chat_type=self.chat_type,
            sender=Principal(self.sender, self.tenant, PrincipalKind.PERSON),
            parent=None,
            mentions=(),
            content=TextContent(ASKED),
            sent_at=EPOCH,
        )

    @property
    def facts(self) -> ChatFacts:
        return ChatFacts(CHAT, self.mode, self.external, self.chat_tenant, "T", EPOCH)

    @property
    def kept(self) -> MessageFacts | None:
        if self.copy is None:
            return None
        return MessageFacts(ChatId(self.copy[0]), self.copy[1], self.copy[2])


CELLS = tuple(
    Cell(*facts)
    for facts in itertools.product(
        ChatType,
        (OURS, THEIRS, None),
        (OWNER, MEMBER, None),
        ChatMode,
        (True, False, None),
        (OURS, THEIRS, None),
        COPIES,
    )
)


def judged(cell: Cell) -> AudienceKind | None:
    """The audience, as the parts of control decide it one after another; None: answered by silence."""
    looked_up = cell.facts if cell.chat_type is ChatType.GROUP else None
    kind = audience_of(cell.message, looked_up, tenant=OURS, owner=OWNER).kind
    if kind is not AudienceKind.OWNER_PRIVATE:
        return kind
    if proof_of(cell.message, cell.kept) is Proof.CONTRADICTED or not is_private(cell.facts, OURS):
        return None
    return kind


def expected(cell: Cell) -> AudienceKind | None:
    """The same, as the contract has it."""
    if cell.sender is None or cell.tenant is None or cell.chat_type is ChatType.UNKNOWN:
        return AudienceKind.UNKNOWN
    if cell.chat_type is ChatType.P2P:
        if cell.tenant == THEIRS:
            return AudienceKind.EXTERNAL
        if cell.sender != OWNER:
            return AudienceKind.MEMBER_PRIVATE
        between_two = (cell.mode, cell.external) == (ChatMode.P2P, False)
        own = cell.copy == MINE and between_two and cell.chat_tenant != THEIRS
        return AudienceKind.OWNER_PRIVATE if own else None
    if cell.mode not in {ChatMode.GROUP, ChatMode.TOPIC} or cell.external is None:
        return AudienceKind.UNKNOWN
    outside = cell.external or THEIRS in {cell.tenant, cell.chat_tenant}
    return AudienceKind.EXTERNAL if outside else AudienceKind.GROUP


KINDS = {cell: judged(cell) for cell in CELLS}


@pytest.mark.requirement("A1", "P7")
def test_every_combination_of_facts_has_the_one_audience_of_the_contract() -> None:
    assert [cell for cell, kind in KINDS.items() if kind is not expected(cell)] == []
    own = [cell for cell, kind in KINDS.items() if kind is AudienceKind.OWNER_PRIVATE]
    assert {cell[:5] for cell in own} == {(ChatType.P2P, OURS, OWNER, ChatMode.P2P, False)}
    assert {cell.copy for cell in own} == {MINE}


@pytest.mark.requirement("P2", "P4")
def test_host_tools_stand_in_exactly_one_cell_of_everything_that_can_be() -> None:
    settings = itertools.product(STORED, (RESTRICTED_ONLY, BOTH), (False, True))
    found = {
        (kind, stored, profiles, simulated)
        for stored, profiles, simulated in settings
        for kind in filter(None, KINDS.values())
        if effective(stored_of(STORED[stored]), kind, profiles, simulated=simulated).trusted
    }
    assert found == {(AudienceKind.OWNER_PRIVATE, one, BOTH, False) for one in HOLD_TRUSTED}


@pytest.mark.requirement("A2", "P4")
@pytest.mark.parametrize("granted", GRANTS)
def test_nobody_but_the_owner_in_private_reads_without_a_grant_of_their_very_own(
    granted: str,
) -> None:
    reads = {
        "none": {AudienceKind.OWNER_PRIVATE},
        "group": {AudienceKind.OWNER_PRIVATE, AudienceKind.GROUP},
        "external": {AudienceKind.OWNER_PRIVATE, AudienceKind.EXTERNAL},
        "members": {AudienceKind.OWNER_PRIVATE, AudienceKind.MEMBER_PRIVATE},
        "owner": {AudienceKind.OWNER_PRIVATE},
    }[granted]
    for kind in AudienceKind:
        audience = Audience(kind, CHAT)
        held = [one for one in GRANTS[granted] if one.audience == audience.grant_key]
        scope = scope_of(audience, held, (PLANS, TASKS), ACCESS)
        assert scope.empty is (kind not in reads)
        narrowed = granted != "none" and kind.value.startswith(granted.rstrip("s"))
        assert scope.allows(TASKS, GoalId("two")) is (
            kind is AudienceKind.OWNER_PRIVATE and not narrowed
        )


@pytest.mark.requirement("A4", "A5")
def test_what_is_the_owners_is_allowed_in_that_one_audience_alone_and_told_nowhere() -> None:
    for kind, command, granted in itertools.product(AudienceKind, COMMANDS, (False, True)):
        may = permitted(command, kind, granted=granted)
        name = command.name if isinstance(command, Command) else None
        if kind is AudienceKind.UNKNOWN:
            assert may is Permission.SILENT
        elif name in OWNERS:
            mine = kind is AudienceKind.OWNER_PRIVATE
            unknown = permitted(UnknownCommand("x"), kind, granted=granted)
            assert may is (Permission.ALLOWED if mine else unknown)
        if not granted and kind in {
            AudienceKind.GROUP,
            AudienceKind.EXTERNAL,
            AudienceKind.UNKNOWN,
        }:
            assert not heard(command, kind, granted=granted)


# ---------------------------------------------------------------- through the whole of control


@dataclass(frozen=True, slots=True)
class Place:
    """Somebody in some chat."""

    name: str
    person: OpenId
    chat: ChatId
    tenant: TenantKey = OURS
    kept: bool = True

    @property
    def private(self) -> bool:
        return self.chat == private_chat(self.person)

    async def says(self, shop: Workshop, text: str) -> list[str]:
        """What comes into the chats by it."""
        before = len(shop.sender.arrived)
        if self.private:
            shop.directory.add(self.chat, ChatMode.P2P)
        await shop.say(
            text,
            sender=self.person,
            chat=self.chat,
            tenant=self.tenant,
            chat_type=ChatType.P2P if self.private else ChatType.GROUP,
            kept=self.kept,
            **({"mentions": ()} if self.private else {}),
        )
        await shop.through()
        return shop.sender.texts()[before:]


HOME = Place("owner, proven", OWNER, private_chat(OWNER))
PLACES = (
    HOME,
    Place("owner, not proven", OWNER, private_chat(OWNER), kept=False),
    Place("owner in a group", OWNER, TEAM),
    Place("owner in an external group", OWNER, OUTER),
    Place("owner's id of another tenant", OWNER, private_chat(OWNER), THEIRS),
    Place("member", MEMBER, private_chat(MEMBER)),
    Place("member in a group", MEMBER, TEAM),
    Place("member in an external group", MEMBER, OUTER),
    Place("guest", GUEST, private_chat(GUEST), THEIRS),
    Place("guest in a group", GUEST, TEAM, THEIRS),
)
EVERYWHERE = tuple(
    Grant(key, key, (PLANS,), None, GrantOrigin.CONFIG)
    for key in (
        "members",
        f"group:{TEAM}",
        f"external:{TEAM}",
        f"external:{OUTER}",
        f"external:{private_chat(GUEST)}",
        f"external:{private_chat(OWNER)}",
    )
)


def opened(
    profiles: frozenset[str] = BOTH,
    *,
    grants: tuple[Grant, ...] = EVERYWHERE,
    simulated: bool = False,
) -> AbstractAsyncContextManager[Workshop]:
    endpoint = ScriptedEndpoint(
        {ASKED: [Scans(ScanQuery(View.TODOS)), Says(GOOD)]}, profiles=profiles
    )
    return open_workshop(
        endpoint=endpoint, scripts={}, grants=grants, access=ACCESS, simulated=simulated
    )


def settings() -> Iterator[tuple[str, frozenset[str], bool]]:
    yield from (
        ("trusted", *rest) for rest in itertools.product((BOTH, RESTRICTED_ONLY), (False, True))
    )
    yield from ((stored, BOTH, False) for stored in STORED if stored != "trusted")


@pytest.mark.requirement("P4", "P5", "P7", "A3")
@pytest.mark.parametrize(("stored", "profiles", "simulated"), [*settings()])
async def test_a_turn_has_host_tools_before_the_proven_owner_alone(
    stored: str, profiles: frozenset[str], simulated: bool
) -> None:
    async with opened(profiles, simulated=simulated) as shop:
        shop.directory.add(OUTER, external=True)
        await apply(shop.store, RuntimeProfile.RESTRICTED)
        raw = STORED[stored]
        if raw is not None:
            await put_document(shop.store, raw)
        trusted: list[str] = []
        for place in PLACES:
            before = len(shop.endpoint.opened)
            await place.says(shop, ASKED)
            trusted.extend(
                place.name for seat, _, _ in shop.endpoint.opened[before:] if seat.profile.trusted
            )
        capable = stored in HOLD_TRUSTED and profiles == BOTH and not simulated
        assert trusted == ([HOME.name] if capable else [])


@pytest.mark.requirement("A2")
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
async def test_without_a_grant_nothing_is_read_but_by_the_owner_in_private(place: Place) -> None:
    async with opened(grants=()) as shop:
        shop.directory.add(OUTER, external=True)
        await place.says(shop, ASKED)
        for name in CommandName:
            await place.says(shop, f"/{name.value}")
        assert bool(shop.source.queries) is (place == HOME)
        assert len(shop.endpoint.asked) == (1 if place == HOME else 0)


@pytest.mark.requirement("A4")
@pytest.mark.parametrize("place", PLACES[1:], ids=lambda place: place.name)
async def test_what_is_the_owners_is_answered_elsewhere_as_what_does_not_exist(
    place: Place,
) -> None:
    async with opened() as shop:
        shop.directory.add(OUTER, external=True)
        unknown = await place.says(shop, "/xyzzy")
        for name in OWNERS:
            assert await place.says(shop, f"/{name.value} {TEAM} plans") == unknown
        assert await rows(shop.store, "SELECT nonce FROM command_button") == []
