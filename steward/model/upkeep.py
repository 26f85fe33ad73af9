"""What the steward does by the clock: slots that are used once, what is forgotten and when, how it was away. D6, W4."""

from dataclasses import dataclass
from datetime import datetime, timedelta

KEPT = timedelta(days=30)
"""How long bodies and readings are kept after their question was answered (D6)."""

ON_RECORD = timedelta(days=400)
"""How long ids, verdicts, tombstones and the audit are kept (D1)."""

RUNS_KEPT = timedelta(days=30)
"""How long it is remembered that a job has run; no slot is that long."""

BRIDGED = timedelta(hours=7, minutes=6)
"""What the platform's own retries bridge: an event that was not acknowledged comes again after 15 s, 5 min, 1 h, 6 h."""


@dataclass(frozen=True, slots=True)
class JobSlot:
    """One run of a job: of all processes, whoever claims (name, slot) first does it."""

    name: str
    slot: str


@dataclass(frozen=True, slots=True)
class Horizon:
    """Until when things are forgotten: what is older than `kept` loses its words, than `on_record` its row.

    `runs`: of jobs.
    """

    kept: datetime
    on_record: datetime
    runs: datetime

    @classmethod
    def at(cls, now: datetime) -> "Horizon":
        """As they stand at this moment."""
        return cls(now - KEPT, now - ON_RECORD, now - RUNS_KEPT)


@dataclass(frozen=True, slots=True)
class Backlog:
    """What upkeep has to look after, for `doctor`. `oldest`: the time of the oldest words that are still kept."""

    oldest: datetime | None
    log_bytes: int | None
    seen_at: datetime | None


@dataclass(frozen=True, slots=True)
class MadeSafe:
    """What was taken back from a restored store, because nobody knows what happened since its backup was taken.

    `restricted`: the profile was more than that. `owed`: questions that were unfinished. `unread`: messages that nobody
    had read yet. `doubtful`: messages of ours that may have arrived. `void`: buttons that offered a change.
    """

    restricted: bool
    owed: int
    unread: int
    doubtful: int
    void: int
