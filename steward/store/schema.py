"""The tables of both stores. Private to steward.store; migrations/ must end in exactly this.

Order is by sequence id, never by time. Status columns are closed by CHECKs, and partial unique indexes refuse
what must not happen twice: an event, a question at work in a conversation, an accepted answer.
"""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Text,
    UniqueConstraint,
    func,
    text,
)

from steward.model.action import ActionKind
from steward.model.answer import OutgoingKind
from steward.model.audience import AudienceKind, GrantOrigin
from steward.model.delivery import PartStatus
from steward.model.events import EventKind, Lane, Verdict
from steward.model.profile import RuntimeProfile
from steward.model.turn import Language, QuestionStatus, TurnStage
from steward.store import tables
from steward.store.columns import Instant, Member, Sequence, Words, is_one_of
from steward.store.records import owner
from steward.store.tables import id_column, index_where, table

IN_FLIGHT = (QuestionStatus.ACTING, QuestionStatus.REVIEWING)
OPEN_QUESTIONS = (QuestionStatus.QUEUED, *IN_FLIGHT)
LIVE_STAGES = (TurnStage.BEGUN, TurnStage.CALLING, TurnStage.CANDIDATE)
ENDED = (QuestionStatus.ANSWERED, QuestionStatus.WITHDRAWN)
WORDED = (Verdict.COMMAND, Verdict.DECLINED)
"""Events that led to no question, and yet hold words."""
OPEN_PARTS = (PartStatus.PENDING, PartStatus.SENDING, PartStatus.UNKNOWN)

metadata = tables.metadata
"""Every table, those of records.py too."""

conversation = table(
    "conversation",
    Column("id", Text, primary_key=True),
    Column("app_id", Text, nullable=False),
    Column("chat_id", Text, nullable=False),
    Column("thread_id", Text),
    Column("fence", Integer, nullable=False, server_default=text("0")),
    Column("owner", Text),
    Column("lease_until", Instant),
)
Index("ix_conversation_chat", conversation.c.chat_id)
index_where("ix_conversation_owner", conversation.c.owner.is_not(None), conversation.c.owner)

