"""What reviews and upkeep remember."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

Sequence = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "review",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("question_id", Sequence, nullable=False),
        sa.Column("turn_id", Sequence, nullable=False),
        sa.Column("attempt_token", sa.Text(), nullable=False),
        sa.Column("reserved_at", sa.BigInteger(), nullable=False),
        sa.Column("called_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("released", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["question_id"], ["question.id"], name=op.f("fk_review_question_id_question")
        ),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name=op.f("fk_review_turn_id_turn")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
        sa.UniqueConstraint("question_id", name=op.f("uq_review_question_id")),
        sa.UniqueConstraint("attempt_token", name=op.f("uq_review_attempt_token")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "stop",
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("asker", sa.Text(), nullable=False),
        sa.Column("inbox_id", Sequence, nullable=False),
        sa.PrimaryKeyConstraint("conversation", "asker", name=op.f("pk_stop")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "job_run",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name", "slot", name=op.f("pk_job_run")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "presence",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", name=op.f("pk_presence")),
        sqlite_autoincrement=True,
    )
    for name, table, columns in (
        ("ix_conversation_chat", "conversation", ["chat_id"]),
        ("ix_question_admitted", "question", ["admitted_at"]),
        ("ix_question_chat", "question", ["audience_chat_id", "id"]),
        ("ix_review_turn_id", "review", ["turn_id"]),
        ("ix_tombstone_recalled_at", "tombstone", ["recalled_at"]),
        ("ix_question_asked", "question", ["conversation", "asker", "admitted_at"]),
    ):
        op.create_index(name, table, columns, unique=False)
    for name, table, columns, where in (
        ("ix_conversation_owner", "conversation", ["owner"], "owner IS NOT NULL"),
        ("ix_turn_reviews", "turn", ["reviews"], "reviews IS NOT NULL"),
        ("ix_session_topic", "session", ["topic_at"], "topic_at IS NOT NULL"),
        ("ix_question_settled", "question", ["settled_at"], "settled_at IS NOT NULL"),
        ("ix_question_unanswered", "question", ["id"], "status IN ('owed', 'settled')"),
        (
            "ix_question_kept",
            "question",
            ["admitted_at"],
            "status IN ('answered', 'withdrawn') AND forgotten_at IS NULL",
        ),
        (
            "ix_inbox_kept",
            "inbox",
            ["received_at"],
            "verdict IN ('command', 'declined') AND length(body) > 0",
        ),
        ("ix_outbox_kept", "outbox", ["created_at"], "question_id IS NULL AND length(body) > 0"),
    ):
        op.create_index(
            name,
            table,
            columns,
            unique=False,
            sqlite_where=sa.text(where),
            postgresql_where=sa.text(where),
        )
