"""Killed at any point: nothing acknowledged is lost, nothing is answered twice, each chat's order holds (D7)."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
import pytest_asyncio

from bot.simulator.faults import Drop, LoseReply, Op, Slow
from bot.simulator.model import Pushed
from tests.acceptance.nursery import KILLED, Nursery, open_nursery
from tests.acceptance.outside import PATIENCE, Outside, check, open_outside
from tests.postgres import running_postgres

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

SOON = 12.0
"""Seconds: sooner than the look for turns whose worker died alone, so that a start itself must have taken them up."""

REPORTED = [
    "before inbox.record",
    "after inbox.record",
    "before inbox.take since inbox.record",
    "after inbox.take",
    "before inbox.admit",
    "after inbox.admit",
    "before conversations.claim since inbox.admit",
    "after conversations.claim",
    "before ledger.begin",
    "after ledger.begin",
    "before ledger.calling",
    "after ledger.calling",
    "before ledger.read",
    "after ledger.read",
    "before ledger.candidate",
    "after ledger.candidate",
    "before ledger.settle",
    "after ledger.settle",
    "before outbox.claim since ledger.settle",
    "after outbox.claim",
    "before outbox.finish",
    "after outbox.finish",
]
"""Every step of a question's way whose commit is ours, in order; "before outbox.finish" the platform has the message."""

TWICE = [
    ("before ledger.calling", "after leases.break_all"),
    ("after ledger.calling", "before ledger.requeue"),
    ("after ledger.calling", "after ledger.requeue"),
    ("after ledger.candidate", "before ledger.settle"),
    ("after ledger.candidate", "after ledger.settle"),
    ("after outbox.claim", "after leases.break_all", "after outbox.claim"),
    ("before outbox.finish", "before outbox.finish", "before outbox.finish"),
]
"""Deaths of what takes over, too."""

NEVER_AGAIN = [
    # stages, calls of the endpoint, what the reader gets, where the question ends
    (("before ledger.begin",), 1, "answer", "answered"),
    (("after ledger.begin",), 1, "answer", "answered"),
    (("before ledger.calling",), 1, "answer", "answered"),
    (("after ledger.calling",), 0, "notice", "owed"),
    (("before ledger.read",), 1, "notice", "owed"),
    (("after ledger.read",), 1, "notice", "owed"),
    (("before ledger.candidate",), 1, "notice", "owed"),
    (("after ledger.candidate",), 1, "answer", "answered"),
    (("before ledger.settle",), 1, "answer", "answered"),
    (("after ledger.settle",), 1, "answer", "answered"),
    (("after ledger.candidate", "before ledger.settle"), 1, "answer", "answered"),
    (("before ledger.candidate", "before ledger.fail"), 1, "notice", "owed"),
    (("before ledger.candidate", "after ledger.fail"), 1, "notice", "owed"),
]
"""For an endpoint that a crash must not run again."""


NOTICED = [
    # stages, calls of an endpoint that fails, and that a crash must not run again
    (("before ledger.begin",), 1),
    (("after ledger.begin",), 1),
    (("before ledger.calling",), 1),
    (("after ledger.calling",), 0),
    (("before ledger.fail",), 1),
    (("after ledger.fail",), 1),
    (("before outbox.claim since ledger.fail",), 1),
    (("after outbox.claim",), 1),
    (("before outbox.finish",), 1),
    (("after outbox.finish",), 1),
    (("before ledger.fail", "before ledger.fail"), 1),
    (("after ledger.fail", "before outbox.finish", "after outbox.claim"), 1),
]
"""Its notice is sent, and its row closed in the same commit, whenever the kill comes."""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def nursery() -> AsyncIterator[Nursery]:
    async with open_nursery() as opened:
        yield opened


async def killed_at(
    outside: Outside, nursery: Nursery, *stages: str, endpoint: str = "reporter"
) -> Pushed:
    """Ask; a steward dies at each stage, one after another; the next one is well, and comes to rest."""
    pushed = outside.say()
    async with asyncio.TaskGroup() as group:
        group.create_task(outside.deliver(pushed))
        for stage in stages:
            child = await nursery.start(outside.order(stage, endpoint))
            assert await child.ended() == KILLED
        child = await nursery.start(outside.order(None, endpoint))
        await child.ready()
        await outside.replied([pushed], SOON)
    last = await outside.come_to_rest()
    assert await child.stop() == 0
    check(outside, last)
    return pushed


