"""The outbox of ports/outbox.py: parts claimed one at a time per chat, and what became of each. Contract D4."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    Connection,
    Integer,
    Row,
    Select,
    bindparam,
    case,
    func,
    or_,
    select,
    update,
)

from steward.errors import ContractError, StoreError
from steward.model.answer import OutgoingKind
from steward.model.delivery import (
    Arrived,
    Delivery,
    Fate,
    GivenUp,
    LostMessage,
    LostMessages,
    NewPart,
    OutboxDepth,
    Part,
    PartStatus,
    Repeated,
    SentRef,
    SteppedDown,
    TryAgain,
)
from steward.model.ids import (
    AppId,
    MessageRef,
    QuestionId,
    WorkerId,
)
from steward.model.turn import Question, QuestionStatus, TurnFailure, Written
from steward.policy.retry import FAR_AHEAD
from steward.ports.world import Clock
from steward.store import questions
from steward.store.columns import is_one_of
from steward.store.deliveries import delivery_of
from steward.store.engine import Database
from steward.store.lost import depth, lost, tell
from steward.store.parts import add_parts, close_if_last
from steward.store.revoking import revoke
from steward.store.schema import OPEN_PARTS, outbox

logger = logging.getLogger(__name__)

CORRUPT = "corrupt"
_WITHDRAWN = "withdrawn"
_REPEATED = "repeated"


_IMPORTANCE = case({kind: rank for rank, kind in enumerate(OutgoingKind)}, value=outbox.c.kind)


class SqlOutbox:
    """Implements ports.outbox.Outbox."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def claim(self, worker: WorkerId, *, limit: int, ttl: timedelta) -> Sequence[Delivery]:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _claim(connection, worker, limit, now, now + ttl)
        )

    async def finish(self, delivery: Delivery, fate: Fate) -> Written:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: _finish(connection, delivery, fate, now)
        )

    async def revoke(
        self, delivery: Delivery, failure: TurnFailure, notice: Sequence[NewPart]
    ) -> Written:
        now = self._clock.now()

        def work(connection: Connection) -> Written:
            asked, part = _held(connection, delivery)
            if part.status is not PartStatus.SENDING or part.tries != delivery.tries:
                return Written.LOST
            revoke(connection, asked, part, failure, notice, now)
            return Written.DONE

        return await self._database.write(work)

    async def due(self) -> datetime | None:
        return await self._database.read(_due)

    async def ours(self, message: MessageRef) -> bool:
        sent = select(outbox.c.id).where(
            outbox.c.app_id == message.app_id,
            outbox.c.provider_message_id == message.message_id,
        )
        return await self._database.read(
            lambda connection: connection.execute(sent.limit(1)).first() is not None
        )

    async def lost(self, app: AppId, *, most: int) -> LostMessages:
        return await self._database.read(lambda connection: lost(connection, app, most))

    async def tell(self, parts: Sequence[NewPart], lost: Sequence[LostMessage] = ()) -> Written:
        now = self._clock.now()
        return await self._database.write(lambda connection: tell(connection, parts, lost, now))

    async def depth(self, app: AppId) -> OutboxDepth:
        return await self._database.read(lambda connection: depth(connection, app))


def _heads() -> Any:
    """The oldest unfinished part of each chat: what is behind it waits, whatever it waits for itself."""
    columns = outbox.c
    place = func.row_number().over(
        partition_by=(columns.app_id, columns.chat_id),
        # A lower rung stands where the part stood that it replaces.
        order_by=(func.coalesce(columns.slot, columns.id), columns.id),
    )
    opened = (
        select(columns.id, place.label("place"))
        .where(is_one_of(columns.status, *OPEN_PARTS))
        .subquery()
    )
    return select(opened.c.id).where(opened.c.place == 1)


def _due_at() -> Any:
    """When a part may be tried: at its time, or, where a try was never reported, when that try's lease is over."""
    columns = outbox.c
    sending = is_one_of(columns.status, PartStatus.SENDING)
    return case((sending, columns.lease_until), else_=columns.next_at)


