"""No statement of the hot path walks a table: a million old rows cost what none do."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from steward.model.action import ActionKind, ClickRefusal, NewAction, Shown
from steward.model.answer import OutgoingKind
from steward.model.audience import Ignored, IgnoreReason
from steward.model.delivery import Arrived, SentRef, SteppedDown
from steward.model.events import Click, EventKind, Lane, Principal, PrincipalKind
from steward.model.ids import AttemptToken, MessageRef, TenantKey
from steward.model.turn import Candidate, TurnCode, TurnFailure, Written
from steward.store import Store, open_store
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    APP,
    ASKER,
    TTL,
    WORKER,
    answer,
    asked,
    begin,
    claimed,
    conversation,
    envelope,
    leased,
    message,
    notice,
    part,
    planned,
    recall,
    recorded,
)

_GROWING = (
    *("inbox", "outbox", "question", "turn", "reading", "answer", "conversation", "tombstone"),
    *("action", "click"),
)
_PARTIAL = frozenset({"ix_inbox_unjudged", "ix_outbox_open", "ix_question_queued"})
"""Indexes of what is unfinished alone: walking one costs what is waiting, not what has ever come."""

Plan = tuple[str, list[str]]

EVIDENCE = NewAction("nonce", ActionKind.EVIDENCE, EPOCH + timedelta(hours=24))


@pytest.fixture
async def store(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Store]:
    async with await open_store(f"sqlite:///{tmp_path}/steward.db", clock) as opened:
        yield opened


@contextmanager
def planned_statements() -> Iterator[list[Plan]]:
    """The query plan of every statement that is executed meanwhile."""
    seen: list[Plan] = []

    def explain(
        connection: Connection, cursor: Any, statement: str, parameters: Any, _: Any, many: bool
    ) -> None:
        if not statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "INSERT")):
            return
        one = parameters[0] if many else parameters
        plan = cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", one).fetchall()
        seen.append((statement, [line[3] for line in plan]))

    event.listen(Engine, "before_cursor_execute", explain)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", explain)


async def play(store: Store) -> None:
    """Every method of the hot path once, with something to find."""
    await recorded(store, *(envelope(n) for n in range(4)), recall(3))
    await recorded(store, envelope(0), envelope("again", message="om_1"))
    taken = await store.inbox.take(WORKER, lane=Lane.ORDERED, limit=4, ttl=TTL)
    (back,) = await store.inbox.take(WORKER, lane=Lane.NOW, limit=4, ttl=TTL)
    first = await store.inbox.admit(taken[0].id, asked(taken[0].envelope))
    second, third, _ = await recorded(store, *(envelope(n) for n in (1, 2, 3)))
    await store.inbox.ignore(second, Ignored(IgnoreReason.NOT_ADDRESSED))
    other = await store.inbox.admit(third, asked(envelope(2)))
    await store.inbox.withdraw(back.id, message(3))
    assert isinstance(first, int)
    assert isinstance(other, int)
    lease = await leased(store)
    await store.conversations.renew([lease], TTL)
    for question, token in ((first, AttemptToken("t1")), (other, AttemptToken("t2"))):
        assert await store.conversations.next(lease) == question
        await begin(store, lease, question, token)
        await store.ledger.calling(token)
        await store.ledger.candidate(token, Candidate(b"{}"))
        if question == first:
            lower = ((planned("text"),),)
            await store.ledger.settle(token, answer(), [part(lower=lower)], [EVIDENCE])
        else:
            failure = TurnFailure(TurnCode.INTERRUPTED)
            await store.ledger.fail(token, failure, [notice("message:om_2")])
    await store.conversations.release(lease)
    await store.outbox.due()
    (card,) = await claimed(store)
    await store.outbox.finish(card, SteppedDown("form"))
    (lower_rung,) = await claimed(store)
    await store.outbox.finish(lower_rung, Arrived(SentRef(MessageRef(APP, "om_reply"))))
    await store.outbox.ours(message(1))
    await store.ledger.answer(first)
    await press(store)


async def press(store: Store) -> None:
    """The evidence button under the answer."""
    who = Principal(ASKER, TenantKey("tenant"), PrincipalKind.PERSON)
    click = Click(MessageRef(APP, "om_reply"), conversation(), who, EVIDENCE.nonce)
    offer = await store.clicks.find(click)
    assert offer is not None
    assert offer.carried
    event = envelope("press", kind=EventKind.CLICK, lane=Lane.NOW)
    shown = Shown([part("message:om_0:evidence", kind=OutgoingKind.EVIDENCE)])
    assert await store.clicks.press(event, click, offer, shown) is Written.DONE
    refused = envelope("refused", kind=EventKind.CLICK, lane=Lane.NOW)
    assert await store.clicks.refuse(refused, ClickRefusal.USED) is Written.DONE


def walks(line: str) -> bool:
    found = re.search(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", line)
    return found is not None and found.group(1) in _GROWING and found.group(2) not in _PARTIAL


async def test_no_statement_of_the_hot_path_walks_a_table(store: Store) -> None:
    with planned_statements() as plans:
        await play(store)
    assert len(plans) > 60
    walked = [(statement, plan) for statement, plan in plans if any(map(walks, plan))]
    assert walked == []


async def test_the_waiting_rows_are_found_by_their_own_indexes(store: Store) -> None:
    with planned_statements() as plans:
        await play(store)
    used = " ".join(line for _, plan in plans for line in plan)
    assert all(index in used for index in _PARTIAL)
