from collections.abc import AsyncIterator

import pytest

from tests.bot.lark.peer import Peer, open_peer


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    async with open_peer() as peer:
        yield peer
