"""No statement of the hot path walks a table: a million old rows cost what none do."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from steward.model.action import ActionKind, ClickRefusal, NewAction, Requeued, Shown
from steward.model.answer import OutgoingKind
from steward.model.audience import (
    Declined,
    Grant,
    GrantOrigin,
    Ignored,
    IgnoreReason,
    Limits,
)
from steward.model.delivery import Arrived, Guard, SentRef, SteppedDown
from steward.model.events import Click, EventKind, Lane, Principal, PrincipalKind
from steward.model.ids import AttemptToken, MessageRef, SourceId, TenantKey
from steward.model.turn import Candidate, Language, TurnCode, TurnFailure, Written
from steward.model.upkeep import Horizon
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
    begun,
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
    settled,
)

FAILED = TurnFailure(TurnCode.INTERRUPTED)
AGAIN = NewAction("nonce-again", ActionKind.ASK_AGAIN, EPOCH + timedelta(days=7))

_GROWING = (
    *("inbox", "outbox", "question", "turn", "reading", "answer", "conversation", "tombstone"),
    *("action", "click", "session", "audit", "grant", "owner", "person", "chat"),
)
_PARTIAL = frozenset({"ix_inbox_unjudged", "ix_outbox_open", "ix_question_queued"})
"""Indexes of what is unfinished alone: walking one costs what is waiting, not what has ever come."""

_OPEN = _PARTIAL | {
    *("uq_question_in_flight", "uq_turn_live", "ix_conversation_owner", "ix_question_unanswered"),
    "ix_turn_late",
}
_OF_LISTS = (
    *("ix_question_unanswered", "ix_question_admitted", "ix_question_settled", "ix_question_asked"),
    *("ix_question_kept", "ix_inbox_kept", "ix_outbox_kept", "ix_session_topic"),
    *("ix_conversation_owner", "ix_question_chat"),
)
"""Indexes that lists, counts and upkeep stand on, by name."""

_FIRST_ROWS = (
    "FROM audit ORDER BY audit.id LIMIT",
    "FROM action ORDER BY action.id LIMIT",
    "FROM command_button ORDER BY command_button.id LIMIT",
    # The oldest event that is no record yet, and those before it: what is older than they has been swept.
    "WHERE inbox.received_at >= ? ORDER BY inbox.id LIMIT",
    "WHERE inbox.received_at < ? AND inbox.verdict IS NOT NULL",
)
"""Statements that begin at the first row and end soon."""

_OF_TRUST = (
    *("ix_question_open_asker", "ix_question_queued", "uq_question_in_flight"),
    *("ix_question_answered", "uq_owner_in_force", "ix_grant_audience"),
)
"""Indexes that these look-ups stand on, by name."""

Plan = tuple[str, list[str]]

TEAM = Grant("team", "group:oc_a", (SourceId("plans"),), None, GrantOrigin.CONFIG)
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


async def configured(store: Store) -> None:
    """What a start compares whole with its configuration, once."""
    await store.owners.follow(APP, ASKER)
    await store.grants.sync([TEAM])
    await store.people.sync(APP, {ASKER: ("Li",)})


async def play_beside(store: Store) -> None:
    """What the turns and presses of trust look up on their way, with something to find."""
    first, second = envelope(10), envelope(11)
    one, two = await recorded(store, first, second)
    assert isinstance(await store.inbox.admit(one, asked(first), Limits()), int)
    refused = await store.inbox.admit(two, asked(second), Limits(open_per_asker=1))
    assert isinstance(refused, Declined)
    why = Ignored(IgnoreReason.NOT_PROVEN)
    await store.inbox.ignore(two, why, asker=ASKER)
    assert await store.owners.current(APP) is not None
    assert await store.owners.tenant(APP) is None
    assert await store.grants.of(TEAM.audience) == [TEAM]
    assert await store.people.names(APP, ASKER) == ("Li",)
    assert await store.sessions.of(conversation()) is not None
    assert len(await store.sessions.history(conversation(), most=8)) == 1
    assert len(await store.audit.recent(most=3, before=9)) == 3
    assert await store.ledger.topic(conversation()) is None


async def play_withheld(store: Store) -> None:
    """An answer that may not be shown any more."""
    guard = Guard(asked(envelope(0)).audience, ASKER, "scope-1")
    await settled(store, 20, replace(part("message:om_20"), guard=guard))
    (delivery,) = await claimed(store)
    changed = TurnFailure(TurnCode.AUTHORIZATION_CHANGED)
    await store.outbox.revoke(delivery, changed, [notice("message:om_20")])


async def play_again(store: Store) -> None:
    """A question that is owed: its candidate comes late, it is asked again, and settled from what comes late then."""
    question, token = await begun(store, 30)
    await store.ledger.fail(token, FAILED, [notice("message:om_30")], [AGAIN])
    assert await store.ledger.candidate(token, Candidate(b"{}")) is Written.LOST
    assert len(await store.ledger.late()) == 1
    (delivery,) = await claimed(store)
    card = MessageRef(APP, "om_notice")
    await store.outbox.finish(delivery, Arrived(SentRef(card)))
    who = Principal(ASKER, TenantKey("tenant"), PrincipalKind.PERSON)
    click = Click(card, conversation(), who, AGAIN.nonce)
    offer = await store.clicks.find(click)
    assert offer is not None
    event = envelope("again", kind=EventKind.CLICK, lane=Lane.NOW)
    pressed = await store.clicks.press(event, click, offer, Requeued(), Limits())
    assert pressed is Written.DONE
    assert (await store.ledger.question(question)).attempt == 2


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


async def play_lists(store: Store) -> None:
    """What commands list and count, what a start and each takeover look for, and what upkeep does by the clock."""
    held, since = conversation(), EPOCH - timedelta(days=1)
    assert await store.ledger.owed(APP, most=9)
    assert await store.ledger.owed(APP, conversation=held, asker=ASKER, most=9)
    assert (await store.ledger.counts(APP, since=since)).owed == 1
    here = await store.ledger.counts(APP, conversation=held, asker=ASKER, since=since)
    assert (here.asked, here.answered) == (2, 1)
    assert await store.ledger.last_language(held, ASKER) is Language.EN
    assert await store.upkeep.chat_language(APP, held.chat_id) is Language.EN
    await store.ledger.orphans()
    await store.leases.break_gone()
    await store.leases.break_all()
    await store.chats.known(APP)
    await store.upkeep.backlog(APP)
    await store.upkeep.seen(APP)
    await store.upkeep.last_detail("digest")
    horizon = Horizon.at(EPOCH + timedelta(days=500))
    await store.upkeep.forget(horizon, most=9)
    await store.upkeep.sweep(horizon, most=9)


def is_bounded(statement: str) -> bool:
    """Whether a walk in the order of the ids ends with its limit: every row that it comes by is one that is wanted."""
    flat = " ".join(statement.split())
    return any(part in flat for part in _FIRST_ROWS)


def walks(line: str) -> bool:
    found = re.search(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", line)
    return found is not None and found.group(1) in _GROWING and found.group(2) not in _OPEN


async def test_no_statement_of_the_hot_path_walks_a_table(store: Store) -> None:
    with planned_statements() as plans:
        await play(store)
    assert len(plans) > 60
    walked = [(statement, plan) for statement, plan in plans if any(map(walks, plan))]
    assert walked == []


async def test_no_look_up_of_trust_walks_a_table(store: Store) -> None:
    await configured(store)
    await play(store)
    with planned_statements() as plans:
        await play_beside(store)
    assert [(statement, plan) for statement, plan in plans if any(map(walks, plan))] == []
    used = " ".join(line for _, plan in plans for line in plan)
    assert [index for index in _OF_TRUST if index not in used] == []


async def test_asking_again_walks_no_table(store: Store) -> None:
    with planned_statements() as plans:
        await play_again(store)
    assert [(statement, plan) for statement, plan in plans if any(map(walks, plan))] == []
    assert any("ix_turn_late" in line for _, plan in plans for line in plan)


@pytest.mark.requirement("A5")
async def test_a_press_sees_in_one_look_whether_its_card_is_ours_or_on_its_way(
    store: Store,
) -> None:
    """Between two looks a part may be reported as sent, and its card would seem to be nobody's."""
    await play(store)
    who = Principal(ASKER, TenantKey("tenant"), PrincipalKind.PERSON)
    with planned_statements() as plans:
        await store.clicks.find(Click(message(1), conversation(), who, EVIDENCE.nonce))
    assert sum("FROM outbox" in statement for statement, _ in plans) == 1


async def test_withholding_an_answer_walks_no_table(store: Store) -> None:
    with planned_statements() as plans:
        await play_withheld(store)
    assert [(statement, plan) for statement, plan in plans if any(map(walks, plan))] == []


async def test_lists_counts_and_upkeep_walk_no_table(store: Store) -> None:
    await play(store)
    with planned_statements() as plans:
        await play_lists(store)
    assert [
        (statement, plan)
        for statement, plan in plans
        if any(map(walks, plan)) and not is_bounded(statement)
    ] == []
    used = " ".join(line for _, plan in plans for line in plan)
    assert [index for index in _OF_LISTS if index not in used] == []


async def test_the_waiting_rows_are_found_by_their_own_indexes(store: Store) -> None:
    with planned_statements() as plans:
        await play(store)
    used = " ".join(line for _, plan in plans for line in plan)
    assert all(index in used for index in _PARTIAL)
