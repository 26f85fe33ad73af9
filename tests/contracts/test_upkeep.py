"""Upkeep on both stores: what is forgotten and what never is, and jobs that are done once. Contracts D6, D1, W4."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from steward.model.action import ActionKind, NewAction
from steward.model.answer import OutgoingKind
from steward.model.audience import Declined, DeclineReason, Ignored, IgnoreReason
from steward.model.audit import AuditAct, AuditRow
from steward.model.delivery import Arrived, GivenUp, SentRef
from steward.model.ids import AttemptToken, ChatId, MessageRef, QuestionId
from steward.model.reading import Reading, ScanQuery, View
from steward.model.turn import Candidate, Language, TurnCode, TurnFailure, Written
from steward.model.upkeep import KEPT, ON_RECORD, Horizon, JobSlot
from steward.store import Store
from steward.testing.world import FakeClock
from tests.contracts.given import (
    APP,
    admitted,
    answer,
    asked,
    begin,
    begun,
    claimed,
    envelope,
    leased,
    notice,
    part,
    recall,
    recorded,
    rows,
    settled,
)

MOST = 16
BODY = b'{"text": "How is the gateway?"}'
OWES = TurnFailure(TurnCode.INTERRUPTED)
SECOND = timedelta(seconds=1)


async def arrive(store: Store, name: object) -> None:
    """Everything that is due now stands in its chat."""
    for one in await claimed(store):
        sent = SentRef(MessageRef(APP, f"om_sent_{name}_{one.id}"))
        await store.outbox.finish(one, Arrived(sent))


async def answered(store: Store, name: object, chat: str = "oc_a") -> QuestionId:
    """A question with everything that holds words: event, reading, candidate, answer, message."""
    event = envelope(name, chat=chat, body=BODY)
    (item,) = await recorded(store, event)
    question = await store.inbox.admit(item, asked(event))
    assert isinstance(question, int)
    lease = await leased(store)
    token = AttemptToken(f"attempt-{name}")
    await begin(store, lease, question, token)
    await store.ledger.calling(token)
    await store.ledger.read(token, reading())
    await store.ledger.candidate(token, Candidate(b"{}", {"tokens": 7}))
    press = NewAction(f"nonce-{name}", ActionKind.EVIDENCE, event.occurred_at)
    said = [part(f"message:om_{name}", chat=chat)]
    assert await store.ledger.settle(token, answer(), said, [press]) is Written.DONE
    await store.conversations.release(lease)
    await arrive(store, name)
    return QuestionId(question)


def reading() -> Reading:
    return Reading(
        tool="scan",
        query=ScanQuery(View.TODOS),
        rows=(),
        counts={},
        coverage=answer().coverage,
        failures=(),
        as_of=None,
        window_start=None,
        window_end=None,
    )


async def words(store: Store) -> Sequence[tuple[Any, ...]]:
    """How many of each table still hold words."""
    return await rows(
        store,
        "SELECT (SELECT count(*) FROM inbox WHERE length(body) > 0),"
        " (SELECT count(*) FROM question WHERE text <> ''),"
        " (SELECT count(*) FROM reading), (SELECT count(*) FROM answer),"
        " (SELECT count(*) FROM turn WHERE candidate IS NOT NULL),"
        " (SELECT count(*) FROM outbox WHERE length(body) > 0)",
    )


async def forget(store: Store, clock: FakeClock) -> int:
    return await store.upkeep.forget(Horizon.at(clock.now()), most=MOST)


async def forgotten(store: Store, clock: FakeClock) -> None:
    """Nothing is left to forget."""
    while await forget(store, clock):
        pass


@pytest.mark.requirement("D6")
async def test_words_go_thirty_days_after_the_answer_and_not_a_moment_before(
    store: Store, clock: FakeClock
) -> None:
    question = await answered(store, 1)
    clock.advance(KEPT)
    assert await forget(store, clock) == 0
    assert await words(store) == [(1, 1, 1, 1, 1, 1)]
    clock.advance(SECOND)
    assert [await forget(store, clock) for _ in range(3)] == [1, 1, 0]  # the reading, the question
    assert await words(store) == [(0, 0, 0, 0, 0, 0)]
    kept = await store.ledger.question(question)
    assert (kept.text, kept.status.value, kept.message.message_id) == ("", "answered", "om_1")
    assert await rows(store, "SELECT stage, usage FROM turn") == [("settled", '{"tokens":7}')]
    acts = {one.row.act for one in await store.audit.recent(most=9)}
    assert {AuditAct.ADMITTED, AuditAct.READ, AuditAct.DELIVERED} <= acts


@pytest.mark.requirement("D6")
async def test_thirty_days_count_from_the_arrival_of_an_answer_that_had_to_wait(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1)
    clock.advance(timedelta(days=20))
    await arrive(store, 1)
    clock.advance(timedelta(days=20))
    assert await forget(store, clock) == 0
    clock.advance(timedelta(days=11))
    assert await forget(store, clock) == 1


@pytest.mark.requirement("D6")
async def test_what_is_owed_open_or_was_never_delivered_keeps_its_words(
    store: Store, clock: FakeClock
) -> None:
    _, token = await begun(store, 1, chat="oc_a")
    await store.ledger.read(token, reading())
    await store.ledger.fail(token, OWES, [notice("message:om_1")])
    await arrive(store, 1)
    await settled(store, 2, chat="oc_b")
    (delivery,) = await claimed(store)
    await store.outbox.finish(delivery, GivenUp("chat_gone"))
    await admitted(store, 3, chat="oc_c")
    before = await words(store)
    clock.advance(ON_RECORD * 2)
    assert await forget(store, clock) == 0
    assert await store.upkeep.sweep(Horizon.at(clock.now()), most=MOST) > 0  # the audit alone
    assert await words(store) == before
    assert len(await store.ledger.owed(APP, most=9)) == 2


@pytest.mark.requirement("D6")
async def test_what_was_taken_back_is_forgotten_like_what_was_answered(
    store: Store, clock: FakeClock
) -> None:
    await admitted(store, 1)
    (item,) = await recorded(store, recall(1))
    await store.inbox.withdraw(item, MessageRef(APP, "om_1"))
    clock.advance(KEPT + SECOND)
    assert await forget(store, clock) == 1
    assert await rows(store, "SELECT text, status FROM question") == [("", "withdrawn")]


@pytest.mark.requirement("D6")
async def test_an_ignored_event_keeps_its_ids_and_the_reason_alone_from_its_verdict_on(
    store: Store,
) -> None:
    (item,) = await recorded(store, envelope(1, body=BODY))
    await store.inbox.ignore(item, Ignored(IgnoreReason.NOT_ADDRESSED))
    kept = await rows(store, "SELECT event_id, message_id, reason, length(body) FROM inbox")
    assert kept == [("evt_1", "om_1", "not_addressed", 0)]
    (again,) = await store.inbox.record([envelope(1, body=BODY)])
    assert again.duplicate


@pytest.mark.requirement("D6")
async def test_refused_messages_and_what_was_said_of_them_are_forgotten_once_that_was_told(
    store: Store, clock: FakeClock
) -> None:
    (item,) = await recorded(store, envelope(1, body=BODY))
    why = Declined(DeclineReason.EMPTY_QUESTION)
    await store.inbox.decline(item, why, [part("inbox:1", kind=OutgoingKind.NOTICE)])
    clock.advance(timedelta(days=40))
    assert await forget(store, clock) == 0
    await arrive(store, 1)
    clock.advance(KEPT + SECOND)
    assert await forget(store, clock) == 2
    assert (await words(store))[0] == (0, 0, 0, 0, 0, 0)


@pytest.mark.requirement("D6")
async def test_little_is_forgotten_at_a_time_and_the_rest_the_next(
    store: Store, clock: FakeClock
) -> None:
    for name in range(5):
        await answered(store, name)
    clock.advance(KEPT + SECOND)
    horizon = Horizon.at(clock.now())
    done = [await store.upkeep.forget(horizon, most=2) for _ in range(7)]
    assert done == [2, 2, 2, 2, 1, 1, 0]  # readings go before their questions


@pytest.mark.requirement("D6")
async def test_readers_find_nothing_of_a_forgotten_question_and_do_not_break(
    store: Store, clock: FakeClock
) -> None:
    question = await answered(store, 1)
    clock.advance(KEPT + SECOND)
    await forgotten(store, clock)
    assert await store.ledger.answer(question) is None
    assert await store.ledger.readings(question) == ()
    assert await store.sessions.history(envelope(1).conversation, most=8) == []  # type: ignore[arg-type]
    assert await store.ledger.owed(APP, most=9) == []
    counted = await store.ledger.counts(APP, since=clock.now() - ON_RECORD)
    assert (counted.owed, counted.answered) == (0, 1)
    await answered(store, 2)


@pytest.mark.requirement("D1", "D6")
async def test_records_go_after_four_hundred_days_with_all_that_hangs_on_them(
    store: Store, clock: FakeClock
) -> None:
    await answered(store, 1)
    (item,) = await recorded(store, recall("other"))
    await store.inbox.withdraw(item, MessageRef(APP, "om_other"))
    await store.audit.note(AuditRow(AuditAct.STOPPED, "ou_a"))
    clock.advance(KEPT + SECOND)
    await forgotten(store, clock)
    clock.advance(ON_RECORD - KEPT - 2 * SECOND)
    await store.upkeep.sweep(Horizon.at(clock.now()), most=MOST)
    ((before,),) = await rows(store, "SELECT count(*) FROM inbox")
    assert before == 2
    assert await rows(store, "SELECT count(*) FROM tombstone") == [(1,)]
    clock.advance(2 * SECOND)
    while await store.upkeep.sweep(Horizon.at(clock.now()), most=MOST):
        pass
    tables = ("inbox", "question", "turn", "outbox", "action", "audit", "tombstone")
    left = ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)  # noqa: S608 - ours
    assert await rows(store, f"SELECT {left}") == [(0,) * len(tables)]


async def test_buttons_go_thirty_days_after_they_expired(store: Store, clock: FakeClock) -> None:
    await answered(store, 1)
    clock.advance(KEPT)
    await store.upkeep.sweep(Horizon.at(clock.now()), most=MOST)
    assert await rows(store, "SELECT count(*) FROM action") == [(1,)]
    clock.advance(SECOND)
    await store.upkeep.sweep(Horizon.at(clock.now()), most=MOST)
    assert await rows(store, "SELECT count(*) FROM action") == [(0,)]


@pytest.mark.requirement("W4")
async def test_a_slot_is_used_once_and_what_it_tells_is_written_with_it(store: Store) -> None:
    job = JobSlot("owed", "2026-11-30")
    assert await store.upkeep.tell(job, [notice("upkeep:owed")], "seven") is Written.DONE
    assert await store.upkeep.tell(job, [notice("upkeep:other")], "eight") is Written.REPLAY
    assert await rows(store, "SELECT subject FROM outbox") == [("upkeep:owed",)]
    assert await store.upkeep.claim(job) is Written.REPLAY
    assert await store.upkeep.claim(JobSlot("retention", "2026-11-30")) is Written.DONE
    assert await store.upkeep.last_detail("owed") == "seven"
    assert await store.upkeep.last_detail("never") is None


async def test_runs_are_forgotten_when_no_slot_is_that_old(store: Store, clock: FakeClock) -> None:
    await store.upkeep.claim(JobSlot("owed", "2026-11-30"))
    clock.advance(timedelta(days=31))
    await store.upkeep.claim(JobSlot("owed", "2026-12-31"))
    await store.upkeep.sweep(Horizon.at(clock.now()), most=MOST)
    assert await rows(store, "SELECT slot FROM job_run") == [("2026-12-31",)]


@pytest.mark.requirement("W4")
async def test_who_serves_is_seen_and_a_clock_that_was_set_back_changes_nothing(
    store: Store, clock: FakeClock
) -> None:
    assert await store.upkeep.seen(APP) is None
    await store.upkeep.note_seen(APP)
    first = clock.now()
    assert await store.upkeep.seen(APP) == first
    clock.advance(-timedelta(hours=1))
    await store.upkeep.note_seen(APP)
    assert await store.upkeep.seen(APP) == first
    clock.advance(timedelta(hours=2))
    await store.upkeep.note_seen(APP)
    assert await store.upkeep.seen(APP) == clock.now()


async def test_a_chats_language_is_that_of_its_newest_question(store: Store) -> None:
    assert await store.upkeep.chat_language(APP, ChatId("oc_a")) is None
    await admitted(store, 1)
    assert await store.upkeep.chat_language(APP, ChatId("oc_a")) is Language.EN


async def test_tidying_leaves_everything_as_it_is(store: Store) -> None:
    await answered(store, 1)
    before = await words(store)
    await store.upkeep.tidy()
    assert await words(store) == before
    assert (await store.upkeep.backlog(APP)).log_bytes in {0, None}


async def test_the_backlog_tells_since_when_words_are_kept(store: Store, clock: FakeClock) -> None:
    assert (await store.upkeep.backlog(APP)).oldest is None
    await answered(store, 1)
    await store.upkeep.note_seen(APP)
    found = await store.upkeep.backlog(APP)
    assert (found.oldest, found.seen_at) == (clock.now(), clock.now())
