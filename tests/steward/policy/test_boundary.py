"""Who will see an answer follows from the platform's facts alone."""

import itertools

import pytest

from steward.model.audience import Audience, AudienceKind, ChatFacts, ChatMode
from steward.model.events import ChatType, Message, Principal, PrincipalKind, TextContent
from steward.model.ids import AppId, ChatId, ConversationId, MessageRef, OpenId, TenantKey
from steward.model.owner import Authority
from steward.policy.boundary import audience_of, holds
from steward.testing.world import EPOCH

APP = AppId("cli_a")
OURS = TenantKey("t_ours")
OWNER = OpenId("ou_owner")
MEMBER = OpenId("ou_member")

CHAT_TYPES = list(ChatType)
SENDERS: list[OpenId | None] = [OWNER, MEMBER, None]
TENANTS: list[TenantKey | None] = [OURS, TenantKey("t_other"), None]
MODES: list[ChatMode | None] = [*ChatMode, None]
EXTERNALS: list[bool | None] = [True, False, None]


def message(chat_type: ChatType, sender: OpenId | None, tenant: TenantKey | None) -> Message:
    return Message(
        ref=MessageRef(APP, "om_1"),
        conversation=ConversationId(APP, ChatId("oc_1")),
        chat_type=chat_type,
        sender=Principal(sender, tenant, PrincipalKind.PERSON),
        parent=None,
        mentions=(),
        content=TextContent("?"),
        sent_at=EPOCH,
    )


def facts(
    mode: ChatMode | None, external: bool | None, tenant: TenantKey | None = OURS
) -> ChatFacts | None:
    if mode is None:
        return None
    return ChatFacts(ChatId("oc_1"), mode, external, tenant, "Team", EPOCH)


@pytest.mark.requirement("A1", "P4")
def test_the_owner_audience_is_reached_by_exactly_one_combination_of_facts() -> None:
    reached = {
        (chat_type, sender, tenant)
        for chat_type, sender, tenant, mode, external in itertools.product(
            CHAT_TYPES, SENDERS, TENANTS, MODES, EXTERNALS
        )
        if audience_of(
            message(chat_type, sender, tenant), facts(mode, external), tenant=OURS, owner=OWNER
        ).kind
        is AudienceKind.OWNER_PRIVATE
    }
    assert reached == {(ChatType.P2P, OWNER, OURS)}


@pytest.mark.requirement("A1")
def test_without_an_owner_nobody_is_the_owner() -> None:
    found = audience_of(message(ChatType.P2P, OWNER, OURS), None, tenant=OURS, owner=None)
    assert found.kind is AudienceKind.MEMBER_PRIVATE


@pytest.mark.requirement("A1")
@pytest.mark.parametrize("mode", [ChatMode.GROUP, ChatMode.TOPIC])
@pytest.mark.parametrize("sender", [OWNER, MEMBER])
def test_the_owner_in_a_group_is_a_member_of_that_group(mode: ChatMode, sender: OpenId) -> None:
    found = audience_of(
        message(ChatType.GROUP, sender, OURS), facts(mode, external=False), tenant=OURS, owner=OWNER
    )
    assert (found.kind, found.grant_key) == (AudienceKind.GROUP, "group:oc_1")


@pytest.mark.requirement("A1", "A2")
@pytest.mark.parametrize(
    ("sender_tenant", "external", "chat_tenant"),
    [
        (TenantKey("t_other"), False, OURS),
        (OURS, True, OURS),
        (OURS, False, TenantKey("t_other")),
    ],
)
def test_any_proof_of_another_tenant_makes_a_group_external(
    sender_tenant: TenantKey, external: bool, chat_tenant: TenantKey
) -> None:
    found = audience_of(
        message(ChatType.GROUP, MEMBER, sender_tenant),
        facts(ChatMode.GROUP, external, chat_tenant),
        tenant=OURS,
        owner=OWNER,
    )
    assert (found.kind, found.grant_key) == (AudienceKind.EXTERNAL, "external:oc_1")


