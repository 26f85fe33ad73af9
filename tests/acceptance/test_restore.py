"""A backup taken while serving under load, restored and served again: nothing twice unmarked, no trust. Contracts D4, D5, P8."""

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.cli.restore import restored
from bot.settings import load
from bot.simulator.model import Pushed, StoredMessage
from bot.simulator.transcript import as_read
from steward.model.command import ApplyProfile
from steward.model.effect import ByOperator, Done
from steward.model.ids import AppId
from steward.model.profile import RuntimeProfile, StoredProfile
from steward.policy import profile
from steward.store import StoreLock, open_store
from steward.store.backup import back_up
from steward.texts.labels import MAY_BE_DUPLICATE
from steward.texts.upkeep import RESTORED
from steward.world import SystemClock
from tests.acceptance.nursery import Nursery, open_nursery
from tests.acceptance.outside import Outside, open_outside

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

CHATS, EACH = 4, 8


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def nursery() -> AsyncIterator[Nursery]:
    async with open_nursery() as opened:
        yield opened


async def trust(url: str, app: AppId) -> None:
    """What an owner's approval does."""
    async with await open_store(url, SystemClock()) as store:
        stored = await store.machine.document()
        last = await store.machine.last_transaction()
        plan = profile.plan(stored, RuntimeProfile.TRUSTED_OWNER, last)
        apply = ApplyProfile(RuntimeProfile.TRUSTED_OWNER, plan.plan_revision)
        done = await store.effects.commit(ByOperator(app), apply, audit=[], reply=[])
        assert isinstance(done, Done)


async def stored_profile(url: str) -> RuntimeProfile:
    async with await open_store(url, SystemClock()) as store:
        stored = profile.stored_of(await store.machine.document())
    assert isinstance(stored, StoredProfile)
    return stored.profile


def words(message: StoredMessage) -> str:
    return "\n".join(as_read(message.msg_type, message.content))


def says(message: StoredMessage, *texts: str) -> bool:
    return any(text in words(message) for text in texts)


def answers(outside: Outside, asked: Pushed) -> list[StoredMessage]:
    """What answers it, without what is marked, or says that nobody knows."""
    beside = (RESTORED.en, RESTORED.zh, MAY_BE_DUPLICATE.en, MAY_BE_DUPLICATE.zh)
    return [one for one in outside.replies(asked) if not says(one, *beside)]


@pytest.mark.requirement("D4", "D5", "P8")
@pytest.mark.timeout(120)
@pytest.mark.parametrize("replied", [1, CHATS * EACH // 2])
async def test_a_backup_under_load_is_restored_and_nothing_is_sent_twice_unmarked(
    nursery: Nursery, tmp_path: Path, replied: int
) -> None:
    backup = tmp_path / "backup.db"
    async with open_outside(tmp_path, chats=CHATS) as outside:
        settings = load(outside.config, {})
        url = settings.store.url.get_secret_value()
        child = await nursery.start(outside.order())
        await child.ready()
        await trust(url, AppId(outside.platform.app.app_id))
        asked = [outside.say(chat) for _ in range(EACH) for chat in range(CHATS)]
        random.Random(replied).shuffle(asked)  # noqa: S311 - the order in which they arrive
        async with asyncio.TaskGroup() as group:
            for one in asked:
                group.create_task(outside.deliver(one))
            await outside.platform.changed(
                lambda _: sum(bool(outside.replies(one)) for one in asked) >= replied, 30
            )
            await asyncio.to_thread(back_up, url, backup, replaces=False)
        await outside.replied(asked)
        await child.kill()
        outside.platform.forget_uuids()
        with StoreLock(url):
            report = await restored(settings, backup)
        assert report.done.restricted
        assert report.done.owed + report.done.unread + report.done.doubtful > 0
        again = await nursery.start(outside.order())
        await again.ready()
        await outside.come_to_rest()
        assert [len(answers(outside, one)) for one in outside.asked] == [1] * len(outside.asked)
        assert await again.stop() == 0
        assert await stored_profile(url) is RuntimeProfile.RESTRICTED
