"""What is sent once more stands as before under a line that says so, is taken by the platform, and is found again. D4."""

from dataclasses import replace
from datetime import timedelta

import orjson
import pytest

from bot.lark.pacing import Pacing
from bot.lark.repeats import marked
from bot.lark.rungs import CARD_BYTES, TEXT_CHARS
from bot.lark.sender import LarkSender
from bot.simulator.faults import LoseReply, Op
from bot.simulator.transcript import as_read
from steward.model.answer import Outgoing, OutgoingClaim, OutgoingKind, OutgoingSource
from steward.model.delivery import Part, SentRef, Unknown
from steward.model.turn import Language
from steward.texts.labels import MAY_BE_DUPLICATE
from tests.bot.lark.peer import Peer

PLATFORM_BYTES = 30 * 1024


def answer(claims: int) -> Outgoing:
    return Outgoing(
        OutgoingKind.ANSWER,
        Language.ZH,
        "两项未完成",
        tuple(OutgoingClaim("回调签名被卡住" * 10, (1,)) for _ in range(claims)),
        "已读 1/1",
        sources=(OutgoingSource(1, "回调签名", "https://example.com/1"),),
    )


def again(part: Part, language: Language) -> Part:
    one = marked(part, language)
    return Part(one.rung, one.number, one.of, one.body, f"{part.uuid}-again")


@pytest.mark.requirement("D4")
@pytest.mark.parametrize("language", list(Language))
async def test_every_form_is_sent_once_more_under_its_mark(peer: Peer, language: Language) -> None:
    sender = LarkSender(peer.client, Pacing(peer.clock), peer.clock)
    place = peer.asked()
    for rung in sender.plan(answer(2), place):
        for planned in rung:
            first = Part(planned.rung, planned.number, planned.of, planned.body, planned.rung)
            repeat = again(first, language)
            assert (repeat.form, repeat.is_repeat) == (first.rung, True)
            before = await lines(peer, sender, first)
            after = await lines(peer, sender, repeat)
            mark = MAY_BE_DUPLICATE.of(language)
            assert sorted(after) == sorted([*before, mark])
            assert mark in after[:2]


async def lines(peer: Peer, sender: LarkSender, part: Part) -> list[str]:
    sent = await sender.send(part, peer.asked())
    assert isinstance(sent, SentRef), sent
    message = peer.platform.message(sent.message.message_id)
    assert message is not None
    return list(as_read(message.msg_type, message.content))


@pytest.mark.requirement("D4")
def test_a_mark_finds_room_where_a_message_was_as_large_as_it_may_be() -> None:
    longest = max(len(text.encode()) for text in (MAY_BE_DUPLICATE.zh, MAY_BE_DUPLICATE.en))
    for body in (
        {"body": {"elements": []}},
        {"zh_cn": {"title": "t", "content": []}},
    ):
        form = "card" if "body" in body else "post"
        part = Part(form, 1, 1, orjson.dumps(body), "u")
        for language in Language:
            grown = len(again(part, language).body) - len(part.body)
            # Quotes are escaped once more in the request.
            assert CARD_BYTES + 2 * grown < PLATFORM_BYTES
    assert TEXT_CHARS * 4 + longest < 150 * 1024


@pytest.mark.requirement("D4")
async def test_a_repeat_that_arrived_unseen_is_found_and_not_taken_for_the_first(
    peer: Peer,
) -> None:
    sender = LarkSender(peer.client, Pacing(peer.clock), peer.clock)
    place, since = peer.asked(), peer.clock.now()
    for rung in sender.plan(answer(2), place):
        first = Part(rung[0].rung, 1, 1, rung[0].body, rung[0].rung)
        repeat = again(first, Language.EN)
        peer.platform.faults.add(Op.REPLY, LoseReply())
        assert isinstance(await sender.send(repeat, place), Unknown)
        peer.clock.advance(timedelta(hours=2))
        assert isinstance(await sender.find(repeat, place, since), SentRef)
        assert await sender.find(first, place, since) is None


@pytest.mark.requirement("D4")
def test_what_is_no_message_of_ours_is_a_bug() -> None:
    card = Part("card", 1, 1, b'{"type": "card"}', "u")
    for part in (card, replace(card, rung="post")):
        with pytest.raises(ValueError, match="of ours"):
            marked(part, Language.EN)