@cache
def _claimable() -> Select[Any]:
    """At most `most` parts that may be tried `now`, the most important first, then who waits longest.

    Put together once: that takes longer than running it.
    """
    columns = outbox.c
    return (
        select(columns.id)
        .where(
            columns.id.in_(_heads()),
            # Asked once more of the row itself: another worker may have claimed it meanwhile.
            is_one_of(columns.status, *OPEN_PARTS),
            # What waits for longer than any pause is from before the clock was set back.
            or_(
                _due_at() <= bindparam("now"),
                (columns.status != PartStatus.SENDING) & (columns.next_at > bindparam("far")),
            ),
        )
        .order_by(_IMPORTANCE, _due_at(), columns.id)
        .limit(bindparam("most", type_=Integer))
        .with_for_update(skip_locked=True, key_share=True)
    )


@cache
def _next_due() -> Select[Any]:
    columns = outbox.c
    return select(func.min(_due_at())).where(
        columns.id.in_(_heads()), is_one_of(columns.status, *OPEN_PARTS)
    )


def _due(connection: Connection) -> datetime | None:
    due: datetime | None = connection.execute(_next_due()).scalar_one()
    return due


def _claim(
    connection: Connection, worker: WorkerId, limit: int, now: datetime, until: datetime
) -> list[Delivery]:
    columns = outbox.c
    when = {"now": now, "far": now + FAR_AHEAD, "most": limit}
    due = connection.execute(_claimable(), when).scalars().all()
    if not due:
        return []
    unreported = is_one_of(columns.status, PartStatus.SENDING)
    claimed = connection.execute(
        update(outbox)
        .where(columns.id.in_(due))
        .values(
            # The right side speaks of the row as it was: found in SENDING, its last try may have arrived,
            # and the platform's own memory of the uuid runs from then.
            first_unknown_at=func.coalesce(
                columns.first_unknown_at, case((unreported, columns.claimed_at))
            ),
            status=PartStatus.SENDING,
            tries=columns.tries + 1,
            claimed_at=now,
            lease_owner=worker,
            lease_until=until,
        )
        .returning(*columns)
    )
    whole = [_whole(connection, row, now) for row in claimed.all()]
    return sorted(filter(None, whole), key=lambda delivery: delivery.id)


def _whole(connection: Connection, row: Row[Any], now: datetime) -> Delivery | None:
    """None: it is corrupt, and given up, so that it keeps nothing else back; its owner hears of it (W3)."""
    try:
        return delivery_of(row)
    except StoreError:
        logger.warning("outbox: part %d is corrupt", row.id)
    of = row.question_id
    asked = None if of is None else questions.load(connection, QuestionId(of), lock=True)
    _dead(connection, row, asked, CORRUPT, now)
    return None


def _finish(connection: Connection, delivery: Delivery, fate: Fate, now: datetime) -> Written:
    asked, part = _held(connection, delivery)
    withdrawn = asked is not None and asked.status is QuestionStatus.WITHDRAWN
    if isinstance(fate, Arrived):
        return _arrived(connection, part, asked, fate.sent, now)
    if part.status is not PartStatus.SENDING or part.tries != delivery.tries:
        return Written.LOST
    match fate:
        case TryAgain():
            _again(connection, part, asked, fate, now, withdrawn=withdrawn)
        case Repeated():
            _repeat(connection, part, asked, delivery, fate.part, now, withdrawn=withdrawn)
        case SteppedDown():
            _step_down(connection, part, asked, delivery, fate.failure, now, withdrawn=withdrawn)
        case GivenUp():
            _dead(connection, part, asked, fate.failure, now)
    return Written.DONE


def _held(connection: Connection, delivery: Delivery) -> tuple[Question | None, Row[Any]]:
    """Its question, and the part as it stands; both held until the commit, in the order in which everybody does."""
    asked = None
    if delivery.question is not None:
        asked = questions.load(connection, delivery.question, lock=True)
    part = connection.execute(
        select(outbox).where(outbox.c.id == delivery.id).with_for_update(key_share=True)
    ).one_or_none()
    if part is None:
        raise ContractError(f"there is no part {delivery.id}")
    return asked, part


