"""Sources × faults × audiences × languages: no answer calls absent what was not read whole and fresh. W1, W2, R8-R10, A2.

Over the registry of kinds, so that a kind is asked all of this from the day on which it is registered. Each cell is a
place of that kind (stages.py), broken in one way, beside a folder that is sound: gate, reporter, judge, answer rules
and presentation, without a store or a platform. Neither holds what the questions ask for, so that every answer is an
absence where it may be one. What may be said is decided here, from what the stage knows, by the words that readers see.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.kinds import KINDS, source_kind
from bot.lark.rungs import text_of
from steward.control.endings import resolved_goal
from steward.control.gate import Gate
from steward.control.registry import ConfiguredSource, Sources
from steward.endpoints.reporter.reporter import Reporter
from steward.model.answer import Judged, Outgoing
from steward.model.audience import Audience, AudienceKind, Grant, GrantOrigin, Scope
from steward.model.ids import ChatId, GoalId, SourceId
from steward.model.profile import RESTRICTED_DEFAULT
from steward.model.reading import ReadFailure, Reading, Scan, ScanQuery, ToolCall, ToolResult
from steward.model.turn import Candidate, Language, Seat, Thread, TurnInput, Written
from steward.policy.answer_rules import settle
from steward.policy.judge import judge
from steward.policy.presentation import notice, present
from steward.policy.scope import Access, scope_of
from steward.policy.workspace import prompt_revision
from steward.ports.endpoint import Reader
from steward.reading.coverage import footer
from steward.reading.schema import CONTEXT_TOOL
from steward.testing.world import CountedTokens, FakeClock
from tests.acceptance.pipeline import ZONE
from tests.acceptance.promises import broken
from tests.acceptance.stages import LISTS, MUST, ONE, OTHER, STAGES, FolderStage, Gap, Stage, words

TRACKER, PLANS = SourceId("tracker"), SourceId("plans")
TITLES = {TRACKER: "Tracker", PLANS: "Plans"}
EVERY_DAY = timedelta(days=1)
PATIENCE = timedelta(seconds=15)
ALWAYS = ("sound", "never asked", "too late", "lost since")
"""What can happen to a source of any kind; the rest are its stage's own ways."""

NOT_TRIED = words("本次没有读取", "not read this time")
TIMED_OUT = words("读取超时", "timed out")
ABSENT = re.compile(r"nothing is recorded|no row names|没有记录|没有一行写着")
"""The texts' own ways to say that something is not there."""

NAMED = {
    "todos": re.compile(r"todos|待办"),
    "deliveries": re.compile(r"deliveries|交付"),
    "handoffs": re.compile(r"handoffs|交接"),
}
HARMLESS = re.compile(
    r"（[^）]*）|\([^)]*\)|no evidence (?:was )?read|不能确认有没有|不清楚有没有|没有完全听懂",
    re.IGNORECASE,
)
DENIAL = re.compile(r"\b(?:no|none|nothing|nobody|0)\b|没有|无人", re.IGNORECASE)
"""Whatever else would say so in a conclusion."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in both languages. `lists`: those of which it asks for what is not there."""

    said: Mapping[Language, str]
    lists: frozenset[str]


def asked(zh: str, en: str, *lists: str) -> Asked:
    return Asked(words(zh, en), frozenset(lists))


QUESTIONS = (
    asked("上周没有交付任何东西吗？", "Was nothing delivered last week?", "deliveries"),
    asked("有没有受阻的？", "Is anything blocked?", "todos"),
    asked("有什么逾期了？", "What is overdue?", "todos"),
    asked("有没有待处理的交接？", "Any open handoffs?", "handoffs"),
    asked("谁没有待办？", "Who has no todos?"),
    asked("现在整体情况怎么样？", "How is everything going?", "deliveries"),
)


@dataclass(frozen=True, slots=True)
class Listener:
    """An audience, and the goals that it may read; None: all."""

    audience: Audience
    goals: tuple[GoalId, ...] | None = None

    @property
    def scope(self) -> Scope:
        key = self.audience.grant_key
        grant = Grant("g", key, (TRACKER, PLANS), self.goals, GrantOrigin.CONFIG)
        return scope_of(self.audience, [grant], (TRACKER, PLANS), Access(True, True))

    def may_know(self, gap: Gap) -> bool:
        """Whether the gap concerns anything that this audience may read."""
        return gap.goal is None or self.goals is None or GoalId(gap.goal.lower()) in self.goals


