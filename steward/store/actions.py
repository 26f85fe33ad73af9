"""Buttons as rows: written with their answer, and loaded with everything that a press on one is judged by."""

from collections.abc import Sequence

from sqlalchemy import Connection, Row, exists, func, select

from steward.model.action import Action, NewAction, Offer
from steward.model.events import Click
from steward.model.ids import QuestionId
from steward.model.turn import Question
from steward.store import questions
from steward.store.grants import grants_of
from steward.store.parts import carrier
from steward.store.recording import storable_key
from steward.store.schema import action, click, outbox, session, turn
from steward.store.statements import conversation_key
from steward.store.withdrawal import is_recalled


def add_actions(
    connection: Connection, actions: Sequence[NewAction], *, of_question: QuestionId
) -> None:
    """Write what the buttons under this question's answer stand for."""
    if not actions:
        return
    connection.execute(
        action.insert(),
        [
            {
                "nonce": one.nonce,
                "kind": one.kind,
                "question_id": of_question,
                "goal": one.goal,
                "expires_at": one.expires_at,
            }
            for one in actions
        ],
    )


def offer_of(connection: Connection, pressed: Click, *, lock: bool = False) -> Offer | None:
    """The button of this nonce; where `lock`, held against every other press until the commit."""
    if pressed.nonce is None:
        return None
    query = select(action).where(action.c.nonce == storable_key(pressed.nonce))
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        return None
    asked = questions.load(connection, QuestionId(row.question_id))
    carried, sending = carrier(connection, pressed, outbox.c.question_id == asked.id)
    return Offer(
        action=_action(row, asked),
        question=asked,
        grants=tuple(grants_of(connection, asked.audience.grant_key)),
        carried=carried,
        sending=sending,
        recalled=is_recalled(connection, asked.message),
        pressed=is_pressed(connection, pressed),
        forgotten=_is_forgotten(connection, asked),
        called=_called(connection, asked.id),
    )


def key_of(pressed: Click) -> dict[str, str] | None:
    """What makes a press the same press; a nonce is the presser's text and may be anything."""
    operator = pressed.operator.open_id
    if pressed.message is None or pressed.nonce is None or operator is None:
        return None
    return {
        "app_id": storable_key(pressed.message.app_id),
        "message_id": storable_key(pressed.message.message_id),
        "nonce": storable_key(pressed.nonce),
        "operator": storable_key(operator),
    }


def _action(row: Row[tuple[object, ...]], asked: Question) -> Action:
    return Action(
        nonce=row.nonce,
        kind=row.kind,
        question=asked.id,
        conversation=asked.conversation,
        chat=asked.audience.chat_id,
        goal=row.goal,
        expires_at=row.expires_at,
        used_at=row.used_at,
        used_by=row.used_by,
    )


def _is_forgotten(connection: Connection, asked: Question) -> bool:
    """Whether it was last tried, or taken in, before its conversation's past was hidden (S3)."""
    begun = select(func.max(turn.c.id)).where(turn.c.question_id == asked.id)
    last = connection.execute(begun).scalar_one()
    past = session.c.hidden_question >= asked.id if last is None else session.c.hidden_turn >= last
    hidden = exists().where(session.c.conversation == conversation_key(asked.conversation), past)
    return connection.execute(select(hidden)).scalar_one()


def _called(connection: Connection, asked: QuestionId) -> tuple[str, ...]:
    """The endpoints that were called for it, each once; whatever they have done is done."""
    found = select(turn.c.endpoint).where(
        turn.c.question_id == asked, turn.c.calling_at.is_not(None)
    )
    return tuple(sorted(set(connection.execute(found).scalars())))


def is_pressed(connection: Connection, pressed: Click) -> bool:
    """Whether this very press, of this operator on this button of this message, took effect before."""
    key = key_of(pressed)
    if key is None:
        return False
    same = exists().where(*(click.c[name] == value for name, value in key.items()))
    return connection.execute(select(same)).scalar_one()
