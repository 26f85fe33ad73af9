"""The leases of ports/conversations.py: who may work on a conversation, and by which fence."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import Connection, Integer, Select, bindparam, func, or_, select, update

from steward.model.ids import ConversationId, QuestionId, WorkerId
from steward.model.turn import Lease, QuestionStatus
from steward.ports.world import Clock
from steward.store.columns import is_one_of
from steward.store.engine import Database
from steward.store.schema import IN_FLIGHT, conversation, question
from steward.store.statements import conversation_key


class SqlConversations:
    """Implements ports.conversations.Conversations."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def claim(self, worker: WorkerId, *, limit: int, ttl: timedelta) -> Sequence[Lease]:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _claim(connection, worker, limit, now, now + ttl)
        )

    async def hold(
        self, worker: WorkerId, conversation: ConversationId, ttl: timedelta
    ) -> Lease | None:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _hold(connection, worker, conversation, now, now + ttl)
        )

    async def renew(self, leases: Sequence[Lease], ttl: timedelta) -> Sequence[Lease]:
        until = self._clock.now() + ttl
        return await self._database.write(lambda connection: _renew(connection, leases, until))

    async def release(self, lease: Lease) -> None:
        await self._database.write(
            lambda connection: (
                connection.execute(
                    update(conversation).where(*_held(lease)).values(owner=None, lease_until=None)
                ).rowcount
            )
        )

    async def next(self, lease: Lease) -> QuestionId | None:
        return await self._database.read(lambda connection: _next(connection, lease))


def holds(connection: Connection, lease: Lease) -> bool:
    """Whether the lease's fence is still the newest; held so until the commit.

    Its time is not asked: a lease that ran out, and that nobody took over, still keeps everyone else out.
    """
    row = connection.execute(
        select(conversation.c.id).where(*_held(lease)).with_for_update(key_share=True)
    ).one_or_none()
    return row is not None


def oldest_queued(connection: Connection, key: str) -> QuestionId | None:
    """By sequence id; None also where a question of this conversation is at work (T4)."""
    at_work = select(question.c.id).where(
        question.c.conversation == key, is_one_of(question.c.status, *IN_FLIGHT)
    )
    query = (
        select(func.min(question.c.id))
        .where(question.c.conversation == key, is_one_of(question.c.status, QuestionStatus.QUEUED))
        .where(~at_work.exists())
    )
    found = connection.execute(query).scalar_one_or_none()
    return None if found is None else QuestionId(found)


def _next(connection: Connection, lease: Lease) -> QuestionId | None:
    ours = connection.execute(select(conversation.c.id).where(*_held(lease))).one_or_none()
    return None if ours is None else oldest_queued(connection, ours.id)


def _held(lease: Lease) -> tuple[Any, ...]:
    return (
        conversation.c.id == conversation_key(lease.conversation),
        conversation.c.fence == lease.fence,
        conversation.c.owner == lease.worker,
    )


def _claim(
    connection: Connection, worker: WorkerId, limit: int, now: datetime, until: datetime
) -> list[Lease]:
    free = connection.execute(_free(), {"now": now, "most": limit})
    order = {key: place for place, key in enumerate(free.scalars())}
    if not order:
        return []
    claimed = connection.execute(
        update(conversation)
        .where(conversation.c.id.in_(order))
        .values(owner=worker, lease_until=until, fence=conversation.c.fence + 1)
        .returning(conversation.c.id, conversation.c.fence)
    )
    rows = sorted(claimed, key=lambda row: order[row.id])
    return [Lease(ConversationId.parse(key), worker, fence, until) for key, fence in rows]


def _hold(
    connection: Connection, worker: WorkerId, held: ConversationId, now: datetime, until: datetime
) -> Lease | None:
    free = conversation.c.lease_until
    waiting = select(question.c.id).where(
        question.c.conversation == conversation.c.id,
        is_one_of(question.c.status, QuestionStatus.QUEUED),
    )
    fence = connection.execute(
        update(conversation)
        .where(
            conversation.c.id == conversation_key(held),
            or_(free.is_(None), free <= now),
            ~_at_work().exists(),
            ~waiting.exists(),
        )
        .values(owner=worker, lease_until=until, fence=conversation.c.fence + 1)
        .returning(conversation.c.fence)
    ).scalar_one_or_none()
    return None if fence is None else Lease(held, worker, fence, until)


@cache
def _free() -> Select[Any]:
    """At most `most` conversations to be worked on, by their oldest question. Put together once: that takes long."""
    waiting = (
        select(question.c.conversation, func.min(question.c.id).label("oldest"))
        .where(is_one_of(question.c.status, QuestionStatus.QUEUED))
        .group_by(question.c.conversation)
        .subquery()
    )
    until = conversation.c.lease_until
    return (
        select(conversation.c.id)
        .join(waiting, waiting.c.conversation == conversation.c.id)
        .where(or_(until.is_(None), until <= bindparam("now")), ~_at_work().exists())
        .order_by(waiting.c.oldest)
        .limit(bindparam("most", type_=Integer))
        .with_for_update(skip_locked=True, key_share=True, of=conversation)
    )


def _at_work() -> Any:
    """A question of the conversation that was begun and not ended: recovery decides about it, not a new worker."""
    return select(question.c.id).where(
        question.c.conversation == conversation.c.id, is_one_of(question.c.status, *IN_FLIGHT)
    )


def _renew(connection: Connection, leases: Sequence[Lease], until: datetime) -> list[Lease]:
    kept = []
    for lease in sorted(leases, key=lambda lease: str(lease.conversation)):
        done = connection.execute(
            update(conversation).where(*_held(lease)).values(lease_until=until)
        )
        if done.rowcount == 1:
            kept.append(Lease(lease.conversation, lease.worker, lease.fence, until))
    return kept
