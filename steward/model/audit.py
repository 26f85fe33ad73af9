"""The audit: who did what, before whom, and why it was or was not done. No message text. Contract A4.

Written in the commit of what it tells; kept longer than bodies are.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from steward.model.ids import ChatId

OPERATOR = "operator"
"""The actor of the command line: whoever may read the store's file."""

UNKNOWN = "unknown"
"""The actor of what was refused before anybody knew whose it was."""

STEWARD = "steward"
"""The actor of what nobody asked for: a configuration that changed, an answer that was withheld."""


class AuditAct(StrEnum):
    """What was done or refused."""

    ADMITTED = "admitted"
    REFUSED = "refused"
    COMMAND = "command"
    PRESSED = "pressed"
    GRANTED = "granted"
    REVOKED = "revoked"
    PROFILE_APPLIED = "profile_applied"
    OWNER_CHANGED = "owner_changed"
    TENANT_PINNED = "tenant_pinned"
    NAMES_CLAIMED = "names_claimed"
    NAMES_APPROVED = "names_approved"
    SESSION_ROTATED = "session_rotated"
    SESSION_RENEWED = "session_renewed"
    STOPPED = "stopped"
    READ = "read"
    DELIVERED = "delivered"
    UNDELIVERED = "undelivered"
    WITHHELD = "withheld"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One act. `actor`: an open_id, OPERATOR, STEWARD or UNKNOWN. `audience`: a grant key. `reason`: a code of ours.

    `subject`: what it was done to, by our names: a question's number, a grant's audience, a source, a plan.
    """

    act: AuditAct
    actor: str
    audience: str | None = None
    chat: ChatId | None = None
    reason: str | None = None
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A stored row; newest first is by `id`."""

    id: int
    at: datetime
    row: AuditRow
