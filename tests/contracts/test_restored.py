"""A restored store on both kinds: nothing is done again that may have been done since its backup. Contracts D4, D5, S3, P8."""

import json
from collections.abc import Sequence
from datetime import timedelta

import pytest

from steward.model.action import ActionKind, NewAction
from steward.model.audit import OPERATOR, AuditAct
from steward.model.command import ApplyProfile
from steward.model.delivery import NewPart, TryAgain
from steward.model.effect import ByOperator, Done
from steward.model.events import EventKind, Lane
from steward.model.ids import QuestionId
from steward.model.profile import RuntimeProfile, StoredProfile
from steward.model.turn import Question, QuestionStatus, TurnCode, Written
from steward.model.upkeep import MadeSafe
from steward.policy import profile
from steward.policy.retry import SAFE_REPEAT, repeat_is_safe
from steward.store import Store
from steward.testing.world import FakeClock
from tests.contracts.given import (
    APP,
    WORKER,
    admitted,
    answer,
    begun,
    claimed,
    conversation,
    envelope,
    leased,
    notice,
    part,
    recall,
    recorded,
    rows,
    settled,
)

LATER = timedelta(days=2)


def told(questions: Sequence[Question]) -> dict[QuestionId, list[NewPart]]:
    """A notice for each."""
    return {
        one.id: [notice(f"message:{one.message.message_id}", one.conversation.chat_id)]
        for one in questions
    }


async def made_safe(store: Store) -> MadeSafe:
    return await store.restored.make_safe(told(await store.restored.unfinished()))


async def trusted(store: Store) -> None:
    """The machine as an owner left it."""
    stored = profile.plan(await store.machine.document(), RuntimeProfile.TRUSTED_OWNER, None)
    apply = ApplyProfile(RuntimeProfile.TRUSTED_OWNER, stored.plan_revision)
    done = await store.effects.commit(ByOperator(APP), apply, audit=[], reply=[])
    assert isinstance(done, Done)


@pytest.mark.requirement("P8", "D5")
async def test_trust_is_taken_back_with_a_receipt_and_a_row_of_the_audit(store: Store) -> None:
    await trusted(store)
    before = await store.machine.last_transaction()
    assert (await made_safe(store)).restricted
    stored = profile.stored_of(await store.machine.document())
    assert isinstance(stored, StoredProfile)
    assert stored.profile is RuntimeProfile.RESTRICTED
    assert await store.machine.last_transaction() != before
    (row, *_) = await store.audit.recent(most=1, acts=[AuditAct.RESTORED])
    assert (row.row.actor, row.row.reason) == (OPERATOR, "restricted")


async def test_what_was_restricted_stays_as_it_was(store: Store) -> None:
    assert not (await made_safe(store)).restricted
    assert await store.machine.document() is None


@pytest.mark.requirement("D4")
async def test_a_message_that_was_not_sent_may_have_been_and_its_key_is_worth_nothing_any_more(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1)
    written_at = clock.now()
    clock.advance(LATER)
    assert (await made_safe(store)).doubtful == 1
    (delivery,) = await claimed(store)
    assert not repeat_is_safe(delivery, clock.now())
    assert delivery.first_unknown_at == written_at


@pytest.mark.requirement("D4")
async def test_the_same_holds_for_a_backup_of_a_minute_ago(store: Store, clock: FakeClock) -> None:
    await settled(store, 1)
    await settled(store, 2, chat="oc_b")
    for one in await claimed(store):
        await store.outbox.finish(one, TryAgain(clock.now(), unknown=True))
    await settled(store, 3, chat="oc_c")
    await claimed(store)
    clock.advance(timedelta(minutes=1))
    assert (await made_safe(store)).doubtful == 3
    again = await claimed(store)
    assert len(again) == 3
    assert not any(repeat_is_safe(one, clock.now()) for one in again)
    assert {one.first_unknown_at for one in again} == {clock.now() - SAFE_REPEAT}


@pytest.mark.requirement("D4", "W3")
async def test_what_was_unfinished_is_owed_with_a_notice_and_never_run(store: Store) -> None:
    question, token = await begun(store, 1)
    waiting = await admitted(store, 2)
    await store.ledger.calling(token)
    assert (await made_safe(store)).owed == 2
    for one in (question, waiting):
        assert (await store.ledger.question(one)).status is QuestionStatus.OWED
    failures = await rows(store, "SELECT failure FROM question")
    assert {json.loads(text)["code"] for (text,) in failures} == {TurnCode.INTERRUPTED.value}
    assert await store.ledger.orphans() == []
    assert await store.conversations.claim(WORKER, limit=9, ttl=LATER) == []
    assert await store.ledger.settle(token, answer(), [part()]) is Written.LOST
    (first,) = await claimed(store)
    assert (first.question, first.first_unknown_at) == (question, None)


@pytest.mark.requirement("D2", "D4")
async def test_a_message_that_nobody_had_read_leads_to_nothing_and_is_kept_as_it_came(
    store: Store,
) -> None:
    await recorded(store, envelope(1, body=b"words"), recall(7))
    assert (await made_safe(store)).unread == 1
    assert await store.inbox.take(WORKER, lane=Lane.ORDERED, limit=9, ttl=LATER) == []
    (taken,) = await store.inbox.take(WORKER, lane=Lane.NOW, limit=9, ttl=LATER)
    assert taken.envelope.kind is EventKind.RECALL
    kept = await rows(
        store, "SELECT verdict, reason, length(body) FROM inbox WHERE kind = 'message'"
    )
    assert kept == [("unparsable", "restored", 5)]


@pytest.mark.requirement("A5", "P8")
async def test_buttons_that_change_something_are_void(store: Store, clock: FakeClock) -> None:
    _, token = await begun(store, 1)
    until = clock.now() + timedelta(hours=24)
    offers = [
        NewAction("show", ActionKind.EVIDENCE, until),
        NewAction("ask", ActionKind.CHOOSE, until),
    ]
    await store.ledger.settle(token, answer(), [part()], offers)
    assert (await made_safe(store)).void == 1
    left = await rows(store, "SELECT nonce FROM action WHERE expires_at > :now", now=_number(clock))
    assert left == [("show",)]


@pytest.mark.requirement("S3")
async def test_nothing_from_before_is_given_to_an_endpoint(store: Store, clock: FakeClock) -> None:
    await settled(store, 1)
    clock.advance(LATER)
    await made_safe(store)
    session = await store.sessions.of(conversation())
    assert session is not None
    assert session.visible_from == clock.now()


async def test_work_goes_on_with_what_is_asked_from_then_on(store: Store) -> None:
    await begun(store, 1)
    await made_safe(store)
    await admitted(store, 2)
    lease = await leased(store)
    assert lease.worker == WORKER


def _number(clock: FakeClock) -> int:
    return int(clock.now().timestamp() * 1_000_000)
