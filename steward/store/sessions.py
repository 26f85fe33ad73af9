"""Session rows: what each conversation was really started with (S1). They report; nothing decides by them."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Table, bindparam, func, select, true, update

from steward.errors import StoreError
from steward.model.audience import Audience, AudienceKind
from steward.model.ids import AttemptToken, ChatId, ConversationId
from steward.model.profile import Readback
from steward.model.session import Exchange, Opening, Session, SessionStart, SixFields
from steward.model.topic import Topic
from steward.model.turn import QuestionStatus
from steward.store.codec import NAMES, TOPIC, Codec, load_answer
from steward.store.columns import is_one_of
from steward.store.engine import Database
from steward.store.schema import answer, conversation, question, session, turn
from steward.store.statements import conversation_key, insert

logger = logging.getLogger(__name__)

T = TypeVar("T")

UNREADABLE = "unavailable"
"""The scope revision of a corrupt session: no scope has it."""


@dataclass(frozen=True, slots=True)
class Begin:
    """What a turn starts with, as it is stored."""

    attempt: AttemptToken
    endpoint: str
    readback: Readback
    scope_revision: str
    session: SessionStart


class SqlSessions:
    """Implements ports.sessions.Sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, conversation: ConversationId) -> Session | None:
        key = conversation_key(conversation)
        return await self._database.read(lambda connection: _of(connection, key))

    async def all(self) -> Sequence[Session]:
        newest = select(session).order_by(session.c.updated_at.desc(), session.c.id.desc())
        return await self._database.read(
            lambda connection: [_session(row) for row in connection.execute(newest)]
        )

    async def history(self, conversation: ConversationId, *, most: int) -> Sequence[Exchange]:
        key = conversation_key(conversation)
        return await self._database.read(lambda connection: _history(connection, key, most))


def note_topic(
    connection: Connection, conversation: str, topic: Topic, of_turn: int, at: datetime
) -> None:
    """Remember what the answer of this turn was about, for a follow-up; a turn of the hidden past has no topic (S3)."""
    connection.execute(
        update(session)
        .where(session.c.conversation == conversation, hides() < of_turn)
        .values(topic=TOPIC.dump(topic), topic_at=at)
    )


def topic_of(connection: Connection, conversation: str) -> Topic | None:
    """What the last answer with a topic was about, where that may still be seen: what hides it takes it away (S3)."""
    text = connection.execute(
        select(session.c.topic).where(session.c.conversation == conversation)
    ).scalar_one_or_none()
    return None if text is None else _loaded(TOPIC, text)


def note_start(
    connection: Connection, conversation: str, start: Begin, of_turn: int, now: datetime
) -> None:
    """Write what this turn starts with; the id and the visible history of an older session stay (S2).

    A rotation puts the closed thread behind the ones before it; `forget` hides the past from here on (S3).
    """
    profile, begun = start.readback.profile, start.session
    before = _of(connection, conversation)
    fields: dict[str, Any] = {
        "manager_runtime_profile": profile.runtime_profile,
        "manager_runtime_configuration_revision": profile.configuration_revision,
        "manager_runtime_status": profile.status,
        "manager_runtime_sandbox": profile.sandbox,
        "manager_runtime_standing_grant": profile.standing_grant,
        "manager_runtime_tool_classes": NAMES.dump(profile.tool_classes),
        "endpoint": start.endpoint,
        "prompt_revision": start.readback.prompt_revision,
        "audience_kind": begun.audience,
        "scope_revision": start.scope_revision,
        "review_only": False,
        "last_turn": of_turn,
        "updated_at": now,
    }
    if begun.forget:
        # The turn that hides the past is itself the first that may be seen.
        fields |= _hiding(connection, now) | {"hidden_turn": of_turn - 1}
    if before is not None and begun.opening is Opening.ROTATE:
        thread = () if before.upstream is None else (before.upstream,)
        closed = (*before.upstream_context_history, *thread)
        fields |= {"upstream": None, "upstream_context_history": NAMES.dump(closed)}
    first = {"conversation": conversation, "visible_from": now, "created_at": now}
    connection.execute(
        insert(connection, session).on_conflict_do_update(
            index_elements=[session.c.conversation], set_=fields
        ),
        first | fields,
    )


def note_upstream(connection: Connection, conversation: str, upstream: str | None) -> None:
    """The endpoint's own thread, as it was opened for this turn."""
    if upstream is not None:
        connection.execute(
            update(session).where(session.c.conversation == conversation).values(upstream=upstream)
        )


def forget(connection: Connection, conversation: str, now: datetime) -> None:
    """Nothing from before this moment is given to an endpoint again (S3)."""
    _hide(connection, session.c.conversation == conversation, now)


