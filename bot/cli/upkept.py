"""What `steward doctor` says of upkeep: words kept, the log's size, who served last, what is owed. Contracts D6, W4, T7."""

from datetime import datetime, timedelta

from bot.cli.findings import Finding, Grade
from bot.cli.stored import opened_store
from bot.parts import app_of
from bot.settings import Settings
from steward.errors import StoreError
from steward.model.owed import QuestionCounts
from steward.model.turn import Language
from steward.model.upkeep import KEPT, Backlog
from steward.policy.command_answers import age
from steward.world import SystemClock

SLACK = timedelta(days=3)
"""How late forgetting may be: an answer counts from its arrival, and a service may have stood still."""
MOST_LOG_BYTES = 256 * 1024 * 1024
JUST_NOW = timedelta(minutes=2)


async def upkept(settings: Settings) -> list[Finding]:
    """A store that cannot be read has its own finding; one that is not there yet has nothing to keep."""
    now, app = SystemClock().now(), app_of(settings)
    try:
        async with opened_store(settings, write=False) as store:
            backlog = await store.upkeep.backlog(app)
            counts = await store.ledger.counts(app, since=now)
    except StoreError:
        return []
    return [
        _retention(backlog, now),
        *_log(backlog),
        _presence(backlog, now),
        _owed(counts),
    ]


def _retention(backlog: Backlog, now: datetime) -> Finding:
    if backlog.oldest is None:
        return Finding("retention", Grade.OK, "no answered question's words are kept")
    old = now - backlog.oldest
    found = f"the oldest words of an answered question are {age(old, Language.EN)} old"
    if old <= KEPT + SLACK:
        return Finding("retention", Grade.OK, found)
    repair = f"they go {KEPT.days} days after their answer while `steward serve` runs: let it run"
    return Finding("retention", Grade.WARN, found, repair)


def _log(backlog: Backlog) -> list[Finding]:
    if backlog.log_bytes is None:
        return []
    found = f"the write-ahead log holds {backlog.log_bytes / 2**20:.1f} MiB"
    if backlog.log_bytes <= MOST_LOG_BYTES:
        return [Finding("log", Grade.OK, found)]
    repair = "something reads the store without an end: see who has its file open"
    return [Finding("log", Grade.WARN, found, repair)]


def _presence(backlog: Backlog, now: datetime) -> Finding:
    if backlog.seen_at is None:
        return Finding("presence", Grade.OK, "no process has served yet")
    ago = now - backlog.seen_at
    found = "just now" if ago < JUST_NOW else f"{age(ago, Language.EN)} ago"
    return Finding("presence", Grade.OK, f"a process last served {found}")


def _owed(counts: QuestionCounts) -> Finding:
    if not counts.owed:
        return Finding("owed", Grade.OK, "no question is owed")
    found = f"questions that are owed: {counts.owed}"
    return Finding("owed", Grade.WARN, found, "see `steward questions`; they can be asked again")
