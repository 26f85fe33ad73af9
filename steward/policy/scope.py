"""Grants → what one audience may read. Contract A2: denied by default, a union of products, never merged."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from steward.model.audience import Audience, AudienceKind, Grant, Scope, ScopeEntry
from steward.model.ids import SourceId


@dataclass(frozen=True, slots=True)
class Access:
    """`[access]` of the configuration: whether grants open groups and members' private chats at all."""

    groups: bool
    members_private: bool


def scope_of(
    audience: Audience, grants: Sequence[Grant], sources: Sequence[SourceId], access: Access
) -> Scope:
    """The scope of `audience`. `grants` are those of its key alone; `sources` the configured ones, in order.

    The owner's private chat reads every configured source unless a grant narrows it (A2).
    """
    entries = tuple(
        ScopeEntry(
            frozenset(grant.sources) & frozenset(sources),
            None if grant.goals is None else frozenset(grant.goals),
        )
        for grant in grants
        if _open(audience.kind, access)
    )
    if audience.kind is AudienceKind.OWNER_PRIVATE and not entries:
        entries = (ScopeEntry(frozenset(sources), None),)
    allowed = tuple(source for source in sources if any(source in e.sources for e in entries))
    return Scope(allowed, entries, _revision(audience, allowed, entries))


def _open(kind: AudienceKind, access: Access) -> bool:
    match kind:
        case AudienceKind.OWNER_PRIVATE:
            return True
        case AudienceKind.MEMBER_PRIVATE:
            return access.members_private
        case AudienceKind.GROUP | AudienceKind.EXTERNAL:
            return access.groups
        case AudienceKind.UNKNOWN:
            return False


def _revision(
    audience: Audience, allowed: Sequence[SourceId], entries: Sequence[ScopeEntry]
) -> str:
    products = [
        (sorted(entry.sources), entry.goals is not None, sorted(entry.goals or ()))
        for entry in entries
    ]
    # Every goal and no goal are told apart before goals are compared: both of them have none to compare.
    document = [
        audience.grant_key,
        list(allowed),
        [[sources, goals if narrowed else None] for sources, narrowed, goals in sorted(products)],
    ]
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