def _arrived(
    connection: Connection, part: Row[Any], asked: Question | None, sent: SentRef, now: datetime
) -> Written:
    """True whoever reports it, and however late: also of a try whose lease was lost, or whose question was."""
    if part.status is PartStatus.SENT:
        return Written.REPLAY
    if part.status is PartStatus.REPLACED:
        return Written.LOST
    _set(
        connection,
        part,
        status=PartStatus.SENT,
        provider_message_id=sent.message.message_id,
        provider_card_id=sent.card,
        sent_at=now,
        failure=None,
    )
    close_if_last(connection, part, asked, now)
    return Written.DONE


def _again(
    connection: Connection,
    part: Row[Any],
    asked: Question | None,
    fate: TryAgain,
    now: datetime,
    *,
    withdrawn: bool,
) -> None:
    first_unknown = part.first_unknown_at or (part.claimed_at if fate.unknown else None)
    if first_unknown is None and withdrawn:
        _dead(connection, part, asked, _WITHDRAWN, now)
        return
    _set(
        connection,
        part,
        # A refusal of this try says nothing of an earlier one that may have arrived.
        status=PartStatus.PENDING if first_unknown is None else PartStatus.UNKNOWN,
        first_unknown_at=first_unknown,
        next_at=fate.at,
        spared=part.spared + (not fate.counted),
    )


def _step_down(
    connection: Connection,
    part: Row[Any],
    asked: Question | None,
    delivery: Delivery,
    failure: str,
    now: datetime,
    *,
    withdrawn: bool,
) -> None:
    if part.first_unknown_at is not None:
        raise ContractError("a part that may have arrived has no lower rung")
    if withdrawn or not delivery.lower:
        _dead(connection, part, asked, _WITHDRAWN if withdrawn else failure, now)
        return
    rung, rest = delivery.lower[0], delivery.lower[1:]
    replacements = [_replacement(delivery, one, rest if len(rung) == 1 else ()) for one in rung]
    _replace(connection, part, replacements, failure, now)


def _repeat(
    connection: Connection,
    part: Row[Any],
    asked: Question | None,
    delivery: Delivery,
    repeat: Part,
    now: datetime,
    *,
    withdrawn: bool,
) -> None:
    """Its repeat takes its place, with a key and a memory of its own; it never steps down: the first may stand there."""
    if part.first_unknown_at is None or delivery.part.is_repeat or not repeat.is_repeat:
        raise ContractError("only what may have arrived is sent once more, and only once")
    if withdrawn:
        _dead(connection, part, asked, _WITHDRAWN, now)
        return
    _replace(connection, part, [_replacement(delivery, repeat, ())], _REPEATED, now)


def _replace(
    connection: Connection,
    part: Row[Any],
    replacements: Sequence[NewPart],
    failure: str,
    now: datetime,
) -> None:
    """Others stand for it from now on: whether the message arrived is theirs to say."""
    _set(connection, part, status=PartStatus.REPLACED, failure=failure)
    written = add_parts(
        connection,
        replacements,
        inbox_id=part.inbox_id,
        now=now,
        slot=part.id if part.slot is None else part.slot,
    )
    if written < len(replacements):
        raise ContractError("what replaces a part stands in the outbox already")


def _replacement(delivery: Delivery, part: Part, lower: tuple[tuple[Part, ...], ...]) -> NewPart:
    return NewPart(
        subject=delivery.subject,
        attempt=delivery.attempt,
        kind=delivery.kind,
        question=delivery.question,
        place=delivery.place,
        part=part,
        lower=lower,
        guard=delivery.guard,
    )


def _dead(
    connection: Connection, part: Row[Any], asked: Question | None, failure: str, now: datetime
) -> None:
    _set(connection, part, status=PartStatus.DEAD, failure=failure)
    close_if_last(connection, part, asked, now)


def _set(connection: Connection, part: Row[Any], **values: object) -> None:
    """Whatever happened to it, the try is over."""
    connection.execute(
        update(outbox)
        .where(outbox.c.id == part.id)
        .values(lease_owner=None, lease_until=None, **values)
    )
