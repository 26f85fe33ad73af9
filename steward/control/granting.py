"""From the words of a grant to its preview: whom it is for, what it changes, who will read it. Contracts A2, P8.

Above: approvals and arrivals. Below: the directory, the stored grants and the sources. Nothing is written here.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from steward.control.collect import Collector
from steward.control.registry import Sources
from steward.control.scopes import Scopes
from steward.model.approval import ApprovalRefusal
from steward.model.audience import Audience, AudienceKind, DirectoryFailure
from steward.model.command import (
    Command,
    CommandName,
    GrantChange,
    GrantPlan,
    RevokeGrants,
    SetGrant,
)
from steward.model.ids import AppId, ChatId, ConversationId, GoalId, SourceId, TenantKey
from steward.model.reading import ScanQuery, Snapshot, View
from steward.policy import requesting
from steward.policy.approval_cards import Preview, Whom
from steward.policy.requesting import Refusal
from steward.ports.chats import Chats
from steward.ports.directory import Directory
from steward.ports.grants import Grants
from steward.ports.world import Clock

GOALS_WITHIN = timedelta(seconds=5)
"""For the sources to name their goals; a slower one is said to be unchecked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A change that may be previewed. `unread`: sources whose goals nobody could check."""

    change: GrantChange
    whom: Whom
    unread: tuple[SourceId, ...] = ()


@dataclass(frozen=True, slots=True)
class Granting:
    """Of one app. Every method raises StoreUnavailableError where grants or chats cannot be read."""

    app: AppId
    directory: Directory
    chats: Chats
    grants: Grants
    scopes: Scopes
    sources: Sources
    clock: Clock

    async def asked(self, command: Command, tenant: TenantKey) -> Asked | Refusal:
        """What the words of /grant or /revoke mean, or why they mean nothing."""
        words = command.arguments
        known = await self.chats.known(self.app)
        target = requesting.target_of(words[0] if words else None, known)
        if isinstance(target, Refusal):
            return target
        if command.name is CommandName.REVOKE:
            return await self._revocation(target, tenant)
        sources = requesting.sources_of(words[1] if len(words) > 1 else None, self.sources.ids)
        if isinstance(sources, Refusal):
            return sources
        whom = await self.whom(target, tenant)
        if isinstance(whom, Refusal):
            return whom
        goals = requesting.goals_of(words[2:])
        there_are, unread = await self._goals(sources) if goals else ((), ())
        wrong = requesting.unknown_goal(
            goals or (), there_are, whole=not unread, sources=self.sources.ids
        )
        return wrong or Asked(SetGrant(whom.key, sources, goals), whom, unread)

    async def whom(self, target: str, tenant: TenantKey) -> Whom | Refusal:
        """A target as it is now; a chat by the platform's word alone."""
        if not requesting.is_chat(target):
            return Whom(target)
        facts = await self.directory.chat(self._conversation(target))
        if isinstance(facts, DirectoryFailure):
            return Refusal(ApprovalRefusal.CHAT_FAILED)
        key = requesting.key_of(facts, tenant)
        return key if isinstance(key, Refusal) else Whom(key, facts)

    async def anew(self, change: GrantChange, tenant: TenantKey) -> Asked | Refusal:
        """The same change for the chat as it is now: a group may have become an external one."""
        target = change.audience.rpartition(":")[2]
        if isinstance(change, RevokeGrants):
            whom = await self.whom(target, tenant)
            facts = None if isinstance(whom, Refusal) else whom.facts
            return Asked(change, Whom(change.audience, facts))
        whom = await self.whom(target, tenant)
        if isinstance(whom, Refusal):
            return whom
        return Asked(replace(change, audience=whom.key), whom)

    async def previewed(self, asked: Asked, *, again: bool = False) -> tuple[GrantPlan, Preview]:
        """The plan over what is stored now, and what its reader must know."""
        plan = await self.grants.plan(asked.change)
        shown = Preview(
            whom=await self._with_readers(asked.whom),
            change=asked.change,
            before=plan.before,
            after=plan.after,
            needed=plan.writes_required,
            closed=self._closed(asked.whom, plan),
            unread=asked.unread,
            again=again,
        )
        return plan, shown

    async def _revocation(self, target: str, tenant: TenantKey) -> Asked:
        if not requesting.is_chat(target):
            return Asked(RevokeGrants(target), Whom(target))
        whom = await self.whom(target, tenant)
        now, facts = (None, None) if isinstance(whom, Refusal) else (whom.key, whom.facts)
        key = requesting.revocable(target, await self.grants.all(), now)
        return Asked(RevokeGrants(key), Whom(key, facts))

    async def _with_readers(self, whom: Whom) -> Whom:
        if whom.facts is None:
            return whom
        members = await self.directory.members(self._conversation(whom.facts.chat_id))
        return replace(whom, members=members)

    def _closed(self, whom: Whom, plan: GrantPlan) -> bool:
        """Whether `[access]` keeps the audience shut although something would be granted."""
        kind, _, chat = whom.key.partition(":")
        audience = Audience(_KINDS[kind], ChatId(chat))
        return bool(plan.after) and self.scopes.under(audience, plan.after).empty

    async def _goals(
        self, sources: tuple[SourceId, ...]
    ) -> tuple[tuple[GoalId, ...], tuple[SourceId, ...]]:
        """The goals of these sources, and those sources that could not tell."""
        deadline = self.clock.now() + GOALS_WITHIN
        collector = Collector(self.clock, deadline, self.sources.last_good)
        entries = [self.sources.of(source) for source in sources]
        attempts = await collector.read(entries, ScanQuery(View.PORTFOLIO, include_stopped=True))
        goals: list[GoalId] = []
        unread: list[SourceId] = []
        for attempt in attempts:
            found = attempt.outcome
            if isinstance(found, Snapshot):
                goals.extend(found.goals)
            if not isinstance(found, Snapshot) or not found.complete:
                unread.append(attempt.source)
        return tuple(dict.fromkeys(goals)), tuple(unread)

    def _conversation(self, chat: str) -> ConversationId:
        return ConversationId(self.app, ChatId(chat))


_KINDS = {
    requesting.OWNER_KEY: AudienceKind.OWNER_PRIVATE,
    requesting.MEMBERS_KEY: AudienceKind.MEMBER_PRIVATE,
    "group": AudienceKind.GROUP,
    "external": AudienceKind.EXTERNAL,
}
