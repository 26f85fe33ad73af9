"""Who the owner is, and how that ends. Contracts P7, P9, A2."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from steward.model.ids import AppId, ChatId, OpenId, TenantKey


class OwnerEnd(StrEnum):
    """Why somebody is the owner no more: the record stays as a tombstone."""

    REPLACED = "replaced"
    """The configuration names somebody else."""
    UNCONFIGURED = "unconfigured"
    """The configuration names nobody."""
    DELETED = "deleted"
    """The platform says that the person has left the tenant; the configuration does not undo that."""


@dataclass(frozen=True, slots=True)
class OwnerRecord:
    """The owner in force.

    `id` is new with every change, also where the same person comes back: what was offered to an earlier owner is void.
    `private_chat`: proven by the platform to be this person's own chat with us (P7).
    """

    id: int
    app_id: AppId
    open_id: OpenId
    since: datetime
    private_chat: ChatId | None


@dataclass(frozen=True, slots=True)
class Authority:
    """Who the owner is at this moment, and which tenant is ours; an audience is judged by both (A1)."""

    owner: OpenId | None
    tenant: TenantKey