@pytest.mark.requirement("D1", "D7", "T5")
@pytest.mark.parametrize("stage", REPORTED)
async def test_a_kill_at_any_stage_costs_no_question_and_repeats_no_answer(
    tmp_path: Path, nursery: Nursery, stage: str
) -> None:
    async with open_outside(tmp_path) as outside:
        pushed = await killed_at(outside, nursery, stage)
        assert outside.calls(pushed) in {1, 2}
        assert outside.said_of(pushed) == [("answer", "sent", "answered")]


@pytest.mark.requirement("D4", "D7")
@pytest.mark.parametrize("stages", TWICE, ids=", ".join)
async def test_a_kill_of_what_takes_over_is_no_different(
    tmp_path: Path, nursery: Nursery, stages: tuple[str, ...]
) -> None:
    async with open_outside(tmp_path) as outside:
        pushed = await killed_at(outside, nursery, *stages)
        assert outside.said_of(pushed) == [("answer", "sent", "answered")]


@pytest.mark.requirement("D7", "T4", "T5", "T7")
@pytest.mark.parametrize(
    ("stages", "calls", "kind", "status"),
    NEVER_AGAIN,
    ids=[", ".join(row[0]) for row in NEVER_AGAIN],
)
async def test_a_call_that_may_have_acted_is_never_made_again(
    tmp_path: Path, nursery: Nursery, stages: tuple[str, ...], calls: int, kind: str, status: str
) -> None:
    async with open_outside(tmp_path) as outside:
        pushed = await killed_at(outside, nursery, *stages, endpoint="once")
        assert outside.calls(pushed) == calls
        assert outside.said_of(pushed) == [(kind, "sent", status)]


@pytest.mark.requirement("D7", "T4", "W3")
@pytest.mark.parametrize(("stages", "calls"), NOTICED, ids=[", ".join(row[0]) for row in NOTICED])
async def test_a_failed_question_gets_its_one_notice_whenever_the_kill_comes(
    tmp_path: Path, nursery: Nursery, stages: tuple[str, ...], calls: int
) -> None:
    async with open_outside(tmp_path) as outside:
        pushed = await killed_at(outside, nursery, *stages, endpoint="failing")
        assert outside.calls(pushed) == calls
        assert outside.said_of(pushed) == [("notice", "sent", "owed")]
        ((closed, sent),) = outside.rows(
            "SELECT i.closed_at, o.sent_at FROM outbox o JOIN inbox i ON i.id = o.inbox_id"
            " WHERE o.reply_to IN :messages",
            pushed,
        )
        assert closed == sent


@pytest.mark.requirement("D7", "A2")
@pytest.mark.parametrize("stage", ["before inbox.decline", "after inbox.decline"])
async def test_a_visible_no_is_said_once_whenever_the_kill_comes(
    tmp_path: Path, nursery: Nursery, stage: str
) -> None:
    async with open_outside(tmp_path, granted=False) as outside:
        first = outside.say()
        child = await nursery.start(outside.order(stage))
        await outside.deliver(first)
        assert await child.ended() == KILLED
        child = await nursery.start(outside.order())
        await outside.replied([first])
        await outside.deliver(outside.say())
        assert await child.stop() == 0
        assert [len(outside.replies(pushed)) for pushed in outside.asked] == [1, 0]
        assert len(outside.rows("SELECT id FROM outbox")) == 1


@pytest.mark.requirement("D2", "D7")
@pytest.mark.parametrize("stage", ["before inbox.withdraw", "after inbox.withdraw"])
async def test_a_recall_that_was_acknowledged_holds_whenever_the_kill_comes(
    tmp_path: Path, nursery: Nursery, stage: str
) -> None:
    async with open_outside(tmp_path) as outside:
        recalled = outside.say()
        assert recalled.message is not None
        outside.asked.clear()
        asker, message = outside.people[0], recalled.message.message_id
        child = await nursery.start(outside.order(stage))
        await outside.deliver(outside.platform.recall(asker, message))
        assert await child.ended() == KILLED
        child = await nursery.start(outside.order())
        await outside.come_to_rest()
        await outside.deliver(recalled)
        await outside.come_to_rest()
        assert await child.stop() == 0
        assert outside.replies(recalled) == []
        assert outside.rows("SELECT status FROM question WHERE status = 'withdrawn'") == [
            ("withdrawn",)
        ]


