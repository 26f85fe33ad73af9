"""After an outage that no retry bridges each granted chat is told once, whatever dies on the way. Contract W4."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import Connection, text

from bot.simulator.model import Chat, StoredMessage
from bot.simulator.transcript import as_read
from steward.model.ids import AppId
from steward.model.upkeep import BRIDGED
from steward.store import open_store
from steward.world import SystemClock
from tests.acceptance.nursery import KILLED, Nursery, open_nursery
from tests.acceptance.outside import PATIENCE, Outside, open_outside

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

AWAY = "I was away from"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def nursery() -> AsyncIterator[Nursery]:
    async with open_nursery() as opened:
        yield opened


async def was_away(outside: Outside) -> None:
    """A steward has served here, and then for long none did."""
    long_ago = BRIDGED + timedelta(minutes=5)

    def set_back(connection: Connection) -> None:
        back = {"by": long_ago // timedelta(microseconds=1)}
        connection.execute(text("UPDATE presence SET seen_at = seen_at - :by"), back)

    url = f"sqlite:///{outside.folder}/steward.db"
    async with await open_store(url, SystemClock()) as store:
        assert await store.upkeep.seen(AppId(outside.platform.app.app_id)) is not None
        await store.database.write(set_back)


def told(outside: Outside, chat: Chat) -> list[StoredMessage]:
    return [
        one
        for one in outside.platform.messages(chat.chat_id)
        if AWAY in "\n".join(as_read(one.msg_type, one.content))
    ]


@pytest.mark.requirement("W4")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("stage", ["before upkeep.tell", "after upkeep.tell"])
async def test_each_granted_chat_is_told_once_also_where_the_teller_is_killed(
    nursery: Nursery, tmp_path: Path, stage: str
) -> None:
    async with open_outside(tmp_path, chats=2) as outside:
        first = await nursery.start(outside.order())
        await first.ready()
        await outside.come_to_rest()
        assert await first.stop() == 0
        await was_away(outside)
        dying = await nursery.start(outside.order(stage))
        assert await dying.ended() == KILLED
        last = await nursery.start(outside.order())
        await last.ready()
        everywhere = await outside.platform.changed(
            lambda _: all(told(outside, chat) for chat in outside.chats), PATIENCE
        )
        assert everywhere
        await outside.come_to_rest()
        assert [len(told(outside, chat)) for chat in outside.chats] == [1, 1]
        assert await last.stop() == 0
