"""What is Lark's own in the sender; what every sender owes is in tests/contracts/test_sender.py."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import orjson
import pytest

from bot.lark.errors import FailureClass
from bot.lark.pacing import PATIENCE, PER_MINUTE, Pacing
from bot.lark.readback import is_part
from bot.lark.replies import ListedBody, ListedMessage, ListedSender
from bot.lark.sender import DISPOSITIONS, LarkSender
from bot.simulator import refusals
from bot.simulator.faults import Answer, Drop, Op, Page, Slow
from bot.simulator.refusals import Refusal
from steward.model.answer import Outgoing, OutgoingClaim, OutgoingKind
from steward.model.delivery import Disposition, Mark, Part, Place, Refused, SentRef, Unknown
from steward.model.ids import MessageRef
from steward.model.turn import Language
from steward.testing.world import FakeClock
from tests.bot.lark.peer import Peer, open_peer, text_part

ANSWER = Outgoing(
    OutgoingKind.ANSWER,
    Language.EN,
    "Two open, one blocked",
    (OutgoingClaim("Callback signature is blocked", (1,)),),
    "Read 1/1",
)


@pytest.fixture
def sender(peer: Peer) -> LarkSender:
    return LarkSender(peer.client, Pacing(peer.clock), peer.clock)


def parts(sender: LarkSender, place: Place) -> dict[str, Part]:
    """The single part of each rung, each with a key of its own."""
    return {
        rung[0].rung: Part(rung[0].rung, 1, 1, rung[0].body, f"uuid-{rung[0].rung}")
        for rung in sender.plan(ANSWER, place)
    }


async def test_an_answer_replies_to_the_question(peer: Peer, sender: LarkSender) -> None:
    place = peer.asked()
    sent = await sender.send(parts(sender, place)["card"], place)
    message = peer.platform.messages(peer.group.chat_id)[-1]
    assert sent == SentRef(MessageRef(peer.app_id, message.message_id))
    assert place.reply_to is not None
    assert (message.msg_type, message.parent_id, message.thread_id, message.notifies) == (
        "interactive",
        place.reply_to.message_id,
        None,
        (),
    )


async def test_a_question_in_a_thread_is_answered_there(peer: Peer, sender: LarkSender) -> None:
    place = peer.asked(in_thread=True)
    await sender.send(text_part("here"), place)
    message = peer.platform.messages(peer.group.chat_id)[-1]
    assert message.thread_id == place.conversation.thread_id


async def test_a_message_without_a_question_goes_into_the_chat(
    peer: Peer, sender: LarkSender
) -> None:
    await sender.send(text_part("hello all"), peer.place())
    assert [
        (one.msg_type, one.parent_id) for one in peer.platform.messages(peer.group.chat_id)
    ] == [("text", None)]


async def test_every_rung_of_a_plan_is_taken_by_the_platform(
    peer: Peer, sender: LarkSender
) -> None:
    place = peer.asked()
    for part in parts(sender, place).values():
        assert isinstance(await sender.send(part, place), SentRef)
    assert len(peer.standing()) == 3


async def test_a_chat_that_refuses_threads_gets_the_answer_without_one(
    peer: Peer, sender: LarkSender
) -> None:
    place = peer.asked(in_thread=True)
    peer.platform.faults.add(Op.REPLY, Answer(Refusal(230071, "no threads")))
    assert isinstance(await sender.send(text_part("here"), place), SentRef)
    flags = [orjson.loads(orjson.dumps(call.body)) for call in peer.platform.calls_of(Op.REPLY)]
    assert [flag["reply_in_thread"] for flag in flags] == [True, False]
    assert len({flag["uuid"] for flag in flags}) == 1


async def test_a_lost_answer_about_threads_is_not_sent_again(
    peer: Peer, sender: LarkSender
) -> None:
    place = peer.asked(in_thread=True)
    peer.platform.faults.add(Op.REPLY, Page(502))
    assert await sender.send(text_part("here"), place) == Unknown("ambiguous")
    assert len(peer.platform.calls_of(Op.REPLY)) == 1


@pytest.mark.requirement("D2", "D4")
async def test_a_recalled_question_is_not_answered(peer: Peer, sender: LarkSender) -> None:
    place = peer.asked()
    assert place.reply_to is not None
    peer.platform.recall(peer.lin, place.reply_to.message_id)
    assert await sender.send(text_part("late"), place) == Refused(
        "target_gone", Disposition.GIVE_UP
    )
    assert peer.standing() == []


@pytest.mark.requirement("D4")
@pytest.mark.parametrize(
    ("refusal", "refused"),
    [
        (refusals.rate_limited(7), ("rate_limited", Disposition.RETRY, timedelta(seconds=7))),
        (refusals.TOO_FREQUENT, ("rate_limited", Disposition.RETRY, timedelta(seconds=1))),
        (refusals.card_refused(11310, "x"), ("form", Disposition.STEP_DOWN, None)),
        (Refusal(230054, "x"), ("form", Disposition.STEP_DOWN, None)),
        (Refusal(230055, "x"), ("form", Disposition.STEP_DOWN, None)),
        (refusals.TOO_LONG, ("too_long", Disposition.STEP_DOWN, None)),
        (Refusal(4711, "new"), ("unclassified", Disposition.STEP_DOWN, None)),
        (Refusal(230022, "x"), ("content_blocked", Disposition.GIVE_UP, None)),
        (Refusal(231003, "x"), ("target_gone", Disposition.GIVE_UP, None)),
        (refusals.BOT_OUTSIDE, ("chat_gone", Disposition.GIVE_UP, None)),
        (
            refusals.missing_scope(("im:message",)),
            ("app_refused", Disposition.HOLD, timedelta(minutes=1)),
        ),
        (Refusal(99991662, "x"), ("app_refused", Disposition.HOLD, timedelta(minutes=1))),
        (Refusal(230027, "x"), ("permission", Disposition.GIVE_UP, None)),
        (Refusal(99991403, "x"), ("quota", Disposition.HOLD, timedelta(minutes=10))),
    ],
)
async def test_a_definite_refusal_says_what_is_allowed_next(
    peer: Peer,
    sender: LarkSender,
    refusal: Refusal,
    refused: tuple[str, Disposition, timedelta | None],
) -> None:
    peer.platform.faults.add(Op.CREATE, Answer(refusal))
    assert await sender.send(text_part("x"), peer.place()) == Refused(*refused)


def test_every_definite_failure_has_its_disposition() -> None:
    assert set(DISPOSITIONS) == set(FailureClass) - {FailureClass.AMBIGUOUS}


async def test_messages_of_one_chat_keep_below_the_platforms_limit(
    peer: Peer, sender: LarkSender
) -> None:
    outcomes = [
        await sender.send(text_part(f"m{number}", f"u{number}"), peer.place())
        for number in range(15)
    ]
    assert {type(outcome) for outcome in outcomes} == {SentRef}
    assert len(peer.standing()) == 15


async def test_a_mark_is_the_emoji_of_its_meaning(peer: Peer, sender: LarkSender) -> None:
    question = peer.asked().reply_to
    assert question is not None
    assert [await sender.mark(question, mark) for mark in Mark] == [True, True, True]
    message = peer.platform.message(question.message_id)
    assert message is not None
    assert [one.emoji_type for one in message.reactions] == ["OnIt", "DONE", "CrossMark"]


async def test_a_mark_on_a_recalled_message_is_dropped(peer: Peer, sender: LarkSender) -> None:
    question = peer.asked().reply_to
    assert question is not None
    peer.platform.recall(peer.lin, question.message_id)
    assert await sender.mark(question, Mark.RECEIVED) is False


async def test_after_a_rate_limit_no_mark_goes_out_until_the_window_opens(
    peer: Peer, sender: LarkSender
) -> None:
    question = peer.asked().reply_to
    assert question is not None
    peer.platform.faults.add(Op.CREATE, Answer(refusals.rate_limited(7)))
    await sender.send(text_part("x"), peer.place())
    assert await sender.mark(question, Mark.RECEIVED) is False
    assert peer.platform.calls_of(Op.REACT) == []
    peer.clock.advance(timedelta(seconds=8))
    assert await sender.mark(question, Mark.RECEIVED) is True


@pytest.mark.parametrize("rung", ["card", "post", "text"])
@pytest.mark.parametrize("in_thread", [False, True])
async def test_a_part_of_any_form_is_found_where_it_stands(
    peer: Peer, sender: LarkSender, rung: str, in_thread: bool
) -> None:
    began = peer.clock.now()
    place = peer.asked(in_thread=in_thread)
    part = parts(sender, place)[rung]
    sent = await sender.send(part, place)
    assert isinstance(sent, SentRef)
    assert await sender.find(part, place, began) == sent


async def test_a_part_is_found_behind_a_page_of_talk(peer: Peer, sender: LarkSender) -> None:
    began = peer.clock.now()
    place = peer.asked()
    sent = await sender.send(text_part("early"), place)
    for number in range(120):
        peer.platform.say(peer.lin, peer.group, f"talk {number}")
    assert await sender.find(text_part("early"), place, began) == sent
    assert {call.query["start_time"] for call in peer.platform.calls_of(Op.LIST)} == {"1796011200"}


async def test_a_search_that_fails_is_unknown(peer: Peer, sender: LarkSender) -> None:
    peer.platform.faults.add(Op.LIST, Drop(), times=None)
    assert await sender.find(text_part("x"), peer.place(), peer.clock.now()) == Unknown("ambiguous")


async def test_without_the_scope_for_history_nothing_is_found(
    peer: Peer, sender: LarkSender
) -> None:
    peer.platform.access.scopes.discard("im:message.group_msg")
    place = peer.asked()
    await sender.send(text_part("x"), place)
    assert await sender.find(text_part("x"), place, peer.clock.now()) is None


def listed(content: str, **changed: object) -> ListedMessage:
    message = ListedMessage(
        message_id="om_9",
        msg_type="text",
        create_time=1_796_011_200_000,
        parent_id="om_q",
        sender=ListedSender(id="cli_sim_steward", sender_type="app"),
        body=ListedBody(content=content),
    )
    return message.model_copy(update=changed)


@pytest.mark.requirement("D4")
@pytest.mark.parametrize(
    ("found", "same"),
    [
        (listed('{"text":"x"}'), True),
        (listed('{ "text" : "x" }'), True),
        (listed('{"text":"y"}'), False),
        (listed("not json"), False),
        (listed('{"text":"x"}', msg_type="post"), False),
        (listed('{"text":"x"}', create_time=1_796_011_199_999), False),
        (listed('{"text":"x"}', parent_id="om_other"), False),
        (listed('{"text":"x"}', parent_id=None), False),
        (listed('{"text":"x"}', sender=ListedSender(id="ou_lin", sender_type="user")), False),
        (listed('{"text":"x"}', sender=ListedSender(id="cli_other", sender_type="app")), False),
    ],
)
def test_only_our_own_words_in_that_place_since_then_are_the_part(
    peer: Peer, found: ListedMessage, same: bool
) -> None:
    place = peer.place(reply_to="om_q")
    assert is_part(found, text_part("x"), place, peer.clock.now()) is same


@pytest.mark.parametrize(
    "content",
    [
        '{"schema":"2.0","body":{}}',
        '{"user_dsl":"{\\"schema\\":\\"2.0\\",\\"body\\":{}}"}',
        '{"user_dsl":{"schema":"2.0","body":{}},"title":"x"}',
    ],
)
def test_a_card_is_known_as_sent_and_as_the_platform_wraps_it(peer: Peer, content: str) -> None:
    part = Part("card", 1, 1, b'{"schema":"2.0","body":{}}', "u")
    found = listed(content, msg_type="interactive")
    assert is_part(found, part, peer.place(reply_to="om_q"), peer.clock.now())


def test_a_post_is_known_without_its_locale(peer: Peer) -> None:
    sent = (
        '{"zh_cn":{"title":"T","content":[[{"tag":"text","text":"a"},{"tag":"text","text":"b"}]]}}'
    )
    back = '{"title":"T","content":[[{"tag":"text","text":"ab","style":[]}]]}'
    part = Part("post", 1, 1, sent.encode(), "u")
    place = peer.place(reply_to="om_q")
    assert is_part(listed(back, msg_type="post"), part, place, peer.clock.now())
    other = back.replace("ab", "ac")
    assert not is_part(listed(other, msg_type="post"), part, place, peer.clock.now())


def card_part(words: str) -> Part:
    card = {
        "schema": "2.0",
        "body": {"elements": [{"tag": "div", "text": {"tag": "plain_text", "content": words}}]},
    }
    return Part("card", 1, 1, orjson.dumps(card), f"uuid-{words}")


async def test_revisions_that_race_end_with_the_newest(peer: Peer, sender: LarkSender) -> None:
    sent = await sender.send(card_part("first"), peer.place())
    assert isinstance(sent, SentRef)
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        for sequence in (1, 3, 2):
            group.create_task(sender.revise(sent, card_part(str(sequence)), sequence=sequence))
    assert peer.standing() == [card_part("3").body.decode()]
    assert len(peer.platform.calls_of(Op.PATCH)) == 2


class WatchedClock(FakeClock):
    """Says when somebody sleeps."""

    def __init__(self) -> None:
        super().__init__()
        self.asleep = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.asleep.set()
        await super().sleep(seconds)


async def test_a_revision_waits_for_one_that_is_on_its_way() -> None:
    clock = WatchedClock()
    async with asyncio.timeout(10), open_peer(clock) as peer:
        sender = LarkSender(peer.client, Pacing(clock), clock)
        sent = await sender.send(card_part("first"), peer.place())
        assert isinstance(sent, SentRef)
        peer.platform.faults.add(Op.PATCH, Slow(5))
        async with asyncio.TaskGroup() as group:
            group.create_task(sender.revise(sent, card_part("older"), sequence=1))
            await clock.asleep.wait()
            newer = group.create_task(sender.revise(sent, card_part("newer"), sequence=2))
            for _ in range(200):
                await asyncio.sleep(0)
            assert not newer.done()
            clock.advance(timedelta(seconds=5))
        assert peer.standing() == [card_part("newer").body.decode()]


async def test_only_a_card_is_revised(peer: Peer, sender: LarkSender) -> None:
    sent = await sender.send(text_part("x"), peer.place())
    assert isinstance(sent, SentRef)
    assert await sender.revise(sent, text_part("y"), sequence=1) == Refused(
        "not_revisable", Disposition.GIVE_UP
    )


async def test_a_place_that_comes_too_late_for_the_outbox_is_refused_with_its_time(
    peer: Peer,
) -> None:
    pacing = Pacing(peer.clock)
    sender = LarkSender(peer.client, pacing, peer.clock)
    for number in range(PER_MINUTE):
        await pacing.acquire(f"oc_{number}")
    refused = await sender.send(text_part("x"), peer.place())
    assert isinstance(refused, Refused)
    assert (refused.failure, refused.disposition) == ("paced", Disposition.LATER)
    assert refused.retry_after is not None
    assert refused.retry_after > PATIENCE
    assert peer.platform.calls_of(Op.CREATE) == []


async def test_a_part_is_found_in_the_thread_that_it_opened(peer: Peer, sender: LarkSender) -> None:
    began = peer.clock.now()
    place = replace(peer.asked(), in_thread=True)
    sent = await sender.send(text_part("inside"), place)
    assert isinstance(sent, SentRef)
    assert await sender.find(text_part("inside"), place, began) == sent
    peer.platform.faults.add(Op.GET, Drop(), times=None)
    assert await sender.find(text_part("inside"), place, began) == Unknown("ambiguous")


async def test_a_form_that_lark_has_not_steps_down(peer: Peer, sender: LarkSender) -> None:
    hologram = Part("hologram", 1, 1, b"{}", "u")
    assert await sender.send(hologram, peer.place()) == Refused(
        "unknown_form", Disposition.STEP_DOWN
    )


@pytest.mark.parametrize(
    ("refusal", "outcome"),
    [
        (Refusal(230031, "x"), Refused("expired", Disposition.GIVE_UP)),
        (Refusal(2200, "x", status=500), Unknown("ambiguous")),
    ],
)
async def test_a_revision_that_fails_says_how(
    peer: Peer, sender: LarkSender, refusal: Refusal, outcome: Refused | Unknown
) -> None:
    sent = await sender.send(card_part("first"), peer.place())
    assert isinstance(sent, SentRef)
    peer.platform.faults.add(Op.PATCH, Answer(refusal))
    assert await sender.revise(sent, card_part("next"), sequence=1) == outcome
