"""The registry knows every configured source, readable or not."""

from steward.control.registry import ConfiguredSource, Sources
from steward.model.ids import SourceId
from steward.model.reading import ReadFailure, SourceCode
from steward.testing.source import ScriptedSource
from steward.testing.world import FakeClock
from tests.steward.evidence import PLANS, TRACKER, snapshot


async def test_sources_keep_their_order_and_close_once_asked(clock: FakeClock) -> None:
    plans = ScriptedSource(PLANS, [snapshot()], clock=clock)
    sources = Sources(
        [ConfiguredSource(TRACKER, "Tracker", None), ConfiguredSource(PLANS, "Plans", plans)]
    )

    assert sources.ids == (TRACKER, PLANS)
    assert sources.titles == {TRACKER: "Tracker", PLANS: "Plans"}
    assert [entry.id for entry in sources] == [TRACKER, PLANS]
    await sources.aclose()
    assert plans.closed


def test_what_nobody_configured_cannot_be_read() -> None:
    ghost = SourceId("ghost")

    assert Sources([]).of(ghost) == ConfiguredSource(ghost, "ghost", None)
    assert Sources([]).of(ghost).failure == ReadFailure(SourceCode.NOT_CONFIGURED, ghost)
