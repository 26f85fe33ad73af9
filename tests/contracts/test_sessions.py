"""Sessions: what each conversation really started with, and how much of its past may be seen. Contracts S1, S2, S3."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from steward.model.action import Offer
from steward.model.answer import Answer
from steward.model.audience import AudienceKind
from steward.model.audit import STEWARD, AuditAct, AuditRow
from steward.model.delivery import Arrived, SentRef
from steward.model.ids import AttemptToken, ChatId, GoalId, MessageRef
from steward.model.profile import RESTRICTED_DEFAULT, Readback, RuntimeProfile, ToolClass
from steward.model.session import Exchange, Opening, Session, SessionStart, SixFields
from steward.model.topic import Topic
from steward.model.turn import TurnCode, TurnFailure, Written
from steward.policy.sessions import Fresh, planned
from steward.store import Store
from steward.store.sessions import forget
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import (
    APP,
    FIRST,
    admitted,
    answer,
    claimed,
    conversation,
    leased,
    message,
    notice,
    part,
    recall,
    recorded,
    rows,
)
from tests.contracts.test_clicks import asks, click, press, shown

HERE = conversation()
MINUTE = timedelta(minutes=1)
RESUME = replace(FIRST, opening=Opening.RESUME)
ROTATE = replace(FIRST, opening=Opening.ROTATE)
FILL_IN = replace(FIRST, opening=Opening.FILL_IN)
PAYMENTS = Topic("todos", (GoalId("payments"),))
OTHER_PROFILE = replace(
    RESTRICTED_DEFAULT,
    runtime_profile=RuntimeProfile.TRUSTED_OWNER,
    configuration_revision="another",
    tool_classes=tuple(ToolClass),
)


async def start(
    store: Store,
    name: object,
    session: SessionStart = FIRST,
    *,
    profile: Readback | None = None,
    scope: str = "scope-1",
    upstream: str | None = None,
    chat: str = "oc_a",
) -> AttemptToken:
    """A turn that has begun, and called its endpoint under this thread of it."""
    question = await admitted(store, name, chat=chat)
    token = AttemptToken(f"attempt-{name}")
    lease = await leased(store)
    readback = profile or Readback(RESTRICTED_DEFAULT, "restricted-1")
    begun = await store.ledger.begin(
        lease,
        question,
        token,
        endpoint="reporter",
        readback=readback,
        scope_revision=scope,
        session=session,
    )
    assert begun is Written.DONE
    assert await store.ledger.calling(token, upstream=upstream) is Written.DONE
    await store.conversations.release(lease)
    return token


async def fail(store: Store, name: object, token: AttemptToken) -> None:
    failure = TurnFailure(TurnCode.INTERRUPTED)
    assert await store.ledger.fail(token, failure, [notice(f"message:om_{name}")]) is Written.DONE


async def settle(
    store: Store, name: object, token: AttemptToken, said: Answer, *, deliver: bool = True
) -> None:
    assert await store.ledger.settle(token, said, [part(f"message:om_{name}")]) is Written.DONE
    if deliver:
        (delivery,) = await claimed(store)
        reply = MessageRef(APP, f"om_reply_{name}")
        assert await store.outbox.finish(delivery, Arrived(SentRef(reply))) is Written.DONE


async def exchange(store: Store, name: object, session: SessionStart = FIRST) -> None:
    await settle(store, name, await start(store, name, session), answer(f"Answer {name}."))


async def hide(store: Store, now: FakeClock) -> None:
    """`/new`, as its effect writes it."""
    at = now.now()
    await store.database.write(lambda connection: forget(connection, str(HERE), at))


async def session(store: Store) -> Session:
    found = await store.sessions.of(HERE)
    assert found is not None
    return found


async def history(store: Store, most: int = 9) -> list[str]:
    return [one.answer for one in await store.sessions.history(HERE, most=most)]


@pytest.mark.requirement("S1")
async def test_a_conversation_without_a_turn_has_no_session(store: Store) -> None:
    await admitted(store, 1)
    assert await store.sessions.of(HERE) is None
    assert await store.sessions.all() == []
    assert await store.sessions.history(HERE, most=9) == []


@pytest.mark.requirement("S1")
async def test_a_first_turn_leaves_what_it_really_started_with(store: Store) -> None:
    await start(store, 1, upstream="thread-1")
    assert await session(store) == Session(
        conversation=HERE,
        fields=SixFields(
            profile=RESTRICTED_DEFAULT.runtime_profile,
            configuration_revision=RESTRICTED_DEFAULT.configuration_revision,
            status=RESTRICTED_DEFAULT.status,
            sandbox=RESTRICTED_DEFAULT.sandbox,
            standing_grant=RESTRICTED_DEFAULT.standing_grant,
            tool_classes=tuple(RESTRICTED_DEFAULT.tool_classes),
        ),
        endpoint="reporter",
        prompt_revision="restricted-1",
        upstream="thread-1",
        upstream_context_history=(),
        visible_from=EPOCH,
        audience=AudienceKind.GROUP,
        scope_revision="scope-1",
        updated_at=EPOCH,
    )


@pytest.mark.requirement("S1")
async def test_a_turn_that_resumes_keeps_thread_and_past(store: Store, clock: FakeClock) -> None:
    await fail(store, 1, await start(store, 1, upstream="thread-1"))
    before = await session(store)
    clock.advance(MINUTE)
    await start(store, 2, RESUME, scope="scope-2")
    assert await session(store) == replace(
        before, scope_revision="scope-2", updated_at=EPOCH + MINUTE
    )
    assert await rows(store, "SELECT id FROM session") == [(1,)]


@pytest.mark.requirement("S2")
async def test_a_rotation_puts_the_closed_thread_behind_those_before_it(
    store: Store, clock: FakeClock
) -> None:
    await exchange(store, 1)
    await fail(store, 2, await start(store, 2, RESUME, upstream="thread-1"))
    clock.advance(MINUTE)
    other = Readback(OTHER_PROFILE, "trusted-1")
    token = await start(store, 3, ROTATE, profile=other, upstream="thread-2")
    now = await session(store)
    assert (now.upstream, now.upstream_context_history) == ("thread-2", ("thread-1",))
    assert now.fields.profile is RuntimeProfile.TRUSTED_OWNER
    assert now.fields.configuration_revision == "another"
    assert now.fields.tool_classes == tuple(ToolClass)
    assert (now.prompt_revision, now.visible_from) == ("trusted-1", EPOCH)
    assert await history(store) == ["Answer 1."]
    await fail(store, 3, token)
    token = await start(store, 4, ROTATE, upstream="thread-3")
    assert (await session(store)).upstream_context_history == ("thread-1", "thread-2")


@pytest.mark.requirement("S2")
async def test_a_rotated_thread_is_not_resumed_before_there_is_a_new_one(store: Store) -> None:
    await fail(store, 1, await start(store, 1, upstream="thread-1"))
    await fail(store, 2, await start(store, 2, ROTATE))
    now = await session(store)
    assert (now.upstream, now.upstream_context_history) == (None, ("thread-1",))
    await start(store, 3, ROTATE)
    assert (await session(store)).upstream_context_history == ("thread-1",)


async def test_a_rotation_is_kept_in_the_audit_and_nothing_else_is(store: Store) -> None:
    await fail(store, 1, await start(store, 1))
    await fail(store, 2, await start(store, 2, RESUME))
    acts = [AuditAct.SESSION_ROTATED]
    assert await store.audit.recent(most=9, acts=acts) == []
    await start(store, 3, ROTATE)
    (entry,) = await store.audit.recent(most=9, acts=acts)
    where, told = ChatId("oc_a"), "group:oc_a"
    assert entry.row == AuditRow(
        AuditAct.SESSION_ROTATED, STEWARD, told, where, subject="question:3"
    )


@pytest.mark.requirement("S2", "S1")
async def test_a_session_from_before_the_fields_is_loaded_and_filled_in(store: Store) -> None:
    await fail(store, 1, await start(store, 1, upstream="thread-1"))
    await store.database.write(
        lambda connection: (
            connection.execute(
                text(
                    "UPDATE session SET manager_runtime_profile = NULL,"
                    " manager_runtime_configuration_revision = NULL, manager_runtime_status = NULL,"
                    " manager_runtime_sandbox = NULL, manager_runtime_standing_grant = NULL,"
                    " manager_runtime_tool_classes = NULL, endpoint = NULL, prompt_revision = NULL,"
                    " audience_kind = NULL, scope_revision = NULL"
                )
            ).rowcount
        )
    )
    old = await session(store)
    assert old.fields == SixFields(None, None, None, None, None, None)
    assert (old.endpoint, old.prompt_revision, old.audience) == (None, None, None)
    assert (old.scope_revision, old.upstream) == (None, "thread-1")
    await start(store, 2, FILL_IN)
    now = await session(store)
    assert None not in (now.fields.profile, now.fields.tool_classes, now.endpoint, now.audience)
    assert (now.upstream, now.upstream_context_history) == ("thread-1", ())


@pytest.mark.requirement("S3")
@pytest.mark.parametrize("column", ["manager_runtime_tool_classes", "upstream_context_history"])
async def test_a_corrupt_session_forgets_its_past_and_is_whole_again(
    store: Store, clock: FakeClock, column: str
) -> None:
    await exchange(store, 1)
    await fail(store, 2, await start(store, 2, RESUME, upstream="thread-1"))
    await spoil(store, f"UPDATE session SET {column} = 'nonsense'")  # noqa: S608 - our own words
    await spoil(store, "UPDATE session SET topic = 'nonsense', topic_at = visible_from")
    spoilt = await session(store)
    assert spoilt in await store.sessions.all()
    assert await store.ledger.topic(HERE) is None
    fresh = Fresh(RESTRICTED_DEFAULT, "reporter", "restricted-1", "scope-1", AudienceKind.GROUP)
    planned_start = planned(spoilt, fresh)
    assert planned_start.retire == "thread-1"
    assert planned_start.start == replace(ROTATE, forget=True)
    clock.advance(MINUTE)
    await fail(store, 3, await start(store, 3, planned_start.start))
    assert await history(store) == []
    assert planned(await session(store), fresh).start.opening is Opening.RESUME


async def test_a_corrupt_answer_is_no_part_of_a_history(store: Store) -> None:
    for name in (1, 2):
        await exchange(store, name)
    await spoil(store, "UPDATE answer SET body = '{}' WHERE question_id = 1")
    assert await history(store) == ["Answer 2."]


async def spoil(store: Store, statement: str) -> None:
    await store.database.write(lambda connection: connection.execute(text(statement)).rowcount)


async def test_a_replayed_begin_writes_no_session_again(store: Store) -> None:
    question = await admitted(store, 1)
    lease, token = await leased(store), AttemptToken("attempt-1")

    async def begin(opening: SessionStart) -> Written:
        return await store.ledger.begin(
            lease,
            question,
            token,
            endpoint="reporter",
            readback=Readback(RESTRICTED_DEFAULT, "restricted-1"),
            scope_revision="scope-1",
            session=opening,
        )

    assert await begin(FIRST) is Written.DONE
    await store.ledger.calling(token, upstream="thread-1")
    assert await begin(ROTATE) is Written.REPLAY
    now = await session(store)
    assert (now.upstream, now.upstream_context_history) == ("thread-1", ())


async def test_all_sessions_are_listed_newest_turn_first(store: Store, clock: FakeClock) -> None:
    for name, chat in ((1, "oc_a"), (2, "oc_b"), (3, "oc_c")):
        await start(store, name, chat=chat)
        clock.advance(MINUTE)
    await fail(store, 1, AttemptToken("attempt-1"))
    await start(store, 4, RESUME)
    chats = [one.conversation.chat_id for one in await store.sessions.all()]
    assert chats == ["oc_a", "oc_c", "oc_b"]


@pytest.mark.requirement("S3")
async def test_visible_history_is_what_was_wholly_answered_oldest_first_and_bounded(
    store: Store, clock: FakeClock
) -> None:
    for name in (1, 2, 3):
        await exchange(store, name)
        clock.advance(MINUTE)
    await fail(store, 4, await start(store, 4, RESUME))
    await settle(store, 5, await start(store, 5, RESUME), answer("Undelivered."), deliver=False)
    await start(store, 6, RESUME, chat="oc_b")
    await admitted(store, 7)
    assert await history(store) == ["Answer 1.", "Answer 2.", "Answer 3."]
    assert await history(store, most=2) == ["Answer 2.", "Answer 3."]
    (newest,) = await store.sessions.history(HERE, most=1)
    assert newest == Exchange("How is the gateway?", "Answer 3.", EPOCH)
    assert await store.sessions.history(conversation("oc_b"), most=9) == []


@pytest.mark.requirement("D2")
async def test_a_withdrawn_question_is_no_visible_history(store: Store) -> None:
    await settle(store, 1, await start(store, 1), answer("Said."), deliver=False)
    (item,) = await recorded(store, recall(1))
    await store.inbox.withdraw(item, message(1))
    assert await history(store) == []


STEPS = [MINUTE, timedelta(), timedelta(hours=-1)]
"""The wall clock goes on, stands still, or is set back."""


@pytest.mark.requirement("S3")
@pytest.mark.parametrize("step", STEPS)
async def test_a_turn_that_forgets_hides_what_was_before_it_and_not_itself(
    store: Store, clock: FakeClock, step: timedelta
) -> None:
    await settle(store, 1, await start(store, 1), replace(answer("Old."), topic=PAYMENTS))
    assert await store.ledger.topic(HERE) == PAYMENTS
    clock.advance(step)
    await admitted(store, 2)
    clock.advance(step)
    token = await begun_as(store, 2, replace(ROTATE, forget=True))
    assert (await session(store)).visible_from == clock.now()
    assert await store.ledger.topic(HERE) is None
    assert await history(store) == []
    clock.advance(step)
    gateway = replace(PAYMENTS, goals=(GoalId("gateway"),))
    await settle(store, 2, token, replace(answer("New."), topic=gateway))
    assert await history(store) == ["New."]
    assert await store.ledger.topic(HERE) == gateway


async def begun_as(store: Store, name: object, start_with: SessionStart) -> AttemptToken:
    """The queued question of this name, begun."""
    lease, token = await leased(store), AttemptToken(f"attempt-{name}")
    question = await store.conversations.next(lease)
    assert question is not None
    begun = await store.ledger.begin(
        lease,
        question,
        token,
        endpoint="reporter",
        readback=Readback(RESTRICTED_DEFAULT, "restricted-1"),
        scope_revision="scope-2",
        session=start_with,
    )
    assert begun is Written.DONE
    await store.conversations.release(lease)
    return token


@pytest.mark.requirement("S3")
@pytest.mark.parametrize("step", STEPS)
async def test_what_was_begun_before_the_past_was_hidden_is_hidden_with_it_however_late_it_is_answered(
    store: Store, clock: FakeClock, step: timedelta
) -> None:
    token = await start(store, 1, upstream="thread-1")
    assert not (await session(store)).hidden
    clock.advance(step)
    await hide(store, clock)
    assert (await session(store)).hidden
    clock.advance(step)
    await settle(store, 1, token, replace(answer("Late."), topic=PAYMENTS))
    assert await history(store) == []
    assert await store.ledger.topic(HERE) is None


async def test_hiding_one_conversations_past_hides_no_other_ones(
    store: Store, clock: FakeClock
) -> None:
    token = await start(store, 1, chat="oc_b")
    await settle(store, 1, token, replace(answer("There."), topic=PAYMENTS))
    await exchange(store, 2)
    clock.advance(MINUTE)
    await hide(store, clock)
    there: Sequence[Exchange] = await store.sessions.history(conversation("oc_b"), most=9)
    assert [one.answer for one in there] == ["There."]
    assert await store.ledger.topic(conversation("oc_b")) == PAYMENTS
    assert await history(store) == []


@pytest.mark.requirement("S3", "A5")
@pytest.mark.parametrize("step", STEPS)
async def test_a_button_says_whether_its_answer_is_of_a_hidden_past(
    store: Store, clock: FakeClock, step: timedelta
) -> None:
    offer = await shown(store)
    assert not offer.forgotten
    clock.advance(step)
    await hide(store, clock)
    later = await store.clicks.find(click())
    assert later == replace(offer, forgotten=True)


@pytest.mark.requirement("S3", "A5")
async def test_what_was_hidden_since_it_was_looked_at_is_not_pressed(
    store: Store, clock: FakeClock
) -> None:
    offer: Offer = await shown(store)
    clock.advance(MINUTE)
    await hide(store, clock)
    assert await store.clicks.press(press(1), click(), offer, asks(offer)) is Written.LOST
    assert await rows(store, "SELECT id FROM question WHERE choice IS NOT NULL") == []
