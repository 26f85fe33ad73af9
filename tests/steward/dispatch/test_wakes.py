"""A hint wakes the loop that it means, and no other."""

import asyncio
from datetime import timedelta

import pytest

from steward.dispatch.local import EventWake
from steward.dispatch.wakes import Wakes
from steward.model.events import Lane
from steward.model.hint import Hint


async def woken(wake: EventWake) -> bool:
    """Whether a hint came since the last look."""
    try:
        async with asyncio.timeout(0.01):
            await wake.wait(timedelta(hours=1))
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("hint", Hint)
async def test_a_hint_wakes_the_loop_that_it_means_and_no_other(hint: Hint) -> None:
    wakes = Wakes()
    of = {
        Hint.INBOX_NOW: wakes.lanes[Lane.NOW],
        Hint.INBOX_ORDERED: wakes.lanes[Lane.ORDERED],
        Hint.QUESTIONS: wakes.questions,
        Hint.DELIVERIES: wakes.deliveries,
    }
    wakes.heard(hint)
    assert [one for one, wake in of.items() if await woken(wake)] == [hint]
