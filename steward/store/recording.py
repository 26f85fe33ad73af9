"""Events into the inbox, many in one commit. Contracts D1, D3."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select

from steward.errors import StoreRejectedError
from steward.model.events import Envelope, EventKind, Recorded, Verdict
from steward.model.ids import AppId, EventId, InboxId
from steward.store.columns import is_one_of, printable
from steward.store.hints import hint_lanes
from steward.store.schema import inbox
from steward.store.statements import conversation_key, ensure_conversations, insert

UNSTORABLE = "unstorable"
"""The reason of a row whose ids no store can hold as they came."""

_LONGEST_KEY = 200
"""Characters of an id that is kept in a key's place; PostgreSQL's indexes end at some 2,700 bytes."""


def record_batch(connection: Connection, batch: Sequence[Envelope]) -> list[Recorded]:
    """Every envelope's row, in the batch's order. Conversations come first: see `ensure_conversations`."""
    rows = [(envelope, _row(envelope)) for envelope in batch]
    ensure_conversations(connection, {item.conversation for item in batch if item.conversation})
    recorded = _inserted(connection, rows)
    new = [item.lane for item, row in zip(batch, recorded, strict=True) if not row.duplicate]
    hint_lanes(connection, new)
    return recorded


def record_judged(
    connection: Connection,
    envelope: Envelope,
    verdict: Verdict,
    reason: str | None = None,
    *,
    closed: bool,
) -> Recorded:
    """An event with its verdict, in one statement. `closed`: nothing is due to its sender."""
    row = _row(envelope) | _judged(verdict, reason, envelope, closed=closed)
    if envelope.conversation is not None:
        ensure_conversations(connection, {envelope.conversation})
    return _inserted(connection, [(envelope, row)])[0]


def record_unstorable(connection: Connection, envelope: Envelope) -> Recorded:
    """A row that no store takes as it came: kept under ids that can be stored, with its bytes, as unparsable."""
    kept = replace(
        envelope,
        app_id=AppId(storable_key(envelope.app_id)),
        event_id=EventId(storable_key(envelope.event_id)),
        conversation=None,
        message=None,
    )
    row = _row(kept) | _judged(Verdict.UNPARSABLE, UNSTORABLE, envelope, closed=True)
    return _inserted(connection, [(kept, row)])[0]


def is_storable(text: str) -> bool:
    """Whether both stores can keep this id as a key, as it is."""
    return len(text) <= _LONGEST_KEY and text == printable(text)


def storable_key(text: str) -> str:
    """The id itself, or where it cannot be a key, what is readable of it and a digest of it all."""
    if is_storable(text):
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{printable(text)[: _LONGEST_KEY // 2]}#{digest}"


def _row(envelope: Envelope) -> dict[str, Any]:
    """Every row names every column: one statement text serves them all."""
    if not all(map(is_storable, _ids_of(envelope))):
        raise StoreRejectedError("an id of the event cannot be a key")
    return {
        "app_id": envelope.app_id,
        "event_id": envelope.event_id,
        "message_id": envelope.message.message_id if envelope.message else None,
        "kind": envelope.kind,
        "lane": envelope.lane,
        "conversation": conversation_key(envelope.conversation) if envelope.conversation else None,
        "tenant_key": envelope.tenant_key,
        "occurred_at": envelope.occurred_at,
        "received_at": envelope.received_at,
        "body": envelope.body,
        "verdict": None,
        "reason": None,
        "judged_at": None,
        "closed_at": None,
    }


def _ids_of(envelope: Envelope) -> Iterator[str]:
    yield from (envelope.app_id, envelope.event_id)
    if envelope.message is not None:
        yield envelope.message.message_id
    if envelope.conversation is not None:
        yield from (envelope.conversation.chat_id, envelope.conversation.thread_id or "")


def _judged(
    verdict: Verdict, reason: str | None, envelope: Envelope, *, closed: bool
) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "reason": reason,
        "judged_at": envelope.received_at,
        "closed_at": envelope.received_at if closed else None,
    }


def _inserted(
    connection: Connection, rows: Sequence[tuple[Envelope, Mapping[str, Any]]]
) -> list[Recorded]:
    statement = insert(connection, inbox).on_conflict_do_nothing()
    new = connection.execute(
        statement.returning(inbox.c.id, inbox.c.app_id, inbox.c.event_id), [row for _, row in rows]
    )
    fresh = {(app_id, event_id): InboxId(id_) for id_, app_id, event_id in new}
    envelopes = [envelope for envelope, _ in rows]
    known = _known(connection, [e for e in envelopes if (e.app_id, e.event_id) not in fresh])
    recorded = []
    for envelope in envelopes:
        key = (envelope.app_id, envelope.event_id)
        mine = fresh.pop(key, None)
        if mine is not None:
            known[key] = mine
        recorded.append(Recorded(known[key], duplicate=mine is None))
    return recorded


def _known(
    connection: Connection, envelopes: Sequence[Envelope]
) -> dict[tuple[AppId, EventId], InboxId]:
    """The rows that were there before, by event id, else by the message that they carry."""
    found: dict[tuple[AppId, EventId], InboxId] = {}
    for app_id in {envelope.app_id for envelope in envelopes}:
        mine = [envelope for envelope in envelopes if envelope.app_id == app_id]
        by_event = _ids(connection, app_id, "event_id", {e.event_id for e in mine})
        by_message = _ids(
            connection,
            app_id,
            "message_id",
            {
                e.message.message_id
                for e in mine
                if e.message and e.kind is EventKind.MESSAGE and e.event_id not in by_event
            },
        )
        for envelope in mine:
            seen = by_event.get(envelope.event_id)
            if seen is None and envelope.message is not None:
                seen = by_message.get(envelope.message.message_id)
            if seen is not None:
                found[app_id, envelope.event_id] = seen
    return found


def _ids(
    connection: Connection, app_id: AppId, column: str, values: set[Any]
) -> dict[str, InboxId]:
    if not values:
        return {}
    named = inbox.c[column]
    query = select(named, inbox.c.id).where(inbox.c.app_id == app_id, named.in_(sorted(values)))
    if column == "message_id":
        query = query.where(is_one_of(inbox.c.kind, EventKind.MESSAGE), named.is_not(None))
    return {name: InboxId(id_) for name, id_ in connection.execute(query)}
