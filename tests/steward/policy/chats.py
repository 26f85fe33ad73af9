"""A chat as the platform tells of it, and a grant of the owner's: what decisions about approvals are given."""

from datetime import UTC, datetime

from steward.model.audience import ChatFacts, ChatMode, Grant, GrantOrigin
from steward.model.ids import ChatId, GoalId, SourceId, TenantKey

OURS, THEIRS = TenantKey("tenant_ours"), TenantKey("tenant_theirs")
NOW = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
PLANS, TASKS = SourceId("plans"), SourceId("tasks")


def facts(
    chat: str = "oc_team",
    mode: ChatMode = ChatMode.GROUP,
    *,
    external: bool | None = False,
    tenant: TenantKey | None = OURS,
    title: str = "Team",
) -> ChatFacts:
    return ChatFacts(ChatId(chat), mode, external, tenant, title, NOW)


def grant(
    *sources: SourceId, goals: tuple[str, ...] | None = None, key: str = "group:oc_team"
) -> Grant:
    named = None if goals is None else tuple(map(GoalId, goals))
    return Grant(key, key, sources, named, GrantOrigin.OWNER)
