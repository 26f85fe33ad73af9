"""A source that is lost while the steward runs: its last rows are told as old, with the failure beside them."""

from pathlib import Path

import pytest

from steward.model.turn import Language
from tests.acceptance.house import open_house
from tests.acceptance.promises import IDS, QUESTIONS, absent, broken

SOURCES = """
[source.plans]
kind = "folder"
path = "plans"
title = "Plans"
"""
GRANTS = """
[grant.team]
audience = "group:oc_team"
sources = ["plans"]
goals = ["*"]
"""
GOAL = """\
goal: {id: payments, title: Payment gateway, aliases: [支付网关], status: active}
todos: [{id: t1, title: Callback signature, status: blocked, owner: Wei}]
deliveries: []
handoffs: []
"""
LOST = {
    Language.ZH: "未读到证据：Plans（找不到或无权访问，所列为 ",
    Language.EN: "no evidence read: Plans (not found, or no access; what is shown is from ",
}


@pytest.mark.requirement("R9", "R13", "W1", "W2")
@pytest.mark.parametrize(("language", "question"), QUESTIONS, ids=IDS)
async def test_what_was_read_before_is_told_as_old_and_never_as_absent(
    tmp_path: Path, language: Language, question: str
) -> None:
    plans = tmp_path / "plans"
    plans.mkdir()
    (plans / "payments.yaml").write_text(GOAL, encoding="utf-8")
    async with open_house(tmp_path, sources=SOURCES, grants=GRANTS) as house:
        chat = house.platform.add_chat("Team", members=[house.member], chat_id="oc_team")
        before = await house.ask(chat, house.member, question)
        plans.rename(tmp_path / "away")
        lost = await house.ask(chat, house.member, question)
        (tmp_path / "away").rename(plans)
        after = await house.ask(chat, house.member, question)

    assert "Callback signature" in lost.text
    assert absent(lost.lines, language) == frozenset()
    assert LOST[language] in lost.text
    assert list(broken(lost.lines, language, source="Plans")) == []
    assert absent(before.lines, language)
    assert LOST[language] not in after.text
