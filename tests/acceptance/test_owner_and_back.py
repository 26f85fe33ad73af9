"""A member who becomes the owner, and a member again: nothing of one time reaches the other. A3, A4, P9, S3."""

from collections.abc import AsyncIterator

import pytest

from steward.model.action import ClickRefusal
from steward.model.profile import RuntimeProfile
from steward.texts.toasts import REFUSED
from tests.acceptance.town import MEMBERS, OTHER, WORDS, Town, open_town, words_in
from tests.steward.control.sessions import apply
from tests.steward.control.workshop import APP, OWNER, private_chat

CHAT = private_chat(OTHER)


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    async with open_town() as town:
        yield town


async def asks(town: Town) -> set[str]:
    """The words that come into the chat by a question there."""
    before = len(town.shop.sender.arrived)
    town.tick()
    await town.ask(OTHER, CHAT)
    await town.shop.through()
    await town.look()
    return {word for one in town.shop.sender.arrived[before:] for word in words_in(one.text)}


@pytest.mark.requirement("A3", "A4", "P9", "S3")
async def test_each_time_reads_what_is_its_own_and_remembers_no_other(town: Town) -> None:
    members, everything = {WORDS[MEMBERS]}, set(WORDS.values())
    store = town.shop.store
    assert await asks(town) == members

    await store.owners.follow(APP, OTHER)
    await apply(store, RuntimeProfile.TRUSTED_OWNER)
    assert await asks(town) == everything
    assert [seat.profile.trusted for seat, _, _ in town.endpoint.opened] == [False, True]

    await store.owners.follow(APP, OWNER)
    assert await asks(town) == members
    await store.owners.follow(APP, OTHER)
    assert await asks(town) == everything
    assert [seat.profile.trusted for seat, _, _ in town.endpoint.opened[2:]] == [False, False]
    assert all(resume is None and not history for _, resume, history in town.endpoint.opened)


@pytest.mark.requirement("A5", "P8", "P9")
@pytest.mark.parametrize("comes_back", [False, True])
async def test_what_was_offered_to_an_earlier_owner_is_void(town: Town, comes_back: bool) -> None:
    await town.shop.store.owners.follow(APP, OTHER)
    await town.say("/grant members plans *", OTHER, CHAT)
    await town.shop.through()
    (button,) = town.buttons()
    granted = await town.shop.store.grants.all()

    for owner in (OWNER, OTHER) if comes_back else (OWNER,):
        await town.shop.store.owners.follow(APP, owner)
    assert (await town.press(button, OTHER, 1)).toast == REFUSED[ClickRefusal.UNKNOWN].en
    assert await town.shop.store.grants.all() == granted


@pytest.mark.requirement("A3", "A5")
async def test_the_rows_behind_an_owners_answer_are_shown_to_the_owner_alone(town: Town) -> None:
    await town.shop.store.owners.follow(APP, OTHER)
    assert await asks(town) == set(WORDS.values())
    button = town.buttons()[-1]
    await town.shop.store.owners.follow(APP, OWNER)
    before = len(town.shop.sender.arrived)
    await town.press(button, OTHER, 1)
    await town.shop.through()
    await town.look()
    assert all(not set(words_in(one.text)) for one in town.shop.sender.arrived[before:])
