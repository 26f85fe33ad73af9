"""The tables of both stores. Private to steward.store; migrations/ must end in exactly this.

Order is by sequence id, never by time. Status columns are closed by CHECKs, and partial unique indexes refuse
what must not happen twice: an event, a question at work in a conversation, an accepted answer.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from steward.model.action import ActionKind
from steward.model.answer import OutgoingKind
from steward.model.audience import AudienceKind, GrantOrigin
from steward.model.audit import AuditAct
from steward.model.delivery import PartStatus
from steward.model.events import EventKind, Lane, Verdict
from steward.model.owner import OwnerEnd
from steward.model.profile import RuntimeProfile
from steward.model.turn import Language, QuestionStatus, TurnStage
from steward.store.columns import Instant, Member, Sequence, Words, is_one_of

IN_FLIGHT = (QuestionStatus.ACTING, QuestionStatus.REVIEWING)
OPEN_QUESTIONS = (QuestionStatus.QUEUED, *IN_FLIGHT)
LIVE_STAGES = (TurnStage.BEGUN, TurnStage.CALLING, TurnStage.CANDIDATE)
OPEN_PARTS = (PartStatus.PENDING, PartStatus.SENDING, PartStatus.UNKNOWN)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _id() -> Column[Any]:
    return Column("id", Sequence, primary_key=True, autoincrement=True)


def _closed(name: str, enum: type[StrEnum]) -> CheckConstraint:
    members = ", ".join(f"'{member.value}'" for member in enum)
    return CheckConstraint(f"{name} IN ({members})", name=name)


def _table(name: str, *items: Column[Any] | CheckConstraint | UniqueConstraint) -> Table:
    """A table whose enum columns are closed, and whose ids SQLite never gives out twice."""
    checks = _closing(item for item in items if isinstance(item, Column))
    return Table(name, metadata, *items, *checks, sqlite_autoincrement=True)


def _closing(columns: Iterable[Column[Any]]) -> list[CheckConstraint]:
    return [_closed(c.name, c.type.enum) for c in columns if isinstance(c.type, Member)]


conversation = _table(
    "conversation",
    Column("id", Text, primary_key=True),
    Column("app_id", Text, nullable=False),
    Column("chat_id", Text, nullable=False),
    Column("thread_id", Text),
    Column("fence", Integer, nullable=False, server_default=text("0")),
    Column("owner", Text),
    Column("lease_until", Instant),
)

inbox = _table(
    "inbox",
    _id(),
    Column("app_id", Text, nullable=False),
    Column("event_id", Text, nullable=False),
    Column("message_id", Text),
    Column("kind", Member(EventKind), nullable=False),
    Column("lane", Member(Lane), nullable=False),
    Column("conversation", Text, ForeignKey("conversation.id")),
    Column("tenant_key", Words),
    Column("occurred_at", Instant, nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("verdict", Member(Verdict)),
    Column("reason", Words),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("lease_owner", Text),
    Column("lease_until", Instant),
    Column("not_before", Instant),
    Column("judged_at", Instant),
    Column("closed_at", Instant),
    UniqueConstraint("app_id", "event_id"),
)
Index(
    "uq_inbox_message",
    inbox.c.app_id,
    inbox.c.message_id,
    unique=True,
    sqlite_where=inbox.c.message_id.is_not(None) & is_one_of(inbox.c.kind, EventKind.MESSAGE),
    postgresql_where=inbox.c.message_id.is_not(None) & is_one_of(inbox.c.kind, EventKind.MESSAGE),
)
Index(
    "ix_inbox_unjudged",
    inbox.c.lane,
    inbox.c.conversation,
    inbox.c.id,
    sqlite_where=inbox.c.verdict.is_(None),
    postgresql_where=inbox.c.verdict.is_(None),
)

tombstone = _table(
    "tombstone",
    Column("app_id", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("recalled_at", Instant, nullable=False),
)

question = _table(
    "question",
    _id(),
    Column("inbox_id", Sequence, ForeignKey("inbox.id"), nullable=False, unique=True),
    Column("conversation", Text, ForeignKey("conversation.id"), nullable=False),
    Column("app_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("asker", Text, nullable=False),
    Column("audience_kind", Member(AudienceKind), nullable=False),
    Column("audience_chat_id", Text, nullable=False),
    Column("in_thread", Boolean, nullable=False),
    Column("text", Words, nullable=False),
    Column("language", Member(Language), nullable=False),
    Column("asked_at", Instant, nullable=False),
    Column("status", Member(QuestionStatus), nullable=False),
    Column("attempt", Integer, nullable=False, server_default=text("1")),
    Column("turn_key", Text, nullable=False),
    Column("input_hash", Text, nullable=False),
    Column("failure", Text),
    Column("chosen", Words),
    Column("choice", Text, unique=True),
    Column("admitted_at", Instant, nullable=False),
    Column("settled_at", Instant),
)
Index("ix_question_message", question.c.app_id, question.c.message_id)
Index(
    "uq_question_message",
    question.c.app_id,
    question.c.message_id,
    unique=True,
    sqlite_where=question.c.choice.is_(None),
    postgresql_where=question.c.choice.is_(None),
)
Index(
    "uq_question_in_flight",
    question.c.conversation,
    unique=True,
    sqlite_where=is_one_of(question.c.status, *IN_FLIGHT),
    postgresql_where=is_one_of(question.c.status, *IN_FLIGHT),
)
Index(
    "ix_question_open_asker",
    question.c.app_id,
    question.c.asker,
    sqlite_where=is_one_of(question.c.status, *OPEN_QUESTIONS),
    postgresql_where=is_one_of(question.c.status, *OPEN_QUESTIONS),
)
Index(
    "ix_question_answered",
    question.c.conversation,
    question.c.id,
    sqlite_where=is_one_of(question.c.status, QuestionStatus.ANSWERED),
    postgresql_where=is_one_of(question.c.status, QuestionStatus.ANSWERED),
)
Index(
    "ix_question_queued",
    question.c.conversation,
    question.c.id,
    sqlite_where=is_one_of(question.c.status, QuestionStatus.QUEUED),
    postgresql_where=is_one_of(question.c.status, QuestionStatus.QUEUED),
)

turn = _table(
    "turn",
    _id(),
    Column("question_id", Sequence, ForeignKey("question.id"), nullable=False, index=True),
    Column("attempt", Integer, nullable=False),
    Column("attempt_token", Text, nullable=False, unique=True),
    Column("stage", Member(TurnStage), nullable=False),
    Column("endpoint", Words, nullable=False),
    Column("readback", Text, nullable=False),
    Column("scope_revision", Words, nullable=False),
    Column("candidate", LargeBinary),
    Column("usage", Text),
    Column("failure", Text),
    Column("started_at", Instant, nullable=False),
    Column("calling_at", Instant),
    Column("ended_at", Instant),
)
Index(
    "uq_turn_live",
    turn.c.question_id,
    unique=True,
    sqlite_where=is_one_of(turn.c.stage, *LIVE_STAGES),
    postgresql_where=is_one_of(turn.c.stage, *LIVE_STAGES),
)

reading = _table(
    "reading",
    _id(),
    Column("turn_id", Sequence, ForeignKey("turn.id"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("turn_id", "seq"),
)

answer = _table(
    "answer",
    _id(),
    Column("question_id", Sequence, ForeignKey("question.id"), nullable=False, index=True),
    Column("turn_id", Sequence, ForeignKey("turn.id"), nullable=False, unique=True),
    Column("body", Text, nullable=False),
    Column("accepted", Boolean, nullable=False),
)
Index(
    "uq_answer_accepted",
    answer.c.question_id,
    unique=True,
    sqlite_where=text("accepted"),
    postgresql_where=text("accepted"),
)

outbox = _table(
    "outbox",
    _id(),
    Column("subject", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("kind", Member(OutgoingKind), nullable=False),
    Column("part_no", Integer, nullable=False),
    Column("rung", Text, nullable=False),
    Column("of_n", Integer, nullable=False),
    Column("slot", Sequence),
    Column("inbox_id", Sequence, ForeignKey("inbox.id"), index=True),
    Column("question_id", Sequence, ForeignKey("question.id"), index=True),
    Column("app_id", Text, nullable=False),
    Column("chat_id", Text, nullable=False),
    Column("thread_id", Text),
    Column("reply_to", Text),
    Column("in_thread", Boolean, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("uuid", Text, nullable=False),
    Column("lower", Text, nullable=False),
    Column("guard", Text),
    Column("status", Member(PartStatus), nullable=False),
    Column("tries", Integer, nullable=False, server_default=text("0")),
    Column("lease_owner", Text),
    Column("lease_until", Instant),
    Column("claimed_at", Instant),
    Column("next_at", Instant, nullable=False),
    Column("first_unknown_at", Instant),
    Column("provider_message_id", Text),
    Column("provider_card_id", Text),
    Column("failure", Words),
    Column("created_at", Instant, nullable=False),
    Column("sent_at", Instant),
    UniqueConstraint("subject", "attempt", "kind", "part_no", "rung"),
)
Index(
    "ix_outbox_open",
    outbox.c.app_id,
    outbox.c.chat_id,
    outbox.c.id,
    outbox.c.slot,
    sqlite_where=is_one_of(outbox.c.status, *OPEN_PARTS),
    postgresql_where=is_one_of(outbox.c.status, *OPEN_PARTS),
)
Index(
    "ix_outbox_provider_message",
    outbox.c.app_id,
    outbox.c.provider_message_id,
    sqlite_where=outbox.c.provider_message_id.is_not(None),
    postgresql_where=outbox.c.provider_message_id.is_not(None),
)

session = _table(
    "session",
    _id(),
    Column("conversation", Text, ForeignKey("conversation.id"), nullable=False, unique=True),
    Column("manager_runtime_profile", Member(RuntimeProfile)),
    Column("manager_runtime_configuration_revision", Words),
    Column("manager_runtime_status", Words),
    Column("manager_runtime_sandbox", Words),
    Column("manager_runtime_standing_grant", Words),
    Column("manager_runtime_tool_classes", Text),
    Column("endpoint", Words),
    Column("prompt_revision", Words),
    Column("audience_kind", Member(AudienceKind)),
    Column("scope_revision", Words),
    Column("topic", Text),
    Column("topic_at", Instant),
    Column("upstream", Words),
    Column("upstream_context_history", Text, nullable=False, server_default=text("'[]'")),
    Column("visible_from", Instant, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
)

grant = _table(
    "grant",
    _id(),
    Column("name", Text, nullable=False),
    Column("audience", Text, nullable=False, index=True),
    Column("sources", Text, nullable=False),
    Column("goals", Text),
    Column("origin", Member(GrantOrigin), nullable=False),
    Column("revoked_at", Instant),
    Column("revoked_by", Member(GrantOrigin)),
    UniqueConstraint("origin", "name"),
)

action = _table(
    "action",
    _id(),
    Column("nonce", Text, nullable=False, unique=True),
    Column("kind", Member(ActionKind), nullable=False),
    Column("question_id", Sequence, ForeignKey("question.id"), nullable=False, index=True),
    Column("goal", Words),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
    Column("used_by", Text),
)

click = _table(
    "click",
    _id(),
    Column("app_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("operator", Text, nullable=False),
    Column("inbox_id", Sequence, ForeignKey("inbox.id"), nullable=False, index=True),
    Column("recorded_at", Instant, nullable=False),
    UniqueConstraint("app_id", "message_id", "nonce", "operator"),
)

command_button = _table(
    "command_button",
    _id(),
    Column("nonce", Text, nullable=False, unique=True),
    Column("meaning", Text, nullable=False),
    Column("subject", Text, nullable=False, index=True),
    Column("chat_id", Text, nullable=False),
    Column("operator", Text),
    Column("owner_id", Sequence, ForeignKey("owner.id")),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
    Column("used_by", Text),
)

machine_configuration = _table(
    "machine_configuration",
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
    Column("updated_at", Instant, nullable=False),
    CheckConstraint("id = 1", name="one"),
)

machine_transaction = _table(
    "machine_transaction",
    _id(),
    Column("plan_revision", Text, nullable=False, unique=True),
    Column("receipt", Text, nullable=False),
    Column("before", LargeBinary),
    Column("after", LargeBinary, nullable=False),
    Column("applied_at", Instant, nullable=False),
)

owner = _table(
    "owner",
    _id(),
    Column("app_id", Text, nullable=False),
    Column("open_id", Text, nullable=False),
    Column("since", Instant, nullable=False),
    Column("private_chat", Text),
    Column("ended_at", Instant),
    Column("ended_by", Member(OwnerEnd)),
    CheckConstraint("(ended_at IS NULL) = (ended_by IS NULL)", name="ended"),
)
Index(
    "uq_owner_in_force",
    owner.c.app_id,
    unique=True,
    sqlite_where=owner.c.ended_at.is_(None),
    postgresql_where=owner.c.ended_at.is_(None),
)

installation = _table(
    "installation",
    Column("app_id", Text, primary_key=True),
    Column("tenant_key", Text, nullable=False),
    Column("pinned_at", Instant, nullable=False),
)

chat = _table(
    "chat",
    Column("app_id", Text, primary_key=True),
    Column("chat_id", Text, primary_key=True),
    Column("title", Words, nullable=False),
    Column("external", Boolean),
    Column("as_of", Instant, nullable=False),
    Column("left_at", Instant),
)

person = _table(
    "person",
    _id(),
    Column("app_id", Text, nullable=False),
    Column("open_id", Text, nullable=False),
    Column("names", Text, nullable=False),
    Column("origin", Member(GrantOrigin), nullable=False),
    Column("approved", Boolean, nullable=False),
    Column("noted_at", Instant, nullable=False),
    UniqueConstraint("app_id", "open_id", "origin"),
)

audit = _table(
    "audit",
    _id(),
    Column("at", Instant, nullable=False),
    Column("act", Member(AuditAct), nullable=False),
    Column("actor", Words, nullable=False),
    Column("audience", Words),
    Column("chat_id", Text),
    Column("reason", Words),
    Column("subject", Words),
)

review = _table(
    "review",
    _id(),
    Column("question_id", Sequence, ForeignKey("question.id"), nullable=False, unique=True),
    Column("turn_id", Sequence, ForeignKey("turn.id"), nullable=False),
    Column("attempt_token", Text, nullable=False, unique=True),
    Column("reserved_at", Instant, nullable=False),
    Column("called_at", Instant),
    Column("ended_at", Instant),
    Column("released", Boolean, nullable=False),
    Column("outcome", Words),
)

job_run = _table(
    "job_run",
    Column("name", Text, primary_key=True),
    Column("slot", Text, primary_key=True),
    Column("at", Instant, nullable=False),
)

presence = _table(
    "presence",
    Column("app_id", Text, primary_key=True),
    Column("seen_at", Instant, nullable=False),
)
