"""Effects of ports/effects.py: what a command does, its audit, its reply and the verdict of its cause. Contract D2."""

from collections.abc import Sequence

from steward.model.action import ClickRefusal
from steward.model.audit import AuditRow
from steward.model.command import NewButton, StoredButton
from steward.model.delivery import NewPart
from steward.model.effect import Cause, Effect, EffectOutcome
from steward.model.events import Click, Envelope
from steward.model.turn import Written
from steward.ports.world import Clock
from steward.store.engine import Database


class SqlEffects:
    """Implements ports.effects.Effects."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def commit(
        self,
        cause: Cause,
        effect: Effect | None,
        *,
        audit: Sequence[AuditRow],
        reply: Sequence[NewPart],
        buttons: Sequence[NewButton] = (),
    ) -> EffectOutcome:
        raise NotImplementedError

    async def find(self, click: Click) -> StoredButton | None:
        raise NotImplementedError

    async def refuse(self, envelope: Envelope, why: ClickRefusal, audit: AuditRow) -> Written:
        raise NotImplementedError
