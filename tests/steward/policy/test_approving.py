"""What an approval's button is bound to, and who may press it. Contracts A5, P7, P8."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from steward.model.action import ClickRefusal
from steward.model.approval import Carrier
from steward.model.command import ApplyGrants, NewButton, RevokeGrants, StoredButton
from steward.model.events import Click, Principal, PrincipalKind
from steward.model.ids import (
    AppId,
    ChatId,
    ConversationId,
    MessageRef,
    OpenId,
    TenantKey,
    ThreadId,
)
from steward.model.owner import Authority, OwnerRecord
from steward.model.turn import Language
from steward.policy.approval_cards import (
    names_claim,
)
from steward.policy.approving import APPROVAL_LIFE, Maker, unpressable

APP = AppId("cli_1")
OURS, THEIRS = TenantKey("tenant_ours"), TenantKey("tenant_theirs")
NOW = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
OWNER = OwnerRecord(7, APP, OpenId("ou_owner"), NOW, ChatId("oc_owner"))
AUTHORITY = Authority(OWNER.open_id, OURS)


# ---------------------------------------------------------------- who may press


BUTTON = NewButton(
    "nonce",
    ApplyGrants(RevokeGrants("members"), "sha256:1"),
    "approval:en:cli_1/oc_owner/:om_1",
    NOW + APPROVAL_LIFE,
    OWNER.open_id,
    OWNER.id,
)
STORED = StoredButton(
    BUTTON, ChatId("oc_owner"), carried=True, sending=False, pressed=False, used_at=None
)
CLICK = Click(
    MessageRef(APP, "om_card"),
    ConversationId(APP, ChatId("oc_owner")),
    Principal(OWNER.open_id, OURS, PrincipalKind.PERSON),
    "nonce",
)


def judged(
    stored: StoredButton = STORED,
    click: Click = CLICK,
    authority: Authority = AUTHORITY,
    owner: OwnerRecord | None = OWNER,
    now: datetime = NOW,
) -> ClickRefusal | None:
    return unpressable(stored, click, authority, owner, now)


def by(open_id: str | None, tenant: TenantKey | None = OURS) -> Click:
    person = None if open_id is None else OpenId(open_id)
    return replace(CLICK, operator=Principal(person, tenant, PrincipalKind.PERSON))


@pytest.mark.requirement("P7")
def test_the_owner_presses_in_the_private_chat_that_the_card_went_to() -> None:
    assert judged() is None
    to_person = replace(STORED, chat=ChatId(OWNER.open_id))
    assert judged(to_person) is None


@pytest.mark.requirement("P7")
@pytest.mark.parametrize(
    "click", [by("ou_member"), by(None), by("ou_owner", THEIRS), by("ou_owner", None)]
)
@pytest.mark.parametrize("state", [{}, {"used_at": NOW}, {"carried": False}, {"pressed": True}])
def test_to_everybody_else_every_button_is_unknown(click: Click, state: dict[str, object]) -> None:
    assert judged(replace(STORED, **state), click) is ClickRefusal.UNKNOWN  # type: ignore[arg-type]


@pytest.mark.requirement("P7")
def test_another_owner_or_the_same_person_once_more_voids_what_was_offered() -> None:
    again = replace(OWNER, id=8)
    other = replace(OWNER, id=8, open_id=OpenId("ou_other"))
    assert judged(owner=None) is ClickRefusal.UNKNOWN
    assert judged(owner=again) is ClickRefusal.UNKNOWN
    assert judged(owner=other) is ClickRefusal.UNKNOWN
    assert judged(authority=Authority(OpenId("ou_other"), OURS)) is ClickRefusal.UNKNOWN
    unbound = replace(STORED, button=replace(BUTTON, operator=None, owner=None))
    assert judged(unbound) is ClickRefusal.UNKNOWN


@pytest.mark.requirement("P7")
def test_elsewhere_than_in_that_chat_or_on_another_message_nothing_is_approved() -> None:
    group = replace(CLICK, conversation=ConversationId(APP, ChatId("oc_team")))
    foreign = replace(CLICK, conversation=ConversationId(AppId("cli_2"), ChatId("oc_owner")))
    for click in (group, foreign, replace(CLICK, message=None), replace(CLICK, conversation=None)):
        assert judged(click=click) is ClickRefusal.FOREIGN_CARD
    unproven = replace(OWNER, private_chat=None)
    assert judged(replace(STORED, chat=ChatId(OWNER.open_id)), owner=unproven) is (
        ClickRefusal.FOREIGN_CARD
    )
    assert judged(replace(STORED, carried=False)) is ClickRefusal.FOREIGN_CARD
    sending = replace(STORED, carried=False, sending=True)
    assert judged(sending) is ClickRefusal.NOT_NOW
    to_person = replace(sending, chat=ChatId(OWNER.open_id))
    assert judged(to_person, owner=unproven) is ClickRefusal.NOT_NOW


@pytest.mark.requirement("P8")
def test_an_approval_is_used_once_and_within_a_quarter_of_an_hour() -> None:
    assert judged(replace(STORED, used_at=NOW)) is ClickRefusal.USED
    assert judged(replace(STORED, pressed=True)) is ClickRefusal.USED
    assert judged(now=NOW + timedelta(minutes=15) - timedelta(seconds=1)) is None
    assert judged(now=NOW + timedelta(minutes=15)) is ClickRefusal.EXPIRED


@pytest.mark.requirement("P8")
def test_a_button_is_bound_to_its_owner_its_card_and_a_quarter_of_an_hour() -> None:
    maker = Maker(OWNER, "approval:en:cli_1/oc_owner/:om_1", NOW, lambda: "nonce")
    claim = names_claim(OpenId("ou_wei"), ("Wei",), Language.EN)
    card = maker.card(claim, [("Apply", BUTTON.meaning)])  # type: ignore[list-item]
    assert card.buttons == (BUTTON,)
    assert card.outgoing.claims == claim.claims
    assert card.outgoing.note is not None
    (shown,) = card.outgoing.buttons
    assert (shown.label, shown.nonce, shown.pressed_only) == ("Apply", "nonce", True)
    assert maker.card(claim, []).outgoing.note is None


def test_a_card_s_subject_gives_back_what_it_carries() -> None:
    carrier = Carrier(Language.ZH, ConversationId(APP, ChatId("oc_1"), ThreadId("omt_1")), "a:b:c")
    assert Carrier.parse(str(carrier)) == carrier
    for wrong in ("command:om_1", "approval:fr:a/b/:k", "approval:en:nowhere:k", "other:en:a/b/:k"):
        with pytest.raises(ValueError, match=r"."):
            Carrier.parse(wrong)
