"""Every loop's wake in one process, and which of them a hint of another process means."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from steward.dispatch.local import EventWake
from steward.model.events import Lane
from steward.model.hint import Hint


def _of_lanes() -> Mapping[Lane, EventWake]:
    return {lane: EventWake() for lane in Lane}


@dataclass(frozen=True, slots=True)
class Wakes:
    """Who wakes whom: `lanes` what was recorded, `questions` what was queued, `deliveries` what is to be sent."""

    lanes: Mapping[Lane, EventWake] = field(default_factory=_of_lanes)
    questions: EventWake = field(default_factory=EventWake)
    deliveries: EventWake = field(default_factory=EventWake)

    def recorded(self, lane: Lane) -> None:
        """Something waits to be judged."""
        self.lanes[lane].wake()

    def heard(self, hint: Hint) -> None:
        """A commit of any process of this store left something to do."""
        match hint:
            case Hint.INBOX_NOW:
                self.recorded(Lane.NOW)
            case Hint.INBOX_ORDERED:
                self.recorded(Lane.ORDERED)
            case Hint.QUESTIONS:
                self.questions.wake()
            case Hint.DELIVERIES:
                self.deliveries.wake()
