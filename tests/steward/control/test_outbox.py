"""Parts are delivered, delivered later, in a plainer form, or given up; never as something new where they may stand."""

import asyncio
from datetime import timedelta

import pytest

from steward.control.guards import Guards
from steward.control.outbox import Courier
from steward.control.places import Places
from steward.dispatch.local import EventWake
from steward.errors import StoreUnavailableError
from steward.model.delivery import Delivery, Disposition, Fate, Refused, Unknown
from steward.model.events import EventKind, Lane, Recall
from steward.model.ids import ConversationId, MessageRef
from steward.model.turn import Written
from steward.policy.retry import SAFE_REPEAT
from steward.testing.sender import LostReply
from steward.texts.labels import MAY_BE_DUPLICATE
from tests.contracts.given import rows
from tests.steward.control.workshop import APP, TEAM, WORKER, Workshop, open_workshop

LIMITED = Refused("rate_limited", Disposition.RETRY, timedelta(seconds=7))
FORM = Refused("form", Disposition.STEP_DOWN)
GONE = Refused("target_gone", Disposition.GIVE_UP)


async def parts(shop: Workshop) -> list[tuple[str, str, str | None]]:
    found = await rows(shop.store, "SELECT rung, status, failure FROM outbox ORDER BY id")
    return [(row[0], row[1], row[2]) for row in found]


async def ready(shop: Workshop) -> None:
    """One answer waits to be sent."""
    await shop.say()
    await shop.judge()
    await shop.answer()


@pytest.mark.requirement("D4")
async def test_a_rate_limit_is_waited_out_with_the_same_uuid() -> None:
    async with open_workshop() as shop:
        await ready(shop)
        shop.sender.script(LIMITED)
        await shop.deliver()
        assert shop.sender.texts() == []
        shop.clock.advance(timedelta(seconds=7))
        await shop.deliver()
        assert len(shop.sender.arrived) == 1
        assert len({tried.part.uuid for tried in shop.sender.tried}) == 1


@pytest.mark.requirement("D4")
async def test_a_reply_that_was_lost_is_sent_again_and_stands_in_the_chat_once() -> None:
    async with open_workshop() as shop:
        await ready(shop)
        shop.sender.script(LostReply(), Unknown("timeout"))
        for _ in range(4):
            await shop.deliver()
            shop.clock.advance(timedelta(seconds=30))
        assert len(shop.sender.arrived) == 1
        assert await parts(shop) == [("card", "sent", None)]


@pytest.mark.requirement("D4")
async def test_a_form_that_is_refused_steps_down_and_an_unknown_one_never_does() -> None:
    async with open_workshop() as shop:
        await ready(shop)
        shop.sender.script(FORM)
        await shop.deliver()
        assert [(rung, status) for rung, status, _ in await parts(shop)] == [
            ("card", "replaced"),
            ("text", "sent"),
        ]
    async with open_workshop() as shop:
        await ready(shop)
        shop.sender.script(Unknown("timeout"), FORM)
        await shop.deliver()
        shop.clock.advance(timedelta(seconds=30))
        await shop.deliver()
        assert [(rung, status) for rung, status, _ in await parts(shop)] == [("card", "dead")]


@pytest.mark.requirement("D4")
async def test_after_fifty_minutes_only_a_found_message_settles_an_unknown_one() -> None:
    async with open_workshop() as shop:
        await ready(shop)
        shop.sender.script(LostReply())
        await shop.deliver()
        tried = len(shop.sender.tried)
        shop.clock.advance(SAFE_REPEAT)
        await shop.deliver()
        assert await parts(shop) == [("card", "sent", None)]
        assert len(shop.sender.tried) == tried


async def unknown_for_fifty_minutes(shop: Workshop) -> None:
    """One try whose end nobody knows, and then nothing until the uuid is too old."""
    await ready(shop)
    shop.sender.script(Unknown("timeout"))
    await shop.deliver()
    shop.clock.advance(SAFE_REPEAT)


@pytest.mark.requirement("D4")
@pytest.mark.parametrize("blind", [True, False])
async def test_what_is_not_found_after_fifty_minutes_is_sent_once_more_and_says_so(
    blind: bool,
) -> None:
    async with open_workshop() as shop:
        await unknown_for_fifty_minutes(shop)
        shop.sender.blind = blind
        await shop.deliver()
        first, repeat = shop.sender.tried
        assert repeat.part.uuid != first.part.uuid
        mark = MAY_BE_DUPLICATE.en.encode()
        assert repeat.part.body == mark + b"\n" + first.part.body
        assert repeat.place == first.place
        assert await parts(shop) == [
            ("card", "replaced", "repeated"),
            ("card+repeat", "sent", None),
        ]
        assert await shop.ends() == [("answered", None)]
        assert await rows(shop.store, "SELECT id FROM inbox WHERE closed_at IS NULL") == []


@pytest.mark.requirement("D4", "W5")
async def test_a_chinese_question_has_its_repeat_marked_in_chinese() -> None:
    async with open_workshop() as shop:
        await shop.say("进展怎么样？")
        await shop.judge()
        await shop.answer()
        shop.sender.script(Unknown("timeout"))
        await shop.deliver()
        shop.clock.advance(SAFE_REPEAT)
        await shop.deliver()
        assert shop.sender.texts()[0].startswith(MAY_BE_DUPLICATE.zh)


