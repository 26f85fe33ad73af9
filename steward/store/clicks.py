"""The clicks of ports/clicks.py: an inbox row, the press's own key and its effect, in one commit. Contract A5."""

from datetime import datetime

from sqlalchemy import Connection, update

from steward.errors import StoreRejectedError
from steward.model.action import (
    ONCE,
    AskedAgain,
    ClickRefusal,
    Offer,
    PressEffect,
    Requeued,
    Shown,
    Warned,
)
from steward.model.audience import Limits
from steward.model.events import Click, Envelope, Verdict
from steward.model.turn import Written
from steward.ports.world import Clock
from steward.store import audited, questions
from steward.store.actions import add_actions, key_of, offer_of
from steward.store.audit import note, note_all
from steward.store.engine import Database
from steward.store.parts import add_parts
from steward.store.recording import record_judged, record_unstorable
from steward.store.schema import action
from steward.store.schema import click as pressed
from steward.store.statements import hold_message


class SqlClicks:
    """Implements ports.clicks.Clicks."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def find(self, click: Click) -> Offer | None:
        return await self._database.read(lambda connection: offer_of(connection, click))

    async def refuse(
        self, envelope: Envelope, why: ClickRefusal, click: Click | None = None
    ) -> Written:
        now = self._clock.now()
        try:
            return await self._database.write(
                lambda connection: _refuse(connection, envelope, why, click, now), first=True
            )
        except StoreRejectedError:
            await self._database.write(
                lambda connection: record_unstorable(connection, envelope), first=True
            )
            return Written.DONE

    async def press(
        self,
        envelope: Envelope,
        click: Click,
        seen: Offer,
        effect: PressEffect,
        limits: Limits | None = None,
    ) -> Written | ClickRefusal:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _press(connection, envelope, click, seen, effect, limits, now),
            first=True,
        )


def _refuse(
    connection: Connection,
    envelope: Envelope,
    why: ClickRefusal,
    click: Click | None,
    now: datetime,
) -> Written:
    recorded = record_judged(connection, envelope, Verdict.DECLINED, why, closed=True)
    if recorded.duplicate:
        return Written.REPLAY
    note(connection, audited.unpressed(envelope, click, why), now)
    return Written.DONE


def _press(
    connection: Connection,
    envelope: Envelope,
    click: Click,
    seen: Offer,
    effect: PressEffect,
    limits: Limits | None,
    now: datetime,
) -> Written | ClickRefusal:
    # Held in this order by everybody: the message against its recall, the asker, the button against other presses.
    hold_message(connection, seen.question.message)
    over = _over(connection, seen, effect, limits)
    key = key_of(click)
    if key is None or offer_of(connection, click, lock=True) != seen:
        return Written.LOST
    if over:
        return ClickRefusal.TOO_MANY
    again = isinstance(effect, Requeued)
    if again and not questions.is_still_owed(connection, seen.question):
        return Written.LOST
    verdict = Verdict.ADMITTED if isinstance(effect, AskedAgain) else Verdict.COMMAND
    recorded = record_judged(connection, envelope, verdict, closed=again)
    if recorded.duplicate:
        return Written.REPLAY
    connection.execute(pressed.insert(), {**key, "inbox_id": recorded.inbox, "recorded_at": now})
    if seen.action.kind in ONCE:
        connection.execute(
            update(action)
            .where(action.c.nonce == seen.action.nonce)
            .values(used_at=now, used_by=click.operator.open_id)
        )
    told = [audited.pressed(seen, key["operator"])]
    match effect:
        case AskedAgain(question):
            added = questions.ask_again(connection, recorded.inbox, question, now)
            told.append(audited.admitted(question, added))
        case Shown(parts):
            owned = [questions.owned(part, seen.question.id) for part in parts]
            add_parts(connection, owned, inbox_id=recorded.inbox, now=now)
        case Warned(parts, action_):
            owned = [questions.owned(part, seen.question.id) for part in parts]
            add_parts(connection, owned, inbox_id=recorded.inbox, now=now)
            add_actions(connection, [action_], of_question=seen.question.id)
        case Requeued():
            questions.requeue_owed(connection, seen.question)
    note_all(connection, told, now)
    return Written.DONE


def _over(connection: Connection, seen: Offer, effect: PressEffect, limits: Limits | None) -> bool:
    """Whether one more open question would be too many (A6); the asker is held from here on."""
    if limits is None or not isinstance(effect, AskedAgain | Requeued):
        return False
    return questions.over_limit(connection, seen.question, limits) is not None
