"""Which buttons stand under an answer, and the evidence in full behind one of them. A5, E4, E9."""

from dataclasses import replace
from datetime import timedelta

import pytest

from steward.model.action import ActionKind, NewAction
from steward.model.answer import Answer, Choice, Citation, Outgoing, OutgoingButton, OutgoingKind
from steward.model.audience import Audience, AudienceKind
from steward.model.ids import ChatId, CitationId, GoalId
from steward.model.reading import Coverage, Row, RowStatus, View
from steward.model.turn import Language
from steward.policy.offering import BUTTON_LIFE, MOST_CHOICES, Offered, offered
from steward.policy.showing import in_full
from steward.testing.world import EPOCH, CountedTokens
from tests.steward.evidence import PAYMENTS, PLANS, SEARCH, handoff, todo
from tests.steward.policy.readings import ZONE

TEAM = Audience(AudienceKind.GROUP, ChatId("oc_team"))
UNTIL = EPOCH + BUTTON_LIFE


def cited(row: Row, number: int = 1, *, stale: bool = False, dated: bool = True) -> Citation:
    return Citation(number, CitationId(f"E{number}"), row, "Plans", EPOCH if dated else None, stale)


def answer(
    *citations: Citation,
    choices: tuple[Choice, ...] = (),
    language: Language = Language.EN,
) -> Answer:
    return Answer(
        language=language,
        classification="overview",
        headline="Payments: 1 open",
        claims=(),
        citations=citations,
        coverage=Coverage(1, 1, 1, 0, 0, 0, 0, complete=True),
        failures=(),
        dropped=0,
        goal_titles={PAYMENTS: "Payment gateway"},
        choices=choices,
    )


def offers(of: Answer, audience: Audience = TEAM) -> tuple[Offered, ...]:
    return offered(of, audience, EPOCH, CountedTokens().new)


@pytest.mark.requirement("A5")
def test_each_goal_that_may_have_been_meant_has_a_button_and_the_evidence_has_one() -> None:
    choices = (Choice(PAYMENTS, "Payment gateway"), Choice(SEARCH, "Search"))
    assert offers(answer(cited(todo()), choices=choices)) == (
        Offered(
            NewAction("token-1", ActionKind.CHOOSE, UNTIL, PAYMENTS),
            OutgoingButton("Payment gateway", "token-1"),
        ),
        Offered(
            NewAction("token-2", ActionKind.CHOOSE, UNTIL, SEARCH),
            OutgoingButton("Search", "token-2"),
        ),
        Offered(
            NewAction("token-3", ActionKind.EVIDENCE, UNTIL),
            OutgoingButton("Show evidence in full", "token-3", folded=True),
        ),
    )


def test_an_answer_that_cites_nothing_and_leaves_nothing_open_has_no_buttons() -> None:
    assert offers(answer()) == ()


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("kind", AudienceKind)
def test_a_button_is_offered_only_where_somebody_may_press_it(kind: AudienceKind) -> None:
    nobody = kind in {AudienceKind.EXTERNAL, AudienceKind.UNKNOWN}
    found = offers(answer(cited(todo())), Audience(kind, ChatId("oc_x")))
    assert len(found) == (0 if nobody else 1)


def test_goals_of_one_title_are_told_apart_and_a_long_list_is_bounded() -> None:
    choices = tuple(
        Choice(GoalId(f"r{number}"), "Release" if number < 2 else f"Release {number}")
        for number in range(9)
    )
    labels = [one.button.label for one in offers(answer(choices=choices))]
    assert labels == ["Release (r0)", "Release (r1)", "Release 2", "Release 3"]
    assert len(labels) == MOST_CHOICES


FULL = Row(
    View.TODOS,
    PLANS,
    PAYMENTS,
    "t1",
    "Callback signature",
    RowStatus.UNKNOWN,
    owner="Wei",
    priority="P1",
    due=(EPOCH + timedelta(days=5)).date(),
    target=(EPOCH + timedelta(days=9)).date(),
    blocked_by="no test account",
    waiting_on="Lin",
    updated=EPOCH,
    at=EPOCH + timedelta(days=1),
    link="https://example.com/todo/1",
    aliases=("sign", "签名"),
    raw_status="parked",
    ahead=True,
)


@pytest.mark.requirement("A5", "R4")
def test_every_field_of_a_cited_row_is_shown() -> None:
    shown = in_full(answer(cited(FULL)), withheld=0, zone=ZONE)
    (source,) = shown.sources
    assert (source.number, source.text, source.link, source.fields) == (
        1,
        "Callback signature (todos)",
        "https://example.com/todo/1",
        (
            "Status: unclear (written as “parked”)",
            "Goal: Payment gateway",
            "Owner: Wei",
            "Priority: P1",
            "Due: 2026-12-05",
            "Target: 2026-12-09",
            "Blocked by: no test account",
            "Waiting on: Lin",
            "Updated: 2026-11-30 12:00, which lies ahead of now",
            "Time: 2026-12-01 12:00, which lies ahead of now",
            "Aliases: sign, 签名",
            "Id: t1",
            "Source: Plans, as of 2026-11-30 12:00",
        ),
    )


@pytest.mark.requirement("A5", "W5")
def test_the_evidence_names_its_answer_and_speaks_its_language() -> None:
    row = replace(handoff("a"), owner="Wei", to="QA", link="ftp://example.com/x")
    shown = in_full(answer(cited(row, 3), language=Language.ZH), withheld=2, zone=ZONE)
    assert replace(shown, sources=()) == Outgoing(
        kind=OutgoingKind.EVIDENCE,
        language=Language.ZH,
        headline="依据全文：1 条记录",
        note="对应的回答：Payments: 1 open",
        details=("另有 2 条不再显示：这里的可读范围变了。",),
    )
    (source,) = shown.sources
    assert (source.text, source.link) == ("交接：Handoff a", None)
    assert source.fields[:4] == (
        "状态：待处理",
        "目标：Payment gateway",
        "交出人：Wei",
        "接收人：QA",
    )


@pytest.mark.requirement("R9", "A5")
@pytest.mark.parametrize(
    ("stale", "dated", "said"),
    [
        (False, False, "Source: Plans"),
        (False, True, "Source: Plans, as of 2026-11-30 12:00"),
        (True, True, "Source: Plans, out of date, as of 2026-11-30 12:00"),
        (True, False, "Source: Plans, out of date, age unknown"),
    ],
)
def test_evidence_in_full_shows_its_age(stale: bool, dated: bool, said: str) -> None:
    of = answer(cited(todo(), stale=stale, dated=dated))
    assert in_full(of, withheld=0, zone=ZONE).sources[0].fields[-1] == said