@pytest.mark.requirement("D4")
async def test_a_repeat_is_found_or_given_up_and_never_repeated() -> None:
    for lost, ends in ((LostReply(), "sent"), (Unknown("timeout"), "dead")):
        async with open_workshop() as shop:
            await unknown_for_fifty_minutes(shop)
            shop.sender.script(lost)
            await shop.deliver()
            shop.clock.advance(SAFE_REPEAT - timedelta(seconds=1))
            shop.sender.down = Unknown("timeout")
            await shop.deliver()
            assert len({tried.part.uuid for tried in shop.sender.tried}) == 2
            shop.clock.advance(timedelta(minutes=10))
            tried = len(shop.sender.tried)
            await shop.deliver()
            assert len(shop.sender.tried) == tried
            assert [(rung, status) for rung, status, _ in await parts(shop)] == [
                ("card", "replaced"),
                ("card+repeat", ends),
            ]


@pytest.mark.requirement("D4")
async def test_a_repeat_that_is_refused_for_its_form_has_no_plainer_one() -> None:
    async with open_workshop() as shop:
        await unknown_for_fifty_minutes(shop)
        shop.sender.script(FORM)
        await shop.deliver()
        assert await parts(shop) == [
            ("card", "replaced", "repeated"),
            ("card+repeat", "dead", "form"),
        ]
        assert await shop.ends() == [("settled", None)]


@pytest.mark.requirement("D4")
async def test_nothing_is_repeated_while_the_chat_cannot_be_looked_at() -> None:
    async with open_workshop() as shop:
        await unknown_for_fifty_minutes(shop)
        shop.sender.unreadable = Unknown("unreachable")
        for _ in range(30):
            await shop.deliver()
            shop.clock.advance(timedelta(minutes=2))
        assert len(shop.sender.tried) == 1
        assert [status for _, status, _ in await parts(shop)] == ["unknown"]
        shop.sender.unreadable = None
        await shop.deliver()
        assert len(shop.sender.arrived) == 1


@pytest.mark.requirement("D4")
async def test_a_chat_that_can_never_be_looked_at_is_not_waited_for() -> None:
    async with open_workshop() as shop:
        await unknown_for_fifty_minutes(shop)
        shop.sender.unreadable = Unknown("private_chat_unknown", lasting=True)
        await shop.deliver()
        assert len(shop.sender.arrived) == 1


@pytest.mark.requirement("D2", "D4")
async def test_a_question_that_was_taken_back_is_not_repeated() -> None:
    async with open_workshop() as shop:
        await unknown_for_fifty_minutes(shop)
        recall = Recall(MessageRef(APP, "om_1"), ConversationId(APP, TEAM))
        await shop.event(recall, EventKind.RECALL, Lane.NOW, recall.conversation)
        await shop.judge(Lane.NOW)
        await shop.deliver()
        assert len(shop.sender.tried) == 1
        assert await parts(shop) == [("card", "dead", "withdrawn")]


@pytest.mark.requirement("D4")
async def test_a_repeat_keeps_its_place_in_the_order_of_its_chat() -> None:
    async with open_workshop() as shop:
        await unknown_for_fifty_minutes(shop)
        await shop.say("second")
        await shop.judge()
        await shop.answer()
        await shop.deliver()
        places = [one.place.reply_to for one in shop.sender.arrived]
        assert places == [MessageRef(APP, "om_1"), MessageRef(APP, "om_3")]


@pytest.mark.requirement("D4", "W3")
async def test_what_cannot_be_delivered_is_given_up_and_the_chat_goes_on() -> None:
    async with open_workshop() as shop:
        await ready(shop)
        await shop.say("second")
        await shop.judge()
        await shop.answer()
        shop.sender.script(GONE)
        await shop.deliver()
        assert [status for _, status, _ in await parts(shop)] == ["dead", "sent"]
        found = await rows(shop.store, "SELECT status FROM question ORDER BY id")
        assert [row[0] for row in found] == ["settled", "answered"]


@pytest.mark.requirement("D4")
async def test_a_chat_keeps_its_order_while_its_first_part_waits() -> None:
    async with open_workshop() as shop:
        await ready(shop)
        await shop.say("second")
        await shop.judge()
        await shop.answer()
        shop.sender.script(LIMITED)
        await shop.deliver()
        assert shop.sender.texts() == []
        shop.clock.advance(timedelta(seconds=7))
        await shop.deliver()
        places = [
            one.place.reply_to.message_id for one in shop.sender.arrived if one.place.reply_to
        ]
        asked = [
            row[0] for row in await rows(shop.store, "SELECT message_id FROM inbox ORDER BY id")
        ]
        assert places == asked


class Forgetful:
    """An outbox that cannot write a fate down the first time, over the real one."""

    def __init__(self, shop: Workshop) -> None:
        self._outbox = shop.store.outbox
        self.failed = asyncio.Event()

    async def finish(self, delivery: Delivery, fate: Fate) -> Written:
        if not self.failed.is_set():
            self.failed.set()
            raise StoreUnavailableError("away for a moment")
        return await self._outbox.finish(delivery, fate)

    def __getattr__(self, name: str) -> object:
        return getattr(self._outbox, name)


@pytest.mark.requirement("D4")
async def test_a_fate_that_could_not_be_written_down_is_written_down_without_another_send() -> None:
    async with open_workshop() as shop:
        await ready(shop)
        outbox = Forgetful(shop)
        courier = Courier(
            worker=WORKER,
            outbox=outbox,  # type: ignore[arg-type] # delegates
            ledger=shop.store.ledger,
            guards=Guards(shop.standing, Places(shop.directory), shop.clock),
            sender=shop.sender,
            wake=EventWake(),
            clock=shop.clock,
        )
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            round_ = group.create_task(courier.round())
            await outbox.failed.wait()
            while not round_.done():
                shop.clock.advance(timedelta(seconds=1))
                await asyncio.sleep(0)
        assert len(shop.sender.tried) == 1
        assert await parts(shop) == [("card", "sent", None)]
