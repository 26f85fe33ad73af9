"""Card buttons and the presses on them: each takes effect at most once. Contract A5."""

from typing import Protocol

from steward.model.action import ClickRefusal, Offer, PressEffect
from steward.model.audience import Limits
from steward.model.events import Click, Envelope
from steward.model.turn import Written


class Clicks(Protocol):
    """One method = one transaction, on the path that answers within 2.5 seconds."""

    async def find(self, click: Click) -> Offer | None:
        """What the pressed button stands for, and all that holds of it now; None: there is no such button."""
        ...

    async def refuse(
        self, envelope: Envelope, why: ClickRefusal, click: Click | None = None
    ) -> Written:
        """Keep a press that does nothing, with the reason. REPLAY: this very event was kept before.

        `click`: whose it was, for the audit.
        """
        ...

    async def press(
        self,
        envelope: Envelope,
        click: Click,
        seen: Offer,
        effect: PressEffect,
        limits: Limits | None = None,
    ) -> Written | ClickRefusal:
        """Keep a press together with what it does, in one commit.

        LOST: something that `seen` told is no longer so (another press, a recall, a revoked grant); nothing was
        written, and the caller decides anew. Takes effect once per (card, button, operator), a CHOOSE once at all.
        TOO_MANY: one more open question would be too many (A6); nothing was written, and the press is the caller's to
        refuse. Raises StoreUnavailableError where nothing was recorded.
        """
        ...