@pytest.mark.timeout(120)
@pytest.mark.requirement("D1", "D7")
@pytest.mark.parametrize(
    "store", ["sqlite", pytest.param("postgres", marks=pytest.mark.needs("postgres"))]
)
async def test_sixty_questions_in_six_chats_survive_kills_at_random(
    tmp_path: Path, nursery: Nursery, store: str
) -> None:
    with running_postgres() if store == "postgres" else nullcontext() as url:
        await _mayhem(tmp_path, nursery, url)


async def _mayhem(folder: Path, nursery: Nursery, postgres: str | None) -> None:
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")  # noqa: T201 -- shown where the test fails
    chance = random.Random(seed)  # noqa: S311 -- to be repeated, not to be secret
    async with open_outside(folder, chats=6, people=10, postgres=postgres) as outside:
        for pause in (0.02, 0.1, 0.3):
            outside.platform.faults.add(Op.REPLY, Slow(pause), times=20)
        places = [(chat, person) for chat in range(6) for person in range(10)]
        chance.shuffle(places)
        asked = [outside.say(chat, person) for chat, person in places]
        async with asyncio.TaskGroup() as group:
            for pushed in asked:
                group.create_task(outside.deliver(pushed))
                if chance.random() < 0.3:
                    group.create_task(outside.deliver(pushed))
            for _ in range(KILLS):
                child = await nursery.start(outside.order())
                await _some_way(outside, asked, chance)
                await child.kill()
            child = await nursery.start(outside.order())
        await outside.replied(asked)
        last = await outside.come_to_rest()
        assert await child.stop() == 0
        check(outside, last)
        once = len(outside.asked)
        assert once <= outside.calls(*outside.asked) <= once + KILLS * len(outside.chats)


KILLS = 15


async def _some_way(outside: Outside, asked: Sequence[Pushed], chance: random.Random) -> None:
    """Let it come a random way: some acknowledgements and calls, or into its start; then some milliseconds more."""
    way = chance.choice([0, 1, 3, 6, 12, 24])

    def done() -> int:
        return len(outside.platform.calls) + len(outside.acknowledged)

    goal = done() + way
    await outside.platform.changed(
        lambda _: done() >= goal or all(map(outside.replies, asked)), PATIENCE
    )
    await outside.platform.clock.sleep(chance.uniform(0, 0.3 if way == 0 else 0.05))


@pytest.mark.requirement("D4")
async def test_a_reply_that_the_platform_lost_leaves_one_message(
    tmp_path: Path, nursery: Nursery
) -> None:
    async with open_outside(tmp_path) as outside:
        outside.platform.faults.add(Op.REPLY, LoseReply())
        child = await nursery.start(outside.order())
        pushed = outside.say()
        await outside.deliver(pushed)
        last = await outside.come_to_rest()
        assert await child.stop() == 0
        check(outside, last)
        assert outside.said_of(pushed) == [("answer", "sent", "answered")]
        assert len(outside.platform.calls_of(Op.REPLY)) == 3


@pytest.mark.requirement("A1", "D4")
@pytest.mark.parametrize("down", [None, Op.REPLY])
async def test_what_is_asked_while_the_platform_is_down_is_answered_later(
    tmp_path: Path, nursery: Nursery, down: Op | None
) -> None:
    async with open_outside(tmp_path) as outside:
        child = await nursery.start(outside.order())
        await child.ready()
        outside.platform.faults.add(down, Drop(), times=None)
        pushed = outside.say()
        await outside.deliver(pushed)
        await outside.platform.changed(
            lambda now: sum(call.status is None for call in now.calls) >= 2, PATIENCE
        )
        assert outside.replies(pushed) == []
        outside.platform.faults.clear()
        await outside.replied([pushed])
        last = await outside.come_to_rest()
        assert await child.stop() == 0
        check(outside, last)
