"""Sources are read before anybody asks, and again every few minutes; who cannot be read is told to the operator."""

import logging
from datetime import timedelta

import pytest

from steward.control.registry import ConfiguredSource, Sources
from steward.control.rounds import EVERY, Rounds
from steward.model.reading import (
    ReadFailure,
    Snapshot,
    SourceCode,
    SourceQuery,
    View,
)
from steward.ports.source import Source
from steward.testing.source import Raise, Scene, ScriptedSource
from steward.testing.world import FakeClock
from tests.steward.evidence import PLANS, TRACKER, goal, snapshot

GONE = ReadFailure(SourceCode.NOT_FOUND_OR_NO_ACCESS, PLANS)
PORTFOLIO = SourceQuery(View.PORTFOLIO, include_stopped=True)


def sound() -> Snapshot:
    return snapshot(goal(), goals=[goal()])


def scripted(clock: FakeClock, *scenes: Scene) -> ScriptedSource:
    return ScriptedSource(PLANS, scenes, clock=clock)


def over(*sources: Source | None) -> Sources:
    ids = (PLANS, TRACKER)
    return Sources(
        ConfiguredSource(name, name, source) for name, source in zip(ids, sources, strict=False)
    )


class EnoughError(Exception):
    """The test has seen what it wanted to see."""


class ThreeSleeps(FakeClock):
    """Sleeps take no time; the third ends the test."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if len(self.slept) == 3:
            raise EnoughError


async def test_every_source_is_read_at_once_and_then_every_few_minutes() -> None:
    clock = ThreeSleeps()
    plans, tracker = scripted(clock, sound()), ScriptedSource(TRACKER, [GONE], clock=clock)

    with pytest.raises(EnoughError):
        await Rounds(over(plans, tracker), clock).run()

    assert plans.queries == tracker.queries == [PORTFOLIO] * 3
    assert clock.slept == [EVERY.total_seconds()] * 3


@pytest.mark.requirement("R13")
async def test_what_a_round_read_stands_in_for_a_source_that_is_lost_later(
    clock: FakeClock,
) -> None:
    sources = over(scripted(clock, sound()))

    await Rounds(sources, clock).once()

    found = sources.last_good.instead(GONE, PORTFOLIO, timedelta(days=1), clock.now())
    assert sources.last_good.seen == {PLANS: clock.now()}
    assert isinstance(found, Snapshot)
    assert [row.id for row in found.rows] == ["payments"]


@pytest.mark.requirement("R13")
async def test_a_round_that_is_refused_drops_what_was_kept(clock: FakeClock) -> None:
    refused = ReadFailure(SourceCode.FORBIDDEN, PLANS)
    sources = over(scripted(clock, sound(), refused))
    rounds = Rounds(sources, clock)

    await rounds.once()
    await rounds.once()

    assert not sources.last_good.holds(PLANS, timedelta(days=1), clock.now())


async def test_a_source_that_fails_breaks_or_cannot_be_built_stops_no_round(
    clock: FakeClock,
) -> None:
    tracker = ScriptedSource(TRACKER, [sound()], clock=clock)
    for first in (scripted(clock, GONE), scripted(clock, Raise(ValueError("broken"))), None):
        await Rounds(over(first, tracker), clock).once()

    assert len(tracker.queries) == 3


async def test_a_change_is_logged_once_and_without_a_word_of_the_source(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    rounds = Rounds(over(scripted(clock, sound(), GONE, GONE, sound(), sound())), clock)

    with caplog.at_level(logging.INFO, "steward.control.rounds"):
        for _ in range(5):
            await rounds.once()

    assert caplog.messages == [
        "source plans cannot be read: not_found_or_no_access",
        "source plans can be read again",
    ]
