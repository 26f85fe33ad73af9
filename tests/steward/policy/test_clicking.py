"""Who may press what, where and when: the whole table. A5, A3."""

from dataclasses import replace
from datetime import timedelta

import pytest

from steward.model.action import ASKING_AGAIN, Action, ActionKind, ClickRefusal, Offer
from steward.model.answer import Answer, Citation
from steward.model.audience import Audience, AudienceKind, Scope, ScopeEntry
from steward.model.events import Click, Principal, PrincipalKind
from steward.model.ids import (
    AppId,
    ChatId,
    CitationId,
    ConversationId,
    GoalId,
    InboxId,
    MessageRef,
    OpenId,
    QuestionId,
    TenantKey,
)
from steward.model.owner import Authority
from steward.model.reading import Coverage
from steward.model.turn import Language, NewQuestion, Question, QuestionStatus
from steward.policy.clicking import (
    asked_again,
    choosable,
    readable,
    refused,
)
from steward.testing.world import EPOCH
from tests.steward.evidence import PAYMENTS, PLANS, SEARCH, TRACKER, goal, todo

APP = AppId("cli_sim_a")
OURS = TenantKey("tenant_ours")
ASKER, OWNER, OTHER = OpenId("ou_asker"), OpenId("ou_owner"), OpenId("ou_other")
TEAM = ChatId("oc_team")
CARD = MessageRef(APP, "om_card")
HERE = ConversationId(APP, TEAM)
AUTHORITY = Authority(OWNER, OURS)
UNTIL = EPOCH + timedelta(hours=24)

NO = ClickRefusal.NOT_PERMITTED


def offer(
    kind: ActionKind = ActionKind.CHOOSE,
    audience: AudienceKind = AudienceKind.GROUP,
    status: QuestionStatus | None = None,
    asker: OpenId = ASKER,
) -> Offer:
    if status is None:
        status = QuestionStatus.OWED if kind in ASKING_AGAIN else QuestionStatus.ANSWERED
    question = Question(
        id=QuestionId(7),
        inbox=InboxId(3),
        conversation=HERE,
        message=MessageRef(APP, "om_asked"),
        asker=asker,
        audience=Audience(audience, TEAM),
        in_thread=False,
        text="How is the release?",
        language=Language.EN,
        asked_at=EPOCH,
        status=status,
        attempt=1,
    )
    return Offer(
        action=Action(
            nonce="nonce",
            kind=kind,
            question=question.id,
            conversation=HERE,
            chat=TEAM,
            goal=PAYMENTS if kind is ActionKind.CHOOSE else None,
            expires_at=UNTIL,
        ),
        question=question,
        grants=(),
        carried=True,
        sending=False,
        recalled=False,
        pressed=False,
    )


def click(
    operator: OpenId | None = ASKER,
    tenant: TenantKey | None = OURS,
    message: MessageRef | None = CARD,
    conversation: ConversationId | None = HERE,
) -> Click:
    return Click(message, conversation, Principal(operator, tenant, PrincipalKind.PERSON), "nonce")


def verdict(offered: Offer | None, pressed: Click) -> ClickRefusal | None:
    return refused(offered, pressed, AUTHORITY, EPOCH)


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("kind", ActionKind)
@pytest.mark.parametrize(
    ("audience", "asker", "allowed"),
    [
        (AudienceKind.OWNER_PRIVATE, OWNER, {OWNER}),
        (AudienceKind.OWNER_PRIVATE, ASKER, {OWNER}),  # another owner was configured since
        (AudienceKind.MEMBER_PRIVATE, ASKER, {ASKER, OWNER}),
        (AudienceKind.GROUP, ASKER, {ASKER, OWNER}),
        (AudienceKind.EXTERNAL, ASKER, set()),
        (AudienceKind.UNKNOWN, ASKER, set()),
    ],
)
def test_a_button_is_its_askers_and_the_owners(
    kind: ActionKind, audience: AudienceKind, asker: OpenId, allowed: set[OpenId]
) -> None:
    offered = offer(kind, audience, asker=asker)
    outcomes = {who: verdict(offered, click(who)) for who in (ASKER, OWNER, OTHER)}
    assert outcomes == {who: None if who in allowed else NO for who in outcomes}


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("kind", ActionKind)
@pytest.mark.parametrize(
    "stranger",
    [
        click(tenant=TenantKey("tenant_foreign")),
        click(OWNER, tenant=TenantKey("tenant_foreign")),
        click(tenant=None),
        click(OWNER, tenant=None),
        click(None),
        click(OTHER),
    ],
)
def test_a_stranger_is_refused_alike_whatever_the_button_is(
    kind: ActionKind, stranger: Click
) -> None:
    good = offer(kind)
    other = [
        good,
        replace(good, recalled=True),
        replace(good, pressed=True),
        replace(good, action=replace(good.action, expires_at=EPOCH, used_at=EPOCH)),
    ]
    assert {verdict(one, stranger) for one in other} == {NO}


