"""A conversation's session: what its last turn really started with, and how much of the past it may see. Contract S."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from steward.model.audience import AudienceKind
from steward.model.ids import ConversationId
from steward.model.profile import RuntimeProfile


@dataclass(frozen=True, slots=True)
class SixFields:
    """`manager_runtime_*` as stored (S1). A session from before these fields has None in some."""

    profile: RuntimeProfile | None
    configuration_revision: str | None
    status: str | None
    sandbox: str | None
    standing_grant: str | None
    tool_classes: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Session:
    """As stored. `upstream`: the endpoint's own thread; `upstream_context_history`: the closed ones, oldest first.

    Nothing from before `visible_from` is given to an endpoint again (S3); `hidden`: nor is anything that its thread was
    told. `audience` and `scope_revision` are those of
    the last turn. `review_only`: since the last ordinary turn an answer of it was reviewed, which reads alone (V4).
    """

    conversation: ConversationId
    fields: SixFields
    endpoint: str | None
    prompt_revision: str | None
    upstream: str | None
    upstream_context_history: tuple[str, ...]
    visible_from: datetime
    audience: AudienceKind | None
    scope_revision: str | None
    updated_at: datetime
    review_only: bool = False
    hidden: bool = False


class Opening(StrEnum):
    """How a turn's thread is opened (S2). FILL_IN: only the readback is written, the thread stays."""

    FIRST = "first"
    RESUME = "resume"
    FILL_IN = "fill_in"
    ROTATE = "rotate"


@dataclass(frozen=True, slots=True)
class SessionStart:
    """What a turn's begin writes of its session. `forget`: `visible_from` is set to now (S3)."""

    opening: Opening
    forget: bool
    audience: AudienceKind


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and what its reader was shown, both visible in the chat: one piece of visible history."""

    question: str
    answer: str
    asked_at: datetime
