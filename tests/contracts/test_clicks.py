"""Clicks: kept once per card, action and operator, with nothing left to do. Contracts A5, D1."""

import asyncio

import pytest

from steward.model.events import Click, Envelope, EventKind, Lane, Principal, PrincipalKind
from steward.model.ids import MessageRef, OpenId, TenantKey
from steward.store import Store
from tests.contracts.given import APP, ASKER, TTL, WORKER, conversation, envelope, rows

CARD = MessageRef(APP, "om_card")


def press(name: object) -> Envelope:
    return envelope(name, kind=EventKind.CLICK, lane=Lane.NOW)


def click(
    nonce: str | None = "nonce", operator: OpenId | None = ASKER, card: MessageRef | None = CARD
) -> Click:
    who = Principal(operator, TenantKey("tenant"), PrincipalKind.PERSON)
    return Click(card, conversation(), who, nonce)


@pytest.mark.requirement("A5")
async def test_a_button_pressed_twice_is_pressed_once(store: Store) -> None:
    first = await store.clicks.record(press(1), click())
    again = await store.clicks.record(press(2), click())
    assert (first.duplicate, again.duplicate) == (False, True)
    assert again.inbox == first.inbox


@pytest.mark.requirement("A5")
async def test_another_card_action_or_operator_is_another_click(store: Store) -> None:
    others = [
        click(),
        click(nonce="other"),
        click(operator=OpenId("ou_other")),
        click(card=MessageRef(APP, "om_other")),
        click(nonce="\x00\ud800"),
        click(nonce="x" * 5000),
    ]
    recorded = [await store.clicks.record(press(n), one) for n, one in enumerate(others)]
    assert not any(result.duplicate for result in recorded)
    assert len({result.inbox for result in recorded}) == len(others)


@pytest.mark.requirement("D1")
async def test_a_redelivered_click_is_the_same_event(store: Store) -> None:
    first = await store.clicks.record(press(1), click())
    again = await store.clicks.record(press(1), click())
    assert (again.inbox, again.duplicate) == (first.inbox, True)


@pytest.mark.parametrize("empty", [click(nonce=None), click(operator=None), click(card=None)])
async def test_a_click_that_can_do_nothing_is_still_recorded(store: Store, empty: Click) -> None:
    first = await store.clicks.record(press(1), empty)
    other = await store.clicks.record(press(2), empty)
    assert not first.duplicate
    assert not other.duplicate


async def test_a_click_is_judged_when_it_is_recorded(store: Store) -> None:
    await store.clicks.record(press(1), click())
    assert await store.inbox.take(WORKER, lane=Lane.NOW, limit=1, ttl=TTL) == []
    assert await rows(store, "SELECT verdict, reason, closed_at = received_at FROM inbox") == [
        ("ignored", "no_action", True)
    ]


async def test_of_many_presses_at_once_one_counts(store: Store) -> None:
    async with asyncio.timeout(10):
        results = await asyncio.gather(*(store.clicks.record(press(n), click()) for n in range(12)))
    assert [result.duplicate for result in results].count(False) == 1
    assert len({result.inbox for result in results}) == 1
