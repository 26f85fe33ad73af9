"""From an endpoint's candidate to what a reader sees: claims, citations, coverage. Contract E."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.reading import Coverage, ReadFailure, Row, RowStatus, View
from steward.model.topic import Topic, TopicPart
from steward.model.turn import Language


class ClaimKind(StrEnum):
    """What a claim asserts; absence, zero and notes are written by code alone (E3)."""

    FACT = "fact"
    COUNT = "count"
    ABSENCE = "absence"
    ADVICE = "advice"
    NOTE = "note"


class NoteCode(StrEnum):
    """What an endpoint may say of its own answer, in words that are code's: no row is cited for it, none could be."""

    OVERVIEW = "overview"
    TAKEN_OVER = "taken_over"
    WINDOW = "window"
    NO_SUCH_GOAL = "no_such_goal"
    NO_SUCH_SOURCE = "no_such_source"
    DID_YOU_MEAN = "did_you_mean"
    READ_AS = "read_as"
    UNMAPPED_ASKER = "unmapped_asker"
    ORDER_ONLY = "order_only"
    STATED_ONLY = "stated_only"
    QUOTED_ONLY = "quoted_only"
    SAME_COUNTS = "same_counts"
    UNDATED = "undated"
    AS_OF_NOW = "as_of_now"
    UNRECORDED = "unrecorded"
    REVIEWS_UNRECORDED = "reviews_unrecorded"
    CI_UNRECORDED = "ci_unrecorded"
    COMMITS_AS_DELIVERED = "commits_as_delivered"
    SOURCES = "sources"
    SOURCE = "source"
    ACT_DECLINED = "act_declined"
    JUDGE_DECLINED = "judge_declined"


@dataclass(frozen=True, slots=True)
class Note:
    """A note and what its words name: `name` is shown only where the question or a row that was read has it.

    `parts`: what TAKEN_OVER took over of the candidate's topic. `source`: whose state SOURCE tells.
    """

    code: NoteCode
    name: str | None = None
    parts: tuple[TopicPart, ...] = ()
    source: SourceId | None = None


class RowField(StrEnum):
    """A field that not every row has; the value is the row's own name for it."""

    OWNER = "owner"
    TARGET = "target"
    DUE = "due"
    UPDATED = "updated"
    BLOCKED_BY = "blocked_by"
    WAITING_ON = "waiting_on"


class Dated(StrEnum):
    """Which day of a todo a window is over."""

    DUE = "due"
    UPDATED = "updated"


@dataclass(frozen=True, slots=True)
class ClaimScope:
    """What an absence or a count speaks of: one view, over a goal or a source or all, in a window.

    The window is [since, until) over a row's own time: `at` of deliveries and handoffs, of todos the day `due`, or
    `updated` where `dated` says so. `statuses`: rows in one of these alone; empty means any. `who`: rows that name
    one of these, as owner, receiver, or who is waited for. `having`: rows that have this field.
    """

    view: View
    goal: GoalId | None = None
    source: SourceId | None = None
    since: datetime | None = None
    until: datetime | None = None
    statuses: tuple[RowStatus, ...] = ()
    who: tuple[str, ...] = ()
    having: RowField | None = None
    dated: Dated = Dated.DUE


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of a candidate with the rows that it rests on; of a NOTE alone, what it notes."""

    text: str
    cites: tuple[CitationId, ...]
    kind: ClaimKind
    scope: ClaimScope | None = None
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate that the judge let through (T1, T2): whole, unshortened, typed.

    `topic` is what a follow-up may inherit; `choices` are the goals that the question may have meant. `gate` is what
    the endpoint wants somebody to agree to first, and `actions` says that it wants something done, whatever that is:
    both are facts about the candidate, and are shown to nobody.
    """

    classification: str
    claims: tuple[Claim, ...]
    summary: str | None = None
    recommended_action: str | None = None
    next_action: str | None = None
    vision_unchanged_reason: str | None = None
    topic: Topic | None = None
    choices: tuple[GoalId, ...] = ()
    gate: str | None = None
    actions: bool = False


@dataclass(frozen=True, slots=True)
class AnswerClaim:
    """An accepted claim as readers see it; `cites` are the numbers of `Answer.citations`."""

    text: str
    kind: ClaimKind
    cites: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    """[number] and the row behind it, with the source's title and time."""

    number: int
    id: CitationId
    row: Row
    source_title: str
    as_of: datetime | None
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A goal that the question may have meant, offered to the asker as a button; its title is a row's."""

    goal: GoalId
    title: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What was settled. `headline` is the first accepted claim, or the "no evidence read" line.

    The window is what the deliveries were read over, [start, end), end None where it is open. `goal_titles` names
    the goals that were read, for what is said of their gaps. `scope_revision` says under which scope all of it was read.
    """

    language: Language
    classification: str
    headline: str
    claims: tuple[AnswerClaim, ...]
    citations: tuple[Citation, ...]
    coverage: Coverage
    failures: tuple[ReadFailure, ...]
    dropped: int
    window_start: datetime | None = None
    window_end: datetime | None = None
    goal_titles: Mapping[GoalId, str] = field(default_factory=dict)
    topic: Topic | None = None
    choices: tuple[Choice, ...] = ()
    scope_revision: str = ""


class OutgoingKind(StrEnum):
    """Which table row of the outbox it becomes; the order of importance."""

    ANSWER = "answer"
    NOTICE = "notice"
    EVIDENCE = "evidence"


@dataclass(frozen=True, slots=True)
class OutgoingClaim:
    """One line under the headline."""

    text: str
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OutgoingSource:
    """One numbered row of the evidence list: a line of plain text, its link where the row has one, its other fields."""

    number: int
    text: str
    link: str | None = None
    fields: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class OutgoingButton:
    """A button by its label and the nonce of its stored action. `folded`: it belongs to the evidence, not to the conclusions.

    `pressed_only`: its label is no answer, so without a button it means nothing. `spare`: the message says what to do
    without it.
    """

    label: str
    nonce: str
    folded: bool = False
    pressed_only: bool = False
    spare: bool = False


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message without a word of Lark: plain text only, all of it untrusted to the sender.

    `coverage` is the one line of coverage, `details` what is folded behind it (failures with effect and next
    step, times, windows). `note` says that an answer is late or a repeat. `buttons` that are not folded are choices:
    where there are no buttons, their labels are what the reader may answer with.
    """

    kind: OutgoingKind
    language: Language
    headline: str
    claims: Sequence[OutgoingClaim] = ()
    coverage: str | None = None
    details: Sequence[str] = ()
    sources: Sequence[OutgoingSource] = ()
    note: str | None = None
    buttons: Sequence[OutgoingButton] = ()
