"""The inbox of ports/inbox.py: recorded events under leases, and the verdict on each.

What is written by a verdict stands in questions.py and withdrawal.py, the group commit in recording.py.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Integer,
    Row,
    Select,
    bindparam,
    func,
    or_,
    select,
    union_all,
    update,
)

from steward.errors import StoreRejectedError
from steward.model.audience import Audience, Declined, Ignored, IgnoreReason, Limits
from steward.model.audit import AuditRow
from steward.model.delivery import NewPart
from steward.model.events import Envelope, Lane, Recorded, Taken, Verdict
from steward.model.ids import (
    ConversationId,
    InboxId,
    MessageRef,
    OpenId,
    QuestionId,
    WorkerId,
)
from steward.model.turn import NewQuestion, TurnFailure, Written
from steward.policy.retry import FAR_AHEAD
from steward.ports.world import Clock
from steward.store import audited, questions, withdrawal
from steward.store.audit import note
from steward.store.columns import is_one_of
from steward.store.engine import Database
from steward.store.recording import record_batch, record_unstorable
from steward.store.schema import inbox
from steward.store.verdicts import judge

_AUDITED = frozenset({IgnoreReason.AUDIENCE_UNKNOWN, IgnoreReason.NOT_PROVEN})
"""Refused in silence, and not merely none of our business."""


class SqlInbox:
    """Implements ports.inbox.Inbox."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def record(self, batch: Sequence[Envelope]) -> Sequence[Recorded]:
        if not batch:
            return []
        try:
            return await self._database.write(partial(record_batch, batch=batch), first=True)
        except StoreRejectedError:
            if len(batch) > 1:
                middle = len(batch) // 2
                return [*await self.record(batch[:middle]), *await self.record(batch[middle:])]
        alone = partial(record_unstorable, envelope=batch[0])
        return [await self._database.write(alone, first=True)]

    async def take(
        self, worker: WorkerId, *, lane: Lane, limit: int, ttl: timedelta
    ) -> Sequence[Taken]:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _take(connection, worker, lane, limit, now, now + ttl)
        )

    async def admit(
        self, item: InboxId, question: NewQuestion, limits: Limits | None = None
    ) -> QuestionId | Declined | Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: questions.admit(connection, item, question, limits, now)
        )

    async def owe(
        self, item: InboxId, question: NewQuestion, failure: TurnFailure, notice: Sequence[NewPart]
    ) -> Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: questions.owe(connection, item, question, failure, notice, now)
        )

    async def ignore(
        self,
        item: InboxId,
        why: Ignored,
        *,
        audience: Audience | None = None,
        asker: OpenId | None = None,
    ) -> Written:
        now = self._clock.now()

        def work(connection: Connection) -> Written:
            if not judge(
                connection, item, Verdict.IGNORED, reason=why.reason, closed=True, now=now
            ):
                return Written.LOST
            if why.reason in _AUDITED:
                note(connection, audited.refused(item, why.reason, audience, asker), now)
            return Written.DONE

        return await self._database.write(work)

    async def decline(
        self,
        item: InboxId,
        why: Declined,
        notice: Sequence[NewPart],
        *,
        audience: Audience | None = None,
        asker: OpenId | None = None,
    ) -> Written:
        row = audited.refused(item, why.reason, audience, asker)
        return await self._tell(item, Verdict.DECLINED, why.reason, notice, row)

    async def unparsable(self, item: InboxId, reason: str, notice: Sequence[NewPart]) -> Written:
        return await self._tell(item, Verdict.UNPARSABLE, reason, notice)

    async def defer(self, item: InboxId, *, until: datetime) -> Written:
        return await self._put_back(item, {"not_before": until, "attempts": inbox.c.attempts - 1})

    async def release(self, item: InboxId, *, until: datetime) -> Written:
        return await self._put_back(item, {"not_before": until})

    async def withdraw(self, item: InboxId, message: MessageRef) -> Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: withdrawal.withdraw(connection, item, message, now)
        )

    async def _tell(
        self,
        item: InboxId,
        verdict: Verdict,
        reason: str,
        notice: Sequence[NewPart],
        row: AuditRow | None = None,
    ) -> Written:
        now = self._clock.now()

        def work(connection: Connection) -> Written:
            if not judge(connection, item, verdict, reason=reason, now=now):
                return Written.LOST
            if row is not None:
                note(connection, row, now)
            kept = [part for part in notice if not _to_recalled(connection, part)]
            questions.add_notice(connection, kept, of_question=None, inbox_id=item, now=now)
            return Written.DONE

        return await self._database.write(work)

    async def _put_back(self, item: InboxId, values: dict[str, Any]) -> Written:
        statement = (
            update(inbox)
            .where(inbox.c.id == item, inbox.c.verdict.is_(None))
            .values(lease_owner=None, lease_until=None, **values)
        )
        return await self._database.write(
            lambda connection: _written(connection.execute(statement).rowcount == 1)
        )


