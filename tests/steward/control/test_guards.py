"""What was read for one audience is shown to no other, however late that changes; and its reader is told so. A3."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TypeAlias

import pytest

from steward.control.guards import Guards
from steward.control.outbox import Courier
from steward.control.places import Places
from steward.control.scopes import Scopes
from steward.control.standing import Standing
from steward.dispatch.local import EventWake
from steward.errors import StoreUnavailableError
from steward.model.action import ActionKind
from steward.model.audience import DirectoryFailure, Grant, GrantOrigin
from steward.model.delivery import Disposition, Refused, Unknown
from steward.model.events import Click, EventKind, Lane, Principal, PrincipalKind
from steward.model.ids import ChatId, ConversationId, MessageRef, OpenId
from steward.model.reading import ScanQuery, View
from steward.model.turn import TurnCode, TurnFailure
from steward.policy.retry import DIRECTORY_PATIENCE, LAST_TRY, SAFE_REPEAT
from steward.policy.scope import Access
from steward.testing.endpoint import Fails, Says, Scans, Script, Seen
from steward.testing.sender import LostReply
from steward.texts.notices import EVIDENCE_CHANGED, FAILED, REPLY_CHANGED, REPLY_UNCLEAR
from tests.contracts.given import envelope, rows
from tests.steward.control.workshop import (
    APP,
    MEMBER,
    OURS,
    OWNER,
    PLANS,
    TEAM,
    TEAM_GRANT,
    WORKER,
    Workshop,
    open_workshop,
)
from tests.steward.evidence import PAYMENTS, goal, snapshot, todo

ASKED = "How is it going?"
CANARY = "Kingfisher"
AWAY = DirectoryFailure(retry=True, reason="timeout")
LIMITED = Refused("rate_limited", Disposition.RETRY, timedelta(seconds=7))
FORM = Refused("form", Disposition.STEP_DOWN)
CHANGED = FAILED[TurnCode.AUTHORIZATION_CHANGED].what.en
UNCLEAR = FAILED[TurnCode.DIRECTORY_UNAVAILABLE].what.en

Change: TypeAlias = Callable[[Workshop], Awaitable[object]]


def says(seen: Seen) -> bytes:
    """One claim that cites what was read."""
    cites = [cited.citation for cited in seen.scans[0].rows]
    claims = [{"text": "It goes well.", "cites": cites, "kind": "fact"}]
    return json.dumps({"classification": "overview", "claims": claims}).encode()


ANSWERS: Script = [Scans(ScanQuery(View.PORTFOLIO)), Says(says)]
BREAKS: Script = [
    Scans(ScanQuery(View.PORTFOLIO)),
    Scans(ScanQuery(View.TODOS, goal=PAYMENTS)),
    Fails(TurnFailure(TurnCode.EXECUTOR_TIMEOUT)),
]


@asynccontextmanager
async def opened(script: Script = ANSWERS) -> AsyncIterator[Workshop]:
    members = Grant("members", "members", (PLANS,), None, GrantOrigin.CONFIG)
    async with open_workshop(
        grants=(TEAM_GRANT, members),
        scripts={ASKED: script},
        access=Access(groups=True, members_private=True),
    ) as shop:
        goals = (goal(title=CANARY),)
        shop.source.play(snapshot(*goals, todo(title=CANARY), goals=goals))
        yield shop


async def waiting(shop: Workshop) -> None:
    """An answer that shows the canary waits to be sent."""
    await shop.say(ASKED)
    await shop.judge()
    await shop.answer()
    assert CANARY.encode() in (await rows(shop.store, "SELECT body FROM outbox"))[0][0]


async def deliver(shop: Workshop, most: timedelta) -> None:
    """The courier has its turn every second."""
    until = shop.clock.now() + most
    while shop.clock.now() < until:
        await shop.deliver()
        shop.clock.advance(timedelta(seconds=1))
    await shop.deliver()


async def statuses(shop: Workshop) -> list[str]:
    return [row[0] for row in await rows(shop.store, "SELECT status FROM outbox ORDER BY id")]


def told(shop: Workshop, what: str) -> bool:
    """The reader was told this once, and nothing else; of the evidence, nothing."""
    texts = shop.sender.texts()
    return len(texts) == 1 and texts[0].startswith(what) and CANARY not in texts[0]


async def revoked(shop: Workshop) -> None:
    await shop.store.grants.sync(())


async def narrowed(shop: Workshop) -> None:
    await shop.store.grants.sync((replace(TEAM_GRANT, goals=()),))


async def turned_external(shop: Workshop) -> None:
    shop.directory.add(TEAM, external=True)


async def turned_unclear(shop: Workshop) -> None:
    shop.directory.add(TEAM, external=None)


EVERY_CHANGE: Sequence[Change] = (revoked, narrowed, turned_external, turned_unclear)


@pytest.mark.requirement("A3")
@pytest.mark.parametrize("change", EVERY_CHANGE)
async def test_an_answer_that_waits_while_its_permission_goes_is_never_shown(
    change: Change,
) -> None:
    async with opened() as shop:
        await waiting(shop)
        await change(shop)
        await shop.deliver()
        assert told(shop, CHANGED)
        assert await statuses(shop) == ["dead", "sent"]
        assert await shop.ends() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]


@pytest.mark.requirement("A3", "D4")
@pytest.mark.parametrize("change", EVERY_CHANGE)
async def test_a_plainer_form_is_asked_for_its_permission_as_well(change: Change) -> None:
    async with opened() as shop:
        await waiting(shop)
        shop.sender.script(FORM)
        await shop.courier.round()
        await change(shop)
        await shop.deliver()
        assert told(shop, CHANGED)
        assert await statuses(shop) == ["replaced", "dead", "sent"]


@pytest.mark.requirement("A3")
@pytest.mark.parametrize("owner", [MEMBER, None])
async def test_what_the_owner_asked_is_not_shown_once_somebody_else_is(
    owner: OpenId | None,
) -> None:
    async with opened() as shop:
        await shop.in_private(ASKED, OWNER)
        await shop.judge()
        await shop.answer()
        await shop.store.owners.follow(APP, owner)
        await shop.deliver()
        assert told(shop, CHANGED)
        assert await shop.ends() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]


@pytest.mark.requirement("A3")
async def test_what_a_member_asked_is_not_shown_to_the_owner_that_the_member_became() -> None:
    async with opened() as shop:
        await shop.in_private(ASKED, MEMBER)
        await shop.judge()
        await shop.answer()
        await shop.store.owners.follow(APP, MEMBER)
        await shop.deliver()
        assert told(shop, CHANGED)


@pytest.mark.requirement("A3")
async def test_whose_permission_is_what_it_was_gets_the_answer() -> None:
    async with opened() as shop:
        await shop.in_private(ASKED, OWNER)
        await shop.in_private(ASKED, MEMBER)
        await shop.say(ASKED)
        await shop.judge()
        await shop.answer()
        asked = len(shop.directory.asked)
        await shop.deliver()
        assert [CANARY in text for text in shop.sender.texts()] == [True] * 3
        assert shop.directory.asked[asked:] == [TEAM]


@pytest.mark.requirement("A3", "W3")
async def test_what_was_read_before_a_failure_is_withheld_like_an_answer() -> None:
    async with opened(BREAKS) as shop:
        await waiting(shop)
        await revoked(shop)
        await shop.deliver()
        assert told(shop, CHANGED)
        assert await shop.ends() == [("owed", TurnCode.EXECUTOR_TIMEOUT)]


@pytest.mark.requirement("A3", "W3")
async def test_words_that_show_nothing_need_nobodys_leave() -> None:
    async with opened([Fails(TurnFailure(TurnCode.EXECUTOR_TIMEOUT))]) as shop:
        await shop.say(ASKED)
        await shop.judge()
        await shop.answer()
        shop.directory.failure = AWAY
        await shop.deliver()
        assert told(shop, FAILED[TurnCode.EXECUTOR_TIMEOUT].what.en)


@pytest.mark.requirement("A3")
async def test_an_answer_from_before_there_were_guards_is_not_shown() -> None:
    async with opened() as shop:
        await waiting(shop)
        await rows(shop.store, "UPDATE outbox SET guard = NULL RETURNING id")
        await shop.deliver()
        assert told(shop, CHANGED)


# ------------------------------------------------------------ look-ups that fail


@pytest.mark.requirement("A1", "A3")
async def test_a_look_up_that_fails_for_a_while_makes_the_answer_late_and_no_more() -> None:
    async with opened() as shop:
        await waiting(shop)
        shop.directory.failure = AWAY
        await deliver(shop, DIRECTORY_PATIENCE - timedelta(minutes=1))
        assert shop.sender.tried == []
        assert len(shop.directory.asked) < 40
        shop.directory.failure = None
        await deliver(shop, timedelta(minutes=1))
        assert len(shop.sender.tried) == 1
        assert CANARY in shop.sender.texts()[0]
        assert await shop.ends() == [("answered", None)]


@pytest.mark.requirement("A1", "A3")
async def test_after_ten_minutes_without_a_look_up_the_answer_is_owed() -> None:
    async with opened() as shop:
        await waiting(shop)
        shop.directory.failure = AWAY
        await deliver(shop, DIRECTORY_PATIENCE - timedelta(seconds=1))
        assert shop.sender.texts() == []
        await deliver(shop, timedelta(minutes=1))
        assert told(shop, UNCLEAR)
        assert await shop.ends() == [("owed", TurnCode.DIRECTORY_UNAVAILABLE)]
        shop.directory.failure = None
        await deliver(shop, timedelta(minutes=1))
        assert told(shop, UNCLEAR)


@pytest.mark.requirement("A1", "A3")
async def test_patience_begins_anew_after_a_look_up_that_succeeded() -> None:
    async with opened() as shop:
        await waiting(shop)
        shop.directory.failure = AWAY
        await deliver(shop, DIRECTORY_PATIENCE - timedelta(minutes=1))
        shop.directory.failure = None
        shop.sender.script(replace(LIMITED, retry_after=timedelta(minutes=2)))
        await deliver(shop, timedelta(seconds=31))
        assert len(shop.sender.tried) == 1
        shop.directory.failure = AWAY
        await deliver(shop, timedelta(minutes=4))
        shop.directory.failure = None
        await deliver(shop, timedelta(minutes=2))
        assert await shop.ends() == [("answered", None)]


@pytest.mark.requirement("D4", "A3")
async def test_looking_counts_neither_as_a_try_nor_as_one_that_may_have_arrived() -> None:
    async with opened() as shop:
        await waiting(shop)
        shop.directory.failure = AWAY
        await deliver(shop, DIRECTORY_PATIENCE - timedelta(seconds=1))
        ((tries, unknown),) = await rows(shop.store, "SELECT tries, first_unknown_at FROM outbox")
        assert (tries > LAST_TRY, unknown) == (True, None)
        shop.directory.failure = None
        shop.sender.script(LIMITED)
        await deliver(shop, timedelta(minutes=1))
        assert len(shop.sender.tried) == 2
        assert await shop.ends() == [("answered", None)]


@pytest.mark.requirement("A1", "A3")
async def test_a_chat_that_is_gone_is_not_waited_for() -> None:
    async with opened() as shop:
        await waiting(shop)
        shop.directory.remove(TEAM)
        shop.sender.script(Refused("target_gone", Disposition.GIVE_UP))
        await shop.deliver()
        assert shop.sender.texts() == []
        assert await statuses(shop) == ["dead", "dead"]
        assert await shop.ends() == [("owed", TurnCode.DIRECTORY_UNAVAILABLE)]


@pytest.mark.requirement("A2", "A3")
async def test_grants_that_cannot_be_read_grant_nothing_and_are_waited_for() -> None:
    async with opened() as shop:
        await waiting(shop)
        grants = Illegible(shop)
        courier = blindfolded(shop, grants)
        for _ in range(300):
            await courier.round()
            shop.clock.advance(timedelta(seconds=1))
        assert shop.sender.texts() == []
        for _ in range(330):
            await courier.round()
            shop.clock.advance(timedelta(seconds=1))
        assert told(shop, FAILED[TurnCode.CONTEXT_FAILURE].what.en)
        assert await shop.ends() == [("owed", TurnCode.CONTEXT_FAILURE)]


class Illegible:
    """Grants that cannot be read."""

    def __init__(self, shop: Workshop) -> None:
        self._grants = shop.store.grants

    async def of(self, audience: str) -> Sequence[Grant]:
        raise StoreUnavailableError("away")

    def __getattr__(self, name: str) -> object:
        return getattr(self._grants, name)


def blindfolded(shop: Workshop, grants: Illegible) -> Courier:
    """A courier to whom these grants are all there are."""
    scopes = Scopes(grants, (PLANS,), Access(groups=True, members_private=True))  # type: ignore[arg-type] # delegates
    standing = Standing(shop.standing.authorities, shop.directory, scopes, shop.clock)
    return Courier(
        worker=WORKER,
        outbox=shop.store.outbox,
        ledger=shop.store.ledger,
        guards=Guards(standing, Places(shop.directory), shop.clock),
        sender=shop.sender,
        wake=EventWake(),
        clock=shop.clock,
    )


# ------------------------------------------------------------ what may have arrived


@pytest.mark.requirement("D4", "A3")
@pytest.mark.parametrize("change", EVERY_CHANGE)
async def test_what_arrived_unseen_is_found_and_not_sent_again(change: Change) -> None:
    async with opened() as shop:
        await waiting(shop)
        shop.sender.script(LostReply())
        await shop.deliver()
        await change(shop)
        await deliver(shop, timedelta(seconds=30))
        assert len(shop.sender.tried) == 1
        assert await statuses(shop) == ["sent"]
        assert await shop.ends() == [("answered", None)]


@pytest.mark.requirement("D4", "A3")
@pytest.mark.parametrize("change", EVERY_CHANGE)
@pytest.mark.parametrize("later", [timedelta(seconds=30), SAFE_REPEAT])
async def test_what_may_have_arrived_is_not_sent_again_without_permission(
    change: Change, later: timedelta
) -> None:
    async with opened() as shop:
        await waiting(shop)
        shop.sender.script(Unknown("timeout"))
        await shop.deliver()
        await change(shop)
        shop.clock.advance(later)
        await shop.deliver()
        assert told(shop, CHANGED)
        assert [CANARY.encode() in one.part.body for one in shop.sender.tried] == [True, False]
        assert await statuses(shop) == ["dead", "sent"]


@pytest.mark.requirement("D4", "A3")
async def test_how_long_a_repeat_is_safe_is_counted_through_look_ups_that_fail() -> None:
    async with opened() as shop:
        await waiting(shop)
        shop.sender.script(Unknown("timeout"))
        first = shop.clock.now()
        await shop.deliver()
        shop.directory.failure = AWAY
        await deliver(shop, timedelta(minutes=5))
        ((status, unknown),) = await rows(shop.store, "SELECT status, first_unknown_at FROM outbox")
        assert (status, unknown) == ("unknown", int(first.timestamp() * 1_000_000))
        shop.directory.failure = None
        await deliver(shop, timedelta(minutes=1))
        assert len({tried.part.uuid for tried in shop.sender.tried}) == 1
        assert await shop.ends() == [("answered", None)]


# ------------------------------------------------------------ evidence that a press asked for


async def press(shop: Workshop, operator: OpenId, number: int) -> None:
    """Ask for the evidence behind the answer."""
    found = await rows(
        shop.store, "SELECT nonce FROM action WHERE kind = :kind", kind=ActionKind.EVIDENCE
    )
    event = envelope(f"press_{number}", chat=TEAM, kind=EventKind.CLICK, lane=Lane.NOW)
    who = Principal(operator, OURS, PrincipalKind.PERSON)
    card = MessageRef(APP, "om_scripted_1")
    await shop.presses.press(event, Click(card, ConversationId(APP, TEAM), who, found[0][0]))


@pytest.mark.requirement("A3", "A5")
@pytest.mark.parametrize("change", EVERY_CHANGE)
async def test_evidence_that_waits_while_its_permission_goes_is_withheld_and_its_answer_stands(
    change: Change,
) -> None:
    async with opened() as shop:
        await waiting(shop)
        await shop.deliver()
        for number, who in enumerate((MEMBER, OWNER)):
            await press(shop, who, number)
        await change(shop)
        await shop.deliver()
        answer, *after = shop.sender.texts()
        assert CANARY in answer
        assert after == [f"{EVIDENCE_CHANGED.what.en} {EVIDENCE_CHANGED.action.en}"]
        assert await shop.ends() == [("answered", None)]
        still_open = await rows(shop.store, "SELECT id FROM inbox WHERE closed_at IS NULL")
        assert still_open == []


# ------------------------------------------------------------ replies to commands


@pytest.mark.requirement("A3", "A4")
@pytest.mark.parametrize("change", EVERY_CHANGE)
async def test_a_reply_that_shows_sources_is_withheld_and_its_sender_told(change: Change) -> None:
    async with opened() as shop:
        await shop.say("@_user_1 /sources")
        await shop.judge()
        await change(shop)
        await shop.deliver()
        assert told(shop, f"{REPLY_CHANGED.what.en} {REPLY_CHANGED.action.en}")
        assert "Plans" not in shop.sender.texts()[0]
        assert await rows(shop.store, "SELECT id FROM inbox WHERE closed_at IS NULL") == []


@pytest.mark.requirement("A1", "A3")
async def test_a_reply_that_shows_sources_waits_for_a_look_up_and_its_sender_is_told() -> None:
    async with opened() as shop:
        await shop.say("怎么样？")
        await shop.through()
        await shop.say("@_user_1 /sources")
        await shop.judge()
        shop.directory.failure = AWAY
        await deliver(shop, DIRECTORY_PATIENCE - timedelta(seconds=1))
        assert len(shop.sender.texts()) == 1
        await deliver(shop, timedelta(minutes=1))
        assert shop.sender.texts()[1] == f"{REPLY_UNCLEAR.what.zh}{REPLY_UNCLEAR.action.zh}"


ELSEWHERE = ConversationId(APP, ChatId("oc_elsewhere"))


@pytest.mark.requirement("A3")
async def test_a_reply_to_a_message_of_another_chat_is_not_sent() -> None:
    async with opened() as shop:
        message = await shop.say(ASKED)
        shop.directory.said(message.ref, ELSEWHERE.chat_id, MEMBER, ASKED)
        await shop.judge()
        await shop.answer()
        await deliver(shop, timedelta(minutes=1))
        assert shop.sender.tried == []
        assert await statuses(shop) == ["dead"]


@pytest.mark.requirement("A3")
async def test_where_nobody_may_look_the_answer_goes_into_its_chat_and_answers_no_message() -> None:
    async with opened() as shop:
        await waiting(shop)
        shop.directory.unseen = DirectoryFailure(retry=False, reason="permission")
        await shop.deliver()
        (arrival,) = shop.sender.arrived
        assert arrival.place.conversation.chat_id == TEAM
        assert arrival.place.reply_to is None


@pytest.mark.requirement("A3")
async def test_a_message_that_the_platform_does_not_show_yet_is_waited_for_and_not_for_long() -> (
    None
):
    async with opened() as shop:
        message = await shop.say(ASKED)
        shop.directory.recall(message.ref)
        await shop.judge()
        await shop.answer()
        await deliver(shop, timedelta(seconds=4))
        assert shop.sender.tried == []
        shop.directory.said(message.ref, TEAM, MEMBER, ASKED)
        await deliver(shop, timedelta(seconds=4))
        assert len(shop.sender.arrived) == 1

        message = await shop.say(ASKED)
        shop.directory.recall(message.ref)
        await shop.judge()
        await shop.answer()
        await deliver(shop, timedelta(seconds=30))
        assert await statuses(shop) == ["sent", "dead"]
