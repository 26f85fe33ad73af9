"""A host's result is judged as it came, on both stores, through the real webhook: refused before it is settled. T1-T4."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from bot.simulator.model import StoredMessage
from steward.model.action import ActionKind, ClickRefusal
from steward.model.json import Json
from steward.model.turn import TurnCode
from steward.policy.judge import BOUNDS, MAX_BYTES
from steward.testing.endpoint import Says, Script, ScriptedEndpoint
from steward.texts.notices import FAILED
from steward.texts.toasts import DONE
from steward.texts.toasts import REFUSED as REFUSED_PRESS
from tests.acceptance.cards import Card
from tests.acceptance.house import House, Reply, open_house
from tests.acceptance.plans import GRANTS, SOURCES
from tests.postgres import running_postgres

SECRET = "Zanzibar"
"""Stands in every candidate that is refused: nobody may ever read it."""

RESTRICTION = f" Never merge before {SECRET} has approved."
ACTION = "r" * (1417 - len(RESTRICTION)) + RESTRICTION
ABSENT: dict[str, Json] = {
    "text": SECRET,
    "cites": [],
    "kind": "absence",
    "scope": {"view": "handoffs"},
}
"""Code writes its own sentence for an absence, so that a candidate that passes shows nothing of this either."""

REFUSED = FAILED[TurnCode.RESULT_INVALID].what.en


def candidate(**fields: Json) -> bytes:
    whole: dict[str, Json] = {"classification": f"{SECRET} overview", "claims": [ABSENT]}
    return json.dumps(whole | fields, ensure_ascii=False).encode()


def of_bytes(size: int) -> bytes:
    """A well-formed candidate of exactly so many bytes, whatever its characters are."""
    short = candidate(padding="")
    return candidate(padding="限" * ((size - len(short)) // 3) + "x" * ((size - len(short)) % 3))


def malformed() -> Iterator[tuple[str, bytes]]:
    """Every row of the contract's table that is to be refused, by a name."""
    yield "1,417 characters with a restriction at the end", candidate(next_action=ACTION)
    yield "an object", candidate(next_action={"then": "merge"}, recommended_action="go on")
    for name, bound in BOUNDS.items():
        yield f"{name} one over", candidate(**{name: "x" * (bound + 1)})
        yield f"{name} one astral over", candidate(**{name: "😀" * (bound + 1)})
        yield f"{name} one combining over", candidate(**{name: "e\u0301" * (bound // 2) + "e"})
        falsy: Sequence[Json] = (False, 0, 0.0, [], {})
        for value in falsy:
            yield f"{name} {value!r}", candidate(**{name: value})
    yield "classification null", candidate(classification=None)
    yield "classification empty", candidate(classification="")
    for bad, well in (
        ("recommended_action", "next_action"),
        ("next_action", "recommended_action"),
    ):
        yield f"{bad} malformed beside {well}", candidate(**{bad: False, well: "go on"})
    yield "claims absent", candidate(claims=None)
    yield "a gate alone", candidate(claims=[], gate=SECRET)
    yield "a gate that is no string", candidate(gate={"who": SECRET})
    yield "one byte over", of_bytes(MAX_BYTES + 1)
    yield "no JSON", SECRET.encode()
    yield "cut in the middle", candidate()[:-2]


def well_formed() -> Iterator[tuple[str, bytes]]:
    """Every row that passes."""
    for name, bound in BOUNDS.items():
        yield f"{name} at its bound", candidate(**{name: "限" * bound})
        yield f"{name} at its bound, astral", candidate(**{name: "😀" * bound})
        yield f"{name} at its bound, combining", candidate(**{name: "e\u0301" * (bound // 2)})
        if name != "classification":
            yield f"{name} null", candidate(**{name: None})
            yield f"{name} empty", candidate(**{name: ""})
    yield "an alias alone", candidate(next_action="go on")
    yield "the alias of a null", candidate(recommended_action=None, next_action="go on")
    yield "gate and actions", candidate(gate=SECRET, actions=[{"merge": SECRET}])
    yield "all its bytes", of_bytes(MAX_BYTES)


@dataclass(frozen=True, slots=True)
class Bench:
    """A house whose host hands over what a test laid out for each question."""

    house: House
    endpoint: ScriptedEndpoint
    scripts: dict[str, Script]
    store: str

    async def ask(self, question: str, *raw: bytes) -> Reply:
        self.scripts[question] = [Says(one) for one in raw]
        return await self.house.ask(self.house.team, self.house.member, question)

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        engine = create_engine(self.store)
        try:
            with engine.connect() as connection:
                return [tuple(row) for row in connection.execute(text(statement), values)]
        finally:
            engine.dispose()

    def stands(self, question: str) -> tuple[str, int, bytes, int]:
        """Status and attempt, the last candidate as it was stored, and how many answers there are."""
        ((status, attempt, raw, answers),) = self.rows(
            "SELECT q.status, q.attempt, t.candidate,"
            " (SELECT count(*) FROM answer a WHERE a.question_id = q.id AND a.accepted)"
            " FROM question q JOIN turn t ON t.question_id = q.id AND t.attempt = q.attempt"
            " WHERE q.text = :question",
            question=question,
        )
        return status, attempt, bytes(raw), answers

    def calls(self, question: str) -> int:
        return sum(turn.question == question for turn in self.endpoint.asked)

    def sent_or_due(self) -> bytes:
        """Every byte that was ever written for the platform."""
        return b"".join(bytes(body) for (body,) in self.rows("SELECT body FROM outbox"))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running_postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs("postgres"))])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    url = f"sqlite:///{tmp_path}/steward.db"
    reading = url
    if request.param == "postgres":
        url = request.getfixturevalue("server")
        reading = url.replace("postgresql:", "postgresql+psycopg:")
        emptied(reading)
    async with opened(tmp_path, url, reading) as bench:
        yield bench


def emptied(url: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()


@asynccontextmanager
async def opened(folder: Path, url: str, reading: str) -> AsyncIterator[Bench]:
    (folder / "evidence").mkdir()
    scripts: dict[str, Script] = {}
    endpoint = ScriptedEndpoint(scripts)
    async with open_house(
        folder, sources=SOURCES, grants=GRANTS, endpoint=endpoint, store=url
    ) as house:
        yield Bench(house, endpoint, scripts, reading)


def named(cases: Mapping[str, bytes]) -> Iterator[tuple[str, str, bytes]]:
    """Name, question and candidate; the question's words say nothing of either."""
    for number, (name, raw) in enumerate(cases.items(), start=1):
        yield name, f"Question number {number}?", raw


@pytest.mark.timeout(120)
@pytest.mark.requirement("T1", "T2", "T3", "W3")
async def test_a_malformed_result_is_refused_whole_before_anything_is_settled_or_sent(
    bench: Bench,
) -> None:
    for name, question, raw in named(dict(malformed())):
        reply = await bench.ask(question, raw)

        assert REFUSED in reply.text, name
        assert bench.stands(question) == ("owed", 1, raw, 0), name
        assert bench.calls(question) == 1, name
    assert SECRET not in shown(bench)
    assert SECRET.encode() not in bench.sent_or_due()
    assert b"rrrrrr" not in bench.sent_or_due()
    assert bench.rows("SELECT count(*) FROM answer") == [(0,)]


@pytest.mark.timeout(120)
@pytest.mark.requirement("T1", "T2", "T3")
async def test_a_well_formed_result_is_settled_as_it_was_meant(bench: Bench) -> None:
    for name, question, raw in named(dict(well_formed())):
        reply = await bench.ask(question, raw)

        assert REFUSED not in reply.text, name
        status, attempt, kept, answers = bench.stands(question)
        assert (attempt, kept, answers) == (1, raw, 1), name
        assert status in {"settled", "answered"}, name
    assert SECRET not in shown(bench)


@pytest.mark.requirement("T4", "T7", "T3")
async def test_a_failed_turn_calls_nobody_again_and_a_corrected_fresh_one_settles_once(
    bench: Bench,
) -> None:
    question = "How is it going?"
    bench.scripts[question] = [Says(candidate(next_action=ACTION))]
    house = bench.house
    pushed = house.platform.say(house.member, house.team, question, mention_bot=True)
    await house.pusher.push(pushed)
    notice = await house.reply(pushed)
    assert (await house.pusher.push(pushed)).accepted
    assert bench.calls(question) == 1
    bench.scripts[question] = [Says(candidate())]

    warning = await pressed(house, notice.message, "Ask again", DONE[ActionKind.ASK_AGAIN].en)
    assert bench.calls(question) == 1
    answered = await pressed(
        house, warning, "Ask again anyway", DONE[ActionKind.ASK_AGAIN_ANYWAY].en
    )

    assert bench.calls(question) == 2
    status, attempt, raw, answers = bench.stands(question)
    assert (attempt, raw, answers) == (2, candidate(), 1)
    assert status in {"settled", "answered"}
    assert (await house.pusher.push(pushed)).accepted
    await house.ask(house.team, house.owner, "/status")
    assert bench.calls(question) == 2
    said = [one for one in house.platform.messages(house.team.chat_id) if one.sender_type == "app"]
    assert said[:3] == [notice.message, warning, answered]
    assert SECRET not in shown(bench)


async def pressed(house: House, message: StoredMessage, label: str, expected: str) -> StoredMessage:
    """What follows a press on this button; one that comes too early is made again, as a person would."""
    card = Card(house, message)
    for _ in range(5):
        shown = await card.press(label, house.member)
        if shown.toast != REFUSED_PRESS[ClickRefusal.NOT_NOW].en:
            break
    assert (shown.failure, shown.toast) == (None, expected)
    await card.next()
    return card.following()[0]


def shown(bench: Bench) -> str:
    """Everything that the bot ever said."""
    messages = bench.house.platform.messages(bench.house.team.chat_id)
    return "\n".join(one.content for one in messages if one.sender_type == "app")
