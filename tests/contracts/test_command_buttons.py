"""Command buttons: a press takes effect once, as its button says, for whom it was offered to. Contracts A5, P8, P9."""

import asyncio
from dataclasses import replace

import pytest

from steward.errors import ContractError
from steward.model.action import ClickRefusal
from steward.model.audit import AuditAct, AuditRow
from steward.model.command import (
    ApplyGrants,
    ApplyProfile,
    ApproveNames,
    ButtonMeaning,
    Command,
    CommandName,
    NewButton,
    RevokeGrants,
    SetGrant,
    StoredButton,
)
from steward.model.delivery import Arrived, SentRef
from steward.model.effect import (
    ByPress,
    Changed,
    Done,
    Effect,
    EffectOutcome,
    RenewSession,
    Repeated,
)
from steward.model.events import Click, Envelope, EventKind, Lane, Principal, PrincipalKind
from steward.model.ids import EventId, GoalId, MessageRef, OpenId, TenantKey
from steward.model.turn import Written
from steward.store import Store, owners
from steward.testing.world import EPOCH
from tests.contracts.given import (
    APP,
    claimed,
    conversation,
    envelope,
    message,
    rows,
    settled,
)
from tests.contracts.test_concurrency import PATIENCE, Paused
from tests.contracts.test_effects import (
    AUDIT,
    BEN,
    LAB,
    PLANS,
    TEAM,
    UNTIL,
    by_message,
    judged,
    received,
    reply,
    written,
)
from tests.contracts.test_machine import RESTRICTED, TRUSTED, changed, planned, stored

CARD = MessageRef(APP, "om_card")
OWNER = OpenId("ou_owner")
PREVIEW = "preview:1"


def press(name: object = 1) -> Envelope:
    return envelope(f"press_{name}", kind=EventKind.CLICK, lane=Lane.NOW)


def click(
    nonce: str | None = "nonce",
    operator: OpenId | None = OWNER,
    card: MessageRef | None = CARD,
) -> Click:
    who = Principal(operator, TenantKey("tenant"), PrincipalKind.PERSON)
    return Click(card, conversation(), who, nonce)


async def seen(store: Store, pressed: Click) -> StoredButton:
    found = await store.effects.find(pressed)
    assert found is not None
    return found


async def offered(store: Store, meaning: ButtonMeaning, *, delivered: bool = True) -> StoredButton:
    """A card with one button stands in the owner's chat."""
    owner = await store.owners.follow(APP, OWNER)
    assert owner is not None
    bound = {} if isinstance(meaning, Command) else {"operator": OWNER, "owner": owner.id}
    button = NewButton("nonce", meaning, PREVIEW, UNTIL, **bound)  # type: ignore[arg-type] # as one of the two kinds
    await by_message(store, None, reply=[reply(PREVIEW)], buttons=[button])
    (card,) = await claimed(store)
    if delivered:
        await store.outbox.finish(card, Arrived(SentRef(CARD)))
    return await seen(store, click())


async def approval(store: Store) -> ApplyProfile:
    return ApplyProfile(TRUSTED, (await planned(store, TRUSTED)).plan_revision)


async def by_press(
    store: Store, found: StoredButton, effect: Effect | None, name: object = 1, who: OpenId = OWNER
) -> EffectOutcome:
    cause = ByPress(press(name), click(operator=who), found)
    answer_part = reply(f"press:{name}")
    return await store.effects.commit(cause, effect, audit=[AUDIT], reply=[answer_part])


MEANINGS: list[ButtonMeaning] = [
    Command(CommandName.STATUS),
    Command(CommandName.IAM, ("Ben", "本")),
    ApplyGrants(SetGrant(TEAM, (PLANS,), None), "sha256:1"),
    ApplyGrants(SetGrant(TEAM, (PLANS, LAB), (GoalId("gateway"),)), "sha256:1"),
    ApplyGrants(SetGrant(TEAM, (), ()), "sha256:1"),
    ApplyGrants(RevokeGrants(TEAM), "sha256:1"),
    ApplyProfile(RESTRICTED, "sha256:1"),
    ApproveNames(BEN, ("Ben",)),
]


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("meaning", MEANINGS)
async def test_a_button_is_found_with_all_that_a_press_is_judged_by(
    store: Store, meaning: ButtonMeaning
) -> None:
    found = await offered(store, meaning)
    owner = await store.owners.current(APP)
    assert owner is not None
    plain = isinstance(meaning, Command)
    assert found == StoredButton(
        button=NewButton(
            nonce="nonce",
            meaning=meaning,
            subject=PREVIEW,
            expires_at=UNTIL,
            operator=None if plain else OWNER,
            owner=None if plain else owner.id,
        ),
        chat=conversation().chat_id,
        carried=True,
        sending=False,
        pressed=False,
        used_at=None,
    )
    assert type(found.button.meaning) is type(meaning)


