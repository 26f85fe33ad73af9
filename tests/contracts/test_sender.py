"""What every sender owes: steward/ports/sender.py and contract D4. Run on the shipped fake and on Lark's.

Lark's speaks to the simulated platform.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from bot.lark.pacing import Pacing
from bot.lark.sender import LarkSender
from bot.simulator import refusals
from bot.simulator.faults import Answer, Drop, LoseReply, Op
from bot.simulator.refusals import Refusal
from steward.model.answer import Outgoing, OutgoingClaim, OutgoingKind, OutgoingSource
from steward.model.delivery import (
    Disposition,
    Mark,
    Part,
    Place,
    Refused,
    SentRef,
    Unknown,
)
from steward.model.ids import AppId, ChatId, ConversationId, MessageRef, OpenId
from steward.model.turn import Language
from steward.ports.sender import Sender
from steward.testing import sender as scripted
from steward.testing.world import FakeClock
from tests.bot.lark.peer import HastyClock, Peer, open_peer

ANSWER = Outgoing(
    OutgoingKind.ANSWER,
    Language.EN,
    "Two open, one blocked",
    (OutgoingClaim("Callback signature is blocked", (1,)),),
    "Read 1/1",
    ("Plans: read at 9:12",),
    (OutgoingSource(1, "Callback signature", "https://example.com/1"),),
)


@dataclass(frozen=True, slots=True)
class Desk:
    """A sender, two questions to answer, what stands in their chat, and the luck of the next send."""

    sender: Sender
    clock: FakeClock
    place: Place
    other: Place
    standing: Callable[[], list[str]]
    refuse: Callable[[Refused], None]
    lose_reply: Callable[[], None]
    lose_request: Callable[[], None]
    hide_history: Callable[[], None]
    drop_marks: Callable[[], None]
    person: Place
    private: Callable[[], list[str]]

    def part(self, rung: int = 0, uuid: str = "uuid-1") -> Part:
        """A part of the plan, stamped."""
        planned = self.sender.plan(ANSWER, self.place)[rung][0]
        return Part(planned.rung, planned.number, planned.of, planned.body, uuid)


@pytest.fixture(params=["scripted", "lark"])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    if request.param == "scripted":
        yield scripted_desk()
        return
    async with open_peer() as peer:
        yield lark_desk(peer)


def scripted_desk() -> Desk:
    clock = HastyClock()
    sender = scripted.ScriptedSender(clock)
    conversation = ConversationId(AppId("cli_1"), ChatId("oc_1"))
    place, other = (
        Place(conversation, MessageRef(conversation.app_id, name), in_thread=False)
        for name in ("om_1", "om_2")
    )
    return Desk(
        sender=sender,
        clock=clock,
        place=place,
        other=other,
        standing=sender.texts,
        refuse=sender.script,
        lose_reply=lambda: sender.script(scripted.LostReply()),
        lose_request=lambda: sender.script(Unknown("timeout")),
        hide_history=lambda: setattr(sender, "blind", True),
        drop_marks=lambda: setattr(sender, "marking", False),
        person=Place.to_person(conversation.app_id, OpenId("ou_lin")),
        private=sender.texts,
    )


REFUSALS = {
    "rate_limited": refusals.rate_limited(7),
    "form": refusals.card_refused(11310, "x"),
    "target_gone": refusals.RECALLED,
}


def lark_desk(peer: Peer) -> Desk:
    faults = peer.platform.faults

    def refuse(refused: Refused) -> None:
        faults.add(Op.REPLY, Answer(REFUSALS[refused.failure]))

    return Desk(
        sender=LarkSender(peer.client, Pacing(peer.clock), peer.clock),
        clock=peer.clock,
        place=peer.asked(),
        other=peer.asked(),
        standing=peer.standing,
        refuse=refuse,
        lose_reply=lambda: faults.add(Op.REPLY, LoseReply()),
        lose_request=lambda: faults.add(Op.REPLY, Drop()),
        hide_history=lambda: peer.platform.access.scopes.discard("im:message.group_msg"),
        drop_marks=lambda: faults.add(Op.REACT, Answer(Refusal(231002, "x")), times=None),
        person=Place.to_person(peer.app_id, OpenId(peer.lin.open_id)),
        private=lambda: [
            one.content
            for one in peer.platform.messages(peer.platform.private_chat(peer.lin).chat_id)
        ],
    )


RETRY = Refused("rate_limited", Disposition.RETRY, timedelta(seconds=7))
STEP_DOWN = Refused("form", Disposition.STEP_DOWN)
GIVE_UP = Refused("target_gone", Disposition.GIVE_UP)


@pytest.mark.requirement("D4")
def test_a_plan_is_pure_and_numbers_its_parts(desk: Desk) -> None:
    planned = desk.sender.plan(ANSWER, desk.place)
    assert planned == desk.sender.plan(ANSWER, desk.place)
    assert len({rung[0].rung for rung in planned}) == len(planned) > 1
    for rung in planned:
        assert [(part.number, part.of, part.rung) for part in rung] == [
            (number, len(rung), rung[0].rung) for number in range(1, len(rung) + 1)
        ]


async def test_every_rung_arrives(desk: Desk) -> None:
    for number in range(len(desk.sender.plan(ANSWER, desk.place))):
        assert isinstance(
            await desk.sender.send(desk.part(number, f"u{number}"), desk.place), SentRef
        )
    assert len(desk.standing()) == len(desk.sender.plan(ANSWER, desk.place))


@pytest.mark.requirement("D4")
async def test_the_same_key_makes_one_message(desk: Desk) -> None:
    first = await desk.sender.send(desk.part(), desk.place)
    desk.clock.advance(timedelta(minutes=50))
    assert isinstance(first, SentRef)
    assert await desk.sender.send(desk.part(), desk.place) == first
    assert desk.standing() == [desk.part().body.decode()]


@pytest.mark.requirement("D4")
async def test_a_lost_answer_is_unknown_and_trying_again_makes_no_second_message(
    desk: Desk,
) -> None:
    desk.lose_reply()
    assert isinstance(await desk.sender.send(desk.part(), desk.place), Unknown)
    assert isinstance(await desk.sender.send(desk.part(), desk.place), SentRef)
    assert len(desk.standing()) == 1


@pytest.mark.requirement("D4")
async def test_what_may_have_arrived_is_found_where_it_has(desk: Desk) -> None:
    since = desk.clock.now()
    desk.lose_reply()
    await desk.sender.send(desk.part(), desk.place)
    found = await desk.sender.find(desk.part(), desk.place, since)
    assert isinstance(found, SentRef)
    assert await desk.sender.send(desk.part(), desk.place) == found


@pytest.mark.requirement("D4")
async def test_what_has_not_arrived_is_not_found_and_arrives_when_tried_again(desk: Desk) -> None:
    since = desk.clock.now()
    desk.lose_request()
    assert isinstance(await desk.sender.send(desk.part(), desk.place), Unknown)
    assert await desk.sender.find(desk.part(), desk.place, since) is None
    assert isinstance(await desk.sender.send(desk.part(), desk.place), SentRef)
    assert len(desk.standing()) == 1


@pytest.mark.requirement("D4")
async def test_the_same_words_elsewhere_or_earlier_are_another_message(desk: Desk) -> None:
    since = desk.clock.now()
    await desk.sender.send(desk.part(), desk.place)
    assert await desk.sender.find(desk.part(), desk.other, since) is None
    later = desk.clock.now() + timedelta(seconds=1)
    assert await desk.sender.find(desk.part(), desk.place, later) is None
    other = replace(desk.part(), body=desk.part().body.replace(b"Two", b"Ten"))
    assert await desk.sender.find(other, desk.place, since) is None


@pytest.mark.requirement("D4")
async def test_a_history_that_is_hidden_proves_nothing(desk: Desk) -> None:
    since = desk.clock.now()
    await desk.sender.send(desk.part(), desk.place)
    desk.hide_history()
    assert await desk.sender.find(desk.part(), desk.place, since) is None


@pytest.mark.requirement("D4")
@pytest.mark.parametrize("refused", [RETRY, STEP_DOWN, GIVE_UP])
async def test_a_refusal_is_definite_and_says_what_is_allowed(desk: Desk, refused: Refused) -> None:
    desk.refuse(refused)
    assert await desk.sender.send(desk.part(), desk.place) == refused
    assert desk.standing() == []


@pytest.mark.requirement("D4")
async def test_after_a_refused_form_the_next_rung_arrives(desk: Desk) -> None:
    desk.refuse(STEP_DOWN)
    await desk.sender.send(desk.part(), desk.place)
    lower = desk.part(rung=1, uuid="uuid-2")
    assert isinstance(await desk.sender.send(lower, desk.place), SentRef)
    assert desk.standing() == [lower.body.decode()]


async def test_a_revision_replaces_a_card(desk: Desk) -> None:
    sent = await desk.sender.send(desk.part(), desk.place)
    assert isinstance(sent, SentRef)
    changed = replace(desk.part(), body=desk.part().body.replace(b"Two", b"Ten"))
    assert await desk.sender.revise(sent, changed, sequence=1) == sent
    assert desk.standing() == [changed.body.decode()]


async def test_a_revision_that_comes_after_a_newer_one_is_refused(desk: Desk) -> None:
    sent = await desk.sender.send(desk.part(), desk.place)
    assert isinstance(sent, SentRef)
    newer, older = (
        replace(desk.part(), body=desk.part().body.replace(b"Two", word))
        for word in (b"Ten", b"Six")
    )
    assert await desk.sender.revise(sent, newer, sequence=5) == sent
    for late in (4, 5):
        assert await desk.sender.revise(sent, older, sequence=late) == Refused(
            "out_of_order", Disposition.GIVE_UP
        )
    assert desk.standing() == [newer.body.decode()]


async def test_a_mark_is_shown_or_dropped_and_never_an_error(desk: Desk) -> None:
    message = desk.place.reply_to
    assert message is not None
    assert await desk.sender.mark(message, Mark.RECEIVED) is True
    desk.drop_marks()
    assert await desk.sender.mark(message, Mark.DONE) is False


@pytest.mark.requirement("D4")
async def test_a_person_is_written_to_once_and_what_may_have_arrived_there_is_never_said_to_be_absent(
    desk: Desk,
) -> None:
    since = desk.clock.now()
    assert isinstance(await desk.sender.send(desk.part(), desk.person), SentRef)
    assert isinstance(await desk.sender.send(desk.part(), desk.person), SentRef)
    assert desk.private() == [desk.part().body.decode()]
    assert await desk.sender.find(desk.part(), desk.person, since) is not None
