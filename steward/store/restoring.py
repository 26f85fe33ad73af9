"""The restored store of ports/restored.py: what may have happened since the backup is not done again. Contracts D4, S3, P8."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, func, literal, select, update

from steward.model.action import ActionKind
from steward.model.audit import OPERATOR, AuditAct, AuditRow
from steward.model.delivery import NewPart, PartStatus
from steward.model.events import EventKind, Verdict
from steward.model.ids import QuestionId
from steward.model.turn import Question, QuestionStatus, TurnCode, TurnFailure, TurnStage
from steward.model.upkeep import MadeSafe
from steward.policy.retry import SAFE_REPEAT
from steward.ports.world import Clock
from steward.store import machine, questions
from steward.store.audit import note
from steward.store.codec import FAILURE
from steward.store.columns import Instant, is_one_of
from steward.store.engine import Database
from steward.store.parts import close_inbox
from steward.store.schema import (
    LIVE_STAGES,
    OPEN_PARTS,
    OPEN_QUESTIONS,
    action,
    command_button,
    conversation,
    inbox,
    outbox,
    question,
    turn,
)
from steward.store.sessions import forget_everywhere

RESTORED = "restored"
"""The reason of a message that was not read before its store was backed up."""

_INTERRUPTED = TurnFailure(TurnCode.INTERRUPTED)


class SqlRestored:
    """Implements ports.restored.Restored."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def unfinished(self) -> Sequence[Question]:
        return await self._database.read(
            lambda connection: [questions.from_row(row) for row in _unfinished(connection)]
        )

    async def make_safe(self, notices: Mapping[QuestionId, Sequence[NewPart]]) -> MadeSafe:
        now = self._clock.now()
        return await self._database.write(lambda connection: _make_safe(connection, notices, now))


def _make_safe(
    connection: Connection, notices: Mapping[QuestionId, Sequence[NewPart]], now: datetime
) -> MadeSafe:
    before = machine.standing_revision(connection)
    machine.restrict(connection, now)
    restricted = machine.standing_revision(connection) != before
    _release(connection)
    done = MadeSafe(
        restricted=restricted,
        # Before the notices: those have surely not been sent.
        doubtful=_doubt(connection, now),
        owed=_owe(connection, notices, now),
        unread=_leave_unread(connection, now),
        void=_void(connection, now),
    )
    forget_everywhere(connection, now)
    reason = "restricted" if restricted else None
    note(connection, AuditRow(AuditAct.RESTORED, OPERATOR, reason=reason), now)
    return done


def _release(connection: Connection) -> None:
    """Nobody holds anything: who did is gone, or serves the store that was replaced."""
    connection.execute(update(conversation).values(owner=None, lease_until=None))
    connection.execute(
        update(inbox).where(inbox.c.verdict.is_(None)).values(lease_owner=None, lease_until=None)
    )


def _doubt(connection: Connection, now: datetime) -> int:
    """Whatever was not sent then may have been since, and too long ago for the platform to know its key (D4).

    It is looked for from the time on at which it was written: no try can have been before.
    """
    columns = outbox.c
    since = func.coalesce(columns.first_unknown_at, columns.created_at, type_=Instant)
    late = literal(now - SAFE_REPEAT, Instant)
    doubted = connection.execute(
        update(outbox)
        .where(is_one_of(columns.status, *OPEN_PARTS))
        .values(
            status=PartStatus.UNKNOWN,
            first_unknown_at=case((since < late, since), else_=late),
            next_at=now,
            lease_owner=None,
            lease_until=None,
        )
    )
    return int(doubted.rowcount)


def _unfinished(connection: Connection) -> Sequence[Any]:
    return connection.execute(
        select(question)
        .where(is_one_of(question.c.status, *OPEN_QUESTIONS))
        .order_by(question.c.id)
    ).all()


def _owe(
    connection: Connection, notices: Mapping[QuestionId, Sequence[NewPart]], now: datetime
) -> int:
    """What may have been answered is not answered again by itself; its asker is told so, and can ask (T4).

    Nor is it settled from a candidate that came late (T8).
    """
    connection.execute(update(turn).where(turn.c.late_at.is_not(None)).values(late_at=None))
    found = [questions.from_row(row) for row in _unfinished(connection)]
    for asked in found:
        connection.execute(
            update(turn)
            .where(turn.c.question_id == asked.id, is_one_of(turn.c.stage, *LIVE_STAGES))
            .values(stage=TurnStage.FAILED, failure=FAILURE.dump(_INTERRUPTED), ended_at=now)
        )
        connection.execute(
            update(question)
            .where(question.c.id == asked.id)
            .values(status=QuestionStatus.OWED, failure=FAILURE.dump(_INTERRUPTED))
        )
        questions.add_notice(
            connection, notices[asked.id], of_question=asked.id, inbox_id=asked.inbox, now=now
        )
    return len(found)


def _leave_unread(connection: Connection, now: datetime) -> int:
    """A message may hold a command, which is never replayed (D2), or a question that was answered since.

    Recalls and changes of chats stay as they are: doing those once more does no harm.
    """
    unread = connection.execute(
        select(inbox.c.id).where(
            inbox.c.verdict.is_(None),
            is_one_of(inbox.c.kind, EventKind.MESSAGE, EventKind.MENU, EventKind.FIRST_CONTACT),
        )
    )
    items = list(unread.scalars())
    for item in items:
        connection.execute(
            update(inbox)
            .where(inbox.c.id == item)
            .values(verdict=Verdict.UNPARSABLE, reason=RESTORED, judged_at=now)
        )
        close_inbox(connection, item, now)
    return len(items)


def _void(connection: Connection, now: datetime) -> int:
    """What a button changed since would be changed a second time; rows behind an answer are only shown."""
    void = 0
    for table in (command_button, action):
        columns = table.c
        offers = [columns.expires_at > now, columns.used_at.is_(None)]
        if table is action:
            offers.append(columns.kind != ActionKind.EVIDENCE)
        void += connection.execute(update(table).where(*offers).values(expires_at=now)).rowcount
    return void