inbox = table(
    "inbox",
    id_column(),
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
index_where(
    "ix_inbox_unjudged",
    inbox.c.verdict.is_(None),
    inbox.c.lane,
    inbox.c.conversation,
    inbox.c.id,
)
KEPT_EVENT = is_one_of(inbox.c.verdict, *WORDED) & (func.length(inbox.c.body) > text("0"))
index_where("ix_inbox_kept", KEPT_EVENT, inbox.c.received_at)

tombstone = table(
    "tombstone",
    Column("app_id", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("recalled_at", Instant, nullable=False, index=True),
)

question = table(
    "question",
    id_column(),
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
    Column("forgotten_at", Instant),
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
index_where(
    "ix_question_open_asker",
    is_one_of(question.c.status, *OPEN_QUESTIONS),
    question.c.app_id,
    question.c.asker,
)
index_where(
    "ix_question_answered",
    is_one_of(question.c.status, QuestionStatus.ANSWERED),
    question.c.conversation,
    question.c.id,
)
index_where(
    "ix_question_queued",
    is_one_of(question.c.status, QuestionStatus.QUEUED),
    question.c.conversation,
    question.c.id,
)
index_where(
    "ix_question_owed",
    is_one_of(question.c.status, QuestionStatus.OWED),
    question.c.id,
)
KEPT_QUESTION = is_one_of(question.c.status, *ENDED) & question.c.forgotten_at.is_(None)
index_where("ix_question_kept", KEPT_QUESTION, question.c.admitted_at)
Index("ix_question_admitted", question.c.admitted_at)
Index("ix_question_chat", question.c.audience_chat_id, question.c.id)
Index("ix_question_asked", question.c.conversation, question.c.asker, question.c.admitted_at)
SETTLED = question.c.settled_at.is_not(None)
index_where("ix_question_settled", SETTLED, question.c.settled_at)
UNANSWERED = is_one_of(question.c.status, QuestionStatus.OWED, QuestionStatus.SETTLED)
index_where("ix_question_unanswered", UNANSWERED, question.c.id)

turn = table(
    "turn",
    id_column(),
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
    Column("late_at", Instant),
    Column("upstream", Words),
    Column("reviews", Sequence, ForeignKey("turn.id")),
)
Index(
    "uq_turn_live",
    turn.c.question_id,
    unique=True,
    sqlite_where=is_one_of(turn.c.stage, *LIVE_STAGES),
    postgresql_where=is_one_of(turn.c.stage, *LIVE_STAGES),
)

index_where("ix_turn_reviews", turn.c.reviews.is_not(None), turn.c.reviews)
index_where("ix_turn_late", turn.c.late_at.is_not(None), turn.c.id)

reading = table(
    "reading",
    id_column(),
    Column("turn_id", Sequence, ForeignKey("turn.id"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("turn_id", "seq"),
)

answer = table(
    "answer",
    id_column(),
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

outbox = table(
    "outbox",
    id_column(),
    Column("subject", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("kind", Member(OutgoingKind), nullable=False),
    Column("part_no", Integer, nullable=False),
    Column("rung", Text, nullable=False),
    Column("of_n", Integer, nullable=False),
    Column("slot", Sequence),
    Column("inbox_id", Sequence, ForeignKey("inbox.id"), index=True),
    Column("question_id", Sequence, ForeignKey("question.id")),
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
    Column("spared", Integer, nullable=False, server_default=text("0")),
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
    Column("owner_told_at", Instant),
    UniqueConstraint("subject", "attempt", "kind", "part_no", "rung"),
)
index_where(
    "ix_outbox_open",
    is_one_of(outbox.c.status, *OPEN_PARTS),
    outbox.c.app_id,
    outbox.c.chat_id,
    outbox.c.id,
    outbox.c.slot,
)
index_where(
    "ix_outbox_dead",
    is_one_of(outbox.c.status, PartStatus.DEAD),
    outbox.c.app_id,
    outbox.c.owner_told_at,
    outbox.c.id,
)
index_where(
    "ix_outbox_provider_message",
    outbox.c.provider_message_id.is_not(None),
    outbox.c.app_id,
    outbox.c.provider_message_id,
)
index_where("ix_outbox_question_id", outbox.c.question_id.is_not(None), outbox.c.question_id)
KEPT_MESSAGE = outbox.c.question_id.is_(None) & (func.length(outbox.c.body) > text("0"))
index_where("ix_outbox_kept", KEPT_MESSAGE, outbox.c.created_at)

session = table(
    "session",
    id_column(),
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
    Column("review_only", Boolean, nullable=False, server_default=text("false")),
    Column("visible_from", Instant, nullable=False),
    Column("hidden_turn", Sequence),  # what visible_from hides, by id: clocks step back
    Column("hidden_question", Sequence),
    Column("last_turn", Sequence),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
)
index_where("ix_session_topic", session.c.topic_at.is_not(None), session.c.topic_at)

grant = table(
    "grant",
    id_column(),
    Column("name", Text, nullable=False),
    Column("audience", Text, nullable=False, index=True),
    Column("sources", Text, nullable=False),
    Column("goals", Text),
    Column("origin", Member(GrantOrigin), nullable=False),
    Column("revoked_at", Instant),
    Column("revoked_by", Member(GrantOrigin)),
    UniqueConstraint("origin", "name"),
)

action = table(
    "action",
    id_column(),
    Column("nonce", Text, nullable=False, unique=True),
    Column("kind", Member(ActionKind), nullable=False),
    Column("question_id", Sequence, ForeignKey("question.id"), nullable=False, index=True),
    Column("goal", Words),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
    Column("used_by", Text),
)

click = table(
    "click",
    id_column(),
    Column("app_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("operator", Text, nullable=False),
    Column("inbox_id", Sequence, ForeignKey("inbox.id"), nullable=False, index=True),
    Column("recorded_at", Instant, nullable=False),
    UniqueConstraint("app_id", "message_id", "nonce", "operator"),
)

command_button = table(
    "command_button",
    id_column(),
    Column("nonce", Text, nullable=False, unique=True),
    Column("meaning", Text, nullable=False),
    Column("subject", Text, nullable=False, index=True),
    Column("chat_id", Text, nullable=False),
    Column("operator", Text),
    Column("owner_id", Sequence, ForeignKey(owner.c.id)),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
    Column("used_by", Text),
)

review = table(
    "review",
    id_column(),
    Column("question_id", Sequence, ForeignKey("question.id"), nullable=False, unique=True),
    Column("turn_id", Sequence, ForeignKey("turn.id"), nullable=False, index=True),
    Column("attempt_token", Text, nullable=False, unique=True),
    Column("reserved_at", Instant, nullable=False),
    Column("called_at", Instant),
    Column("ended_at", Instant),
    Column("released", Boolean, nullable=False),
    Column("outcome", Words),
)

job_run = table(
    "job_run",
    Column("name", Text, primary_key=True),
    Column("slot", Text, primary_key=True),
    Column("at", Instant, nullable=False),
    Column("detail", Words),
)

presence = table(
    "presence",
    Column("app_id", Text, primary_key=True),
    Column("seen_at", Instant, nullable=False),
)