@pytest.mark.parametrize("nonce", [None, "", "guess", "nonce ", "\x00\ud800", "x" * 5000])
async def test_there_is_no_button_of_another_nonce(store: Store, nonce: str | None) -> None:
    await offered(store, Command(CommandName.HELP))
    assert await store.effects.find(click(nonce)) is None


@pytest.mark.parametrize("text", ["", "{}", '{"name":"root"}', '{"name":"help","more":1}'])
async def test_a_button_whose_meaning_cannot_be_read_is_none(store: Store, text: str) -> None:
    await offered(store, Command(CommandName.HELP))
    await store.database.write(
        lambda connection: (
            connection.exec_driver_sql(
                f"UPDATE command_button SET meaning = '{text}'"  # noqa: S608 - our own words
            ).rowcount
        )
    )
    assert await store.effects.find(click()) is None


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("card", [MessageRef(APP, "om_forwarded"), MessageRef(APP, "\x00"), None])
async def test_only_the_message_that_we_sent_carries_its_buttons(
    store: Store, card: MessageRef | None
) -> None:
    await offered(store, Command(CommandName.HELP))
    assert not (await seen(store, click(card=card))).carried


@pytest.mark.requirement("A5")
async def test_another_message_of_ours_does_not_carry_the_button(store: Store) -> None:
    await offered(store, Command(CommandName.HELP))
    await settled(store, 2)
    (other,) = await claimed(store)
    await store.outbox.finish(other, Arrived(SentRef(message("other_card"))))
    assert not (await seen(store, click(card=message("other_card")))).carried


async def test_a_card_that_may_have_arrived_is_on_its_way(store: Store) -> None:
    found = await offered(store, Command(CommandName.HELP), delivered=False)
    assert (found.carried, found.sending) == (False, True)


@pytest.mark.requirement("P8", "A5", "D2")
async def test_an_approval_takes_effect_once_with_its_audit_and_reply(store: Store) -> None:
    found = await offered(store, await approval(store))
    done = await by_press(store, found, found.button.meaning)  # type: ignore[arg-type] # an approval is an effect
    assert isinstance(done, Done)
    assert done.applied is not None
    assert profile_of(await stored(store)) is TRUSTED
    after = await seen(store, click())
    assert (after.used_at, after.pressed) == (EPOCH, True)
    again = await by_press(store, after, await approval(store), "again")
    assert isinstance(again, Repeated | Changed)
    kept = await rows(store, "SELECT verdict, closed_at FROM inbox WHERE kind = 'click'")
    assert kept == [("command", None)]
    assert len(await rows(store, "SELECT 1 FROM machine_transaction")) == 1


def profile_of(found: object) -> object:
    return getattr(found, "profile", None)


@pytest.mark.requirement("P8", "A5")
async def test_of_presses_at_once_one_takes_effect(store: Store) -> None:
    effect = await approval(store)
    found = await offered(store, effect)
    async with asyncio.timeout(10):
        outcomes = await asyncio.gather(*(by_press(store, found, effect, n) for n in range(8)))
    assert [type(one) for one in outcomes].count(Done) == 1
    assert [type(one) for one in outcomes].count(Changed) == 7
    assert len(await rows(store, "SELECT 1 FROM inbox WHERE kind = 'click'")) == 1


@pytest.mark.requirement("A5")
async def test_a_plain_button_works_once_for_each_who_presses_it(store: Store) -> None:
    found = await offered(store, Command(CommandName.NEW))
    effect = RenewSession(conversation())
    assert await by_press(store, found, effect, 1) == Done()
    theirs = await seen(store, click(operator=BEN))
    assert (theirs.pressed, theirs.used_at) == (False, None)
    assert await by_press(store, theirs, effect, 2, BEN) == Done()
    mine = await seen(store, click())
    assert mine.pressed
    assert await by_press(store, mine, effect, 3) == Repeated()
    assert len(await rows(store, "SELECT 1 FROM click")) == 2


@pytest.mark.requirement("D1", "A5")
async def test_a_redelivered_press_is_the_same_event(store: Store) -> None:
    found = await offered(store, Command(CommandName.NEW))
    assert await by_press(store, found, None, 1) == Done()
    theirs = await seen(store, click(operator=BEN))
    assert await by_press(store, theirs, None, 1, BEN) == Repeated()
    assert len(await rows(store, "SELECT 1 FROM click")) == 1


