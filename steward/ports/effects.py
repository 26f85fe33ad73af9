"""Commands and approvals take effect here. Contracts D2, P8, A5."""

from collections.abc import Sequence
from typing import Protocol

from steward.model.action import ClickRefusal
from steward.model.audit import AuditRow
from steward.model.command import NewButton, StoredButton
from steward.model.delivery import NewPart
from steward.model.effect import Cause, Effect, EffectOutcome
from steward.model.events import Click, Envelope
from steward.model.turn import Written


class Effects(Protocol):
    """One method = one transaction."""

    async def commit(
        self,
        cause: Cause,
        effect: Effect | None,
        *,
        audit: Sequence[AuditRow],
        reply: Sequence[NewPart],
        buttons: Sequence[NewButton] = (),
    ) -> EffectOutcome:
        """Effect, audit rows, reply with its buttons, and the verdict of its cause, in one commit (D2).

        `effect` None: a command that only answers. Changed: the plan is stale, the press is not what was seen, or the
        row has its verdict: nothing was written. Repeated: the plan, the message or the press took effect before.
        The audit rows of grants, profile, names, sessions and stops are written by the caller's `audit`.
        """
        ...

    async def find(self, click: Click) -> StoredButton | None:
        """What a pressed command button stands for; None: it is no such button."""
        ...

    async def refuse(self, envelope: Envelope, why: ClickRefusal, audit: AuditRow) -> Written:
        """Keep a press that does nothing, with the reason."""
        ...
