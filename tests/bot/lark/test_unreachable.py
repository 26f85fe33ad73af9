"""A platform that was not reached took nothing: neither a message nor a doubt about one. Contracts D4, A1."""

import socket
from collections.abc import AsyncIterator
from dataclasses import replace

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.lark.client import LarkClient
from bot.lark.directory import LarkDirectory
from bot.lark.pacing import Pacing
from bot.lark.sender import LarkSender
from bot.simulator.faults import Answer, Op, Page
from bot.simulator.refusals import Refusal
from steward.model.audience import DirectoryFailure
from steward.model.delivery import Disposition, Refused, SendOutcome, Unknown
from tests.bot.lark.peer import Peer, load_sdk, text_part

AWAY = Refused("unreachable", Disposition.HOLD)


class NoNames(AbstractResolver):
    """Knows no host."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        raise OSError("no such host")

    async def close(self) -> None:
        """Nothing to close."""


@pytest.fixture
async def nameless() -> AsyncIterator[aiohttp.ClientSession]:
    connector = aiohttp.TCPConnector(resolver=NoNames())
    async with aiohttp.ClientSession(connector=connector) as session:
        yield session


def client(peer: Peer, domain: str, session: aiohttp.ClientSession) -> LarkClient:
    return LarkClient(
        domain, peer.app_id, peer.platform.app.app_secret, peer.clock, load_sdk(), session
    )


async def sent(peer: Peer, over: LarkClient) -> SendOutcome:
    return await LarkSender(over, Pacing(peer.clock), peer.clock).send(text_part("x"), peer.place())


@pytest.mark.requirement("D4")
async def test_a_name_that_is_not_found_and_a_door_that_is_closed_are_no_doubt(
    peer: Peer, nameless: aiohttp.ClientSession
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{taken.getsockname()[1]}"
        assert await sent(peer, client(peer, closed, peer.session)) == AWAY
    assert await sent(peer, client(peer, "http://platform.example", nameless)) == AWAY


@pytest.mark.requirement("D4")
async def test_where_the_token_is_held_already_the_door_is_closed_all_the_same(
    peer: Peer, nameless: aiohttp.ClientSession
) -> None:
    await sent(peer, peer.client)
    peer.client._session = nameless
    peer.client._domain = "http://platform.example"
    assert await sent(peer, peer.client) == AWAY


@pytest.mark.requirement("D4")
async def test_a_token_that_cannot_be_fetched_holds_everything_and_sends_nothing(
    peer: Peer,
) -> None:
    peer.platform.faults.add(Op.TOKEN, Page(502), times=None)
    assert await sent(peer, peer.client) == AWAY
    assert peer.platform.calls_of(Op.CREATE) == []


@pytest.mark.requirement("D4")
async def test_a_gateway_that_broke_on_the_way_leaves_a_doubt(peer: Peer) -> None:
    peer.platform.faults.add(Op.CREATE, Page(502))
    assert isinstance(await sent(peer, peer.client), Unknown)


@pytest.mark.requirement("A1", "D4")
async def test_a_look_up_says_whether_nothing_at_all_is_answered(
    peer: Peer, nameless: aiohttp.ClientSession
) -> None:
    conversation = peer.place().conversation
    away = LarkDirectory(client(peer, "http://platform.example", nameless), peer.clock)
    assert await away.chat(conversation) == DirectoryFailure(True, "unreachable", whole_app=True)
    peer.platform.faults.add(Op.CHAT, Answer(Refusal(99991403, "x")), times=None)
    quota = DirectoryFailure(True, "quota", whole_app=True)
    assert await LarkDirectory(peer.client, peer.clock).chat(conversation) == quota
    peer.platform.faults.clear()
    peer.platform.faults.add(Op.CHAT, Answer(Refusal(232011, "x")), times=None)
    failure = await LarkDirectory(peer.client, peer.clock).chat(conversation)
    assert isinstance(failure, DirectoryFailure)
    assert failure == replace(failure, whole_app=False)
