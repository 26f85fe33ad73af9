"""Each step of a message leaves its row of the audit, in its own commit, and no word of what was said. Contract A4."""

from dataclasses import fields, replace

import pytest

from steward.model.action import ClickRefusal
from steward.model.audience import (
    Audience,
    AudienceKind,
    Declined,
    DeclineReason,
    Ignored,
    IgnoreReason,
    Limits,
)
from steward.model.audit import STEWARD, UNKNOWN, AuditAct, AuditRow
from steward.model.delivery import Arrived, GivenUp, Guard, SentRef, SteppedDown, TryAgain
from steward.model.events import EventKind, Lane
from steward.model.ids import ChatId, GoalId, MessageRef, OpenId, SourceId
from steward.model.reading import (
    GateCode,
    ReadFailure,
    Reading,
    ScanQuery,
    SourceCode,
    View,
)
from steward.model.turn import TurnCode, TurnFailure, Written
from steward.store import Store
from steward.testing.world import FakeClock
from tests.contracts.given import (
    APP,
    ASKER,
    admitted,
    answer,
    asked,
    begun,
    claimed,
    envelope,
    message,
    notice,
    part,
    planned,
    recall,
    recorded,
    rows,
    settled,
)
from tests.contracts.test_clicks import EVIDENCE, OWNER, asks, click, evidence, press, seen, shown

HERE = ChatId("oc_a")
TEAM = "group:oc_a"
GROUP = Audience(AudienceKind.GROUP, HERE)
SECRET = "a word that nobody may keep"
SENT = Arrived(SentRef(MessageRef(APP, "om_reply")))


async def audit(store: Store, *acts: AuditAct) -> list[AuditRow]:
    """Oldest first."""
    found = await store.audit.recent(most=99, acts=acts)
    return [entry.row for entry in reversed(found)]


def row(act: AuditAct, actor: str = ASKER, reason: str | None = None, of: int = 1) -> AuditRow:
    return AuditRow(act, actor, TEAM, HERE, reason, f"question:{of}")


async def test_an_admission_names_asker_audience_and_question(store: Store) -> None:
    await admitted(store, 1)
    assert await audit(store) == [row(AuditAct.ADMITTED)]


async def test_an_admission_that_is_owed_or_withdrawn_at_once_says_why(store: Store) -> None:
    first, second = envelope(1), envelope(2)
    one, two, back = await recorded(store, first, second, recall(2))
    failure = TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
    await store.inbox.owe(one, asked(first), failure, [notice()])
    await store.inbox.withdraw(back, message(2))
    await store.inbox.admit(two, asked(second))
    assert await audit(store) == [
        row(AuditAct.ADMITTED, reason="directory_unavailable"),
        row(AuditAct.ADMITTED, reason="withdrawn", of=2),
    ]


async def test_what_was_judged_before_is_not_told_twice(store: Store) -> None:
    event = envelope(1)
    (item,) = await recorded(store, event)
    await store.inbox.admit(item, asked(event))
    assert await store.inbox.admit(item, asked(event)) is Written.LOST
    declined = Declined(DeclineReason.NOT_GRANTED)
    assert await store.inbox.decline(item, declined, [], audience=GROUP) is Written.LOST
    unknown = Ignored(IgnoreReason.AUDIENCE_UNKNOWN)
    assert await store.inbox.ignore(item, unknown) is Written.LOST
    assert len(await audit(store)) == 1


async def test_a_refusal_in_sight_names_whom_it_concerns_as_far_as_that_is_known(
    store: Store,
) -> None:
    one, two = await recorded(store, envelope(1), envelope(2))
    await store.inbox.decline(
        one, Declined(DeclineReason.NOT_GRANTED), [notice()], audience=GROUP, asker=ASKER
    )
    await store.inbox.decline(two, Declined(DeclineReason.ASKER_LIMIT), [])
    assert await audit(store) == [
        AuditRow(AuditAct.REFUSED, ASKER, TEAM, HERE, "not_granted", "inbox:1"),
        AuditRow(AuditAct.REFUSED, UNKNOWN, None, None, "asker_limit", "inbox:2"),
    ]


@pytest.mark.parametrize("reason", list(IgnoreReason))
async def test_of_what_is_ignored_only_a_refusal_in_silence_is_kept(
    store: Store, reason: IgnoreReason
) -> None:
    (item,) = await recorded(store, envelope(1))
    await store.inbox.ignore(item, Ignored(reason), asker=ASKER)
    told = AuditRow(AuditAct.REFUSED, ASKER, reason=reason, subject="inbox:1")
    kept = reason in {IgnoreReason.AUDIENCE_UNKNOWN, IgnoreReason.NOT_PROVEN}
    assert await audit(store) == ([told] if kept else [])


