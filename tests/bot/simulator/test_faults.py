"""Faults on demand, as the app meets them."""

import aiohttp
import orjson
import pytest

from bot.simulator import refusals
from bot.simulator.faults import Answer, Drop, Faults, LoseReply, Op, Page, Slow
from bot.simulator.model import Chat
from bot.simulator.platform import Platform
from tests.bot.simulator.callers import IM, TOKEN_PATH, Caller, SkippingClock


async def test_an_html_page_stands_in_for_json_and_nothing_is_done(
    app: Caller, platform: Platform, team: Chat
) -> None:
    platform.faults.add(Op.CREATE, Page())
    with pytest.raises(orjson.JSONDecodeError):
        await app.send(team.chat_id)
    assert platform.messages(team.chat_id) == []
    assert (await app.send(team.chat_id)).code == 0
    assert [(call.status, call.code) for call in platform.calls_of(Op.CREATE)] == [
        (502, None),
        (200, 0),
    ]


@pytest.mark.parametrize(("fault", "kept"), [(Drop(), 0), (LoseReply(), 1)])
async def test_a_cut_connection_does_not_say_whether_the_message_was_kept(
    app: Caller, platform: Platform, team: Chat, fault: Drop | LoseReply, kept: int
) -> None:
    platform.faults.add(Op.CREATE, fault)
    with pytest.raises(aiohttp.ClientConnectionError):
        await app.send(team.chat_id, uuid="u")
    assert len(platform.messages(team.chat_id)) == kept
    assert (await app.send(team.chat_id, uuid="u")).code == 0
    assert len(platform.messages(team.chat_id)) == 1
    first, second = platform.calls_of(Op.CREATE)
    assert (first.status, second.status) == (None, 200)
    assert first.body == second.body


async def test_slowness_passes_on_the_clock_and_adds_up_with_what_follows(
    app: Caller, platform: Platform, clock: SkippingClock
) -> None:
    platform.faults.add(Op.TOKEN, Slow(20))
    platform.faults.add(None, Slow(5), times=None)
    platform.faults.refuse(Op.TOKEN, 2200, "Internal Error")
    answer = await app.call("POST", TOKEN_PATH, {})
    assert (answer.code, clock.slept) == (2200, [25.0])
    assert (await app.call("GET", "/open-apis/bot/v3/info")).code == 0
    assert clock.slept == [25.0, 5.0]


async def test_a_frequency_limit_lasts_for_as_many_calls_as_were_said(
    app: Caller, platform: Platform, team: Chat
) -> None:
    platform.faults.add(Op.CREATE, Answer(refusals.rate_limited(2.5)), times=2)
    answers = [await app.send(team.chat_id) for _ in range(3)]
    assert [(answer.status, answer.code) for answer in answers] == [
        (429, 99991400),
        (429, 99991400),
        (200, 0),
    ]
    assert answers[0].headers["x-ogw-ratelimit-reset"] == "3"


async def test_a_failing_look_up_leaves_other_operations_alone(
    app: Caller, platform: Platform, team: Chat
) -> None:
    platform.faults.refuse(Op.CHAT, 1500, times=None)
    path = f"{IM}/chats/{team.chat_id}"
    assert [(await app.call("GET", path)).code for _ in range(2)] == [1500, 1500]
    assert (await app.call("GET", f"{path}/members")).code == 0
    platform.faults.clear(Op.CHAT)
    assert (await app.call("GET", path)).code == 0


def test_each_call_meets_one_ending_fault_in_the_order_added() -> None:
    faults = Faults()
    faults.add(Op.GET, Page())
    faults.add(Op.GET, Drop(), times=2)
    faults.add(Op.LIST, LoseReply())
    assert [faults.take(Op.GET)[1] for _ in range(4)] == [Page(), Drop(), Drop(), None]
    faults.clear()
    assert faults.take(Op.LIST) == (0.0, None)


async def test_an_unknown_path_is_plain_404_and_recorded(app: Caller, platform: Platform) -> None:
    with pytest.raises(orjson.JSONDecodeError):
        await app.call("GET", "/open-apis/im/v2/messages")
    last = platform.calls[-1]
    assert (last.op, last.path, last.status) == (None, "/open-apis/im/v2/messages", 404)
