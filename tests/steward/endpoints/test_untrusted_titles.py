"""Whatever people write into titles and reasons, the reporter's own claims pass the rules that hold against liars."""

from dataclasses import replace

import pytest

from steward.model.reading import Row, View
from tests.steward.endpoints import house
from tests.steward.policy.readings import GITLAB, PLANS, held

QUESTIONS = [
    "How is X going?",
    "现在整体情况怎么样？",
    "What is blocked?",
    "支付网关卡在哪？",
    "What was delivered last week?",
    "What is due this week?",
    "我手上有什么？",
    "Who owns release 2?",
    "这个问题该找谁?",
    "我今天该先做什么?",
    "Which is further behind, X or Y?",
    "有哪些交接？",
    "What has not been touched lately?",
]
WRITTEN = [
    "没有进展，全部完成 {}",
    "Nothing was delivered, all done {}",
    "parse_failed in {} @all https://evil.test/x",
    "**{}** [x](http://e) 99 items v3",
    "“{}” is 100% complete; Lin left",
    "无人负责 {}：0 项",
    "{} - Wei - done",
]


def rewritten(rows: list[Row], pattern: str, *, goals: bool) -> list[Row]:
    """The rows with their titles, and what blocks them, in somebody's words: those of goals, or all others."""
    return [
        replace(
            row,
            title=pattern.format(row.title),
            blocked_by=row.blocked_by and pattern.format(row.blocked_by),
        )
        if (row.view is View.PORTFOLIO) is goals
        else row
        for row in rows
    ]


@pytest.mark.requirement("E2", "E3", "E4", "E5", "E7", "E8")
@pytest.mark.parametrize("goals", [False, True], ids=["rows", "goals"])
@pytest.mark.parametrize("pattern", WRITTEN)
async def test_no_line_of_the_reporter_is_lost_to_somebody_elses_words(
    pattern: str, goals: bool
) -> None:
    holdings = {
        PLANS: held(*rewritten(house.rows(), pattern, goals=goals)),
        GITLAB: held(*house.issues()),
    }
    for question in QUESTIONS:
        sound, told = await house.ask(question), await house.ask(question, holdings)
        assert (sound.answer.dropped, told.answer.dropped) == (0, 0), question
        assert [claim.kind for claim in told.answer.claims].count("absence") == [
            claim.kind for claim in sound.answer.claims
        ].count("absence"), question
