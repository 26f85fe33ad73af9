"""What the audit says of messages, questions, readings, presses and parts. Contract A4.

Ids and codes alone: what an asker wrote, or an endpoint made up, is in none of these rows.
"""

from sqlalchemy import Row

from steward.model.action import ClickRefusal, Offer
from steward.model.audience import Audience
from steward.model.audit import STEWARD, UNKNOWN, AuditAct, AuditRow
from steward.model.events import Click, Envelope
from steward.model.ids import ChatId, InboxId, OpenId, QuestionId
from steward.model.reading import Reading
from steward.model.turn import NewQuestion, Question
from steward.store.recording import storable_key


def admitted(asked: NewQuestion, of: QuestionId, reason: str | None = None) -> AuditRow:
    """A question was taken in; `reason`: why it ended at once."""
    return _of_question(AuditAct.ADMITTED, asked.asker, asked.audience, of, reason)


def refused(
    item: InboxId, reason: str, audience: Audience | None, asker: OpenId | None
) -> AuditRow:
    """A message was refused, in sight of its sender or in silence."""
    return AuditRow(
        AuditAct.REFUSED,
        asker or UNKNOWN,
        audience=None if audience is None else audience.grant_key,
        chat=None if audience is None else audience.chat_id,
        reason=reason,
        subject=f"inbox:{item}",
    )


def read(asked: Question, reading: Reading) -> AuditRow:
    """A read, whatever came of it: the first reason why anything of it failed."""
    failed = reading.refused or next(iter(reading.failures), None)
    reason = None if failed is None else failed.code
    return AuditRow(
        AuditAct.READ,
        asked.asker,
        audience=asked.audience.grant_key,
        chat=asked.audience.chat_id,
        reason=reason,
        subject=_read(reading),
    )


def rotated(asked: Question) -> AuditRow:
    """The conversation's thread was closed, and another one is opened for this question (S2)."""
    return _of_question(AuditAct.SESSION_ROTATED, STEWARD, asked.audience, asked.id)


def pressed(offer: Offer, operator: str) -> AuditRow:
    """A press took effect on the question that its button belongs to."""
    asked = offer.question
    return _of_question(AuditAct.PRESSED, operator, asked.audience, asked.id)


def unpressed(envelope: Envelope, click: Click | None, why: ClickRefusal) -> AuditRow:
    """A press did nothing. Where it was made is the presser's word: no audience is known."""
    operator = None if click is None else click.operator.open_id
    actor = UNKNOWN if operator is None else storable_key(operator)
    where = envelope.conversation
    return AuditRow(
        AuditAct.REFUSED,
        actor,
        chat=None if where is None else where.chat_id,
        reason=why,
    )


def sent(part: Row[tuple[object, ...]], asked: Question | None, failure: str | None) -> AuditRow:
    """A message arrived whole; or not, for the reason `failure`."""
    act = AuditAct.DELIVERED if failure is None else AuditAct.UNDELIVERED
    return _of_part(act, part, asked, failure)


def withheld(part: Row[tuple[object, ...]], asked: Question | None, reason: str) -> AuditRow:
    """What a message still had to show was dropped (A3)."""
    return _of_part(AuditAct.WITHHELD, part, asked, reason)


def _of_question(
    act: AuditAct, actor: str, audience: Audience, of: QuestionId, reason: str | None = None
) -> AuditRow:
    return AuditRow(
        act,
        actor,
        audience=audience.grant_key,
        chat=audience.chat_id,
        reason=reason,
        subject=f"question:{of}",
    )


def _of_part(
    act: AuditAct, part: Row[tuple[object, ...]], asked: Question | None, reason: str | None
) -> AuditRow:
    return AuditRow(
        act,
        STEWARD,
        audience=None if asked is None else asked.audience.grant_key,
        chat=ChatId(part.chat_id),
        reason=reason,
        subject=_carried(part),
    )


def _carried(part: Row[tuple[object, ...]]) -> str:
    if part.question_id is not None:
        return f"question:{part.question_id}"
    return part.subject if part.inbox_id is None else f"inbox:{part.inbox_id}"


def _read(reading: Reading) -> str | None:
    """View, source and goal. What a refused call asked for may be anything: only a source that we named is kept."""
    query, refused_by = reading.query, reading.refused
    if query is None:
        return None
    source = query.source if refused_by is None else refused_by.source
    goal = query.goal if refused_by is None else None
    return f"{query.view}/{source or '*'}/{goal or '*'}"
