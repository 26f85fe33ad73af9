"""What an empty configuration lets anybody do: nothing. Contracts P2, A1, A2, A4.

The settings are the ones that are there when nobody has written any; the store is new.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.parts import build_scopes
from bot.settings import Settings, load
from steward.model.action import ClickRefusal
from steward.model.audience import Audience, AudienceKind, ChatMode
from steward.model.command import CommandName
from steward.model.events import (
    ChatType,
    Click,
    EventKind,
    Lane,
    Membership,
    Principal,
    PrincipalKind,
)
from steward.model.ids import ChatId, ConversationId, MessageRef, OpenId
from steward.model.profile import ABSENT, ProfileSource, RuntimeProfile, Sandbox, ToolClass
from steward.policy.profile import effective, stored_of
from steward.policy.scope import Access
from steward.testing.endpoint import ScriptedEndpoint
from steward.texts.toasts import REFUSED
from tests.acceptance.town import BOTH, GUEST, OTHER, OUTER, THEIRS
from tests.contracts.given import envelope, rows
from tests.steward.control.workshop import (
    APP,
    MEMBER,
    OURS,
    OWNER,
    TEAM,
    Workshop,
    open_workshop,
    private_chat,
)

PEOPLE = (OWNER, MEMBER, OTHER)
QUESTION = "How is it going?"
SAID = (
    QUESTION,
    *(f"/{name.value}" for name in CommandName),
    "/profile trusted_owner",
    "/grant members",
)
HARMLESS = {"/whoami", "/iam"}
"""What anybody of the tenant may say of themselves; names are claimed where an owner can approve them."""


@pytest.fixture
def empty() -> Settings:
    return load(None, {})


@asynccontextmanager
async def started(settings: Settings) -> AsyncIterator[Workshop]:
    """Control over what the settings say, with an endpoint that could hold anything."""
    access = Access(
        groups=settings.access.groups == "granted",
        members_private=settings.access.members_private == "granted",
    )
    async with open_workshop(
        grants=(),
        access=access,
        owner=settings.owner.open_id,
        endpoint=ScriptedEndpoint({}, profiles=BOTH),
        scripts={},
        greeting=True,
    ) as shop:
        shop.directory.add(OUTER, external=True)
        yield shop


async def says(shop: Workshop, text: str, person: OpenId, chat: ChatId | None = None) -> list[str]:
    """What comes into the chats by it."""
    before = len(shop.sender.arrived)
    tenant = THEIRS if person == GUEST else OURS
    if chat is None:
        shop.directory.add(private_chat(person), ChatMode.P2P, tenant_key=tenant)
        await shop.say(
            text,
            sender=person,
            chat=private_chat(person),
            chat_type=ChatType.P2P,
            tenant=tenant,
            mentions=(),
        )
    else:
        await shop.say(text, sender=person, chat=chat, tenant=tenant)
    await shop.through()
    return shop.sender.texts()[before:]


async def nothing_happened(shop: Workshop) -> bool:
    """No question taken in, nothing read, no button anywhere, nobody the owner, nothing granted or stored."""
    questions = await rows(shop.store, "SELECT id FROM question")
    buttons = await rows(shop.store, "SELECT nonce FROM command_button")
    stored = await shop.store.machine.document()
    owner = await shop.store.owners.current(APP)
    granted = await shop.store.grants.all()
    read = [*shop.source.queries, *shop.endpoint.opened]
    return not (questions or buttons or stored or owner or granted or read)


@pytest.mark.requirement("P2", "A2")
async def test_the_effective_policy_of_nothing_is_nothing(empty: Settings) -> None:
    assert empty.owner.open_id is None
    assert not empty.grants
    async with started(empty) as shop:
        scopes = build_scopes(empty, shop.store)
        for kind in AudienceKind:
            scope = await scopes.of(Audience(kind, TEAM))
            assert not getattr(scope, "sources", None)
        stored = stored_of(await shop.store.machine.document())
        for kind in AudienceKind:
            held = effective(stored, kind, BOTH, simulated=False)
            assert held.runtime_profile is RuntimeProfile.RESTRICTED
            assert held.source is ProfileSource.CAPABILITY_DEFAULT
            assert held.sandbox is Sandbox.READ_ONLY
            assert held.tool_classes == (ToolClass.STEWARD_EVIDENCE,)
            assert held.configuration_revision == ABSENT


@pytest.mark.requirement("A1", "A2", "A4")
@pytest.mark.parametrize("text", SAID)
async def test_nobody_is_answered_anything_in_private(empty: Settings, text: str) -> None:
    async with started(empty) as shop:
        for person in PEOPLE:
            told = await says(shop, text, person)
            assert len(told) == 1
            if text not in HARMLESS:
                assert "may not read any source" in told[0]
        assert len(await says(shop, text, GUEST)) <= 1
        assert await nothing_happened(shop)


@pytest.mark.requirement("A1", "A2", "A4")
@pytest.mark.parametrize("chat", [TEAM, OUTER])
async def test_nobody_is_answered_anything_in_a_group(empty: Settings, chat: ChatId) -> None:
    async with started(empty) as shop:
        told = [
            one
            for text in SAID
            for person in (*PEOPLE, GUEST)
            for one in await says(shop, text, person, chat)
        ]
        assert told
        assert all("may not read any source" in one for one in told)
        assert await nothing_happened(shop)


@pytest.mark.requirement("A2", "P7")
async def test_whoever_adds_the_bot_to_a_group_is_not_made_its_owner_by_it(empty: Settings) -> None:
    async with started(empty) as shop:
        where = ConversationId(APP, TEAM)
        event = Membership(where, True, True, None, Principal(OWNER, OURS, PrincipalKind.PERSON))
        await shop.event(event, EventKind.MEMBERSHIP, Lane.ORDERED, where)
        await shop.through()
        assert [one.place.conversation.chat_id for one in shop.sender.arrived] == [TEAM]
        assert await nothing_happened(shop)


@pytest.mark.requirement("A5")
async def test_a_press_on_anything_approves_nothing(empty: Settings) -> None:
    async with started(empty) as shop:
        await says(shop, QUESTION, OWNER)
        on = shop.sender.arrived[0].sent.message
        for number, person in enumerate((*PEOPLE, GUEST)):
            tenant = THEIRS if person == GUEST else OURS
            who = Principal(person, tenant, PrincipalKind.PERSON)
            where = ConversationId(APP, private_chat(person))
            event = envelope(number, chat=where.chat_id, kind=EventKind.CLICK, lane=Lane.NOW)
            for message in (on, MessageRef(APP, "om_invented"), None):
                click = Click(message, where, who, "nonce-of-nothing")
                reply = await shop.presses.press(event, click)
                assert reply.toast in {
                    REFUSED[ClickRefusal.UNKNOWN].en,
                    REFUSED[ClickRefusal.UNKNOWN].zh,
                }
        assert await nothing_happened(shop)