async def test_a_question_too_many_is_told_once_by_who_declines_it(store: Store) -> None:
    event = envelope(1)
    (item,) = await recorded(store, event)
    none = Limits(open_per_asker=0)
    assert isinstance(await store.inbox.admit(item, asked(event), none), Declined)
    assert await audit(store) == []


def reading(
    query: ScanQuery | None,
    refused: ReadFailure | None = None,
    failures: tuple[ReadFailure, ...] = (),
) -> Reading:
    return Reading(
        tool="read",
        query=query,
        rows=(),
        counts={},
        coverage=answer().coverage,
        failures=failures,
        as_of=None,
        window_start=None,
        window_end=None,
        refused=refused,
    )


@pytest.mark.requirement("A4")
@pytest.mark.parametrize(
    ("made", "subject", "reason"),
    [
        (reading(ScanQuery(View.TODOS)), "todos/*/*", None),
        (
            reading(ScanQuery(View.TODOS, SourceId("plans"), GoalId("gateway"))),
            "todos/plans/gateway",
            None,
        ),
        (
            reading(
                ScanQuery(View.PORTFOLIO),
                failures=(ReadFailure(SourceCode.TIMEOUT, SourceId("plans")),),
            ),
            "portfolio/*/*",
            "timeout",
        ),
        (
            reading(
                ScanQuery(View.TODOS, SourceId(SECRET), GoalId(SECRET)),
                ReadFailure(GateCode.SOURCE_OUTSIDE_AVAILABLE_SCOPE),
            ),
            "todos/*/*",
            "source_outside_available_scope",
        ),
        (
            reading(
                ScanQuery(View.TODOS, SourceId("plans"), GoalId(SECRET)),
                ReadFailure(GateCode.STALE_SNAPSHOT, SourceId("plans")),
            ),
            "todos/plans/*",
            "stale_snapshot",
        ),
        (
            reading(None, ReadFailure(GateCode.INVALID_ARGUMENTS)),
            None,
            "invalid_arguments",
        ),
    ],
)
async def test_a_read_names_view_source_and_goal_and_nothing_that_was_made_up(
    store: Store, made: Reading, subject: str | None, reason: str | None
) -> None:
    _, token = await begun(store, 1)
    assert await store.ledger.read(token, made) is Written.DONE
    assert await audit(store, AuditAct.READ) == [
        AuditRow(AuditAct.READ, ASKER, TEAM, HERE, reason, subject)
    ]


async def test_a_read_of_a_turn_that_has_lost_is_not_told(store: Store) -> None:
    _, token = await begun(store, 1)
    (item,) = await recorded(store, recall(1))
    await store.inbox.withdraw(item, message(1))
    assert await store.ledger.read(token, reading(ScanQuery(View.TODOS))) is Written.LOST
    assert await audit(store, AuditAct.READ) == []


async def test_a_message_is_delivered_once_its_last_part_is(store: Store) -> None:
    await settled(store, 1, *(part(number=n, of=2) for n in (1, 2)))
    (first,) = await claimed(store)
    await store.outbox.finish(first, SENT)
    assert await audit(store, AuditAct.DELIVERED) == []
    (second,) = await claimed(store)
    await store.outbox.finish(second, SENT)
    assert await store.outbox.finish(second, SENT) is Written.REPLAY
    assert await audit(store, AuditAct.DELIVERED) == [row(AuditAct.DELIVERED, STEWARD)]


async def test_a_message_that_stepped_down_is_one_message(store: Store, clock: FakeClock) -> None:
    await settled(store, 1, part(lower=((planned("text"),),)))
    (card,) = await claimed(store)
    await store.outbox.finish(card, SteppedDown("form"))
    (lower,) = await claimed(store)
    await store.outbox.finish(lower, TryAgain(clock.now(), unknown=True))
    (again,) = await claimed(store)
    await store.outbox.finish(again, SENT)
    ends = await audit(store, AuditAct.DELIVERED, AuditAct.UNDELIVERED)
    assert ends == [row(AuditAct.DELIVERED, STEWARD)]


