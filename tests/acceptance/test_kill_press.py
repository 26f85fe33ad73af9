"""Killed while a button is pressed: nothing was changed, or all of it, and pressed again it is done once. A5, D7."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.simulator.clicks import NO_CONNECTION, Pressed
from bot.simulator.model import StoredMessage
from steward.model.action import ActionKind, ClickRefusal
from steward.texts.toasts import DONE, REFUSED
from tests.acceptance.house import buttons
from tests.acceptance.nursery import KILLED, Nursery, open_nursery
from tests.acceptance.outside import PATIENCE, Outside, open_outside

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

DONE_NOW = DONE[ActionKind.EVIDENCE].en
DONE_BEFORE = REFUSED[ClickRefusal.USED].en


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def nursery() -> AsyncIterator[Nursery]:
    async with open_nursery() as opened:
        yield opened


@pytest.mark.requirement("A5", "D7")
@pytest.mark.parametrize(
    ("stage", "again"),
    [
        ("before clicks.find", DONE_NOW),
        ("before clicks.press", DONE_NOW),
        ("after clicks.press", DONE_BEFORE),
        ("after outbox.claim since clicks.press", DONE_BEFORE),
        ("before outbox.finish since clicks.press", DONE_BEFORE),
    ],
)
async def test_a_press_is_whole_or_it_was_not(
    tmp_path: Path, nursery: Nursery, stage: str, again: str
) -> None:
    async with open_outside(tmp_path) as outside:
        child = await nursery.start(outside.order(stage))
        asked = outside.say()
        await outside.deliver(asked)
        await outside.replied([asked])
        (card,) = outside.replies(asked)
        first = await press(outside, card)
        assert await child.ended() == KILLED
        assert (first.toast, first.failure) in {(None, NO_CONNECTION), (DONE_NOW, None)}
        child = await nursery.start(outside.order())
        await child.ready()
        assert (await press(outside, card)).toast == again
        await outside.platform.changed(lambda _: len(outside.replies(asked)) >= 2, PATIENCE)
        await outside.come_to_rest()
        assert await child.stop() == 0
        assert len(outside.replies(asked)) == 2
        kinds = outside.rows(
            "SELECT kind, count(*) FROM outbox WHERE kind = 'evidence' GROUP BY kind"
        )
        assert kinds == [("evidence", 1)]


ASKED_NOW = DONE[ActionKind.ASK_AGAIN].en


@pytest.mark.requirement("T4", "T7", "D7")
@pytest.mark.parametrize(
    ("stage", "again"),
    [
        ("before clicks.press", ASKED_NOW),
        ("after clicks.press", DONE_BEFORE),
        ("before ledger.begin since clicks.press", DONE_BEFORE),
        ("after ledger.calling since clicks.press", DONE_BEFORE),
        ("after ledger.fail since clicks.press", DONE_BEFORE),
        ("before outbox.finish since clicks.press", DONE_BEFORE),
    ],
)
async def test_asking_again_is_whole_or_it_was_not_and_is_told_once(
    tmp_path: Path, nursery: Nursery, stage: str, again: str
) -> None:
    async with open_outside(tmp_path) as outside:
        child = await nursery.start(outside.order(stage, "weary"))
        asked = outside.say()
        await outside.deliver(asked)
        await outside.replied([asked])
        (card,) = outside.replies(asked)
        await press(outside, card, "Ask again")
        assert await child.ended() == KILLED
        child = await nursery.start(outside.order(endpoint="weary"))
        await child.ready()
        assert (await press(outside, card, "Ask again")).toast == again
        await outside.platform.changed(lambda _: len(outside.replies(asked)) >= 2, PATIENCE)
        await outside.come_to_rest()
        assert await child.stop() == 0
        assert len(outside.replies(asked)) == 2
        said = outside.rows(
            "SELECT kind, attempt, status FROM outbox WHERE reply_to IN :messages ORDER BY id",
            asked,
        )
        assert said == [("notice", 1, "sent"), ("notice", 2, "sent")]
        stands = "SELECT status, attempt FROM question WHERE message_id IN :messages"
        assert outside.rows(stands, asked) == [("owed", 2)]


async def press(
    outside: Outside, card: StoredMessage, label: str = "Show evidence in full"
) -> Pressed:
    """The asker presses."""
    value = buttons(card)[label]
    clicked = outside.platform.click(outside.people[0], card.message_id, value)
    return await outside.pusher.press(clicked)
