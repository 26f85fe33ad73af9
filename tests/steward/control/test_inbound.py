"""Recorded, then acknowledged: what arrives together is one commit, and no caller takes another's event with it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from steward.control.inbound import BATCH, WAITING, GroupCommit, Press
from steward.errors import StoreUnavailableError
from steward.model.action import ClickRefusal
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.events import (
    Click,
    Envelope,
    EventKind,
    Lane,
    Principal,
    PrincipalKind,
    Recorded,
)
from steward.model.ids import InboxId, MessageRef, OpenId
from steward.model.turn import Language
from steward.store import Store, open_store
from steward.testing.wire import LaidWire
from steward.testing.world import FakeClock
from steward.texts.toasts import CLICK_SLOW, REFUSED
from tests.contracts.given import APP, conversation, envelope, rows


async def unpressed(envelope: Envelope, click: Click) -> ClickReply:
    raise AssertionError("nobody pressed anything")


@asynccontextmanager
async def committing(
    store: Store, woken: list[Lane], wire: LaidWire | None = None, press: Press | None = None
) -> AsyncIterator[GroupCommit]:
    inbound = GroupCommit(store.inbox, press or unpressed, wire or LaidWire(), woken.append)
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        running = group.create_task(inbound.run())
        await asyncio.sleep(0)
        yield inbound
        running.cancel()


class Counting:
    """An inbox that notes the size of each batch, over the real one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.sizes: list[int] = []

    async def record(self, batch: Sequence[Envelope]) -> Sequence[Recorded]:
        self.sizes.append(len(batch))
        return await self._store.inbox.record(batch)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store.inbox, name)


@pytest.fixture
async def store(clock: FakeClock) -> AsyncIterator[Store]:
    async with await open_store("sqlite://", clock) as opened:
        yield opened


@pytest.mark.requirement("D1")
async def test_a_recorded_event_stands_in_the_store_and_wakes_its_lane(store: Store) -> None:
    woken: list[Lane] = []
    async with committing(store, woken) as inbound:
        first = await inbound.record(envelope(1))
        again = await inbound.record(envelope(1))
    assert (first, again) == (Recorded(InboxId(1), False), Recorded(InboxId(1), True))
    assert woken == [Lane.ORDERED, Lane.ORDERED]


@pytest.mark.requirement("D1")
async def test_what_arrives_during_a_commit_is_the_next_batch(store: Store) -> None:
    counting = Counting(store)
    inbound = GroupCommit(counting, unpressed, LaidWire(), lambda _: None)  # type: ignore[arg-type] # delegates
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        running = group.create_task(inbound.run())
        await asyncio.sleep(0)
        await asyncio.gather(*(inbound.record(envelope(n)) for n in range(300)))
        running.cancel()
    assert counting.sizes == [BATCH, 300 - BATCH]


@pytest.mark.requirement("D1")
async def test_a_store_that_is_away_acknowledges_nothing(store: Store) -> None:
    async with committing(store, []) as inbound:
        await inbound.record(envelope(1))
        sound = inbound.failing
        await store.aclose()
        with pytest.raises(StoreUnavailableError):
            await inbound.record(envelope(2))
        assert (sound, inbound.failing) == (False, True)


@pytest.mark.requirement("D1")
async def test_a_caller_who_goes_away_takes_no_event_with_him(store: Store) -> None:
    async with committing(store, []) as inbound, asyncio.TaskGroup() as group:
        gone = group.create_task(inbound.record(envelope(1)))
        await asyncio.sleep(0)
        gone.cancel()
        await inbound.record(envelope(2))
        kept = [row[0] for row in await rows(store, "SELECT event_id FROM inbox ORDER BY id")]
    assert kept == ["evt_1", "evt_2"]


@pytest.mark.requirement("D1")
async def test_at_the_end_what_still_waits_is_refused_and_nothing_more_is_taken(
    store: Store,
) -> None:
    async with committing(store, []) as inbound:
        pass
    with pytest.raises(StoreUnavailableError):
        await inbound.record(envelope(1))


@pytest.mark.requirement("D1")
async def test_beyond_the_bound_events_are_refused_so_that_they_are_sent_again(
    store: Store,
) -> None:
    async with committing(store, []) as inbound:
        waiting = [inbound.record(envelope(n)) for n in range(WAITING + 1)]
        done = await asyncio.gather(*waiting, return_exceptions=True)
    refused = [one for one in done if isinstance(one, StoreUnavailableError)]
    assert len(refused) == 1


def clicked(wire: LaidWire) -> Envelope:
    """The event of a press, which the wire reads as one."""
    operator = Principal(OpenId("ou_1"), None, PrincipalKind.PERSON)
    event = envelope(1, kind=EventKind.CLICK, lane=Lane.NOW)
    wire.lay(event.event_id, Click(MessageRef(APP, "om_card"), conversation(), operator, "nonce-1"))
    return event


@pytest.mark.requirement("A5")
async def test_what_the_press_came_to_is_what_the_presser_is_told(store: Store) -> None:
    wire = LaidWire()
    told = ClickReply("Noted.", ReplyKind.SUCCESS)
    pressed: list[tuple[Envelope, Click]] = []

    async def press(envelope: Envelope, click: Click) -> ClickReply:
        pressed.append((envelope, click))
        return told

    event = clicked(wire)
    async with committing(store, [], wire, press) as inbound:
        assert await inbound.click(event) is told
    assert [one.event_id for one, _ in pressed] == [event.event_id]


async def test_a_press_that_cannot_be_read_is_recorded_and_does_nothing(store: Store) -> None:
    woken: list[Lane] = []
    async with committing(store, woken) as inbound:
        reply = await inbound.click(envelope(1, kind=EventKind.CLICK, lane=Lane.NOW))
    assert reply.toast == REFUSED[ClickRefusal.UNKNOWN].en
    assert woken == [Lane.NOW]


async def test_a_press_that_breaks_is_answered_all_the_same(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    async def press(envelope: Envelope, click: Click) -> ClickReply:
        raise RuntimeError("a fault of ours")

    wire = LaidWire()
    async with committing(store, [], wire, press) as inbound:
        reply = await inbound.click(clicked(wire))
    assert reply.translations == {
        Language.ZH: REFUSED[ClickRefusal.NOT_NOW].zh,
        Language.EN: REFUSED[ClickRefusal.NOT_NOW].en,
    }
    assert "a fault of ours" in caplog.text


async def test_a_press_that_the_store_does_not_take_is_not_called_recorded(store: Store) -> None:
    async def press(envelope: Envelope, click: Click) -> ClickReply:
        raise StoreUnavailableError("away")

    wire = LaidWire()
    async with committing(store, [], wire, press) as inbound:
        with pytest.raises(StoreUnavailableError):
            await inbound.click(clicked(wire))


async def test_a_press_is_answered_before_the_platform_gives_up(store: Store) -> None:
    async def press(envelope: Envelope, click: Click) -> ClickReply:
        await asyncio.Event().wait()
        raise AssertionError("nothing ends this wait")

    wire = LaidWire()
    async with asyncio.timeout(2.9), committing(store, [], wire, press) as inbound:
        reply = await inbound.click(clicked(wire))
    assert reply.toast == CLICK_SLOW.en