def _to_recalled(connection: Connection, part: NewPart) -> bool:
    message = part.place.reply_to
    return message is not None and withdrawal.is_recalled(connection, message)


def _written(done: bool) -> Written:
    return Written.DONE if done else Written.LOST


def _take(
    connection: Connection,
    worker: WorkerId,
    lane: Lane,
    limit: int,
    now: datetime,
    until: datetime,
) -> list[Taken]:
    when = {"now": now, "far": now + FAR_AHEAD, "most": limit}
    due = connection.execute(_due(lane), when).scalars().all()
    if not due:
        return []
    columns = inbox.c
    leased = connection.execute(
        update(inbox)
        .where(columns.id.in_(due))
        .values(lease_owner=worker, lease_until=until, attempts=columns.attempts + 1)
        .returning(*columns)
    )
    return sorted(map(_taken, leased), key=lambda taken: taken.id)


@cache
def _due(lane: Lane) -> Select[Any]:
    """At most `most` rows of this lane that may be taken `now`. Put together once: that costs more than it runs."""
    columns = inbox.c
    now: BindParameter[datetime] = bindparam("now")
    return (
        select(columns.id)
        .where(
            columns.id.in_(_heads() if lane is Lane.ORDERED else _waiting(lane)),
            # Asked once more of the row itself: another worker may have judged it meanwhile.
            columns.verdict.is_(None),
            or_(
                columns.not_before.is_(None),
                columns.not_before <= now,
                columns.not_before > bindparam("far"),  # the clock was set back since
            ),
            or_(columns.lease_until.is_(None), columns.lease_until <= now),
        )
        .order_by(columns.id)
        .limit(bindparam("most", type_=Integer))
        .with_for_update(skip_locked=True)
    )


def _waiting(lane: Lane) -> Select[Any]:
    return select(inbox.c.id).where(inbox.c.verdict.is_(None), is_one_of(inbox.c.lane, lane))


def _heads() -> Select[Any]:
    """The oldest unjudged row of each conversation; one without a conversation stands for itself.

    A head that is leased or deferred holds back what is behind it: that is how order is kept.
    """
    ordered = _waiting(Lane.ORDERED)
    oldest = (
        select(func.min(inbox.c.id))
        .where(
            inbox.c.verdict.is_(None),
            is_one_of(inbox.c.lane, Lane.ORDERED),
            inbox.c.conversation.is_not(None),
        )
        .group_by(inbox.c.conversation)
    )
    either = union_all(oldest, ordered.where(inbox.c.conversation.is_(None))).subquery()
    return select(either.c[0])


def _taken(row: Row[Any]) -> Taken:
    return Taken(InboxId(row.id), _envelope(row), row.attempts)


def _envelope(row: Row[Any]) -> Envelope:
    return Envelope(
        app_id=row.app_id,
        event_id=row.event_id,
        kind=row.kind,
        lane=row.lane,
        conversation=None if row.conversation is None else ConversationId.parse(row.conversation),
        message=None if row.message_id is None else MessageRef(row.app_id, row.message_id),
        tenant_key=row.tenant_key,
        occurred_at=row.occurred_at,
        received_at=row.received_at,
        body=bytes(row.body),
    )
