"""Questions, turns, candidates, and how each can end. Contract T."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum

from steward.model.audience import Audience
from steward.model.ids import (
    AttemptToken,
    ConversationId,
    GoalId,
    InboxId,
    MessageRef,
    OpenId,
    QuestionId,
    WorkerId,
)
from steward.model.profile import EffectiveProfile, Readback
from steward.model.reading import ContextCode, Reading
from steward.model.topic import Topic


class Language(StrEnum):
    """W5: Chinese for a question with Chinese characters, English otherwise."""

    ZH = "zh"
    EN = "en"


class QuestionStatus(StrEnum):
    """T7. Terminal: ANSWERED and WITHDRAWN; OWED stays until a review or "ask again" settles it."""

    QUEUED = "queued"
    ACTING = "acting"
    REVIEWING = "reviewing"
    SETTLED = "settled"
    ANSWERED = "answered"
    OWED = "owed"
    WITHDRAWN = "withdrawn"


class TurnStage(StrEnum):
    """How far a turn has come; recovery decides by it (T5). CALLING is committed before the call."""

    BEGUN = "begun"
    CALLING = "calling"
    CANDIDATE = "candidate"
    SETTLED = "settled"
    FAILED = "failed"
    LOST = "lost"


class TurnCode(StrEnum):
    """Why a turn has no answer (T6). What follows from each is in policy.turn_codes."""

    AUTH_REQUIRED = "auth_required"
    SESSION_UNAVAILABLE = "session_unavailable"
    CAPABILITY_MISSING = "capability_missing"
    ENDPOINT_UNSUPPORTED = "manager_runtime_endpoint_unsupported"
    EXECUTOR_TIMEOUT = "executor_timeout"
    IDLE_TIMEOUT = "idle_timeout"
    TRANSPORT_LOST = "transport_lost"
    OVERLOADED = "overloaded"
    PROVIDER_RATE_LIMITED = "provider_rate_limited"
    QUOTA_EXHAUSTED = "quota_exhausted"
    CONTEXT_WINDOW_EXCEEDED = "context_window_exceeded"
    CONTENT_POLICY = "content_policy"
    RESULT_MISSING = "result_missing"
    RESULT_TRUNCATED = "result_truncated"
    RESULT_INVALID = "result_invalid"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    WITHDRAWN = "withdrawn"
    DIRECTORY_UNAVAILABLE = "directory_unavailable"
    STORE_UNAVAILABLE = "store_unavailable"
    CONTEXT_FAILURE = "context_failure"
    AUTHORIZATION_CHANGED = "authorization_changed"
    PROFILE_CHANGED = "profile_changed"
    READBACK_MISMATCH = "readback_mismatch"
    UNCLASSIFIED = "unclassified"


@dataclass(frozen=True, slots=True)
class TurnFailure:
    """An expected end without an answer, stored. `detail` is ours (a field's name, a bound), never a provider's."""

    code: TurnCode
    detail: str | None = None
    context: ContextCode | None = None


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """What admission found: who asks what, before whom.

    `chosen` and `choice`: where an earlier answer offered several goals, the one that was picked, and the nonce of
    the button; then `message` is the one that was asked at first.
    """

    conversation: ConversationId
    message: MessageRef
    asker: OpenId
    audience: Audience
    in_thread: bool
    text: str
    language: Language
    asked_at: datetime
    chosen: GoalId | None = None
    choice: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A stored question. `attempt` counts from 1; "ask again" adds one (T4). `chosen`, `choice`: see NewQuestion."""

    id: QuestionId
    inbox: InboxId
    conversation: ConversationId
    message: MessageRef
    asker: OpenId
    audience: Audience
    in_thread: bool
    text: str
    language: Language
    asked_at: datetime
    status: QuestionStatus
    attempt: int
    chosen: GoalId | None = None
    choice: str | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """A conversation held by a worker. Every later write is refused unless `fence` is still the newest."""

    conversation: ConversationId
    worker: WorkerId
    fence: int
    until: datetime


class Written(Enum):
    """How a guarded write ended. LOST: the fence or the token is no longer ours. REPLAY: done before.

    CHANGED, of a settle alone: the stored profile is not the one that the turn began with (P9).
    """

    DONE = "done"
    LOST = "lost"
    REPLAY = "replay"
    CHANGED = "changed"


class Rerun(Enum):
    """Whether an endpoint that crashed mid-call may simply run again under the same key (T5)."""

    HARMLESS = "harmless"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Seat:
    """Who is asking, as far as an endpoint may know. No ids of people or chats."""

    profile: EffectiveProfile
    language: Language
    prompt_revision: str


@dataclass(frozen=True, slots=True)
class Thread:
    """An endpoint's conversation. `upstream` is its own id, `readback` what it was really started with."""

    upstream: str | None
    readback: Readback


@dataclass(frozen=True, slots=True)
class TurnInput:
    """One question as an endpoint sees it. `zone` is an IANA name; `now` is aware.

    `asker_names`: how evidence names the asker ([person.ID]). `topic`: what the conversation was last about.
    `chosen`: the goal that the asker picked where an earlier answer offered several.
    """

    question: str
    language: Language
    zone: str
    now: datetime
    asker_names: tuple[str, ...] = ()
    topic: Topic | None = None
    chosen: GoalId | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """The endpoint's result as it came, unparsed; the judge alone reads it (T1)."""

    raw: bytes
    usage: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """Readings that are proven complete, for a review of an interrupted answer (V)."""

    readings: Sequence[Reading]


class Execution(Enum):
    """Whose work a turn is, as its upstream shows it (V2).

    MISSING_IN_SEGMENT: nothing names our execution, but the turn stands inside the segment that we began.
    """

    OURS = "ours"
    MISSING_IN_SEGMENT = "missing_in_segment"
    MISSING = "missing"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """One tool call of a turn. `known`: its tool is one that the turn was given. `host`: it was a tool of the host's.

    `name` is the upstream's word: not trusted, and cleaned wherever it is shown.
    """

    name: str
    known: bool
    completed: bool
    host: bool


@dataclass(frozen=True, slots=True)
class Observed:
    """What the upstream says of a turn after the fact (V2).

    `final` is the result that it came to, in time or late; `error` what ended it, where an error did; `stopped`: it was
    stopped by a person.
    """

    closed: bool
    final: bytes | None
    calls: tuple[ObservedCall, ...] = ()
    error: TurnCode | None = None
    execution: Execution = Execution.OURS
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Orphan:
    """A turn whose worker is gone, as recovery finds it: how far it came, and what it had.

    `lost`: how many turns of the same attempt went the same way before.
    """

    question: Question
    attempt: AttemptToken
    stage: TurnStage
    endpoint: str
    readback: Readback
    scope_revision: str
    started_at: datetime
    readings: Sequence[Reading]
    candidate: Candidate | None
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Late:
    """A failed turn whose candidate came after all, its question being owed still (T8). `came_at`: when."""

    turn: Orphan
    candidate: Candidate
    came_at: datetime


class TurnEvent(StrEnum):
    """What a watcher may show while a turn runs: lossy, for decoration alone."""

    QUEUED = "queued"
    STARTED = "started"
    READ = "read"
    JUDGING = "judging"
    SETTLED = "settled"
    OWED = "owed"