AUDIENCES = {
    "owner": Listener(Audience(AudienceKind.OWNER_PRIVATE, ChatId("oc_owner"))),
    "member": Listener(Audience(AudienceKind.MEMBER_PRIVATE, ChatId("oc_member"))),
    "group": Listener(Audience(AudienceKind.GROUP, ChatId("oc_team"))),
    "narrow group": Listener(
        Audience(AudienceKind.GROUP, ChatId("oc_narrow")), (GoalId(ONE.lower()),)
    ),
}


class OneSourceAlone:
    """The reader of an endpoint that asks the folder and nothing else, and takes that for everything."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def call(self, call: ToolCall) -> ToolResult:
        return await self._gate.call(call)

    async def scan(self, query: ScanQuery) -> Scan:
        return await self._gate.scan(replace(query, source=PLANS))


@dataclass(frozen=True, slots=True)
class House:
    """The two sources, and one way to ask about them."""

    sources: Sources
    clock: FakeClock
    way: str

    async def tell(self, text: str, language: Language, listener: Listener) -> Outgoing:
        """What this audience is told."""
        scope, now = listener.scope, self.clock.now()
        gate = self._gate(scope)
        reader: Reader = OneSourceAlone(gate) if self.way == "never asked" else gate
        seat = Seat(RESTRICTED_DEFAULT, language, prompt_revision(RESTRICTED_DEFAULT))
        thread = await REPORTER.open(seat, resume=None, history=())
        assert isinstance(thread, Thread)
        turn = TurnInput(text, language, str(ZONE), now)
        found = await REPORTER.answer(thread, turn, reader, deadline=now + PATIENCE)
        coverage = footer(scope, TITLES, gate.readings, resolved_goal(gate.readings))
        if not isinstance(found, Candidate):
            return notice(
                found, language=language, coverage=coverage, readings=gate.readings, zone=ZONE
            )
        judged = judge(found.raw)
        assert isinstance(judged, Judged), judged
        answer = settle(
            judged,
            language=language,
            scope=scope,
            titles=TITLES,
            readings=gate.readings,
            coverage=coverage,
            zone=ZONE,
            now=now,
            question=text,
        )
        return present(answer, asked_at=now, now=now, zone=ZONE)

    def _gate(self, scope: Scope) -> Gate:
        async def allowed() -> Scope | ReadFailure:
            return scope

        async def keep(_reading: Reading) -> Written:
            return Written.DONE

        late = self.way == "too late"
        return Gate(
            tool=CONTEXT_TOOL,
            sources=self.sources,
            scope=allowed,
            keep=keep,
            clock=self.clock,
            tokens=CountedTokens(),
            zone=ZONE,
            max_page_chars=24_000,
            deadline=self.clock.now() + (timedelta() if late else PATIENCE),
        )


REPORTER = Reporter(ZONE)


@dataclass(frozen=True, slots=True)
class Truth:
    """What is really so: the gaps of each source, and the lists that it records, or for all that is known may record."""

    gaps: Mapping[SourceId, Sequence[Gap]]
    records: Mapping[SourceId, frozenset[str]]

    def met(self, source: SourceId, listener: Listener) -> Iterator[Gap]:
        """The gaps of a source that concern this audience."""
        return (gap for gap in self.gaps[source] if listener.may_know(gap))

    def may_be_absent(self, listener: Listener) -> frozenset[str]:
        """The lists that every source which records them has whole."""
        missing = {
            name
            for source in self.gaps
            for gap in self.met(source, listener)
            for name in gap.lists & self.records[source]
        }
        return LISTS - missing


def problems(
    told: Outgoing, question: Asked, language: Language, listener: Listener, truth: Truth
) -> Iterator[str]:
    """What this answer must not say and says, or owes and does not say."""
    lines = text_of(told).split("\n")
    yield from broken(lines, language, source=TITLES[PLANS], folded=False)
    yield from _denied(lines, question, truth.may_be_absent(listener))
    for line in (told.headline, *(claim.text for claim in told.claims)):
        if DENIAL.search(ABSENT.sub("", HARMLESS.sub("", line))):
            yield f"it denies in words of its own: {line}"
    for source in truth.gaps:
        for gap in truth.met(source, listener):
            if gap.everywhere or gap.lists & question.lists:
                yield from _unsaid(told, gap, TITLES[source], language)
    hidden = [gap for gap in truth.gaps[TRACKER] if not listener.may_know(gap)]
    if listener.goals is not None and OTHER in "\n".join(lines):
        yield "it names a goal that is hidden"
    if hidden and any(gap.reason[language] in line for gap in hidden for line in lines):
        yield "it tells of a gap in what is hidden"


def _denied(lines: Sequence[str], question: Asked, allowed: frozenset[str]) -> Iterator[str]:
    absences = [line for line in lines if ABSENT.search(line)]
    said = {name for name, word in NAMED.items() for line in absences if word.search(line)}
    if said - allowed:
        yield f"it calls {sorted(said - allowed)} absent"
    if question.lists & allowed - said:
        yield f"it does not say that {sorted(question.lists & allowed - said)} are absent"
    if any(not any(word.search(line) for word in NAMED.values()) for line in absences):
        yield "it does not say what is absent"


def _unsaid(told: Outgoing, gap: Gap, title: str, language: Language) -> Iterator[str]:
    opening = "（" if language is Language.ZH else " ("
    if f"{title}{opening}{gap.reason[language]}" not in (told.coverage or ""):
        yield f"its coverage does not say {title}{opening}{gap.reason[language]}"


def cells() -> list[tuple[str, str]]:
    """Every kind of the registry, in every way; a kind without a stage has one cell, which fails."""
    return [
        (kind, way)
        for kind in KINDS
        for way in (*ALWAYS, *(STAGES[kind][0].ways if kind in STAGES else ()))
    ]


def test_every_kind_of_the_registry_has_a_stage_that_is_broken_in_every_way() -> None:
    assert set(STAGES) == set(KINDS)
    for kind, (stage, _) in STAGES.items():
        assert set(MUST) <= set(stage.ways) | set(stage.cannot), kind
        assert not set(stage.ways) & set(stage.cannot), kind
        built = source_kind(kind, FakeClock())
        assert built is not None
        assert stage.lists == {view.value for view in built.views} & LISTS, kind


@pytest.mark.requirement("R8", "R9", "R10", "W1", "W2", "W5", "A2", "R6")
@pytest.mark.parametrize(("kind", "way"), cells())
async def test_no_answer_calls_absent_what_was_not_read_whole_and_fresh(
    kind: str, way: str, clock: FakeClock, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    stage = STAGES[kind][1](clock, tmp_path / "tracker", request)
    sound = FolderStage(clock, tmp_path / "plans")
    gaps = {TRACKER: (), PLANS: ()} if way == "lost since" else broken_by(way, stage)
    sources = Sources([entry(TRACKER, kind, stage, clock), entry(PLANS, "folder", sound, clock)])
    house = House(sources, clock, way)
    if way == "lost since":
        await house.tell("How is everything going?", Language.EN, AUDIENCES["owner"])
        gaps = broken_by("missing", stage)
        clock.advance(FORGOTTEN)
    known = LISTS if way == "never asked" else stage.lists
    truth = Truth(gaps, {TRACKER: known, PLANS: LISTS})
    found: dict[str, list[str]] = {}
    for question, language, name in asked_in(stage, way):
        listener, text = AUDIENCES[name], question.said[language]
        told = await house.tell(text, language, listener)
        wrong = list(problems(told, question, language, listener, truth))
        if wrong:
            found[f"{name}: {text}"] = [*wrong, text_of(told)]
    await sources.aclose()

    assert not found, "\n\n".join(f"{name}\n{' / '.join(why)}" for name, why in found.items())


FORGOTTEN = timedelta(minutes=11)
"""No answer that a source keeps for a while is that young."""


def broken_by(way: str, stage: Stage) -> Mapping[SourceId, Sequence[Gap]]:
    """Break the stage in one way; the gaps of both sources."""
    match way:
        case "sound":
            return {TRACKER: (), PLANS: ()}
        case "never asked":
            return {TRACKER: [Gap(NOT_TRIED)], PLANS: ()}
        case "too late":
            return {TRACKER: [Gap(TIMED_OUT)], PLANS: [Gap(TIMED_OUT)]}
        case _:
            return {TRACKER: type(stage).ways[way](stage), PLANS: ()}


def entry(source: SourceId, kind: str, stage: Stage, clock: FakeClock) -> ConfiguredSource:
    """The source as the registry builds it."""
    made = source_kind(kind, clock)
    assert made is not None
    built = made.build(source, stage.options, stage.env)
    return ConfiguredSource(source, TITLES[source], built, EVERY_DAY)


def asked_in(stage: Stage, way: str) -> Iterator[tuple[Asked, Language, str]]:
    """All of it; where each read takes long, one question, as two groups."""
    slow = way in type(stage).slow
    for question in QUESTIONS[:1] if slow else QUESTIONS:
        for language in Language:
            for name in ("group", "narrow group") if slow else AUDIENCES:
                yield question, language, name
