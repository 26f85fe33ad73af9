"""After a try: again, a lower rung, or the end. What may have arrived is never sent as something new."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from steward.model.answer import OutgoingKind
from steward.model.delivery import (
    Arrived,
    Delivery,
    Disposition,
    Fate,
    GivenUp,
    Part,
    Place,
    Refused,
    Repeated,
    SentRef,
    SteppedDown,
    TryAgain,
    Unknown,
)
from steward.model.ids import AppId, ChatId, ConversationId, MessageRef, PartId
from steward.policy.retry import (
    DIRECTORY_PATIENCE,
    LAST_TRY,
    LONGEST_PAUSE,
    LOOK_PAUSE,
    LOOKED_FOR,
    SAFE_REPEAT,
    fate_of,
    look_again,
    pause,
    repeat_is_safe,
    too_late,
)
from steward.testing.world import EPOCH

APP = AppId("cli_a")
PART = Part("card", 1, 1, b"{}", "uuid-1")
DELIVERY = Delivery(
    id=PartId(1),
    subject="message:om_1",
    attempt=1,
    kind=OutgoingKind.ANSWER,
    question=None,
    place=Place(ConversationId(APP, ChatId("oc_1")), None, in_thread=False),
    part=PART,
    lower=((Part("text", 1, 1, b"t", "uuid-2"),),),
    tries=1,
    first_unknown_at=None,
)
REFUSED_FORM = Refused("form", Disposition.STEP_DOWN)


def test_a_sent_part_has_arrived() -> None:
    sent = SentRef(MessageRef(APP, "om_2"))
    assert fate_of(sent, DELIVERY, EPOCH) == Arrived(sent)


@pytest.mark.requirement("D4")
def test_an_unknown_outcome_is_tried_again_as_unknown() -> None:
    assert fate_of(Unknown("timeout"), DELIVERY, EPOCH) == TryAgain(
        EPOCH + timedelta(seconds=1), unknown=True
    )


@pytest.mark.requirement("D4")
def test_a_refusal_for_its_form_steps_down_once_it_is_certain_that_nothing_arrived() -> None:
    assert fate_of(REFUSED_FORM, DELIVERY, EPOCH) == SteppedDown("form")
    unsure = replace(DELIVERY, first_unknown_at=EPOCH)
    assert fate_of(REFUSED_FORM, unsure, EPOCH) == GivenUp("form")
    lowest = replace(DELIVERY, lower=())
    assert fate_of(REFUSED_FORM, lowest, EPOCH) == GivenUp("form")


@pytest.mark.requirement("D4")
def test_a_refusal_after_an_unknown_try_leaves_the_part_unknown() -> None:
    unsure = replace(DELIVERY, first_unknown_at=EPOCH)
    refused = Refused("rate_limited", Disposition.RETRY, timedelta(seconds=9))
    assert fate_of(refused, unsure, EPOCH) == TryAgain(EPOCH + timedelta(seconds=9), unknown=True)


@pytest.mark.requirement("D4")
def test_a_rate_limit_waits_as_long_as_the_platform_says_and_ends_some_day() -> None:
    refused = Refused("rate_limited", Disposition.RETRY, timedelta(minutes=30))
    assert fate_of(refused, DELIVERY, EPOCH) == TryAgain(
        EPOCH + timedelta(minutes=30), unknown=False
    )
    exhausted = replace(DELIVERY, tries=LAST_TRY)
    assert fate_of(refused, exhausted, EPOCH) == GivenUp("rate_limited")


@pytest.mark.requirement("D4")
@pytest.mark.parametrize("disposition", [Disposition.HOLD, Disposition.LATER])
def test_what_is_no_fault_of_the_part_never_gives_it_up(disposition: Disposition) -> None:
    tired = replace(DELIVERY, tries=1000)
    refused = Refused("quota", disposition, timedelta(minutes=10))
    assert fate_of(refused, tired, EPOCH) == TryAgain(
        EPOCH + timedelta(minutes=10), unknown=False, counted=False
    )
    unsure = replace(tired, first_unknown_at=EPOCH)
    assert fate_of(refused, unsure, EPOCH) == TryAgain(
        EPOCH + timedelta(minutes=10), unknown=True, counted=False
    )
    limited = Refused("rate_limited", Disposition.RETRY)
    spared = replace(tired, spared=1000 - LAST_TRY + 1)
    assert isinstance(fate_of(limited, spared, EPOCH), TryAgain)
    assert fate_of(limited, replace(spared, tries=1001), EPOCH) == GivenUp("rate_limited")


@pytest.mark.requirement("D4")
def test_a_look_up_that_fails_is_made_again_for_a_day_and_then_the_part_is_repeated() -> None:
    unsure = replace(DELIVERY, first_unknown_at=EPOCH)
    repeat = replace(PART, rung="card+repeat", uuid="uuid-3")
    failed, never = Unknown("unreachable"), Unknown("permission", lasting=True)

    def then(found: Unknown | None, now: datetime, of: Delivery = unsure) -> Fate:
        return too_late(of, found, now, lambda: repeat)

    late = EPOCH + SAFE_REPEAT
    assert then(failed, late) == TryAgain(late + LOOK_PAUSE, unknown=False, counted=False)
    assert then(failed, EPOCH + LOOKED_FOR) == Repeated(repeat)
    assert then(None, late) == then(never, late) == Repeated(repeat)
    again = replace(unsure, part=repeat)
    assert then(None, late, again) == then(never, late, again) == GivenUp("fate_unknown")
    assert isinstance(then(failed, late, again), TryAgain)


@pytest.mark.requirement("D4")
def test_the_same_uuid_is_safe_for_fifty_minutes_after_the_first_unknown_try() -> None:
    unsure = replace(DELIVERY, first_unknown_at=EPOCH)
    assert repeat_is_safe(DELIVERY, EPOCH + timedelta(days=2))
    assert repeat_is_safe(unsure, EPOCH + SAFE_REPEAT - timedelta(seconds=1))
    assert not repeat_is_safe(unsure, EPOCH + SAFE_REPEAT)


def test_pauses_double_and_are_bounded() -> None:
    assert [pause(n).total_seconds() for n in (1, 2, 3, 4)] == [1, 2, 4, 8]
    assert pause(1000) == LONGEST_PAUSE


@pytest.mark.requirement("A1")
def test_a_failed_look_up_is_waited_for_ten_minutes_and_not_longer() -> None:
    now, times = EPOCH, []
    while (again := look_again(now, EPOCH, retry=True)) is not None:
        times.append((again - now).total_seconds())
        now = again
    assert DIRECTORY_PATIENCE <= now - EPOCH <= DIRECTORY_PATIENCE + timedelta(seconds=30)
    assert (times[0], max(times)) == (2.0, 30.0)


@pytest.mark.requirement("A1")
def test_a_look_up_that_cannot_succeed_is_not_waited_for() -> None:
    assert look_again(EPOCH, EPOCH, retry=False) is None
