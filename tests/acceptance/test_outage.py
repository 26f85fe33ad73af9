"""Two hours without the platform, with two hundred answers waiting: afterwards each arrives once, in order, in pace. D4."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from bot.lark.pacing import PER_KEY, PER_MINUTE, PER_SECOND, Pacing
from steward.model.answer import OutgoingKind
from steward.model.audience import DirectoryFailure
from steward.model.delivery import Disposition, Part, Place, Refused, SendOutcome, Unknown
from steward.model.ids import ChatId, OpenId
from steward.ports.world import Clock
from steward.testing.sender import ScriptedSender
from steward.testing.world import FakeClock
from tests.contracts.given import rows
from tests.steward.control.workshop import TEAM, TEAM_GRANT, Workshop, foreign, open_workshop

CHATS = tuple(ChatId(f"oc_{number:02}") for number in range(20))
GRANTS = tuple(foreign(TEAM_GRANT, chat) for chat in CHATS)
EACH = 10
OUTAGE = timedelta(hours=2)
AWAY = Refused("unreachable", Disposition.HOLD)
NOBODY = DirectoryFailure(retry=True, reason="unreachable", whole_app=True)
ROUNDING = timedelta(milliseconds=1)


class Hasty:
    """Whoever sleeps for his pace has slept."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        return self._clock.now()

    def monotonic(self) -> float:
        return self._clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        self._clock.advance(timedelta(seconds=seconds))
        await asyncio.sleep(0)


class Paced(ScriptedSender):
    """Sends at the pace of the bot."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        assert isinstance(clock, FakeClock)
        self._pacing = Pacing(Hasty(clock))

    async def send(
        self, part: Part, place: Place, kind: OutgoingKind = OutgoingKind.ANSWER
    ) -> SendOutcome:
        wait = await self._pacing.acquire(place.conversation.chat_id)
        if wait is not None:
            return Refused("paced", Disposition.LATER, wait)
        return await super().send(part, place, kind)


async def waiting(shop: Workshop) -> None:
    """Ten answers wait in each chat."""
    for number in range(EACH):
        for chat in CHATS:
            shop.directory.add(chat)
            await shop.say(chat=chat, sender=OpenId(f"ou_{chat}_{number}"))
    await shop.judge()
    await shop.answer()
    assert await statuses(shop) == {"pending": EACH * len(CHATS)}


async def statuses(shop: Workshop) -> dict[str, int]:
    return dict(await rows(shop.store, "SELECT status, count(*) FROM outbox GROUP BY status"))


async def deliver(shop: Workshop, most: timedelta, step: timedelta) -> None:
    until = shop.clock.now() + most
    while shop.clock.now() < until:
        await shop.deliver()
        shop.clock.advance(step)


def most_within(times: Sequence[datetime], window: timedelta) -> int:
    """The most sends in any window of this length."""
    ends = [sum(1 for other in times if one <= other < one + window - ROUNDING) for one in times]
    return max(ends)


def in_order(shop: Workshop) -> bool:
    """In each chat the answers stand in the order of its questions, each once."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for arrival in shop.sender.arrived:
        assert arrival.place.reply_to is not None
        asked = int(arrival.place.reply_to.message_id.removeprefix("om_"))
        numbers[arrival.place.conversation.chat_id].append(asked)
    return all(
        len(found) == EACH and found == sorted(set(found)) for found in numbers.values()
    ) and len(numbers) == len(CHATS)


@pytest.mark.requirement("D4", "D7")
@pytest.mark.parametrize("blind", [False, True], ids=["sends", "sends and look-ups"])
async def test_after_two_hours_without_the_platform_everything_arrives_once(blind: bool) -> None:
    async with open_workshop(grants=GRANTS, voice=Paced) as shop:
        assert TEAM not in CHATS
        await waiting(shop)
        shop.sender.down = AWAY
        shop.directory.failure = NOBODY if blind else None
        await deliver(shop, OUTAGE, timedelta(seconds=20))
        assert shop.sender.arrived == []
        assert await statuses(shop) == {"pending": EACH * len(CHATS)}
        assert len(shop.sender.tried) < 200
        shop.sender.down = shop.directory.failure = None
        back = shop.clock.now()
        await deliver(shop, timedelta(minutes=3), timedelta(milliseconds=250))
        assert await statuses(shop) == {"sent": EACH * len(CHATS)}
        assert in_order(shop)
        times = [arrival.at for arrival in shop.sender.arrived]
        assert times[-1] - back < timedelta(minutes=3)
        assert most_within(times, timedelta(seconds=1)) <= PER_SECOND
        assert most_within(times, timedelta(minutes=1)) <= PER_MINUTE
        of_chat = [
            one.at for one in shop.sender.arrived if one.place.conversation.chat_id == CHATS[0]
        ]
        assert most_within(of_chat, timedelta(seconds=1)) <= PER_KEY
        assert {end for end, _ in await shop.ends()} == {"answered"}


@pytest.mark.requirement("D4")
async def test_where_no_call_was_answered_what_was_under_way_is_repeated_with_its_mark() -> None:
    async with open_workshop(grants=GRANTS, voice=Paced) as shop:
        await waiting(shop)
        shop.sender.down = shop.sender.unreadable = Unknown("ambiguous")
        await deliver(shop, OUTAGE, timedelta(seconds=30))
        found = await statuses(shop)
        assert found == {"unknown": len(CHATS), "pending": (EACH - 1) * len(CHATS)}
        shop.sender.down = shop.sender.unreadable = None
        await deliver(shop, timedelta(minutes=15), timedelta(seconds=2))
        repeated = [one for one in shop.sender.arrived if one.part.is_repeat]
        assert len(repeated) == len(CHATS)
        assert in_order(shop)
        assert await statuses(shop) == {"sent": EACH * len(CHATS), "replaced": len(CHATS)}
