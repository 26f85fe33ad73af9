"""A platform with two people and a group, served on loopback, and an app that has signed in."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.simulator.model import Chat, Person, SimulatedApp
from bot.simulator.platform import Platform
from bot.simulator.server import PlatformServer
from steward.testing.world import CountedTokens
from tests.bot.simulator.callers import Caller, SkippingClock


@pytest.fixture
def clock() -> SkippingClock:
    return SkippingClock()


@pytest.fixture
def platform(clock: SkippingClock, tokens: CountedTokens) -> Platform:
    return Platform(SimulatedApp(), clock, tokens)


@pytest.fixture
def lin(platform: Platform) -> Person:
    return platform.add_person("Lin", open_id="ou_lin")


@pytest.fixture
def wei(platform: Platform) -> Person:
    return platform.add_person("Wei", open_id="ou_wei")


@pytest.fixture
def team(platform: Platform, lin: Person, wei: Person) -> Chat:
    return platform.add_chat("Team", members=[lin, wei], chat_id="oc_team")


@pytest.fixture
async def server(platform: Platform) -> AsyncIterator[PlatformServer]:
    async with PlatformServer(platform) as server:
        yield server


@pytest.fixture
async def app(platform: Platform, server: PlatformServer) -> AsyncIterator[Caller]:
    async with aiohttp.ClientSession(server.url) as session:
        caller = Caller(session, platform)
        await caller.sign_in()
        yield caller