def forget_everywhere(connection: Connection, now: datetime) -> None:
    """The same in every session."""
    _hide(connection, true(), now)


def forget_audience(connection: Connection, audience: str, now: datetime) -> None:
    """The same in every session whose last turn was before the audience of this grant key."""
    chat = ChatId(audience.partition(":")[2])
    for kind in AudienceKind:
        if Audience(kind, chat).grant_key != audience:
            continue
        theirs = is_one_of(session.c.audience_kind, kind)
        if chat:
            here = select(conversation.c.id).where(conversation.c.chat_id == chat)
            theirs &= session.c.conversation.in_(here)
        _hide(connection, theirs, now)


def hides() -> ColumnElement[int]:
    """A session's last turn of the past that nobody is shown again; 0: nothing is hidden."""
    return func.coalesce(session.c.hidden_turn, 0)


def _hide(connection: Connection, whose: ColumnElement[bool], now: datetime) -> None:
    """Held first: a turn that begins meanwhile has begun before, and is found, or begins after."""
    held = select(session.c.id).where(whose).order_by(session.c.id).with_for_update()
    ids = connection.execute(held).scalars().all()
    if ids:
        hiding = _hiding(connection, now)
        connection.execute(
            update(session).where(session.c.id == bindparam("held")).values(hiding),
            [{"held": id_} for id_ in ids],
        )


def _hiding(connection: Connection, now: datetime) -> dict[str, Any]:
    """Everything until now is the past, by sequence ids: the clock may be set back, or stand still (S3)."""

    def newest(of: Table) -> int:
        last: int | None = connection.execute(select(func.max(of.c.id))).scalar_one()
        return last or 0

    return {
        "visible_from": now,
        "hidden_turn": newest(turn),
        "hidden_question": newest(question),
        "topic": None,
        "topic_at": None,
    }


def _of(connection: Connection, conversation: str) -> Session | None:
    row = connection.execute(
        select(session).where(session.c.conversation == conversation)
    ).one_or_none()
    return None if row is None else _session(row)


def _session(row: Row[Any]) -> Session:
    """A corrupt row is a session of an unknown scope: its past is forgotten at the next turn, and its thread closed (S3)."""
    tools = row.manager_runtime_tool_classes
    known = None if tools is None else _loaded(NAMES, tools)
    closed = _loaded(NAMES, row.upstream_context_history)
    spoilt = closed is None or (tools is not None and known is None)
    return Session(
        conversation=ConversationId.parse(row.conversation),
        fields=SixFields(
            profile=row.manager_runtime_profile,
            configuration_revision=row.manager_runtime_configuration_revision,
            status=row.manager_runtime_status,
            sandbox=row.manager_runtime_sandbox,
            standing_grant=row.manager_runtime_standing_grant,
            tool_classes=() if spoilt and known is None else known,
        ),
        endpoint=row.endpoint,
        prompt_revision=row.prompt_revision,
        upstream=row.upstream,
        upstream_context_history=closed or (),
        visible_from=row.visible_from,
        audience=row.audience_kind,
        scope_revision=UNREADABLE if spoilt else row.scope_revision,
        updated_at=row.updated_at,
        review_only=row.review_only,
        hidden=row.hidden_turn is not None and row.hidden_turn >= (row.last_turn or 0),
    )


def _history(connection: Connection, conversation: str, most: int) -> list[Exchange]:
    found = connection.execute(
        select(question.c.text, question.c.asked_at, answer.c.body)
        .join(answer, answer.c.question_id == question.c.id)
        .join(turn, turn.c.id == answer.c.turn_id)
        .join(session, session.c.conversation == question.c.conversation)
        .where(
            question.c.conversation == conversation,
            is_one_of(question.c.status, QuestionStatus.ANSWERED),
            turn.c.id > hides(),
            answer.c.accepted,
        )
        .order_by(question.c.id.desc())
        .limit(most)
    ).all()
    return [one for row in reversed(found) if (one := _exchange(row)) is not None]


def _exchange(row: Row[Any]) -> Exchange | None:
    """None where the answer is corrupt: it is shown to nobody again."""
    try:
        shown = load_answer(row.body)
    except StoreError:
        logger.warning("a stored answer is corrupt and no part of any history")
        return None
    lines = dict.fromkeys([shown.headline, *(claim.text for claim in shown.claims)])
    return Exchange(row.text, "\n".join(line for line in lines if line), row.asked_at)


def _loaded(codec: Codec[T], text: str) -> T | None:
    try:
        return codec.load(text)
    except StoreError:
        logger.warning("a stored session is corrupt; its past is not used")
        return None
