"""Against the simulated platform, and against a socket that answers as no platform should."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from pydantic import ValidationError

from bot.lark.calls import LarkCall
from bot.lark.client import LarkClient, open_session
from bot.lark.errors import FailureClass, LarkFailure
from bot.lark.replies import BotReply, Reply, SentReply, TokenReply
from bot.simulator import refusals
from bot.simulator.faults import Answer, Drop, LoseReply, Op, Page
from steward.model.ids import AppId
from tests.bot.lark.peer import HastyClock, Peer, load_sdk, open_peer

HALF_AN_HOUR = 1800
OK = b"HTTP/1.1 200 OK\r\n"


def message(peer: Peer, uuid: str = "uuid-1") -> LarkCall:
    return load_sdk().create_message(peer.group.chat_id, "text", '{"text":"hello"}', uuid=uuid)


async def send(peer: Peer, uuid: str = "uuid-1") -> SentReply | LarkFailure:
    return await peer.client.call(message(peer, uuid), SentReply, idempotent=False)


async def who(peer: Peer) -> BotReply | LarkFailure:
    return await peer.client.call(load_sdk().bot_info(), BotReply, idempotent=True)


def tokens_fetched(peer: Peer) -> int:
    return len(peer.platform.calls_of(Op.TOKEN))


async def test_many_callers_at_the_start_share_one_token(peer: Peer) -> None:
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        tasks = [group.create_task(who(peer)) for _ in range(20)]
    assert {type(task.result()) for task in tasks} == {BotReply}
    assert tokens_fetched(peer) == 1


async def test_a_token_is_kept_while_the_platform_would_give_the_same(peer: Peer) -> None:
    await who(peer)
    peer.clock.advance(timedelta(seconds=7200 - HALF_AN_HOUR + 60))
    await who(peer)
    assert tokens_fetched(peer) == 1


async def test_a_token_is_renewed_before_it_ends_and_then_kept(peer: Peer) -> None:
    await who(peer)
    peer.clock.advance(timedelta(seconds=7200 - HALF_AN_HOUR + 200))
    for _ in range(5):
        assert isinstance(await who(peer), BotReply)
    assert tokens_fetched(peer) == 2
    assert not [call for call in peer.platform.calls if call.code]


async def test_while_a_renewal_hangs_others_go_on_with_the_old_token() -> None:
    async with open_peer() as peer:
        await who(peer)
        peer.clock.advance(timedelta(seconds=7200 - HALF_AN_HOUR + 200))
        peer.platform.faults.add(Op.TOKEN, Answer(refusals.rate_limited(1)))
        assert isinstance(await who(peer), BotReply)
        assert isinstance(await who(peer), BotReply)
        assert tokens_fetched(peer) == 2
        peer.clock.advance(timedelta(seconds=61))
        assert isinstance(await who(peer), BotReply)
        assert tokens_fetched(peer) == 3


@pytest.mark.parametrize("status", [200, 400, 401])
async def test_a_revoked_token_is_replaced_once_for_all_and_the_call_succeeds(
    peer: Peer, status: int
) -> None:
    await who(peer)
    peer.platform.access.revoke(status=status)
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        tasks = [group.create_task(who(peer)) for _ in range(8)]
    assert {type(task.result()) for task in tasks} == {BotReply}
    assert tokens_fetched(peer) == 2


async def test_a_token_that_stays_refused_is_tried_once_more_and_no_further(peer: Peer) -> None:
    peer.platform.faults.add(Op.CREATE, Answer(refusals.INVALID_TOKEN), times=None)
    assert await send(peer) == LarkFailure(FailureClass.TOKEN, 99991663)
    assert len(peer.platform.calls_of(Op.CREATE)) == 2
    assert tokens_fetched(peer) <= 2


async def test_a_wrong_secret_is_a_token_failure_and_asked_once_by_all_who_wait(
    peer: Peer,
) -> None:
    wrong = LarkClient(peer.url, peer.app_id, "sim_wrong", peer.clock, load_sdk(), peer.session)
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        tasks = [group.create_task(wrong.sign_in()) for _ in range(10)]
    assert {task.result() for task in tasks} == {LarkFailure(FailureClass.TOKEN, 10014)}
    assert tokens_fetched(peer) == 1


@pytest.mark.requirement("D4")
@pytest.mark.parametrize("fault", [Page(502), Drop(), LoseReply()])
async def test_without_a_token_a_message_is_definitely_not_sent(
    peer: Peer, fault: Page | Drop | LoseReply
) -> None:
    peer.platform.faults.add(Op.TOKEN, fault)
    assert await send(peer) == LarkFailure(FailureClass.UNREACHABLE)
    assert peer.standing() == []


@pytest.mark.requirement("D4")
@pytest.mark.parametrize(
    ("fault", "arrived"), [(Page(502), 0), (Page(504), 0), (Drop(), 0), (LoseReply(), 1)]
)
async def test_a_send_whose_answer_is_lost_is_ambiguous_and_goes_out_once(
    peer: Peer, fault: Page | Drop | LoseReply, arrived: int
) -> None:
    peer.platform.faults.add(Op.CREATE, fault)
    assert await send(peer) == LarkFailure(FailureClass.AMBIGUOUS)
    assert len(peer.platform.calls_of(Op.CREATE)) == 1
    assert len(peer.standing()) == arrived


async def test_a_rate_limit_says_when_its_window_opens(peer: Peer) -> None:
    peer.platform.faults.add(Op.CREATE, Answer(refusals.rate_limited(7)))
    assert await send(peer) == LarkFailure(
        FailureClass.RATE_LIMITED, 99991400, timedelta(seconds=7)
    )


async def test_a_read_is_tried_again_after_what_passes(peer: Peer) -> None:
    peer.platform.faults.add(Op.BOT, Page(502))
    peer.platform.faults.add(Op.BOT, Drop())
    reply = await who(peer)
    assert isinstance(reply, BotReply)
    assert reply.bot.open_id == peer.platform.app.bot_open_id


async def test_a_read_is_tried_three_times_at_most(peer: Peer) -> None:
    peer.platform.faults.add(Op.BOT, Page(502), times=None)
    assert await who(peer) == LarkFailure(FailureClass.AMBIGUOUS)
    assert len(peer.platform.calls_of(Op.BOT)) == 3


async def test_a_read_does_not_wait_for_a_distant_window(peer: Peer) -> None:
    peer.platform.faults.add(Op.BOT, Answer(refusals.rate_limited(60)))
    assert await who(peer) == LarkFailure(
        FailureClass.RATE_LIMITED, 99991400, timedelta(seconds=60)
    )
    assert len(peer.platform.calls_of(Op.BOT)) == 1


async def test_a_definite_refusal_of_a_read_is_not_asked_again(peer: Peer) -> None:
    failure = await peer.client.call(load_sdk().get_chat("oc_none"), Reply, idempotent=True)
    assert failure == LarkFailure(FailureClass.CHAT_GONE, 232006)
    assert len(peer.platform.calls_of(Op.CHAT)) == 1


@pytest.mark.requirement("W2")
async def test_neither_the_platforms_words_nor_our_secret_reach_the_log(
    peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    peer.platform.faults.add(Op.CREATE, Answer(refusals.card_refused(11310, "their words")))
    failure = await send(peer)
    assert failure == LarkFailure(FailureClass.FORM, 230099)
    assert "their words" not in caplog.text + repr(failure)
    assert peer.platform.app.app_secret not in caplog.text
    assert "hello" not in caplog.text
    assert "create_message failed: form (code 230099)" in caplog.text


@pytest.mark.requirement("W2")
@pytest.mark.parametrize("token", ["", "t-1\r\nX-Injected: 1", "t 1", "t-\u00e9"])
def test_a_token_that_no_header_can_carry_is_no_token(token: str) -> None:
    with pytest.raises(ValidationError):
        TokenReply.model_validate({"code": 0, "tenant_access_token": token, "expire": 7200})


@asynccontextmanager
async def client_of(answer: bytes | None) -> AsyncIterator[LarkClient]:
    """A client whose token is good, and whose every other call meets these bytes; None: nobody listens."""
    token = b'{"code":0,"tenant_access_token":"t-1","expire":7200}'

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = re.search(rb"Content-Length: (\d+)", head)
        await reader.readexactly(int(size[1]) if size else 0)
        if b"tenant_access_token" in head:
            length = f"Content-Length: {len(token)}\r\nConnection: close\r\n\r\n"
            writer.write(OK + length.encode() + token)
        else:
            writer.write(answer or b"")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    clock = HastyClock()
    async with open_session() as session:
        client = LarkClient(
            f"http://127.0.0.1:{port}", AppId("cli_sim_1"), "sim_1", clock, load_sdk(), session
        )
        assert await client.sign_in() is None
        if answer is None:
            server.close()
            await server.wait_closed()
        try:
            yield client
        finally:
            server.close()
            await server.wait_closed()


@pytest.mark.requirement("D4")
@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (None, LarkFailure(FailureClass.UNREACHABLE)),
        (b"", LarkFailure(FailureClass.AMBIGUOUS)),
        (OK + b"Content-Length: 0\r\n\r\n", LarkFailure(FailureClass.AMBIGUOUS)),
        (OK + b'Content-Length: 99\r\n\r\n{"code":0,', LarkFailure(FailureClass.AMBIGUOUS)),
        (OK + b'Content-Length: 10\r\n\r\n{"code":0,', LarkFailure(FailureClass.AMBIGUOUS)),
        (OK + b"Content-Length: 2\r\n\r\n[]", LarkFailure(FailureClass.AMBIGUOUS)),
        (OK + b'Content-Length: 12\r\n\r\n{"code":"0"}', LarkFailure(FailureClass.AMBIGUOUS)),
        (OK + b'Content-Length: 10\r\n\r\n{"code":0}', LarkFailure(FailureClass.AMBIGUOUS, 0)),
        (
            OK + b'Content-Length: 25\r\n\r\n{"code":0,"data":{"x":1}}',
            LarkFailure(FailureClass.AMBIGUOUS, 0),
        ),
        (b"HTTP/1.1 nonsense\r\n\r\n", LarkFailure(FailureClass.AMBIGUOUS)),
        (
            b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
            LarkFailure(FailureClass.UNREACHABLE),
        ),
        (
            b"HTTP/1.1 429 Slow\r\nx-ogw-ratelimit-reset: 9\r\nContent-Length: 0\r\n\r\n",
            LarkFailure(FailureClass.RATE_LIMITED, None, timedelta(seconds=9)),
        ),
    ],
)
async def test_whatever_comes_back_a_send_is_classified(
    answer: bytes | None, failure: LarkFailure
) -> None:
    async with asyncio.timeout(10), client_of(answer) as client:
        call = load_sdk().create_message("oc_1", "text", "{}", uuid="u")
        assert await client.call(call, SentReply, idempotent=False) == failure


async def test_an_answer_larger_than_any_page_is_not_kept() -> None:
    size = 5 * 1024 * 1024
    answer = OK + f"Content-Length: {size}\r\n\r\n".encode() + b" " * size
    async with asyncio.timeout(10), client_of(answer) as client:
        call = load_sdk().create_message("oc_1", "text", "{}", uuid="u")
        assert await client.call(call, SentReply, idempotent=False) == LarkFailure(
            FailureClass.AMBIGUOUS
        )
