"""From a folder to the words of an answer with nothing running: source, gate, reporter, judge, answer rules, text.

The same composition as a turn's, without a store, a queue or a platform, for matrices too large for those.
"""

from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.lark.rungs import text_of
from steward.control.endings import resolved_goal
from steward.control.gate import Gate
from steward.control.registry import ConfiguredSource, Sources
from steward.endpoints.reporter.reporter import Reporter
from steward.model.answer import Judged
from steward.model.audience import Scope, ScopeEntry
from steward.model.ids import SourceId
from steward.model.profile import RESTRICTED_DEFAULT
from steward.model.reading import ReadFailure, Reading
from steward.model.turn import Candidate, Seat, Thread, TurnInput, Written
from steward.policy.answer_rules import settle
from steward.policy.judge import judge
from steward.policy.language import language_of
from steward.policy.presentation import present
from steward.policy.workspace import prompt_revision
from steward.reading.coverage import footer
from steward.reading.schema import CONTEXT_TOOL
from steward.sources.folder.source import FolderSource
from steward.world import RandomTokens, SystemClock

ZONE = ZoneInfo("Asia/Shanghai")
PLANS = SourceId("plans")
SCOPE = Scope((PLANS,), (ScopeEntry(frozenset({PLANS}), None),), "test")
PATIENCE = timedelta(seconds=10)


async def answer_to(question: str, folder: Path) -> tuple[str, ...]:
    """The lines that a member would read, from this folder alone, met for the first time."""
    clock = SystemClock()
    source = FolderSource(PLANS, str(folder), ZONE, clock, pause=lambda: None)
    sources = Sources([ConfiguredSource(PLANS, "Plans", source)])

    async def scope() -> Scope | ReadFailure:
        return SCOPE

    async def keep(_reading: Reading) -> Written:
        return Written.DONE

    now = clock.now()
    gate = Gate(
        tool=CONTEXT_TOOL,
        sources=sources,
        scope=scope,
        keep=keep,
        clock=clock,
        tokens=RandomTokens(),
        zone=ZONE,
        max_page_chars=24_000,
        deadline=now + PATIENCE,
    )
    reporter, language = Reporter(ZONE), language_of(question)
    seat = Seat(RESTRICTED_DEFAULT, language, prompt_revision(RESTRICTED_DEFAULT))
    thread = await reporter.open(seat, resume=None, history=())
    assert isinstance(thread, Thread)
    turn = TurnInput(question, language, str(ZONE), now)
    candidate = await reporter.answer(thread, turn, gate, deadline=now + PATIENCE)
    await sources.aclose()
    assert isinstance(candidate, Candidate), candidate
    judged = judge(candidate.raw)
    assert isinstance(judged, Judged), judged
    answer = settle(
        judged,
        language=language,
        scope=SCOPE,
        titles=sources.titles,
        readings=gate.readings,
        coverage=footer(SCOPE, sources.titles, gate.readings, resolved_goal(gate.readings)),
        zone=ZONE,
        now=now,
    )
    return tuple(text_of(present(answer, asked_at=now, now=now, zone=ZONE)).split("\n"))
