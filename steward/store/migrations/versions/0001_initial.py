"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

Sequence = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "conversation",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("thread_id", sa.Text(), nullable=True),
        sa.Column("fence", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversation")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "grant",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("goals", sa.Text(), nullable=True),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_by", sa.String(), nullable=True),
        sa.CheckConstraint("origin IN ('config', 'owner')", name=op.f("ck_grant_origin")),
        sa.CheckConstraint("revoked_by IN ('config', 'owner')", name=op.f("ck_grant_revoked_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_grant")),
        sa.UniqueConstraint("origin", "name", name=op.f("uq_grant_origin_name")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_grant_audience"), "grant", ["audience"], unique=False)
    op.create_table(
        "tombstone",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("recalled_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", "message_id", name=op.f("pk_tombstone")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "inbox",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("lane", sa.String(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=True),
        sa.Column("tenant_key", sa.Text(), nullable=True),
        sa.Column("occurred_at", sa.BigInteger(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("not_before", sa.BigInteger(), nullable=True),
        sa.Column("judged_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('message', 'recall', 'click', 'membership', 'chat_change', 'first_contact', 'menu', 'person_deleted', 'other')",
            name=op.f("ck_inbox_kind"),
        ),
        sa.CheckConstraint("lane IN ('now', 'ordered')", name=op.f("ck_inbox_lane")),
        sa.CheckConstraint(
            "verdict IN ('admitted', 'ignored', 'declined', 'command', 'unparsable')",
            name=op.f("ck_inbox_verdict"),
        ),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("fk_inbox_conversation_conversation")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("app_id", "event_id", name=op.f("uq_inbox_app_id_event_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_inbox_unjudged",
        "inbox",
        ["lane", "conversation", "id"],
        unique=False,
        sqlite_where=sa.text("verdict IS NULL"),
        postgresql_where=sa.text("verdict IS NULL"),
    )
    op.create_index(
        "uq_inbox_message",
        "inbox",
        ["app_id", "message_id"],
        unique=True,
        sqlite_where=sa.text("message_id IS NOT NULL AND kind = 'message'"),
        postgresql_where=sa.text("message_id IS NOT NULL AND kind = 'message'"),
    )
    op.create_table(
        "session",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("manager_runtime_profile", sa.String(), nullable=True),
        sa.Column("manager_runtime_configuration_revision", sa.Text(), nullable=True),
        sa.Column("manager_runtime_status", sa.Text(), nullable=True),
        sa.Column("manager_runtime_sandbox", sa.Text(), nullable=True),
        sa.Column("manager_runtime_standing_grant", sa.Text(), nullable=True),
        sa.Column("manager_runtime_tool_classes", sa.Text(), nullable=True),
        sa.Column("endpoint", sa.Text(), nullable=True),
        sa.Column("prompt_revision", sa.Text(), nullable=True),
        sa.Column("audience_kind", sa.String(), nullable=True),
        sa.Column("scope_revision", sa.Text(), nullable=True),
        sa.Column("topic", sa.Text(), nullable=True),
        sa.Column("topic_at", sa.BigInteger(), nullable=True),
        sa.Column("upstream", sa.Text(), nullable=True),
        sa.Column(
            "upstream_context_history", sa.Text(), server_default=sa.text("'[]'"), nullable=False
        ),
        sa.Column("review_only", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("visible_from", sa.BigInteger(), nullable=False),
        sa.Column("hidden_turn", Sequence, nullable=True),
        sa.Column("hidden_question", Sequence, nullable=True),
        sa.Column("last_turn", Sequence, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "manager_runtime_profile IN ('restricted', 'trusted_owner')",
            name=op.f("ck_session_manager_runtime_profile"),
        ),
        sa.CheckConstraint(
            "audience_kind IN ('owner_private', 'member_private', 'group', 'external', 'unknown')",
            name=op.f("ck_session_audience_kind"),
        ),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("fk_session_conversation_conversation")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session")),
        sa.UniqueConstraint("conversation", name=op.f("uq_session_conversation")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "click",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("operator", sa.Text(), nullable=False),
        sa.Column("inbox_id", Sequence, nullable=False),
        sa.Column("recorded_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_click_inbox_id_inbox")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_click")),
        sa.UniqueConstraint(
            "app_id",
            "message_id",
            "nonce",
            "operator",
            name=op.f("uq_click_app_id_message_id_nonce_operator"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_click_inbox_id"), "click", ["inbox_id"], unique=False)
    op.create_table(
        "question",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("inbox_id", Sequence, nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("asker", sa.Text(), nullable=False),
        sa.Column("audience_kind", sa.String(), nullable=False),
        sa.Column("audience_chat_id", sa.Text(), nullable=False),
        sa.Column("in_thread", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("turn_key", sa.Text(), nullable=False),
        sa.Column("input_hash", sa.Text(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("chosen", sa.Text(), nullable=True),
        sa.Column("choice", sa.Text(), nullable=True),
        sa.Column("admitted_at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.Column("forgotten_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "audience_kind IN ('owner_private', 'member_private', 'group', 'external', 'unknown')",
            name=op.f("ck_question_audience_kind"),
        ),
        sa.CheckConstraint("language IN ('zh', 'en')", name=op.f("ck_question_language")),
        sa.CheckConstraint(
            "status IN ('queued', 'acting', 'reviewing', 'settled', 'answered', 'owed', 'withdrawn')",
            name=op.f("ck_question_status"),
        ),
        sa.ForeignKeyConstraint(
            ["conversation"],
            ["conversation.id"],
            name=op.f("fk_question_conversation_conversation"),
        ),
        sa.ForeignKeyConstraint(
            ["inbox_id"], ["inbox.id"], name=op.f("fk_question_inbox_id_inbox")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
        sa.UniqueConstraint("choice", name=op.f("uq_question_choice")),
        sa.UniqueConstraint("inbox_id", name=op.f("uq_question_inbox_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_question_message", "question", ["app_id", "message_id"], unique=False)
    op.create_index(
        "uq_question_message",
        "question",
        ["app_id", "message_id"],
        unique=True,
        sqlite_where=sa.text("choice IS NULL"),
        postgresql_where=sa.text("choice IS NULL"),
    )
    op.create_table(
        "action",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("question_id", Sequence, nullable=False),
        sa.Column("goal", sa.Text(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.Column("used_by", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('evidence', 'choose', 'ask_again', 'ask_again_anyway')",
            name=op.f("ck_action_kind"),
        ),
        sa.ForeignKeyConstraint(
            ["question_id"], ["question.id"], name=op.f("fk_action_question_id_question")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_action")),
        sa.UniqueConstraint("nonce", name=op.f("uq_action_nonce")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_action_question_id"), "action", ["question_id"], unique=False)
    op.create_index(
        "ix_question_open_asker",
        "question",
        ["app_id", "asker"],
        unique=False,
        sqlite_where=sa.text("status IN ('queued', 'acting', 'reviewing')"),
        postgresql_where=sa.text("status IN ('queued', 'acting', 'reviewing')"),
    )
    op.create_index(
        "ix_question_answered",
        "question",
        ["conversation", "id"],
        unique=False,
        sqlite_where=sa.text("status = 'answered'"),
        postgresql_where=sa.text("status = 'answered'"),
    )
    op.create_index(
        "ix_question_queued",
        "question",
        ["conversation", "id"],
        unique=False,
        sqlite_where=sa.text("status = 'queued'"),
        postgresql_where=sa.text("status = 'queued'"),
    )
    op.create_index(
        "ix_question_owed",
        "question",
        ["id"],
        unique=False,
        sqlite_where=sa.text("status = 'owed'"),
        postgresql_where=sa.text("status = 'owed'"),
    )
    op.create_index(
        "uq_question_in_flight",
        "question",
        ["conversation"],
        unique=True,
        sqlite_where=sa.text("status IN ('acting', 'reviewing')"),
        postgresql_where=sa.text("status IN ('acting', 'reviewing')"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("part_no", sa.Integer(), nullable=False),
        sa.Column("rung", sa.Text(), nullable=False),
        sa.Column("of_n", sa.Integer(), nullable=False),
        sa.Column("slot", Sequence, nullable=True),
        sa.Column("inbox_id", Sequence, nullable=True),
        sa.Column("question_id", Sequence, nullable=True),
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("thread_id", sa.Text(), nullable=True),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.Column("in_thread", sa.Boolean(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("uuid", sa.Text(), nullable=False),
        sa.Column("lower", sa.Text(), nullable=False),
        sa.Column("guard", sa.Text(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("tries", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("spared", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("claimed_at", sa.BigInteger(), nullable=True),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("first_unknown_at", sa.BigInteger(), nullable=True),
        sa.Column("provider_message_id", sa.Text(), nullable=True),
        sa.Column("provider_card_id", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("owner_told_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind IN ('answer', 'notice', 'evidence')", name=op.f("ck_outbox_kind")),
        sa.CheckConstraint(
            "status IN ('pending', 'sending', 'unknown', 'sent', 'replaced', 'dead')",
            name=op.f("ck_outbox_status"),
        ),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_outbox_inbox_id_inbox")),
        sa.ForeignKeyConstraint(
            ["question_id"], ["question.id"], name=op.f("fk_outbox_question_id_question")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint(
            "subject",
            "attempt",
            "kind",
            "part_no",
            "rung",
            name=op.f("uq_outbox_subject_attempt_kind_part_no_rung"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_outbox_inbox_id"), "outbox", ["inbox_id"], unique=False)
    op.create_index(
        "ix_outbox_open",
        "outbox",
        ["app_id", "chat_id", "id", "slot"],
        unique=False,
        sqlite_where=sa.text("status IN ('pending', 'sending', 'unknown')"),
        postgresql_where=sa.text("status IN ('pending', 'sending', 'unknown')"),
    )
    op.create_index(
        "ix_outbox_dead",
        "outbox",
        ["app_id", "owner_told_at", "id"],
        unique=False,
        sqlite_where=sa.text("status = 'dead'"),
        postgresql_where=sa.text("status = 'dead'"),
    )
    op.create_index(
        "ix_outbox_provider_message",
        "outbox",
        ["app_id", "provider_message_id"],
        unique=False,
        sqlite_where=sa.text("provider_message_id IS NOT NULL"),
        postgresql_where=sa.text("provider_message_id IS NOT NULL"),
    )
    op.create_index(
        "ix_outbox_question_id",
        "outbox",
        ["question_id"],
        unique=False,
        sqlite_where=sa.text("question_id IS NOT NULL"),
        postgresql_where=sa.text("question_id IS NOT NULL"),
    )
    op.create_table(
        "turn",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("question_id", Sequence, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("attempt_token", sa.Text(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("readback", sa.Text(), nullable=False),
        sa.Column("scope_revision", sa.Text(), nullable=False),
        sa.Column("candidate", sa.LargeBinary(), nullable=True),
        sa.Column("usage", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("calling_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("late_at", sa.BigInteger(), nullable=True),
        sa.Column("upstream", sa.Text(), nullable=True),
        sa.Column("reviews", Sequence, nullable=True),
        sa.CheckConstraint(
            "stage IN ('begun', 'calling', 'candidate', 'settled', 'failed', 'lost')",
            name=op.f("ck_turn_stage"),
        ),
        sa.ForeignKeyConstraint(
            ["question_id"], ["question.id"], name=op.f("fk_turn_question_id_question")
        ),
        sa.ForeignKeyConstraint(["reviews"], ["turn.id"], name=op.f("fk_turn_reviews_turn")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_turn")),
        sa.UniqueConstraint("attempt_token", name=op.f("uq_turn_attempt_token")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_turn_question_id"), "turn", ["question_id"], unique=False)
    op.create_index(
        "uq_turn_live",
        "turn",
        ["question_id"],
        unique=True,
        sqlite_where=sa.text("stage IN ('begun', 'calling', 'candidate')"),
        postgresql_where=sa.text("stage IN ('begun', 'calling', 'candidate')"),
    )
    op.create_index(
        "ix_turn_late",
        "turn",
        ["id"],
        unique=False,
        sqlite_where=sa.text("late_at IS NOT NULL"),
        postgresql_where=sa.text("late_at IS NOT NULL"),
    )
    op.create_table(
        "answer",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("question_id", Sequence, nullable=False),
        sa.Column("turn_id", Sequence, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"], ["question.id"], name=op.f("fk_answer_question_id_question")
        ),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name=op.f("fk_answer_turn_id_turn")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer")),
        sa.UniqueConstraint("turn_id", name=op.f("uq_answer_turn_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_answer_question_id"), "answer", ["question_id"], unique=False)
    op.create_index(
        "uq_answer_accepted",
        "answer",
        ["question_id"],
        unique=True,
        sqlite_where=sa.text("accepted"),
        postgresql_where=sa.text("accepted"),
    )
    op.create_table(
        "reading",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("turn_id", Sequence, nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name=op.f("fk_reading_turn_id_turn")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reading")),
        sa.UniqueConstraint("turn_id", "seq", name=op.f("uq_reading_turn_id_seq")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "owner",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("open_id", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("private_chat", sa.Text(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_by", sa.String(), nullable=True),
        sa.CheckConstraint("(ended_at IS NULL) = (ended_by IS NULL)", name=op.f("ck_owner_ended")),
        sa.CheckConstraint(
            "ended_by IN ('replaced', 'unconfigured', 'deleted')", name=op.f("ck_owner_ended_by")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_owner")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_owner_in_force",
        "owner",
        ["app_id"],
        unique=True,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_table(
        "command_button",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("meaning", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("operator", sa.Text(), nullable=True),
        sa.Column("owner_id", Sequence, nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.Column("used_by", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["owner.id"], name=op.f("fk_command_button_owner_id_owner")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_command_button")),
        sa.UniqueConstraint("nonce", name=op.f("uq_command_button_nonce")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_command_button_subject"), "command_button", ["subject"], unique=False)
    op.create_table(
        "machine_configuration",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_machine_configuration_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_machine_configuration")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "machine_transaction",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("plan_revision", sa.Text(), nullable=False),
        sa.Column("receipt", sa.Text(), nullable=False),
        sa.Column("before", sa.LargeBinary(), nullable=True),
        sa.Column("after", sa.LargeBinary(), nullable=False),
        sa.Column("applied_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_machine_transaction")),
        sa.UniqueConstraint("plan_revision", name=op.f("uq_machine_transaction_plan_revision")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "installation",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("tenant_key", sa.Text(), nullable=False),
        sa.Column("pinned_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("app_id", name=op.f("pk_installation")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "chat",
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("external", sa.Boolean(), nullable=True),
        sa.Column("as_of", sa.BigInteger(), nullable=False),
        sa.Column("left_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("app_id", "chat_id", name=op.f("pk_chat")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "person",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("app_id", sa.Text(), nullable=False),
        sa.Column("open_id", sa.Text(), nullable=False),
        sa.Column("names", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("approved", sa.Boolean(), nullable=False),
        sa.Column("noted_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("origin IN ('config', 'owner')", name=op.f("ck_person_origin")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint(
            "app_id", "open_id", "origin", name=op.f("uq_person_app_id_open_id_origin")
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "audit",
        sa.Column("id", Sequence, autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=True),
        sa.Column("chat_id", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "act IN ('admitted', 'refused', 'command', 'pressed', 'granted', 'revoked', 'profile_applied', 'owner_changed', 'tenant_pinned', 'names_claimed', 'names_approved', 'session_rotated', 'session_renewed', 'stopped', 'read', 'delivered', 'undelivered', 'withheld', 'restored')",
            name=op.f("ck_audit_act"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        sqlite_autoincrement=True,
    )
