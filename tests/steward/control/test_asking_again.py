"""Asking again, over the whole of control: the notice's button, what the host may have done, and what comes of it. T4, T7."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest

from steward.model.action import ActionKind, ClickRefusal
from steward.model.audience import DEFAULT_LIMITS, ChatMode, Grant, GrantOrigin
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.events import Click, EventKind, Lane, Principal, PrincipalKind
from steward.model.ids import AttemptToken, ChatId, ConversationId, MessageRef, OpenId, TenantKey
from steward.model.turn import Language, Rerun, TurnCode, TurnFailure
from steward.policy.offering import AGAIN_LIFE
from steward.policy.turn_codes import ENDINGS
from steward.store.sessions import forget
from steward.testing.endpoint import Fails, Says, Script, ScriptedEndpoint
from steward.texts.notices import ASKING_AGAIN_REPEATS, FAILED, STAYS_OWED
from steward.texts.toasts import DONE, REFUSED
from tests.contracts.given import envelope, rows
from tests.steward.control.workshop import (
    APP,
    GOOD,
    MEMBER,
    OURS,
    OWNER,
    PLANS,
    TEAM,
    TEAM_GRANT,
    Workshop,
    open_workshop,
)

ASKED = "How is the release?"
HERE = ConversationId(APP, TEAM)
OTHER = OpenId("ou_other")
FAILS: Script = [Fails(TurnFailure(TurnCode.TRANSPORT_LOST))]


def harmless(scripts: dict[str, Script]) -> ScriptedEndpoint:
    return ScriptedEndpoint(scripts, rerun=Rerun.HARMLESS)


@dataclass
class Counter:
    """Where people press the buttons of notices."""

    shop: Workshop
    presses: int = 0

    async def nonces(self, kind: ActionKind = ActionKind.ASK_AGAIN) -> list[str]:
        found = await rows(
            self.shop.store,
            "SELECT nonce FROM action WHERE kind = :kind ORDER BY id",
            kind=kind.value,
        )
        return [row[0] for row in found]

    async def press(
        self,
        kind: ActionKind = ActionKind.ASK_AGAIN,
        operator: OpenId = MEMBER,
        *,
        card: int = 1,
        chat: ChatId = TEAM,
    ) -> ClickReply:
        """Press the newest such button; `card` counts what came into the chats."""
        self.presses += 1
        nonce = (await self.nonces(kind))[-1]
        event = envelope(f"press_{self.presses}", chat=chat, kind=EventKind.CLICK, lane=Lane.NOW)
        who = Principal(operator, OURS, PrincipalKind.PERSON)
        where = MessageRef(APP, f"om_scripted_{card}")
        async with asyncio.timeout(5):
            return await self.shop.presses.press(
                event, Click(where, ConversationId(APP, chat), who, nonce)
            )


async def failed(shop: Workshop, text: str = ASKED) -> Counter:
    await shop.say(text)
    await shop.through()
    return Counter(shop)


def done(kind: ActionKind = ActionKind.ASK_AGAIN) -> ClickReply:
    return ClickReply(DONE[kind].en, ReplyKind.SUCCESS)


def told(why: ClickRefusal) -> ClickReply:
    kind = ReplyKind.INFO if why is ClickRefusal.USED else ReplyKind.WARNING
    return ClickReply(REFUSED[why].en, kind)


@pytest.mark.requirement("T6", "T7", "W3", "W5")
@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("code", [code for code in TurnCode if ENDINGS[code].owed])
async def test_whatever_an_endpoint_fails_by_is_told_owed_and_listed(
    code: TurnCode, language: Language
) -> None:
    question = "发布怎么样了？" if language is Language.ZH else ASKED
    async with open_workshop(scripts={question: [Fails(TurnFailure(code))]}) as shop:
        counter = await failed(shop, question)

        assert await shop.ends() == [("owed", code)]
        (text,) = shop.sender.texts()
        assert FAILED[code].what.of(language) in text
        assert STAYS_OWED.of(language) in text
        (listed,) = await shop.store.ledger.owed(APP, most=5)
        assert listed.failure == TurnFailure(code)
        assert bool(await counter.nonces()) is ENDINGS[code].again


@pytest.mark.requirement("T4", "T5", "T7", "A5")
@pytest.mark.parametrize("operator", [MEMBER, OWNER])
async def test_a_press_asks_the_same_question_once_more(operator: OpenId) -> None:
    scripts = {ASKED: FAILS}
    async with open_workshop(endpoint=harmless(scripts)) as shop:
        counter = await failed(shop)
        scripts[ASKED] = [Says(GOOD)]

        assert await counter.press(operator=operator) == done()
        await shop.answer()
        await shop.deliver()

        assert await shop.ends() == [("answered", None)]
        first, second = shop.sender.arrived
        assert FAILED[TurnCode.TRANSPORT_LOST].what.en in first.text
        assert STAYS_OWED.en not in second.text
        assert first.place == second.place
        assert [turn.question for turn in shop.endpoint.asked] == [ASKED, ASKED]
        for again in (MEMBER, OWNER):
            assert await counter.press(operator=again) == told(ClickRefusal.USED)
        await shop.answer()
        assert len(shop.endpoint.asked) == 2


@pytest.mark.requirement("T4", "W3")
async def test_a_second_failure_is_told_and_may_be_asked_again_too() -> None:
    async with open_workshop(endpoint=harmless({ASKED: FAILS})) as shop:
        counter = await failed(shop)
        await counter.press()
        await shop.answer()
        await shop.deliver()

        assert await shop.ends() == [("owed", TurnCode.TRANSPORT_LOST)]
        assert len(shop.sender.arrived) == 2
        assert len(set(await counter.nonces())) == 2
        assert await counter.press(card=2) == done()
        await shop.answer()
        assert len(shop.endpoint.asked) == 3


@pytest.mark.requirement("T4")
@pytest.mark.parametrize("operator", [MEMBER, OWNER])
async def test_where_the_host_may_have_acted_the_first_press_says_so_and_the_second_asks(
    operator: OpenId,
) -> None:
    async with open_workshop(scripts=(scripts := {ASKED: FAILS})) as shop:
        counter = await failed(shop)
        scripts[ASKED] = [Says(GOOD)]

        assert await counter.press(operator=operator) == done()
        await shop.answer()
        await shop.deliver()

        assert await shop.ends() == [("owed", TurnCode.TRANSPORT_LOST)]
        assert len(shop.endpoint.asked) == 1
        assert ASKING_AGAIN_REPEATS.en in shop.sender.texts()[-1]
        assert await counter.press(operator=operator) == told(ClickRefusal.USED)
        anyway = ActionKind.ASK_AGAIN_ANYWAY
        assert await counter.press(anyway, operator, card=2) == done(anyway)
        await shop.answer()
        await shop.deliver()
        assert await shop.ends() == [("answered", None)]
        assert len(shop.endpoint.asked) == 2
        assert await counter.press(anyway, operator, card=2) == told(ClickRefusal.USED)


@pytest.mark.requirement("T4", "T7")
async def test_the_question_asked_again_runs_before_those_that_came_after_it() -> None:
    scripts = {ASKED: FAILS}
    async with open_workshop(endpoint=harmless(scripts)) as shop:
        counter = await failed(shop)
        scripts |= {ASKED: [Says(GOOD)], "later": [Says(GOOD)]}
        await shop.say("later")
        await shop.judge()
        await counter.press()
        await shop.answer()

        assert [turn.question for turn in shop.endpoint.asked] == [ASKED, ASKED, "later"]


@pytest.mark.requirement("A5")
async def test_nobody_else_asks_again() -> None:
    async with open_workshop(endpoint=harmless({ASKED: FAILS})) as shop:
        counter = await failed(shop)

        assert await counter.press(operator=OTHER) == told(ClickRefusal.NOT_PERMITTED)
        assert await counter.press(chat=ChatId("oc_b")) == told(ClickRefusal.FOREIGN_CARD)
        assert await shop.ends() == [("owed", TurnCode.TRANSPORT_LOST)]


@pytest.mark.requirement("A5")
async def test_in_an_external_chat_nobody_is_offered_it() -> None:
    chat = ChatId("oc_guests")
    grant = Grant("guests", f"external:{chat}", (PLANS,), None, GrantOrigin.CONFIG)
    async with open_workshop(grants=(grant,), scripts={ASKED: FAILS}) as shop:
        shop.directory.add(chat, ChatMode.GROUP, external=True)
        await shop.say(ASKED, chat=chat, tenant=TenantKey("tenant_theirs"))
        await shop.through()

        assert await shop.ends() == [("owed", TurnCode.TRANSPORT_LOST)]
        assert await Counter(shop).nonces() == []


async def expires(shop: Workshop) -> None:
    shop.clock.advance(AGAIN_LIFE)


async def forgets(shop: Workshop) -> None:
    shop.clock.advance(timedelta(seconds=1))
    now = shop.clock.now()
    await shop.store.database.write(lambda connection: forget(connection, str(HERE), now))


async def revokes(shop: Workshop) -> None:
    await shop.store.grants.sync([])


async def takes_back(shop: Workshop) -> None:
    event = envelope("recall", chat=TEAM, kind=EventKind.RECALL, lane=Lane.NOW)
    (recorded,) = await shop.store.inbox.record([event])
    await shop.store.inbox.withdraw(recorded.inbox, MessageRef(APP, "om_1"))


async def fills_up(shop: Workshop) -> None:
    for number in range(DEFAULT_LIMITS.open_per_asker):
        await shop.say(f"other {number}")
    await shop.judge()


@pytest.mark.requirement("A3", "A5", "A6", "D2", "S3")
@pytest.mark.parametrize(
    ("happens", "why"),
    [
        (expires, ClickRefusal.EXPIRED),
        (forgets, ClickRefusal.EXPIRED),
        (revokes, ClickRefusal.AUTHORIZATION_CHANGED),
        (takes_back, ClickRefusal.WITHDRAWN),
        (fills_up, ClickRefusal.TOO_MANY),
    ],
)
async def test_what_may_not_be_asked_any_more_is_not_asked_again(
    happens: Callable[[Workshop], Awaitable[None]], why: ClickRefusal
) -> None:
    async with open_workshop(endpoint=harmless({ASKED: FAILS})) as shop:
        counter = await failed(shop)
        await happens(shop)

        assert await counter.press() == told(why)

        assert (await rows(shop.store, "SELECT attempt FROM question WHERE id = 1"))[0][0] == 1


@pytest.mark.requirement("S3")
async def test_words_from_under_another_permission_are_not_given_to_an_endpoint_again() -> None:
    scripts = {ASKED: FAILS}
    async with open_workshop(endpoint=harmless(scripts)) as shop:
        counter = await failed(shop)
        await counter.press()
        other = Grant(TEAM_GRANT.name, TEAM_GRANT.audience, (PLANS,), (), GrantOrigin.CONFIG)
        await shop.store.grants.sync([other])
        await shop.answer()
        await shop.deliver()

        assert await shop.ends() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]
        assert len(shop.endpoint.asked) == 1
        assert len(await counter.nonces()) == 1


@pytest.mark.requirement("T4", "D7")
async def test_two_presses_at_once_ask_once() -> None:
    scripts = {ASKED: FAILS}
    async with open_workshop(endpoint=harmless(scripts)) as shop:
        counter = await failed(shop)
        replies = await asyncio.gather(counter.press(), counter.press(operator=OWNER))

        assert sorted(reply.kind for reply in replies) == [ReplyKind.INFO, ReplyKind.SUCCESS]
        ((attempt,),) = await rows(shop.store, "SELECT attempt FROM question")
        assert attempt == 2


@pytest.mark.requirement("T4")
async def test_a_failed_attempt_is_never_called_again_under_its_own_token() -> None:
    async with open_workshop(endpoint=harmless({ASKED: FAILS})) as shop:
        counter = await failed(shop)
        ((first,),) = await rows(shop.store, "SELECT attempt_token FROM turn")
        await counter.press()
        await shop.answer()

        kept = await rows(shop.store, "SELECT attempt, attempt_token FROM turn ORDER BY id")
        assert [attempt for attempt, _ in kept] == [1, 2]
        assert kept[0][1] == first != kept[1][1]
        assert (await shop.store.ledger.calling(AttemptToken(first))).value == "lost"
