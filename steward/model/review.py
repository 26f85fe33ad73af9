"""The review of an interrupted answer: what is known of one, and how each can end. Contract V."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from steward.model.ids import AttemptToken
from steward.model.profile import Readback
from steward.model.turn import Candidate, Question, TurnCode, TurnFailure


class ReviewRefusal(StrEnum):
    """Why there is no review now, in the order in which it is looked at (V2).

    ANSWER_KEPT and FINAL_ANSWER are no dead ends: the turn came to an answer after all, from which its question is
    settled without any call (T8).
    """

    WITHDRAWN = "withdrawn"
    NOT_OWED = "not_owed"
    ALREADY_REVIEWED = "already_reviewed"
    NEVER_CALLED = "never_called"
    INPUT_CHANGED = "input_changed"
    FORGOTTEN = "forgotten"
    CANNOT_HELP = "cannot_help"
    ANSWER_KEPT = "answer_kept"
    NOTHING_READ = "nothing_read"
    ROUTE_CHANGED = "route_changed"
    HARMLESS_ENDPOINT = "harmless_endpoint"
    AUDIENCE_UNCLEAR = "audience_unclear"
    AUDIENCE_CHANGED = "audience_changed"
    SCOPE_CHANGED = "scope_changed"
    PROFILE_CHANGED = "profile_changed"
    CONVERSATION_BUSY = "conversation_busy"
    NO_CAPACITY = "no_capacity"
    NOT_OBSERVED = "not_observed"
    NOT_CLOSED = "not_closed"
    STILL_MOVING = "still_moving"
    FOREIGN_EXECUTION = "foreign_execution"
    EXECUTION_MISSING = "execution_missing"
    STOPPED = "stopped"
    FINAL_ANSWER = "final_answer"
    UNKNOWN_CALL = "unknown_call"
    INCOMPLETE_CALL = "incomplete_call"
    NO_TERMINAL_ERROR = "no_terminal_error"


class ReviewOutcome(StrEnum):
    """What became of a review; every one of these uses it up (V1, V4)."""

    SETTLED = "settled"
    NOT_CALLED = "not_called"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    REFUSED = "refused"
    ACTION = "action"
    NOTHING_ACCEPTED = "nothing_accepted"
    BROKE = "broke"


class ReviewState(StrEnum):
    """Of the one review that a question may have. RELEASED: reserved once, not called, and free for one more try."""

    UNUSED = "unused"
    RELEASED = "released"
    RESERVED = "reserved"
    USED = "used"


@dataclass(frozen=True, slots=True)
class InterruptedTurn:
    """A question's last ordinary turn, which called and failed. `candidate`: a result that came too late (T8)."""

    attempt: AttemptToken
    endpoint: str
    upstream: str | None
    readback: Readback
    scope_revision: str
    started_at: datetime
    failure: TurnFailure | None
    candidate: Candidate | None


@dataclass(frozen=True, slots=True)
class EndpointEnd:
    """How the newest turn that ended at an endpoint ended: its failure, or None where it came to a result."""

    code: TurnCode | None
    at: datetime


@dataclass(frozen=True, slots=True)
class ReviewCase:
    """Everything that the store knows of a question's review, at one moment.

    `input_hash` was stored with the question, `words_hash` is that of its words now. `turn` None: none ever called.
    `read`: how many readings the turn kept. `reserved_by`: whose the reservation is, where there is one. `hidden`: the
    turn is of a past that nobody is shown again (S3). `busy`: another question of its conversation waits or is at work.
    """

    question: Question
    input_hash: str
    words_hash: str
    turn: InterruptedTurn | None
    read: int
    state: ReviewState
    reserved_by: AttemptToken | None
    hidden: bool
    busy: bool
    last_end: EndpointEnd | None


@dataclass(frozen=True, slots=True)
class OrphanedReview:
    """A review whose worker is gone, as it left it."""

    question: Question
    attempt: AttemptToken
    called: bool
    candidate: Candidate | None
    readback: Readback
    scope_revision: str
    reserved_at: datetime