async def test_a_message_of_which_a_part_is_given_up_is_undelivered(store: Store) -> None:
    await settled(store, 1, *(part(number=n, of=2) for n in (1, 2)))
    (first,) = await claimed(store)
    await store.outbox.finish(first, GivenUp("chat_gone"))
    (second,) = await claimed(store)
    await store.outbox.finish(second, SENT)
    ends = await audit(store, AuditAct.DELIVERED, AuditAct.UNDELIVERED)
    assert ends == [row(AuditAct.UNDELIVERED, STEWARD, "chat_gone")]


async def test_a_notice_without_a_question_is_named_by_what_it_answers(store: Store) -> None:
    (item,) = await recorded(store, envelope(1))
    await store.inbox.unparsable(item, "reason", [notice()])
    (told,) = await claimed(store)
    await store.outbox.finish(told, SENT)
    assert await audit(store) == [
        AuditRow(AuditAct.DELIVERED, STEWARD, None, HERE, None, "inbox:1")
    ]


async def test_what_is_withheld_says_why_once_per_message(store: Store) -> None:
    guard = Guard(GROUP, ASKER, "scope-1")
    parts = [replace(part(number=n, of=3), guard=guard) for n in (1, 2, 3)]
    await settled(store, 1, *parts)
    (first,) = await claimed(store)
    changed = TurnFailure(TurnCode.AUTHORIZATION_CHANGED)
    await store.outbox.revoke(first, changed, [notice()])
    ends = await audit(store, AuditAct.WITHHELD, AuditAct.DELIVERED, AuditAct.UNDELIVERED)
    assert ends == [row(AuditAct.WITHHELD, STEWARD, "authorization_changed")]


async def test_a_press_names_its_operator_and_a_choice_its_new_question(store: Store) -> None:
    offer = await shown(store)
    await store.clicks.press(press(1), click(operator=ASKER), offer, asks(offer))
    told = await audit(store, AuditAct.PRESSED, AuditAct.ADMITTED)
    assert told[1:] == [row(AuditAct.PRESSED), row(AuditAct.ADMITTED, of=2)]


async def test_evidence_that_the_owner_asked_for_is_the_owners_press(store: Store) -> None:
    await shown(store)
    pressed = click(EVIDENCE.nonce, OWNER)
    await store.clicks.press(press(1), pressed, await seen(store, pressed), evidence(OWNER))
    assert await audit(store, AuditAct.PRESSED) == [row(AuditAct.PRESSED, OWNER)]


async def test_a_refused_press_names_its_operator_once(store: Store) -> None:
    stranger = click(operator=OpenId("ou_stranger"))
    for _ in range(2):
        await store.clicks.refuse(press(1), ClickRefusal.NOT_PERMITTED, stranger)
    await store.clicks.refuse(press(2), ClickRefusal.UNKNOWN)
    assert await audit(store) == [
        AuditRow(AuditAct.REFUSED, "ou_stranger", None, HERE, "not_permitted"),
        AuditRow(AuditAct.REFUSED, UNKNOWN, None, HERE, "unknown_button"),
    ]


async def test_an_operator_that_no_store_can_hold_costs_no_record(store: Store) -> None:
    odd = click(operator=OpenId("ou_\x00" + "x" * 5000))
    assert await store.clicks.refuse(press(1), ClickRefusal.UNKNOWN, odd) is Written.DONE
    ((kept, length),) = await rows(store, "SELECT actor, length(actor) FROM audit")
    assert kept.startswith("ou_\ufffd")
    assert length < 200


@pytest.mark.requirement("A4")
async def test_no_row_of_the_audit_holds_a_word_that_was_said(store: Store) -> None:
    first = envelope(1, body=SECRET.encode())
    (item,) = await recorded(store, first)
    question = await store.inbox.admit(item, asked(first, SECRET))
    assert isinstance(question, int)
    other = envelope(2, chat="oc_b", body=SECRET.encode())
    (told,) = await recorded(store, other)
    said = notice("message:om_2", chat="oc_b")
    declined = Declined(DeclineReason.NOT_GRANTED)
    await store.inbox.decline(told, declined, [said], audience=GROUP, asker=ASKER)
    found = await audit(store)
    assert len(found) == 2
    values = [str(getattr(one, field.name)) for one in found for field in fields(one)]
    assert not any(SECRET in value for value in values)


async def test_recording_costs_no_row_of_the_audit(store: Store) -> None:
    await recorded(store, envelope(1), envelope(2, kind=EventKind.CLICK, lane=Lane.NOW))
    assert await audit(store) == []
