"""Effects of ports/effects.py: what a command does, its audit, its reply and the verdict of its cause. Contract D2."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, select, update

from steward.errors import ContractError, StoreRejectedError
from steward.model.action import ClickRefusal
from steward.model.audit import AuditRow
from steward.model.command import ApplyGrants, ApplyProfile, ApproveNames, NewButton, StoredButton
from steward.model.delivery import NewPart
from steward.model.effect import (
    ByMessage,
    ByOperator,
    ByPress,
    Cause,
    Changed,
    Done,
    Effect,
    EffectOutcome,
    Repeated,
)
from steward.model.events import Click, Envelope, Verdict
from steward.model.ids import AppId, InboxId, MessageRef
from steward.model.turn import TurnCode, Written
from steward.ports.world import Clock
from steward.store import owners, questions
from steward.store.actions import key_of
from steward.store.audit import note, note_all
from steward.store.buttons import add_buttons, button_of, is_approval
from steward.store.enacting import enact
from steward.store.engine import Database
from steward.store.parts import add_parts
from steward.store.recording import record_judged, record_unstorable
from steward.store.schema import click as pressed
from steward.store.schema import command_button, inbox
from steward.store.statements import hold_message
from steward.store.verdicts import judge
from steward.store.withdrawal import is_recalled


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
        now = self._clock.now()

        def work(connection: Connection) -> EffectOutcome:
            if isinstance(cause, ByMessage) and _taken_back(connection, cause.item, now):
                return Changed()
            app, item = _judged(connection, cause, effect, now)
            done = enact(connection, effect, app, item, now)
            if not isinstance(done, Done):
                raise _NothingWrittenError(done)
            note_all(connection, audit, now)
            _reply(connection, item, reply, now)
            add_buttons(connection, buttons, reply)
            return done

        try:
            return await self._database.write(work, first=isinstance(cause, ByPress))
        except _NothingWrittenError as undone:
            return undone.outcome

    async def find(self, click: Click) -> StoredButton | None:
        return await self._database.read(lambda connection: button_of(connection, click))

    async def refuse(self, envelope: Envelope, why: ClickRefusal, audit: AuditRow) -> Written:
        now = self._clock.now()
        try:
            return await self._database.write(
                lambda connection: _refuse(connection, envelope, why, audit, now), first=True
            )
        except StoreRejectedError:
            return await self._database.write(
                lambda connection: _keep(connection, envelope, audit, now), first=True
            )


class _NothingWrittenError(Exception):
    """Undoes the transaction: what was decided is no longer so. It never leaves this module."""

    def __init__(self, outcome: EffectOutcome) -> None:
        super().__init__("nothing was written")
        self.outcome = outcome


def _taken_back(connection: Connection, item: InboxId, now: datetime) -> bool:
    """Whether the message of a command was recalled before it took effect: then it has none, and no reply (D2)."""
    row = connection.execute(
        select(inbox.c.app_id, inbox.c.message_id).where(inbox.c.id == item)
    ).one_or_none()
    if row is None or row.message_id is None:
        return False
    message = MessageRef(row.app_id, row.message_id)
    hold_message(connection, message)
    if not is_recalled(connection, message):
        return False
    judge(connection, item, Verdict.IGNORED, reason=TurnCode.WITHDRAWN, closed=True, now=now)
    return True


def _judged(
    connection: Connection, cause: Cause, effect: Effect | None, now: datetime
) -> tuple[AppId | None, InboxId | None]:
    """The verdict of the cause: whose app it is of, and the row that its reply closes."""
    match cause:
        case ByMessage(item):
            if not judge(connection, item, Verdict.COMMAND, now=now):
                raise _NothingWrittenError(Changed())
            app = connection.execute(select(inbox.c.app_id).where(inbox.c.id == item)).scalar_one()
            return AppId(app), item
        case ByPress(envelope, click, seen):
            return envelope.app_id, _press(connection, envelope, click, seen, effect, now)
        case ByOperator(app):
            return app, None


def _press(
    connection: Connection,
    envelope: Envelope,
    click: Click,
    seen: StoredButton,
    effect: Effect | None,
    now: datetime,
) -> InboxId:
    """Keep the press, once; what it was decided by is looked at again, held against every other press."""
    key = key_of(click)
    if key is None or button_of(connection, click, lock=True) != seen:
        raise _NothingWrittenError(Changed())
    if seen.pressed or seen.used_at is not None:
        raise _NothingWrittenError(Repeated())
    _permitted(connection, envelope.app_id, click, seen.button, effect)
    recorded = record_judged(connection, envelope, Verdict.COMMAND, closed=False)
    if recorded.duplicate:
        raise _NothingWrittenError(Repeated())
    connection.execute(pressed.insert(), {**key, "inbox_id": recorded.inbox, "recorded_at": now})
    if is_approval(seen.button):
        connection.execute(
            update(command_button)
            .where(command_button.c.nonce == seen.button.nonce)
            .values(used_at=now, used_by=key["operator"])
        )
    return recorded.inbox


def _permitted(
    connection: Connection, app: AppId, click: Click, button: NewButton, effect: Effect | None
) -> None:
    """An approval does what its button says, or nothing, for the owner that it was offered to, who still is the owner.

    Nothing else may be approved by a press (P8, P9).
    """
    if not is_approval(button):
        if isinstance(effect, ApplyGrants | ApplyProfile | ApproveNames):
            raise ContractError("a button that is no approval approves nothing")
        return
    if effect is not None and effect != button.meaning:
        raise ContractError("an approval does what its button says")
    owner = owners.current(connection, app, lock=True)
    mine = owner is not None and owner.id == button.owner
    if owner is None or not mine or owner.open_id != click.operator.open_id:
        raise _NothingWrittenError(Changed())


def _reply(
    connection: Connection, item: InboxId | None, reply: Sequence[NewPart], now: datetime
) -> None:
    if item is None:
        add_parts(connection, reply, inbox_id=None, now=now)
    else:
        questions.add_notice(connection, reply, of_question=None, inbox_id=item, now=now)


def _refuse(
    connection: Connection, envelope: Envelope, why: ClickRefusal, audit: AuditRow, now: datetime
) -> Written:
    recorded = record_judged(connection, envelope, Verdict.DECLINED, why, closed=True)
    if recorded.duplicate:
        return Written.REPLAY
    note(connection, audit, now)
    return Written.DONE


def _keep(connection: Connection, envelope: Envelope, audit: AuditRow, now: datetime) -> Written:
    """An event that no store takes as it came; its chat may be what cannot be stored."""
    recorded = record_unstorable(connection, envelope)
    if recorded.duplicate:
        return Written.REPLAY
    note(connection, replace(audit, chat=None), now)
    return Written.DONE