@pytest.mark.requirement("A1")
@pytest.mark.parametrize("owner", [OWNER, None])
def test_a_private_chat_with_another_tenant_is_external_whatever_its_open_id(
    owner: OpenId | None,
) -> None:
    found = audience_of(
        message(ChatType.P2P, OWNER, TenantKey("t_other")), None, tenant=OURS, owner=owner
    )
    assert found.kind is AudienceKind.EXTERNAL


@pytest.mark.requirement("A1")
@pytest.mark.parametrize(
    ("chat_type", "sender", "tenant", "mode", "external"),
    [
        (ChatType.UNKNOWN, OWNER, OURS, ChatMode.P2P, False),
        (ChatType.P2P, None, OURS, None, None),
        (ChatType.P2P, OWNER, None, None, None),
        (ChatType.GROUP, MEMBER, OURS, None, None),
        (ChatType.GROUP, MEMBER, OURS, ChatMode.GROUP, None),
        (ChatType.GROUP, MEMBER, OURS, ChatMode.UNKNOWN, False),
        (ChatType.GROUP, OWNER, OURS, ChatMode.P2P, False),
        (ChatType.GROUP, None, OURS, ChatMode.GROUP, False),
        (ChatType.GROUP, MEMBER, None, ChatMode.GROUP, False),
    ],
)
def test_a_missing_or_contradicting_fact_is_unknown_and_never_wider(
    chat_type: ChatType,
    sender: OpenId | None,
    tenant: TenantKey | None,
    mode: ChatMode | None,
    external: bool | None,
) -> None:
    found = audience_of(
        message(chat_type, sender, tenant), facts(mode, external), tenant=OURS, owner=OWNER
    )
    assert found.kind is AudienceKind.UNKNOWN


def still(
    kind: AudienceKind,
    asker: OpenId = MEMBER,
    now: ChatFacts | None = None,
    owner: OpenId | None = OWNER,
) -> bool:
    return holds(Audience(kind, ChatId("oc_1")), asker, now, Authority(owner, OURS))


@pytest.mark.requirement("A3")
def test_a_chat_that_was_looked_up_is_the_same_audience_only_while_every_fact_says_so() -> None:
    as_was: dict[AudienceKind, set[tuple[ChatMode | None, bool | None, bool]]] = {
        kind: {
            (mode, external, ours)
            for mode, external, ours in itertools.product(MODES, EXTERNALS, [True, False])
            if still(kind, now=facts(mode, external, OURS if ours else TenantKey("t_other")))
        }
        for kind in (AudienceKind.GROUP, AudienceKind.EXTERNAL)
    }
    assert as_was == {
        AudienceKind.GROUP: {(ChatMode.GROUP, False, True), (ChatMode.TOPIC, False, True)},
        AudienceKind.EXTERNAL: {
            (mode, external, ours)
            for mode in (ChatMode.GROUP, ChatMode.TOPIC, ChatMode.P2P)
            for external, ours in ((True, True), (True, False), (False, False))
        },
    }


@pytest.mark.requirement("A3")
def test_a_private_chat_is_another_audience_once_its_person_became_the_owner_or_is_no_more() -> (
    None
):
    owners, members = AudienceKind.OWNER_PRIVATE, AudienceKind.MEMBER_PRIVATE
    assert still(owners, OWNER)
    assert still(members, MEMBER)
    assert still(members, MEMBER, owner=None)
    assert not still(owners, OWNER, owner=MEMBER)
    assert not still(owners, OWNER, owner=None)
    assert not still(members, MEMBER, owner=MEMBER)


@pytest.mark.requirement("A1", "A3")
@pytest.mark.parametrize("asker", [OWNER, MEMBER])
@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_audience_never_holds(asker: OpenId, mode: ChatMode | None) -> None:
    assert not still(AudienceKind.UNKNOWN, asker, facts(mode, external=False))
