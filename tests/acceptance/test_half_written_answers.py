"""A file cut at any line, and within any line: what its readers are told is never more than it holds. W1, R8-R10."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from steward.model.turn import Language
from steward.world import SystemClock
from tests.acceptance.faults import OTHER, QUIET, write
from tests.acceptance.house import TEAM, open_house
from tests.acceptance.oracle import Allowed, allowed
from tests.acceptance.pipeline import answer_to
from tests.acceptance.promises import IDS, QUESTIONS, UNREAD, absent, broken

REQUEST = "3f0c7b1a9d2e4f5860718293a4b5c6d7e8f90112233445566778899aabbccdde"
FLOW = """\
# The gateway's own plan.
goal: {id: payments, title: Payment gateway, aliases: [支付网关], owner: Lin}
todos:
  - {id: t1, title: Rates, status: open, due: 2026-12-05}
  - {id: t2, title: Callback signature, status: blocked, owner: Wei,
     blocked_by: test account, updated: 2026-11-28}
deliveries:
  - {id: d1, title: Refund flow, by: Wei, at: 2020-11-27T16:20:00+08:00}
handoffs: []
"""
BLOCK = f"""\
goal:
  id: payments
  title: Payment gateway
  aliases:
  - 支付网关
deliveries: []
handoffs:
- request_id: {REQUEST}
  title: Test plan
  from: Wei
  status: accepted
  at: 2026-11-26T10:00:00+08:00
todos:
- id: t1
  title: Rates
  status: done
- id: t2
  title: Callback signature
  status: blocked
"""
SAMPLES = {"flow": FLOW, "block": BLOCK}
AGES = {"young": timedelta(), "old": QUIET}
HEADLINE = {Language.ZH: "未读到证据：Plans（", Language.EN: "No evidence read: Plans ("}
DO = {Language.ZH: "请", Language.EN: "The owner should "}


def cuts(text: str) -> Iterator[str]:
    """The text up to the end of each line, and up to the middle of each."""
    lines = text.splitlines(keepends=True)
    for end, line in enumerate(lines):
        before = "".join(lines[:end])
        yield before
        yield before + line[: len(line) // 2]
    yield text


def problems(lines: tuple[str, ...], language: Language, may: Allowed) -> Iterator[str]:
    text = "\n".join(lines)
    yield from broken(lines, language, source="Plans", folded=False)
    if not may.readable and not lines[0].startswith(HEADLINE[language]):
        yield f"its headline is {lines[0]}"
    if absent(lines, language) != may.absent:
        yield f"it calls {sorted(absent(lines, language))} empty, not {sorted(may.absent)}"
    if (UNREAD[language] in text) is may.whole:
        yield "it does not say whether something was not read"
    if not may.whole and f"Plans{'（' if language is Language.ZH else ' ('}" not in text:
        yield "it does not name the source with a reason"
    if not may.whole and DO[language] not in text and "Ask again" not in text:
        yield "it does not say what to do"


@pytest.mark.requirement("W1", "R8", "R9", "R10")
@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize(("language", "question"), QUESTIONS, ids=IDS)
async def test_a_file_cut_anywhere_is_told_as_no_more_than_it_is(
    tmp_path: Path, language: Language, question: str, sample: str, age: str
) -> None:
    found: dict[str, list[str]] = {}
    for number, text in enumerate(cuts(SAMPLES[sample])):
        folder = tmp_path / str(number)
        write(text, age=AGES[age])(folder)
        lines = await answer_to(question, folder)
        unended = bool(text) and not text.endswith("\n")
        may = allowed(text, SystemClock().now(), being_written=age == "young" and unended)
        if told := list(problems(lines, language, may)):
            found[text] = [*told, *lines]

    assert found == {}


SOURCE = '[source.plans]\nkind = "folder"\npath = "evidence"\ntitle = "Plans"\n'
GRANT = f'[grant.team]\naudience = "group:{TEAM}"\nsources = ["plans"]\ngoals = ["*"]\n'


@pytest.mark.requirement("W1", "R8", "R9")
async def test_a_file_that_is_written_before_our_eyes_is_told_as_far_as_it_is(
    tmp_path: Path,
) -> None:
    language, question = QUESTIONS[0]
    write("", age=timedelta())(tmp_path / "evidence")
    found: dict[str, list[str]] = {}
    async with open_house(tmp_path, sources=SOURCE, grants=GRANT) as house:
        for end in (0, 1, 3, 7, 9, 11, 14, 17, 20):
            text = "".join(BLOCK.splitlines(keepends=True)[:end])
            write(text, age=timedelta())(tmp_path / "evidence")
            reply = await house.ask(house.team, house.member, question)
            may = allowed(text, SystemClock().now(), being_written=False)
            if told := list(problems(reply.lines, language, may)):
                found[text] = [*told, *reply.lines]

    assert found == {}


@pytest.mark.requirement("W1", "R10")
async def test_a_file_that_shrinks_before_our_eyes_takes_every_absence_back(tmp_path: Path) -> None:
    language, question = QUESTIONS[1]
    write(BLOCK)(tmp_path / "evidence")
    async with open_house(tmp_path, sources=SOURCE, grants=GRANT) as house:
        whole = await house.ask(house.team, house.member, question)
        write(BLOCK[: BLOCK.index("- id: t2")], age=timedelta())(tmp_path / "evidence")
        shrunk = await house.ask(house.team, house.member, question)

    assert absent(whole.lines, language) == {"deliveries", "handoffs"}
    assert absent(shrunk.lines, language) == frozenset()
    assert "Plans (not read whole)" in shrunk.text
    assert "Ask again in a moment" in shrunk.text


@pytest.mark.requirement("W1", "R10")
async def test_a_goal_that_vanishes_is_gone_and_one_that_is_repaired_is_read_again(
    tmp_path: Path,
) -> None:
    language, question = QUESTIONS[3]
    folder = tmp_path / "evidence"
    write(FLOW)(folder)
    write(OTHER, "search.yaml")(folder)
    async with open_house(tmp_path, sources=SOURCE, grants=GRANT) as house:
        before = await house.ask(house.team, house.member, question)
        (folder / "search.yaml").unlink()
        gone = await house.ask(house.team, house.member, question)
        write(OTHER, "search.yaml")(folder)
        after = await house.ask(house.team, house.member, question)

    assert "Plans (a goal is gone)" in gone.text
    assert "a restart of the service forgets it" in gone.text
    assert "All active goals" not in gone.lines[0]
    assert not list(broken(gone.lines, language, source="Plans"))
    assert absent(gone.lines, language) == frozenset()
    assert absent(before.lines, language) == absent(after.lines, language) != frozenset()
    assert UNREAD[language] not in before.text + after.text
