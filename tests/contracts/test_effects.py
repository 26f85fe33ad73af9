"""Effects: what a command does stands with its audit, its reply and its verdict, or nothing of it does. D2, P8, A5, S3."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from steward.errors import ContractError, StoreRejectedError
from steward.model.answer import OutgoingKind
from steward.model.audience import Grant, GrantOrigin
from steward.model.audit import OPERATOR, AuditAct, AuditRow
from steward.model.command import (
    ApplyGrants,
    ApplyProfile,
    ApproveNames,
    Command,
    CommandName,
    GrantChange,
    NewButton,
    RevokeGrants,
    SetGrant,
)
from steward.model.delivery import Arrived, NewPart, SentRef
from steward.model.effect import (
    ByMessage,
    ByOperator,
    Changed,
    ClaimNames,
    Done,
    Effect,
    EffectOutcome,
    GrantsSet,
    RenewSession,
    Stopped,
    StopQuestions,
)
from steward.model.events import Lane
from steward.model.ids import GoalId, InboxId, OpenId, SourceId
from steward.model.turn import QuestionStatus, TurnCode, TurnFailure, Written
from steward.store import Store
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    APP,
    ASKER,
    admitted,
    answer,
    asked,
    begun,
    claimed,
    conversation,
    envelope,
    message,
    notice,
    part,
    recall,
    recorded,
    rows,
    settled,
)
from tests.contracts.test_machine import RESTRICTED, TRUSTED, changed, planned

BEN = OpenId("ou_ben")
PLANS, LAB = SourceId("plans"), SourceId("lab")
UNTIL = EPOCH + timedelta(minutes=15)
TEAM = "group:oc_a"
AUDIT = AuditRow(AuditAct.COMMAND, ASKER, audience=TEAM, subject="new")


def reply(subject: str = "inbox:1", chat: str = "oc_a") -> NewPart:
    return part(subject, kind=OutgoingKind.NOTICE, chat=chat)


async def received(store: Store, name: object = "command") -> InboxId:
    (item,) = await recorded(store, envelope(name, lane=Lane.NOW))
    return item


async def by_message(
    store: Store, effect: Effect | None, item: InboxId | None = None, **more: Any
) -> EffectOutcome:
    """A command in words; `more`: other audit rows, parts or buttons than it has by itself."""
    cause = ByMessage(await received(store) if item is None else item)
    told = {"audit": [AUDIT], "reply": [reply()], **more}
    return await store.effects.commit(cause, effect, **told)


async def by_operator(store: Store, effect: Effect) -> EffectOutcome:
    return await store.effects.commit(ByOperator(APP), effect, audit=[AUDIT], reply=[])


async def written(store: Store) -> tuple[int, int, int, int]:
    """How many audit rows, parts, buttons and transactions there are."""
    counts = [
        await rows(store, f"SELECT count(*) FROM {table}")  # noqa: S608 - our own words
        for table in ("audit", "outbox", "command_button", "machine_transaction")
    ]
    first, second, third, fourth = (int(count) for ((count,),) in counts)
    return first, second, third, fourth


async def judged(store: Store, item: InboxId) -> tuple[str | None, str | None, bool]:
    query = "SELECT verdict, reason, closed_at FROM inbox WHERE id = :item"
    ((verdict, reason, closed),) = await rows(store, query, item=item)
    return verdict, reason, closed is not None


# By message


@pytest.mark.requirement("D2")
async def test_a_command_is_judged_audited_and_answered_in_one_commit(store: Store) -> None:
    item = await received(store)
    assert await by_message(store, None, item) == Done()
    assert await judged(store, item) == ("command", None, False)
    told = await rows(store, "SELECT act, actor, audience, chat_id, reason, subject, at FROM audit")
    assert [row[:6] for row in told] == [("command", ASKER, TEAM, None, None, "new")]
    (delivery,) = await claimed(store)
    await store.outbox.finish(delivery, Arrived(SentRef(message("reply"))))
    assert await judged(store, item) == ("command", None, True)


async def test_a_command_without_a_reply_is_closed_at_once(store: Store) -> None:
    item = await received(store)
    assert await by_message(store, None, item, reply=[]) == Done()
    assert await judged(store, item) == ("command", None, True)


@pytest.mark.requirement("D2")
async def test_a_command_takes_effect_once(store: Store) -> None:
    item = await received(store)
    async with asyncio.timeout(10):
        outcomes = await asyncio.gather(*(by_message(store, None, item) for _ in range(8)))
    assert outcomes.count(Done()) == 1
    assert outcomes.count(Changed()) == 7
    assert await written(store) == (1, 1, 0, 0)


@pytest.mark.requirement("D2")
async def test_a_command_that_was_recalled_does_nothing_and_is_not_answered(store: Store) -> None:
    (item,) = await recorded(store, envelope(1, lane=Lane.NOW))
    (back,) = await recorded(store, recall(1))
    await store.inbox.withdraw(back, message(1))
    effect = ApplyProfile(TRUSTED, (await planned(store, TRUSTED)).plan_revision)
    assert await by_message(store, effect, item) == Changed()
    assert await judged(store, item) == ("ignored", "withdrawn", True)
    assert await written(store) == (0, 0, 0, 0)


@pytest.mark.requirement("D2", "P8")
@pytest.mark.parametrize("spoilt", ["button", "part", "audit"])
async def test_nothing_is_written_where_one_piece_cannot_be(store: Store, spoilt: str) -> None:
    button = NewButton("twice", Command(CommandName.HELP), "inbox:1", UNTIL)
    bad: dict[str, Any] = {
        "button": {"buttons": [button, button]},
        "part": {"reply": [reply(), replace(reply("inbox:2"), question=10**30)]},
        "audit": {"audit": [AUDIT, replace(AUDIT, act="nothing of ours")]},
    }[spoilt]
    item = await received(store)
    effect = ApplyProfile(TRUSTED, (await planned(store, TRUSTED)).plan_revision)
    with pytest.raises((StoreRejectedError, ContractError, ValueError)):
        await by_message(store, effect, item, **bad)
    assert await written(store) == (0, 0, 0, 0)
    assert await store.machine.document() is None
    assert await judged(store, item) == (None, None, False)
    assert isinstance(await by_message(store, effect, item), Done)


@pytest.mark.requirement("D2", "P8")
async def test_a_stale_plan_leaves_its_command_unjudged(store: Store) -> None:
    item = await received(store)
    effect = ApplyProfile(TRUSTED, (await planned(store, TRUSTED)).plan_revision)
    present = (await changed(store, RESTRICTED)).present_revision
    assert await by_message(store, effect, item) == Changed(present)
    assert await judged(store, item) == (None, None, False)
    assert await written(store) == (0, 0, 0, 1)


@pytest.mark.requirement("D2")
async def test_what_the_operator_does_is_audited_and_may_be_told_in_a_chat(store: Store) -> None:
    row = AuditRow(AuditAct.PROFILE_APPLIED, OPERATOR)
    done = await store.effects.commit(
        ByOperator(),
        ApplyProfile(TRUSTED, (await planned(store, TRUSTED)).plan_revision),
        audit=[row],
        reply=[reply("told")],
    )
    assert isinstance(done, Done)
    assert await written(store) == (1, 1, 0, 1)
    (delivery,) = await claimed(store)
    await store.outbox.finish(delivery, Arrived(SentRef(message("told"))))


# Sessions and stops


async def visible_from(store: Store, chat: str = "oc_a") -> Any:
    session = await store.sessions.of(conversation(chat))
    assert session is not None
    return session.visible_from


@pytest.mark.requirement("S3")
async def test_a_renewed_session_shows_nothing_from_before(store: Store, clock: FakeClock) -> None:
    await settled(store, 1)
    await settled(store, 2, chat="oc_b")
    clock.advance(timedelta(minutes=1))
    assert await by_message(store, RenewSession(conversation())) == Done()
    assert await visible_from(store) == clock.now()
    assert await visible_from(store, "oc_b") == EPOCH
    assert await rows(store, "SELECT topic, topic_at FROM session ORDER BY id LIMIT 1") == [
        (None, None)
    ]


async def test_a_conversation_without_a_session_is_renewed_too(store: Store) -> None:
    assert await by_message(store, RenewSession(conversation())) == Done()
    assert await store.sessions.of(conversation()) is None


async def statuses(store: Store) -> Sequence[str]:
    return [status for (status,) in await rows(store, "SELECT status FROM question ORDER BY id")]


@pytest.mark.requirement("P9", "T7")
async def test_a_stop_withdraws_what_is_open_and_a_running_turn_has_lost(store: Store) -> None:
    running, token = await begun(store, 1)
    queued = await admitted(store, 2)
    await admitted(store, 3, chat="oc_b")
    stopped = await by_message(store, StopQuestions(conversation(), None))
    assert stopped == Done(stopped=Stopped((running, queued)))
    assert await statuses(store) == ["withdrawn", "withdrawn", "queued"]
    assert await store.ledger.settle(token, answer(), [part()]) is Written.LOST
    assert await rows(store, "SELECT subject FROM outbox") == [("inbox:1",)]
    closed = "SELECT count(*) FROM inbox WHERE closed_at IS NOT NULL"
    assert await rows(store, closed) == [(2,)]
    again = await by_message(store, StopQuestions(conversation(), None), await received(store, 9))
    assert again == Done(stopped=Stopped(()))


@pytest.mark.requirement("T7")
async def test_a_stop_of_one_asker_leaves_the_others(store: Store) -> None:
    await admitted(store, 1)
    event = envelope(2)
    (item,) = await recorded(store, event)
    theirs = await store.inbox.admit(item, replace(asked(event), asker=BEN))
    stopped = await by_message(store, StopQuestions(conversation(), BEN))
    assert stopped == Done(stopped=Stopped((theirs,)))
    assert await statuses(store) == ["queued", "withdrawn"]


@pytest.mark.requirement("T7", "D2")
@pytest.mark.parametrize("whose", [ASKER, None])
async def test_a_stop_counts_for_what_came_before_it_and_is_judged_after_it(
    store: Store, whose: OpenId | None
) -> None:
    events = [envelope(1), envelope(2), envelope(3, chat="oc_b")]
    before, owed, elsewhere = await recorded(store, *events)
    assert await by_message(store, StopQuestions(conversation(), whose)) == Done(
        stopped=Stopped(())
    )
    later = envelope(4)
    (after,) = await recorded(store, later)
    await store.inbox.admit(before, asked(events[0]))
    failure = TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
    await store.inbox.owe(owed, asked(events[1]), failure, [notice("message:om_2")])
    await store.inbox.admit(elsewhere, asked(events[2]))
    await store.inbox.admit(after, asked(later))
    assert await statuses(store) == ["withdrawn", "withdrawn", "queued", "queued"]
    unclosed = "SELECT id FROM inbox WHERE closed_at IS NULL AND lane = 'ordered' ORDER BY id"
    assert await rows(store, unclosed) == [(elsewhere,), (after,)]


@pytest.mark.requirement("T7")
async def test_a_stop_of_one_asker_leaves_what_others_sent_before_it(store: Store) -> None:
    event = envelope(1)
    (before,) = await recorded(store, event)
    await by_message(store, StopQuestions(conversation(), BEN))
    await store.inbox.admit(before, asked(event))
    assert await statuses(store) == ["queued"]


@pytest.mark.requirement("T7")
async def test_a_stop_leaves_what_is_settled(store: Store) -> None:
    question = await settled(store, 1)
    assert await by_message(store, StopQuestions(conversation(), None)) == Done(stopped=Stopped(()))
    assert (await store.ledger.question(question)).status is QuestionStatus.SETTLED
    assert len(await claimed(store)) >= 1


# Grants


def own(audience: str, *sources: SourceId, goals: tuple[GoalId, ...] | None = None) -> Grant:
    return Grant(audience, audience, sources, goals, GrantOrigin.OWNER)


def configured(name: str, audience: str = TEAM) -> Grant:
    return Grant(name, audience, (PLANS,), None, GrantOrigin.CONFIG)


async def granted(store: Store, change: GrantChange) -> EffectOutcome:
    plan = await store.grants.plan(change)
    return await by_operator(store, ApplyGrants(change, plan.plan_revision))


@pytest.mark.requirement("A2")
async def test_the_owners_grant_stands_beside_the_files_and_a_later_one_replaces_it(
    store: Store,
) -> None:
    await store.grants.sync([configured("team")])
    goals = (GoalId("gateway"),)
    await granted(store, SetGrant(TEAM, (LAB,), goals))
    done = await granted(store, SetGrant(TEAM, (LAB, PLANS), None))
    now = (own(TEAM, LAB, PLANS), configured("team"))
    assert done == Done(grants=GrantsSet(now))
    assert tuple(await store.grants.of(TEAM)) == now
    await store.grants.sync([])
    assert await store.grants.of(TEAM) == [own(TEAM, LAB, PLANS)]


@pytest.mark.requirement("A2")
async def test_a_revocation_outlives_the_configuration_and_a_later_grant_ends_it(
    store: Store,
) -> None:
    await store.grants.sync([configured("team"), configured("rest", "members")])
    await granted(store, SetGrant(TEAM, (LAB,), None))
    assert await granted(store, RevokeGrants(TEAM)) == Done(grants=GrantsSet(()))
    await store.grants.sync([configured("team"), configured("rest", "members")])
    assert await store.grants.of(TEAM) == []
    assert await store.grants.of("members") == [configured("rest", "members")]
    await granted(store, SetGrant(TEAM, (LAB,), None))
    assert await store.grants.of(TEAM) == [own(TEAM, LAB)]


@pytest.mark.requirement("A2")
async def test_a_stale_plan_of_grants_changes_nothing(store: Store) -> None:
    change = SetGrant(TEAM, (LAB,), None)
    plan = await store.grants.plan(change)
    await store.grants.sync([configured("team")])
    present = (await store.grants.plan(change)).current_revision
    late = await by_operator(store, ApplyGrants(change, plan.plan_revision))
    assert late == Changed(present)
    assert await store.grants.of(TEAM) == [configured("team")]
    assert await written(store) == (0, 0, 0, 0)


@pytest.mark.requirement("A2")
async def test_of_grants_changed_at_once_one_is_followed(store: Store) -> None:
    changes = [SetGrant(TEAM, (SourceId(f"source-{n}"),), None) for n in range(8)]
    plans = [await store.grants.plan(change) for change in changes]
    async with asyncio.timeout(10):
        outcomes = await asyncio.gather(
            *(by_operator(store, ApplyGrants(one.change, one.plan_revision)) for one in plans)
        )
    assert [type(one) for one in outcomes].count(Done) == 1
    assert len(await store.grants.of(TEAM)) == 1


@pytest.mark.requirement("S3", "A2")
async def test_a_change_of_grants_hides_the_past_of_that_audience_alone(
    store: Store, clock: FakeClock
) -> None:
    await settled(store, 1)
    await settled(store, 2, chat="oc_b")
    clock.advance(timedelta(minutes=1))
    await granted(store, SetGrant("external:oc_a", (LAB,), None))
    await granted(store, SetGrant("members", (LAB,), None))
    await granted(store, RevokeGrants(TEAM))
    assert await visible_from(store) == EPOCH
    await granted(store, SetGrant(TEAM, (LAB,), None))
    assert await visible_from(store) == clock.now()
    assert await visible_from(store, "oc_b") == EPOCH


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    ("kind", "key"), [("owner_private", "owner"), ("member_private", "members")]
)
async def test_a_change_for_private_chats_hides_the_past_of_each(
    store: Store, clock: FakeClock, kind: str, key: str
) -> None:
    await settled(store, 1)
    await store.database.write(
        lambda connection: (
            connection.exec_driver_sql(
                f"UPDATE session SET audience_kind = '{kind}'"  # noqa: S608 - our own words
            ).rowcount
        )
    )
    clock.advance(timedelta(minutes=1))
    await granted(store, SetGrant(TEAM, (LAB,), None))
    assert await visible_from(store) == EPOCH
    await granted(store, SetGrant(key, (LAB,), None))
    assert await visible_from(store) == clock.now()


@pytest.mark.requirement("S3")
async def test_the_file_hides_the_past_only_where_it_changes_something(
    store: Store, clock: FakeClock
) -> None:
    await store.grants.sync([configured("team"), configured("other", "group:oc_b")])
    await settled(store, 1)
    await settled(store, 2, chat="oc_b")
    clock.advance(timedelta(minutes=1))
    await store.grants.sync([configured("other", "group:oc_b"), configured("team")])
    assert await visible_from(store) == EPOCH
    await store.grants.sync([configured("other", "group:oc_b")])
    assert await visible_from(store) == clock.now()
    assert await visible_from(store, "oc_b") == EPOCH


# Names


async def people(store: Store) -> list[tuple[str, str, bool]]:
    found = await rows(store, "SELECT open_id, names, approved FROM person ORDER BY id")
    return [(who, names, bool(approved)) for who, names, approved in found]


async def test_a_claim_waits_for_the_owner_and_does_not_end_names_that_are_approved(
    store: Store,
) -> None:
    await by_message(store, ClaimNames(BEN, ("Ben",)))
    await by_message(store, ClaimNames(BEN, ("Ben", "B.")), await received(store, 2))
    assert await people(store) == [(BEN, '["Ben","B."]', False)]
    await by_operator(store, ApproveNames(BEN, ("Ben",)))
    assert await people(store) == [(BEN, '["Ben"]', True)]
    await by_message(store, ClaimNames(BEN, ("Anna",)), await received(store, 3))
    assert await people(store) == [(BEN, '["Ben"]', True)]
    await by_operator(store, ApproveNames(BEN, ("Anna",)))
    assert await people(store) == [(BEN, '["Anna"]', True)]
