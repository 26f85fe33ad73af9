"""Two people of one name, and two chats of one title, are two: a name opens nothing to whoever else bears it. A1, A2, A5."""

from collections.abc import AsyncIterator

import pytest

from steward.model.ids import ChatId
from tests.acceptance.town import OTHER, SECOND, SECONDS, TITLES, WORDS, Town, open_town
from tests.steward.control.workshop import MEMBER, OWNER, TEAM, private_chat

HOME = private_chat(OWNER)


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    async with open_town() as town:
        yield town


async def approves(town: Town, number: int) -> None:
    """The owner presses the button of the latest card."""
    await town.press(town.buttons()[-1], OWNER, number)
    await town.shop.deliver()


@pytest.mark.requirement("A1", "A5")
async def test_a_name_that_was_approved_for_one_is_not_the_others_who_claims_it(town: Town) -> None:
    await town.say("/whoami", OWNER, HOME)
    for person in (OTHER, MEMBER):
        await town.say("/iam Lin", person, private_chat(person))
        await town.shop.through()
    await approves(town, 1)
    for person in (OTHER, MEMBER):
        await town.ask(person, private_chat(person))
    await town.shop.through()
    await town.look()
    assert [asked.asker_names for asked in town.endpoint.asked] == [(), ("Lin",)]


@pytest.mark.requirement("A2")
@pytest.mark.parametrize(("granted", "other"), [(SECOND, TEAM), (TEAM, SECOND)])
async def test_a_grant_to_one_of_two_chats_of_a_title_is_not_the_others(
    town: Town, granted: ChatId, other: ChatId
) -> None:
    for chat in (granted, other):
        town.shop.directory.add(chat, title=TITLES[granted])
    before = await town.may_read(other)
    await town.say(f"/grant {granted} plans {SECONDS}", OWNER, HOME)
    await town.shop.through()
    await approves(town, 1)
    for chat in (granted, other):
        await town.ask(MEMBER, chat)
    await town.shop.through()
    await town.look()
    assert WORDS[SECONDS] in await town.may_read(granted)
    assert WORDS[SECONDS] not in before
    assert await town.may_read(other) == before
