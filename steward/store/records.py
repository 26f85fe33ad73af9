"""The tables of trust: machine document, owner and tenant, chats, people, audit. Part of schema.py, and private as that is."""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    Text,
    UniqueConstraint,
)

from steward.model.audience import GrantOrigin
from steward.model.audit import AuditAct
from steward.model.owner import OwnerEnd
from steward.store.columns import Instant, Member, Sequence, Words
from steward.store.tables import id_column, table

machine_configuration = table(
    "machine_configuration",
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
    Column("updated_at", Instant, nullable=False),
    CheckConstraint("id = 1", name="one"),
)

machine_transaction = table(
    "machine_transaction",
    id_column(),
    Column("plan_revision", Text, nullable=False, unique=True),
    Column("receipt", Text, nullable=False),
    Column("before", LargeBinary),
    Column("after", LargeBinary, nullable=False),
    Column("applied_at", Instant, nullable=False),
)

owner = table(
    "owner",
    id_column(),
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

installation = table(
    "installation",
    Column("app_id", Text, primary_key=True),
    Column("tenant_key", Text, nullable=False),
    Column("pinned_at", Instant, nullable=False),
)

chat = table(
    "chat",
    Column("app_id", Text, primary_key=True),
    Column("chat_id", Text, primary_key=True),
    Column("title", Words, nullable=False),
    Column("external", Boolean),
    Column("as_of", Instant, nullable=False),
    Column("left_at", Instant),
)

person = table(
    "person",
    id_column(),
    Column("app_id", Text, nullable=False),
    Column("open_id", Text, nullable=False),
    Column("names", Text, nullable=False),
    Column("origin", Member(GrantOrigin), nullable=False),
    Column("approved", Boolean, nullable=False),
    Column("noted_at", Instant, nullable=False),
    UniqueConstraint("app_id", "open_id", "origin"),
)

stop = table(
    "stop",
    Column("conversation", Text, primary_key=True),
    Column("asker", Text, primary_key=True),
    Column("inbox_id", Sequence, nullable=False),
)
"""What came in until this event, of this asker or (empty) of everybody, was stopped before it was judged."""

audit = table(
    "audit",
    id_column(),
    Column("at", Instant, nullable=False),
    Column("act", Member(AuditAct), nullable=False),
    Column("actor", Words, nullable=False),
    Column("audience", Words),
    Column("chat_id", Text),
    Column("reason", Words),
    Column("subject", Words),
)