@pytest.mark.requirement("A5")
@pytest.mark.parametrize(
    "elsewhere",
    [
        click(message=None),
        click(conversation=None),
        click(conversation=ConversationId(APP, ChatId("oc_elsewhere"))),
        click(conversation=ConversationId(AppId("cli_other"), TEAM)),
        click(message=MessageRef(AppId("cli_other"), "om_card")),
    ],
)
def test_a_forwarded_card_does_nothing_in_another_place(elsewhere: Click) -> None:
    assert verdict(offer(), elsewhere) is ClickRefusal.FOREIGN_CARD


@pytest.mark.requirement("A5")
@pytest.mark.parametrize(
    ("sending", "why"), [(False, ClickRefusal.FOREIGN_CARD), (True, ClickRefusal.NOT_NOW)]
)
def test_a_message_that_is_not_known_as_ours_does_nothing(sending: bool, why: ClickRefusal) -> None:
    assert verdict(replace(offer(), carried=False, sending=sending), click()) is why


@pytest.mark.requirement("A5")
def test_a_button_that_nobody_stored_is_unknown() -> None:
    assert verdict(None, click()) is ClickRefusal.UNKNOWN


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("kind", ActionKind)
def test_a_button_ends_with_its_time(kind: ActionKind) -> None:
    last = UNTIL - timedelta(microseconds=1)
    assert refused(offer(kind), click(), AUTHORITY, last) is None
    assert refused(offer(kind), click(), AUTHORITY, UNTIL) is ClickRefusal.EXPIRED


@pytest.mark.parametrize(
    ("kind", "why"), [(ActionKind.CHOOSE, ClickRefusal.EXPIRED), (ActionKind.EVIDENCE, None)]
)
def test_a_choice_of_a_hidden_past_asks_nothing_again_and_its_evidence_is_still_shown(
    kind: ActionKind, why: ClickRefusal | None
) -> None:
    assert verdict(replace(offer(kind), forgotten=True), click()) is why


@pytest.mark.requirement("T4", "T7")
@pytest.mark.parametrize("kind", sorted(ASKING_AGAIN))
@pytest.mark.parametrize(
    ("status", "why"),
    [
        (QuestionStatus.OWED, None),
        (QuestionStatus.QUEUED, ClickRefusal.USED),
        (QuestionStatus.ACTING, ClickRefusal.USED),
        (QuestionStatus.REVIEWING, ClickRefusal.NOT_NOW),
        (QuestionStatus.SETTLED, ClickRefusal.USED),
        (QuestionStatus.ANSWERED, ClickRefusal.USED),
        (QuestionStatus.WITHDRAWN, ClickRefusal.WITHDRAWN),
    ],
)
def test_only_an_owed_question_is_asked_again(
    kind: ActionKind, status: QuestionStatus, why: ClickRefusal | None
) -> None:
    assert verdict(offer(kind, status=status), click()) is why


@pytest.mark.requirement("S3", "T4", "D2")
@pytest.mark.parametrize("kind", sorted(ASKING_AGAIN))
def test_a_question_is_asked_again_once_and_never_past_what_was_forgotten(kind: ActionKind) -> None:
    fresh = offer(kind)
    used = replace(fresh.action, used_at=EPOCH, used_by=OWNER)
    assert verdict(replace(fresh, action=used), click()) is ClickRefusal.USED
    assert verdict(replace(fresh, pressed=True), click()) is ClickRefusal.USED
    assert verdict(replace(fresh, forgotten=True), click()) is ClickRefusal.EXPIRED
    assert verdict(replace(fresh, recalled=True), click()) is ClickRefusal.WITHDRAWN


@pytest.mark.requirement("A3", "A5")
@pytest.mark.parametrize("kind", [ActionKind.CHOOSE, ActionKind.EVIDENCE])
def test_a_button_of_a_withheld_answer_says_that_permissions_changed(kind: ActionKind) -> None:
    owed = offer(kind, status=QuestionStatus.OWED)
    assert verdict(owed, click()) is ClickRefusal.AUTHORIZATION_CHANGED
    assert verdict(replace(owed, recalled=True), click()) is ClickRefusal.WITHDRAWN


