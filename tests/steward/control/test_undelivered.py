"""The owner is told in private what did not arrive: where, when, why; never a word of it, and never in a circle. W3, A4."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from steward.control.undelivered import Undelivered
from steward.dispatch.local import EventWake
from steward.model.audience import ChatFacts, ChatMode
from steward.model.delivery import Disposition, PartStatus, Refused, Unknown
from steward.model.ids import ChatId
from steward.policy.retry import SAFE_REPEAT
from steward.policy.undelivered import EVERY
from steward.texts.undelivered import LOST, OTHER_REASON, REASONS, SILENCES
from tests.contracts.given import rows
from tests.steward.control.workshop import (
    APP,
    MEMBER,
    OURS,
    OWNER,
    TEAM,
    TEAM_GRANT,
    Workshop,
    foreign,
    open_workshop,
)

OTHER = ChatId("oc_other")
GRANTS = (TEAM_GRANT, foreign(TEAM_GRANT, OTHER))
GONE = Refused("chat_gone", Disposition.GIVE_UP)
QUOTA = Refused("quota", Disposition.HOLD, timedelta(minutes=10))
WORD = "Kingfisher"


def undelivered(shop: Workshop) -> Undelivered:
    return Undelivered(
        authorities=shop.standing.authorities,
        outbox=shop.store.outbox,
        chats=shop.store.chats,
        ledger=shop.store.ledger,
        sender=shop.sender,
        holding=shop.courier.holding,
        deliveries=EventWake(),
        clock=shop.clock,
        zone=ZoneInfo("Asia/Shanghai"),
    )


async def lost(shop: Workshop, chat: ChatId = TEAM, failure: Refused = GONE) -> None:
    """A question whose answer cannot be delivered."""
    shop.directory.add(chat)
    await shop.say(f"How is {WORD}?", chat=chat)
    await shop.judge()
    await shop.answer()
    shop.sender.script(failure)
    await shop.deliver()


async def named(shop: Workshop, chat: ChatId, title: str, external: bool) -> None:
    facts = ChatFacts(chat, ChatMode.GROUP, external, OURS, title, shop.clock.now())
    await shop.store.chats.note(APP, facts)


def told(shop: Workshop) -> list[str]:
    """What the owner reads in private."""
    return [
        one.text
        for one in shop.sender.arrived
        if one.place.conversation.chat_id == OWNER and one.place.reply_to is None
    ]


@pytest.mark.requirement("W3", "A4")
async def test_the_owner_is_told_where_when_and_why_and_not_a_word_of_it() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        await lost(shop)
        await lost(shop, OTHER, Refused("new_to_us", Disposition.GIVE_UP))
        await named(shop, TEAM, "Nestbox <at id=all></at>", external=False)
        await named(shop, OTHER, "Harbour", external=True)
        await undelivered(shop).look()
        await shop.deliver()
        (text,) = told(shop)
        headline, first, second, action = text.splitlines()
        assert headline == LOST.en.format(count=2)
        assert "Nestbox" in first
        assert TEAM in first
        assert first.endswith(REASONS["chat_gone"].en)
        assert "2026" in first or ":" in first
        assert "Harbour" in second
        assert "external" in second.lower() or "outsider" in second.lower()
        assert second.endswith(OTHER_REASON.en)
        assert "asked again" in action
        assert WORD not in text
        assert "new_to_us" not in text


@pytest.mark.requirement("W3")
async def test_several_make_one_message_each_ten_minutes_and_each_is_told_once() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        watch = undelivered(shop)
        shop.clock.advance(EVERY / 2)  # no round time by the clock
        await lost(shop)
        await watch.look()
        await shop.deliver()
        await lost(shop, OTHER)
        await lost(shop)
        for _ in range(int(EVERY.total_seconds()) // 15 - 1):
            shop.clock.advance(timedelta(seconds=15))
            await watch.look()
        await shop.deliver()
        assert len(told(shop)) == 1
        shop.clock.advance(timedelta(seconds=15))
        for _ in range(3):
            await watch.look()
            await shop.deliver()
            shop.clock.advance(EVERY)
        assert [text.count("Reason:") for text in told(shop)] == [1, 2]


@pytest.mark.requirement("W3")
async def test_an_owner_who_cannot_be_told_is_not_told_of_that() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        watch = undelivered(shop)
        await lost(shop)
        await watch.look()
        shop.sender.script(Refused("chat_closed", Disposition.GIVE_UP))
        await shop.deliver()
        for _ in range(5):
            shop.clock.advance(EVERY)
            await watch.look()
            await shop.deliver()
        assert told(shop) == []
        found = await rows(shop.store, "SELECT count(*) FROM outbox WHERE subject LIKE 'owner:%'")
        assert found == [(1,)]


@pytest.mark.requirement("W3")
async def test_without_an_owner_it_stands_in_the_log_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with open_workshop(grants=GRANTS, owner=None) as shop:
        watch = undelivered(shop)
        await lost(shop)
        for _ in range(3):
            await watch.look()
            shop.clock.advance(EVERY)
        await shop.deliver()
        assert shop.sender.arrived == []
        assert caplog.text.count("1 messages, and there is no owner") == 1
        assert WORD not in caplog.text


@pytest.mark.requirement("W3", "D4")
async def test_what_was_sent_twice_in_vain_is_told_as_of_unknown_fate() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        await shop.in_private("支付网关怎么样？", OWNER)
        await shop.through()
        await shop.store.owners.prove_chat(
            await shop.store.owners.current(APP),  # type: ignore[arg-type] # there is one
            ChatId(f"oc_private_{OWNER}"),
        )
        await shop.say()
        await shop.judge()
        await shop.answer()
        for _ in range(2):
            shop.sender.script(Unknown("timeout"))
            await shop.deliver()
            shop.clock.advance(SAFE_REPEAT)
        await shop.deliver()
        await undelivered(shop).look()
        await shop.deliver()
        assert REASONS["fate_unknown"].zh in shop.sender.texts()[-1]


@pytest.mark.requirement("W3", "D4")
@pytest.mark.parametrize(
    ("lasted", "count"), [(timedelta(minutes=30), 1), (timedelta(minutes=5), 0)]
)
async def test_after_a_time_in_which_nothing_could_be_sent_the_owner_is_told_once(
    lasted: timedelta, count: int
) -> None:
    async with open_workshop(grants=GRANTS) as shop:
        watch = undelivered(shop)
        await shop.say(sender=MEMBER)
        await shop.judge()
        await shop.answer()
        shop.sender.down = Refused("quota", Disposition.HOLD, timedelta(seconds=30))
        until = shop.clock.now() + lasted
        while shop.clock.now() < until:
            await shop.deliver()
            await watch.look()
            shop.clock.advance(timedelta(seconds=15))
        assert shop.sender.arrived == []
        shop.sender.down = None
        for _ in range(60):
            await shop.deliver()
            await watch.look()
            shop.clock.advance(timedelta(seconds=15))
        assert [SILENCES["quota"].en in text for text in told(shop)] == [True] * count
        assert len(shop.sender.arrived) == 1 + count


async def test_the_depth_is_that_of_the_last_look() -> None:
    async with open_workshop(grants=GRANTS) as shop:
        watch = undelivered(shop)
        await shop.say()
        await shop.judge()
        await shop.answer()
        assert watch.depth.parts == {}
        await watch.look()
        assert watch.depth.parts[PartStatus.PENDING] == 1
