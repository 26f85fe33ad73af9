"""Evidence: what is asked of a source, what it returns, and every way in which it can fail.

Contract R. A source returns a whole `Snapshot` for one view; scope, paging and the reader's limits are the
gate's. An unreadable source is a `ReadFailure`, never an empty snapshot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import TypeAlias

from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.json import Json


class View(StrEnum):
    """R1's views. SOURCES is answered by the gate; a source serves the other four."""

    SOURCES = "sources"
    PORTFOLIO = "portfolio"
    TODOS = "todos"
    DELIVERIES = "deliveries"
    HANDOFFS = "handoffs"


class GateCode(StrEnum):
    """Why the gate refused or failed (R5), in the order in which it checks (R6)."""

    UNSUPPORTED_READ_TOOL = "unsupported_read_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    SOURCE_OUTSIDE_AVAILABLE_SCOPE = "source_outside_available_scope"
    GOAL_OUTSIDE_AVAILABLE_SCOPE = "goal_outside_available_scope"
    INVALID_REMOTE_READ = "invalid_remote_read"
    GOAL_INVENTORY_UNAVAILABLE = "goal_inventory_unavailable"
    HANDOFF_QUERY_UNAVAILABLE_OR_INVALID = "handoff_query_unavailable_or_invalid"
    REMOTE_SCOPE_MISMATCH = "remote_scope_mismatch"
    STALE_SNAPSHOT = "stale_snapshot"
    AUTHORIZATION_CHANGED = "authorization_changed"
    READ_TOOL_UNAVAILABLE = "read_tool_unavailable"


class SourceCode(StrEnum):
    """Why a source, or a part of it, could not be read (R5). A code enters with the module that raises it."""

    NOT_FOUND_OR_NO_ACCESS = "not_found_or_no_access"
    REF_NOT_FOUND = "ref_not_found"
    OWNERSHIP_REFUSED = "ownership_refused"
    FORBIDDEN = "forbidden"
    TIMEOUT = "timeout"
    BAD_RESPONSE = "bad_response"
    CORRUPT = "corrupt"
    PARSE_FAILED = "parse_failed"
    TOO_LARGE = "too_large"
    TRUNCATED = "truncated"
    CONTRACT_CHANGED = "contract_changed"
    NOT_CONFIGURED = "not_configured"
    TOOL_MISSING = "tool_missing"
    PROVIDER_ERROR = "provider_error"
    SSH_AUTH_REQUIRED = "ssh_auth_required"
    SSH_HOST_UNREACHABLE = "ssh_host_unreachable"
    REMOTE_CLI_MISSING = "remote_cli_missing"
    REMOTE_PROTOCOL_UNAVAILABLE = "remote_protocol_unavailable"
    REMOTE_EVIDENCE_UNAVAILABLE = "remote_evidence_unavailable"


class ContextCode(StrEnum):
    """Why a turn's context, its scope and source list, could not be collected (R12)."""

    REGISTRY_UNAVAILABLE = "registry_unavailable"
    EXTERNAL_AUTHORIZATION_UNAVAILABLE = "external_authorization_unavailable"


ReadCode: TypeAlias = GateCode | SourceCode | ContextCode

STALE = "stale"
"""The one `unknown_reasons` word that is no failure's code: read, but older than its `max_age` (R10)."""


@dataclass(frozen=True, slots=True)
class ReadFailure:
    """No evidence was read, and why. Sentences come from reading/failures by code and language (R4).

    `source` only where it is in the reader's scope. `goal`: the part of the source that failed, where that is
    known. `count`: how many records that is, or how many parts without a known goal. `part`: the rest of the
    source was read; the gate sets it. `view`: the list of the goal that failed, where the rest of the goal is sound.
    `kept`: rows of the last read that succeeded stand in, marked stale (R13).
    """

    code: ReadCode
    source: SourceId | None = None
    goal: GoalId | None = None
    count: int = 1
    part: bool = False
    view: View | None = None
    kept: bool = False


class RowStatus(StrEnum):
    """Every status a row may have, over all views. UNKNOWN = no mapping: never open, never done."""

    ACTIVE = "active"
    STOPPED = "stopped"
    OPEN = "open"
    DOING = "doing"
    BLOCKED = "blocked"
    DONE = "done"
    DELIVERED = "delivered"
    ACCEPTED = "accepted"
    RETURNED = "returned"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Row:
    """One record of evidence, of any view; text is other people's and untrusted.

    portfolio: id = goal id, owner, target, aliases · todo: owner, priority, due, blocked_by, waiting_on,
    updated · delivery: owner = who delivered, at, link · handoff: request_id = id, owner = from, to, at.
    `raw_status` is kept where `status` is UNKNOWN. `ahead`: its time is more than 5 minutes in our future
    (R11). Instants are aware; `due` and `target` are dates without a zone.
    """

    view: View
    source: SourceId
    goal: GoalId
    id: str
    title: str
    status: RowStatus
    owner: str | None = None
    to: str | None = None
    priority: str | None = None
    due: date | None = None
    target: date | None = None
    blocked_by: str | None = None
    waiting_on: str | None = None
    updated: datetime | None = None
    at: datetime | None = None
    link: str | None = None
    aliases: tuple[str, ...] = ()
    raw_status: str | None = None
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """One whole read of one source. `goal` None: every goal that it holds; the gate narrows afterwards.

    The window is [since, until), both aware, for deliveries alone.
    """

    view: View
    goal: GoalId | None = None
    since: datetime | None = None
    until: datetime | None = None
    request_id: str | None = None
    include_stopped: bool = False


UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
"""The `as_of` of content whose age nobody knows: never fresh (R10), and shown as no time at all."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A source's whole answer to one query, at most 20,000 rows.

    `goals` is the source's inventory (id → portfolio row), also where the view is another: coverage counts
    over it. `gaps` are parts that could not be read; a gap with a goal concerns that goal, one without
    may concern any. `complete` False: rows are missing, any of them where no gap says which. `reaches_back_to`:
    a window that begins earlier is partial (R10). `revision` changes whenever the content may have.
    `goal_as_of` holds the time of each goal that has one of its own; `as_of`, the oldest, stands for the rest.
    """

    rows: Sequence[Row]
    goals: Mapping[GoalId, Row]
    as_of: datetime
    revision: str
    complete: bool
    gaps: Sequence[ReadFailure] = ()
    reaches_back_to: datetime | None = None
    goal_as_of: Mapping[GoalId, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Health:
    """A probe that succeeded: when the source's content is from, and how many goals it lists."""

    as_of: datetime
    goals: int


class Freshness(StrEnum):
    """Source health as people see it: the evidence is of now, only old evidence is left, or there is none."""

    CURRENT = "current"
    STALE = "stale"
    UNREAD = "unread"


class CoverageStatus(StrEnum):
    """How one source × goal of the scope ended. NOT_READ = never tried."""

    READ = "read"
    STALE = "stale"
    PARTIAL = "partial"
    UNREADABLE = "unreadable"
    NOT_READ = "not_read"


@dataclass(frozen=True, slots=True)
class PairCoverage:
    """One source × goal of the scope. `goal` None: goals of the source could not be listed, which counts once."""

    source: SourceId
    goal: GoalId | None
    status: CoverageStatus
    failure: ReadFailure | None = None
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class SourceCoverage:
    """One source's line of the coverage block: the worst of its goals, and why.

    A source of which some goals were read and others were not is PARTIAL.
    """

    source: SourceId
    title: str
    status: CoverageStatus
    failure: ReadFailure | None = None
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """R9: sources × goals of the scope, tried or not. read + stale + unreadable + partial + not_read = discovered.

    `complete` only where every pair was read whole, fresh, to its last page, over the whole window, and there
    is at least one pair. `pairs` are what is counted, `sources` the same folded per source for readers.
    """

    discovered: int
    attempted: int
    read: int
    stale: int
    unreadable: int
    partial: int
    not_read: int
    complete: bool
    pairs: Sequence[PairCoverage] = ()
    sources: Sequence[SourceCoverage] = ()


@dataclass(frozen=True, slots=True)
class ScanQuery:
    """What an in-process endpoint reads: one view over the audience's scope, narrowed by source or goal."""

    view: View
    source: SourceId | None = None
    goal: GoalId | None = None
    since: datetime | None = None
    until: datetime | None = None
    request_id: str | None = None
    include_stopped: bool = False


@dataclass(frozen=True, slots=True)
class Cited:
    """A row as this turn may cite it. The id is random per turn: a guess does not hit (E2)."""

    citation: CitationId
    row: Row


@dataclass(frozen=True, slots=True)
class Reading:
    """One read of a turn, stored: what came, or why not. Answer rules work from these alone.

    `counts`: matched rows by status (by day, ISO, for deliveries), over all matched rows. `refused` is set
    where the whole call failed; `failures` where sources or parts of it did. `tool`: the name as called,
    `scan` for in-process endpoints.
    """

    tool: str
    query: ScanQuery | None
    rows: Sequence[Cited]
    counts: Mapping[str, int]
    coverage: Coverage
    failures: Sequence[ReadFailure]
    as_of: datetime | None
    window_start: datetime | None
    window_end: datetime | None
    unknown_reasons: Sequence[str] = ()
    refused: ReadFailure | None = None
    matched: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """A reading as `Reader.scan` hands it to an in-process endpoint (R14)."""

    rows: Sequence[Cited]
    coverage: Coverage
    counts: Mapping[str, int]
    as_of: datetime | None
    window_start: datetime | None
    window_end: datetime | None
    failures: Sequence[ReadFailure] = ()
    unknown_reasons: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of the read tool. `arguments` as bytes was no JSON: the gate names that, no adapter repairs it."""

    tool: str
    call_id: str
    arguments: "Json | bytes"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What goes back to a model: the page or the refusal as JSON text, and the citation ids in it."""

    text: str
    ok: bool
    citations: Sequence[CitationId] = field(default=())
