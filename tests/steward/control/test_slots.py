"""One chat that is slow holds up no other: not at the look-up of its facts, not while its answer is being sent."""

import asyncio
from datetime import timedelta

from steward.control.slots import AT_ONCE, BATCH, keep_working
from steward.dispatch.local import EventWake
from steward.model.answer import OutgoingKind
from steward.model.audience import ChatFacts, DirectoryFailure
from steward.model.delivery import Part, Place, SendOutcome
from steward.model.events import Lane
from steward.model.ids import ChatId, ConversationId
from steward.ports.world import Clock
from steward.testing.directory import FakeDirectory
from steward.testing.sender import ScriptedSender
from tests.steward.control.workshop import TEAM, TEAM_GRANT, Workshop, foreign, open_workshop

OTHER = ChatId("oc_other")
GRANTS = (TEAM_GRANT, foreign(TEAM_GRANT, OTHER))


class Stalled(ScriptedSender):
    """Never comes to an end with the team's chat; `twice` once the other had two messages."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.twice = asyncio.Event()

    async def send(
        self, part: Part, place: Place, kind: OutgoingKind = OutgoingKind.ANSWER
    ) -> SendOutcome:
        if place.conversation.chat_id == TEAM:
            await asyncio.Event().wait()
        outcome = await super().send(part, place, kind)
        if len(self.arrived) == 2:
            self.twice.set()
        return outcome


class Blind(FakeDirectory):
    """Never comes to an end with the team's chat; `twice` once the other was asked for twice."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.twice = asyncio.Event()

    async def chat(self, conversation: ConversationId) -> ChatFacts | DirectoryFailure:
        if conversation.chat_id == TEAM:
            await asyncio.Event().wait()
        if self.asked.count(OTHER):
            self.twice.set()
        return await super().chat(conversation)


async def _asked(shop: Workshop) -> None:
    """One question in the team's chat, then two in the other."""
    shop.directory.add(OTHER)
    await shop.say("slow")
    await shop.say("quick", chat=OTHER)
    await shop.say("quick, too", chat=OTHER)


async def test_a_send_that_takes_long_holds_up_its_own_chat_alone() -> None:
    async with open_workshop(voice=Stalled, grants=GRANTS) as shop:
        await _asked(shop)
        await shop.judge()
        await shop.answer()
        assert isinstance(shop.sender, Stalled)
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            running = group.create_task(shop.courier.run())
            await shop.sender.twice.wait()
            running.cancel()


async def test_a_look_up_that_takes_long_holds_up_its_own_chat_alone() -> None:
    async with open_workshop(lookup=Blind, grants=GRANTS) as shop:
        await _asked(shop)
        assert isinstance(shop.directory, Blind)
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            running = group.create_task(shop.intake.run(Lane.ORDERED, EventWake()))
            await shop.directory.twice.wait()
            running.cancel()


async def test_no_more_is_taken_than_there_is_room_for() -> None:
    waiting, asked, begun = list(range(3 * AT_ONCE)), list[int](), asyncio.Semaphore(0)
    go_on = asyncio.Semaphore(0)

    async def take(limit: int) -> list[int]:
        asked.append(limit)
        return [waiting.pop() for _ in range(min(limit, len(waiting)))]

    async def work(_: int) -> None:
        begun.release()
        await go_on.acquire()

    wake = EventWake()
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        running = group.create_task(keep_working(take, work, wake, _soon))
        for _ in range(AT_ONCE):
            await begun.acquire()
        assert (asked, len(waiting)) == ([AT_ONCE], 2 * AT_ONCE)
        for _ in range(2 * AT_ONCE // BATCH):
            for _ in range(BATCH):
                go_on.release()
            for _ in range(BATCH):
                await begun.acquire()
        assert (max(asked), min(asked)) == (AT_ONCE, BATCH)
        assert waiting == []
        running.cancel()


async def _soon() -> timedelta:
    return timedelta(seconds=1)
