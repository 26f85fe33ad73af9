"""A million events into a store, as copies of a few that went the whole way by the ports: every column as it really is.

One statement serves both stores: rows are made by the store itself, from a counter and the row that is copied.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    Table,
    Text,
    case,
    cast,
    func,
    insert,
    literal,
    literal_column,
    null,
    select,
    text,
    true,
    update,
)

from steward.model.answer import OutgoingKind
from steward.model.ids import QuestionId
from steward.model.turn import QuestionStatus, TurnCode, TurnFailure
from steward.store import Store
from steward.store.codec import FAILURE
from steward.store.columns import Instant, is_one_of
from steward.store.records import audit
from steward.store.schema import (
    action,
    answer,
    conversation,
    inbox,
    outbox,
    question,
    reading,
    session,
    turn,
)
from steward.world import SystemClock
from tests.bench.passage import Passage, chat
from tests.contracts.given import APP, ASKER

EVENTS = 1_000_000
EVERY = 10
"""Of so many events one is a question that was answered; the others were not addressed to us."""
CONVERSATIONS = 2_000
BUSY = 100
"""Of so many events one question is of the first conversation, which many use."""
ASKERS = 50
OWED_EVERY = 20_000
DAYS = 100
IGNORED = 2
"""So many events after the answered one stands one that was not addressed to us."""
FIRST = 10_000
"""The ids of copies begin above those of their originals."""
CHUNK = 100_000

Values = Mapping[str, ColumnElement[Any]]


@dataclass(frozen=True, slots=True)
class _Copies:
    """Rows for the numbers of a chunk; `number` counts events."""

    connection: Connection
    numbers: CTE
    since: int

    @property
    def number(self) -> ColumnElement[int]:
        return self.numbers.c.number

    @property
    def id(self) -> ColumnElement[int]:
        return self.number + FIRST

    def named(self, prefix: str) -> ColumnElement[str]:
        return literal(prefix, Text) + cast(self.number, Text)

    @property
    def where(self) -> ColumnElement[str]:
        """The conversation of an event, as a number in words."""
        plain = cast(self.number % CONVERSATIONS, Text)
        return case((self.number % BUSY == EVERY, literal("0", Text)), else_=plain)

    def copy(self, table: Table, of: ColumnElement[bool], values: Values) -> None:
        """A copy of the row `of` for each number; instants are spread over the days."""
        columns = [c for c in table.c if c.name in values or c.name != "id"]
        at: ColumnElement[int] = cast(self.number, BigInteger) * _STEP + self.since
        made = [
            values[c.name]
            if c.name in values
            else case((c.is_(None), null()), else_=at)
            if isinstance(c.type, Instant)
            else c
            for c in columns
        ]
        rows = select(*made).select_from(self.numbers.join(table, true())).where(of)
        self.connection.execute(insert(table).from_select(columns, rows))


_STEP = int(timedelta(days=DAYS) / timedelta(microseconds=1)) // EVENTS


async def fill(store: Store) -> None:
    """From an empty store to one with EVENTS events in CONVERSATIONS conversations."""
    answered = await Passage(store).once()
    await store.database.write(_conversations)
    for begin in range(0, EVENTS, CHUNK):
        await store.database.write(lambda c, begin=begin: _ignored(c, begin, answered))
        await store.database.write(lambda c, begin=begin: _answered(c, begin, answered))
    await store.database.write(_owed)
    await store.database.write(_settled_down)
    await store.upkeep.tidy()


def _copies(connection: Connection, begin: int, end: int, step: int) -> _Copies:
    one = select(literal_column(str(begin), Integer).label("number"))
    numbers = one.cte("numbers", recursive=True)
    numbers = numbers.union_all(
        select(numbers.c.number + step).where(numbers.c.number + step < end)
    )
    since = SystemClock().now() - timedelta(days=DAYS)
    return _Copies(connection, numbers, int(since.timestamp() * 1_000_000))


def _conversations(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET session_replication_role = replica"))
    copies = _copies(connection, 8, CONVERSATIONS, 1)
    key = copies.named(f"{APP}/oc_c") + "/"
    original = f"{APP}/{chat(0)}/"
    named: Values = {"id": key, "chat_id": copies.named("oc_c")}
    copies.copy(conversation, conversation.c.id == original, named)
    copies.copy(session, session.c.conversation == original, {"conversation": key})


def _ignored(connection: Connection, begin: int, answered: QuestionId) -> None:
    of = select(question.c.inbox_id + IGNORED).where(question.c.id == answered).scalar_subquery()
    for rest in range(1, EVERY):
        copies = _copies(connection, begin + rest, begin + CHUNK, EVERY)
        copies.copy(inbox, inbox.c.id == of, _event(copies))


def _event(copies: _Copies) -> Values:
    return {
        "id": copies.id,
        "event_id": copies.named("evt_c"),
        "message_id": copies.named("om_c"),
        "conversation": literal(f"{APP}/oc_c", Text) + copies.where + "/",
    }


def _answered(connection: Connection, begin: int, answered: QuestionId) -> None:
    copies = _copies(connection, begin, begin + CHUNK, EVERY)
    key, of = literal(f"{APP}/oc_c", Text) + copies.where + "/", question.c.id == answered
    began = turn.c.question_id == answered
    ours: Values = {"id": copies.id, "question_id": copies.id}
    asked = select(question.c.inbox_id).where(of).scalar_subquery()
    first = select(turn.c.id).where(began).scalar_subquery()
    copies.copy(inbox, inbox.c.id == asked, _event(copies))
    copies.copy(
        question,
        of,
        {
            "id": copies.id,
            "inbox_id": copies.id,
            "conversation": key,
            "message_id": copies.named("om_c"),
            "asker": case(
                (copies.number // EVERY % ASKERS == 0, literal(ASKER, Text)),
                else_=literal("ou_", Text) + cast(copies.number // EVERY % ASKERS, Text),
            ),
            "turn_key": copies.named("turn"),
            "audience_chat_id": literal("oc_c", Text) + copies.where,
        },
    )
    copies.copy(turn, began, {**ours, "attempt_token": copies.named("attempt")})
    copies.copy(reading, reading.c.turn_id == first, {"id": copies.id, "turn_id": copies.id})
    copies.copy(answer, answer.c.question_id == answered, {**ours, "turn_id": copies.id})
    copies.copy(action, action.c.question_id == answered, {**ours, "nonce": copies.named("nonce")})
    copies.copy(
        outbox,
        (outbox.c.question_id == answered) & is_one_of(outbox.c.kind, OutgoingKind.ANSWER),
        {
            **ours,
            "inbox_id": copies.id,
            "subject": copies.named("message:om_c"),
            "chat_id": literal("oc_c", Text) + copies.where,
            "provider_message_id": copies.named("om_s"),
            "uuid": copies.named("uuid"),
        },
    )
    for place in range(3):
        number = select(func.min(audit.c.id) + place).scalar_subquery()
        copies.copy(audit, audit.c.id == number, {})


def _owed(connection: Connection) -> None:
    """A few were never answered."""
    failure = FAILURE.dump(TurnFailure(TurnCode.INTERRUPTED))
    connection.execute(
        update(question)
        .where(question.c.id > FIRST, (question.c.id - FIRST) % OWED_EVERY == 0)
        .values(status=QuestionStatus.OWED, failure=failure)
    )


def _settled_down(connection: Connection) -> None:
    """What a store that has lived for a while knows of itself."""
    if connection.dialect.name != "postgresql":
        return
    for table in (inbox, question, turn, reading, answer, action, outbox):
        name = f"pg_get_serial_sequence('{table.name}', 'id')"
        connection.execute(text(f"SELECT setval({name}, {FIRST + EVENTS + 1})"))
    connection.execute(text("ANALYZE"))
    connection.execute(text("SET session_replication_role = origin"))