@pytest.mark.requirement("P8", "P9", "A5")
async def test_what_was_offered_to_an_earlier_owner_is_void(store: Store) -> None:
    effect = await approval(store)
    found = await offered(store, effect)
    await store.owners.follow(APP, BEN)
    await store.owners.follow(APP, OWNER)
    before = await written(store)
    assert await by_press(store, found, effect) == Changed()
    assert await written(store) == before
    assert await store.machine.document() is None


@pytest.mark.requirement("P8", "A5")
async def test_nobody_but_its_owner_approves(store: Store) -> None:
    effect = await approval(store)
    await offered(store, effect)
    theirs = await seen(store, click(operator=BEN))
    assert await by_press(store, theirs, effect, who=BEN) == Changed()
    assert await store.machine.document() is None


@pytest.mark.requirement("P9", "A5")
async def test_a_press_waits_for_a_change_of_owner_and_does_nothing_then(store: Store) -> None:
    effect = await approval(store)
    found = await offered(store, effect)
    async with Paused(store, lambda connection: owners.follow(connection, APP, BEN, EPOCH)):
        pressing = asyncio.ensure_future(by_press(store, found, effect))
        done, _ = await asyncio.wait([pressing], timeout=PATIENCE)
        assert not done
    assert await pressing == Changed()
    assert await store.machine.document() is None


@pytest.mark.requirement("P8")
async def test_a_press_on_a_stale_plan_is_not_kept_and_uses_nothing_up(store: Store) -> None:
    effect = await approval(store)
    found = await offered(store, effect)
    present = (await changed(store, RESTRICTED)).present_revision
    before = await written(store)
    assert await by_press(store, found, effect) == Changed(present)
    assert await written(store) == before
    assert await seen(store, click()) == found
    assert await rows(store, "SELECT 1 FROM inbox WHERE kind = 'click'") == []
    assert await by_press(store, found, None) == Done()
    assert (await seen(store, click())).used_at == EPOCH


@pytest.mark.requirement("P8")
async def test_a_press_on_a_plan_that_was_applied_elsewhere_tells_its_receipt(store: Store) -> None:
    effect = await approval(store)
    found = await offered(store, effect)
    applied = await changed(store, TRUSTED)
    assert await by_press(store, found, effect) == Repeated(
        applied=replace(applied, superseded=True)
    )


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("meaning", [Command(CommandName.HELP), ApproveNames(BEN, ("Ben",))])
async def test_a_press_approves_only_what_its_button_says(
    store: Store, meaning: ButtonMeaning
) -> None:
    effect = await approval(store)
    found = await offered(store, meaning)
    with pytest.raises(ContractError):
        await by_press(store, found, effect)
    assert await store.machine.document() is None


@pytest.mark.requirement("A5")
async def test_an_approval_that_is_nobodys_is_never_written(store: Store) -> None:
    button = NewButton("nonce", await approval(store), "inbox:1", UNTIL)
    item = await received(store)
    for wrong in (button, replace(button, operator=OWNER), replace(button, owner=1)):
        with pytest.raises(ContractError):
            await by_message(store, None, item, buttons=[wrong])
    elsewhere = NewButton("nonce", Command(CommandName.HELP), "inbox:2", UNTIL)
    with pytest.raises(ContractError):
        await by_message(store, None, item, buttons=[elsewhere])
    assert await judged(store, item) == (None, None, False)
    assert await written(store) == (0, 0, 0, 0)


@pytest.mark.requirement("A5", "D1")
async def test_a_press_that_does_nothing_is_kept_with_its_reason_and_an_audit_row(
    store: Store,
) -> None:
    found = await offered(store, await approval(store))
    before = await written(store)
    refused = AuditRow(AuditAct.REFUSED, BEN, reason=ClickRefusal.NOT_PERMITTED)
    refuse = store.effects.refuse
    outcomes = [await refuse(press(n), ClickRefusal.NOT_PERMITTED, refused) for n in (1, 1, 2)]
    assert outcomes == [Written.DONE, Written.REPLAY, Written.DONE]
    kept = await rows(store, "SELECT verdict, reason FROM inbox WHERE kind = 'click'")
    assert kept == [("declined", "not_permitted")] * 2
    assert await written(store) == (before[0] + 2, *before[1:])
    assert await seen(store, click()) == found


async def test_the_press_of_an_event_that_no_store_can_take_is_kept_as_unparsable(
    store: Store,
) -> None:
    event = replace(press(1), event_id=EventId("x" * 300))
    refused = AuditRow(AuditAct.REFUSED, BEN, reason=ClickRefusal.UNKNOWN)
    for expected in (Written.DONE, Written.REPLAY):
        assert await store.effects.refuse(event, ClickRefusal.UNKNOWN, refused) is expected
    assert await rows(store, "SELECT verdict FROM inbox") == [("unparsable",)]
    assert await rows(store, "SELECT count(*) FROM audit") == [(1,)]