@pytest.mark.requirement("A5")
@pytest.mark.parametrize(
    ("kind", "pressed", "used", "why"),
    [
        (ActionKind.CHOOSE, False, True, ClickRefusal.USED),
        (ActionKind.CHOOSE, True, True, ClickRefusal.USED),
        (ActionKind.EVIDENCE, True, False, ClickRefusal.USED),
        (ActionKind.EVIDENCE, False, False, None),
        (ActionKind.EVIDENCE, False, True, None),
    ],
)
def test_a_choice_is_made_once_and_evidence_is_shown_once_to_each(
    kind: ActionKind, pressed: bool, used: bool, why: ClickRefusal | None
) -> None:
    fresh = offer(kind)
    action = replace(fresh.action, used_at=EPOCH if used else None, used_by=OWNER if used else None)
    assert verdict(replace(fresh, action=action, pressed=pressed), click()) is why


@pytest.mark.requirement("A5", "D2")
@pytest.mark.parametrize("status", QuestionStatus)
def test_only_an_answer_that_stands_has_buttons(status: QuestionStatus) -> None:
    expected = {
        QuestionStatus.SETTLED: None,
        QuestionStatus.ANSWERED: None,
        QuestionStatus.OWED: ClickRefusal.AUTHORIZATION_CHANGED,
    }
    why = expected.get(status, ClickRefusal.WITHDRAWN)
    assert verdict(offer(status=status), click()) is why
    assert verdict(replace(offer(), recalled=True), click()) is ClickRefusal.WITHDRAWN


ONLY_PAYMENTS = Scope((PLANS,), (ScopeEntry(frozenset({PLANS}), frozenset({PAYMENTS})),), "r")
NOTHING = Scope((), (), "none")


def citation(number: int, goal: GoalId = PAYMENTS) -> Citation:
    source = TRACKER if number == 3 else PLANS
    row = todo(number, goal_id=goal, source=source)
    return Citation(number, CitationId(f"E{number}"), row, str(source), EPOCH)


ANSWER = Answer(
    language=Language.EN,
    classification="overview",
    headline="x",
    claims=(),
    citations=(citation(1), citation(2, SEARCH), citation(3)),
    coverage=Coverage(1, 1, 1, 0, 0, 0, 0, complete=True),
    failures=(),
    dropped=0,
    goal_titles={PAYMENTS: "As the tracker calls it", SEARCH: "Search"},
    scope_revision=ONLY_PAYMENTS.revision,
)


@pytest.mark.requirement("A3")
def test_of_the_evidence_only_what_may_be_read_now_is_shown() -> None:
    assert readable(ANSWER, ONLY_PAYMENTS) == replace(ANSWER, citations=(citation(1),))
    assert readable(ANSWER, NOTHING) is None
    assert readable(replace(ANSWER, citations=()), ONLY_PAYMENTS) is None


@pytest.mark.requirement("A3")
def test_under_another_scope_neither_headline_nor_titles_of_what_was_withdrawn_are_shown() -> None:
    named = replace(citation(2), row=goal(PAYMENTS, title="As the plans call it", source=PLANS))
    before = replace(
        ANSWER, scope_revision="wider", citations=(citation(1), named, *ANSWER.citations[1:])
    )
    assert readable(before, ONLY_PAYMENTS) == replace(
        before,
        citations=(citation(1), named),
        headline="",
        goal_titles={PAYMENTS: "As the plans call it"},
    )
    nameless = replace(before, citations=(citation(1),))
    assert readable(nameless, ONLY_PAYMENTS) == replace(nameless, headline="", goal_titles={})


@pytest.mark.requirement("A3")
@pytest.mark.parametrize(
    ("goal", "scope", "may"),
    [
        (PAYMENTS, ONLY_PAYMENTS, True),
        (SEARCH, ONLY_PAYMENTS, False),
        (PAYMENTS, NOTHING, False),
        (None, ONLY_PAYMENTS, False),
    ],
)
def test_a_goal_that_may_not_be_read_any_more_cannot_be_chosen(
    goal: GoalId | None, scope: Scope, may: bool
) -> None:
    assert choosable(replace(offer().action, goal=goal), scope) is may


@pytest.mark.requirement("T4")
def test_a_choice_asks_the_same_words_of_the_same_asker_before_the_same_audience() -> None:
    now = EPOCH + timedelta(hours=1)
    offered = offer()
    assert asked_again(offered, now) == NewQuestion(
        conversation=HERE,
        message=offered.question.message,
        asker=ASKER,
        audience=offered.question.audience,
        in_thread=False,
        text="How is the release?",
        language=Language.EN,
        asked_at=now,
        chosen=PAYMENTS,
        choice="nonce",
    )
