"""Presses, over the whole of control: what is told at once, what comes into the chat, and what does not. A5, A3."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from steward.errors import StoreUnavailableError
from steward.model.action import ActionKind, ClickRefusal
from steward.model.audience import DEFAULT_LIMITS, DirectoryFailure
from steward.model.delivery import ClickReply, Place, ReplyKind
from steward.model.events import Click, EventKind, Lane, Principal, PrincipalKind
from steward.model.ids import ChatId, ConversationId, MessageRef, OpenId, TenantKey
from steward.model.reading import ScanQuery, View
from steward.model.turn import Language
from steward.policy.clicking import LOOK_AGAIN_SECONDS, LOOKS
from steward.policy.offering import BUTTON_LIFE
from steward.testing.endpoint import Says, Scans, Script, Seen
from steward.testing.sender import LostReply
from steward.texts.toasts import DONE, REFUSED
from tests.contracts.given import envelope, rows
from tests.steward.control.workshop import (
    APP,
    MEMBER,
    OURS,
    OWNER,
    TEAM,
    TEAM_GRANT,
    Workshop,
    open_workshop,
)
from tests.steward.evidence import PAYMENTS, SEARCH, goal, snapshot

ASKED = "How is the release?"
UNDER_AN_ANSWER = [ActionKind.EVIDENCE, ActionKind.CHOOSE]
OTHER = OpenId("ou_other")
HERE = ConversationId(APP, TEAM)


def which(seen: Seen) -> bytes:
    """Both goals are cited, and both may have been meant."""
    cites = [cited.citation for cited in seen.scans[0].rows]
    claims = [{"text": "Which one do you mean?", "cites": cites, "kind": "fact"}]
    choices = [cited.row.goal for cited in seen.scans[0].rows]
    return json.dumps(
        {"classification": "ambiguous", "claims": claims, "choices": choices}
    ).encode()


SCRIPT: Script = [Scans(ScanQuery(View.PORTFOLIO)), Says(which)]


@dataclass
class Desk:
    """A question was answered, and its card with the buttons stands in the chat."""

    workshop: Workshop
    card: MessageRef = field(default=MessageRef(APP, "om_scripted_1"))
    presses: int = 0

    async def nonce(self, kind: ActionKind, goal: str | None = None) -> str:
        found = await rows(
            self.workshop.store,
            "SELECT nonce FROM action WHERE kind = :kind AND (goal = :goal OR :goal IS NULL)"
            " ORDER BY id",
            kind=kind.value,
            goal=goal,
        )
        return str(found[0][0])

    async def press(
        self,
        nonce: str | None,
        operator: OpenId | None = MEMBER,
        *,
        tenant: TenantKey | None = OURS,
        message: MessageRef | None = None,
        chat: ChatId = TEAM,
    ) -> ClickReply:
        self.presses += 1
        event = envelope(f"press_{self.presses}", chat=chat, kind=EventKind.CLICK, lane=Lane.NOW)
        who = Principal(operator, tenant, PrincipalKind.PERSON)
        click = Click(message or self.card, ConversationId(APP, chat), who, nonce)
        async with asyncio.timeout(5):
            return await self.workshop.presses.press(event, click)

    async def settle(self) -> list[str]:
        """What came into the chats after the card."""
        await self.workshop.answer()
        await self.workshop.deliver()
        return self.workshop.sender.texts()[1:]


@pytest.fixture
async def workshop() -> AsyncIterator[Workshop]:
    async with open_workshop(scripts={ASKED: SCRIPT}) as opened:
        goals = (goal(PAYMENTS, title="Release"), goal(SEARCH, title="Release"))
        opened.source.play(snapshot(*goals, goals=goals))
        yield opened


@pytest.fixture
async def desk(workshop: Workshop) -> Desk:
    await workshop.say(ASKED)
    await workshop.through()
    return Desk(workshop)


def told(why: ClickRefusal, language: Language | None = Language.EN) -> ClickReply:
    mild = why in {ClickRefusal.USED, ClickRefusal.NOT_NOW}
    kind = ReplyKind.INFO if mild else ReplyKind.WARNING
    text = REFUSED[why]
    if language is None:
        return ClickReply(text.en, kind, {Language.ZH: text.zh, Language.EN: text.en})
    return ClickReply(text.of(language), kind)


def done(kind: ActionKind) -> ClickReply:
    return ClickReply(DONE[kind].en, ReplyKind.SUCCESS)


@pytest.mark.requirement("A5", "T4")
@pytest.mark.parametrize("operator", [MEMBER, OWNER])
async def test_a_choice_asks_again_about_the_chosen_goal_and_is_answered_once(
    desk: Desk, operator: OpenId
) -> None:
    nonce = await desk.nonce(ActionKind.CHOOSE, SEARCH)
    assert await desk.press(nonce, operator) == done(ActionKind.CHOOSE)
    assert len(await desk.settle()) == 1
    first, second = desk.workshop.endpoint.asked
    assert (first.chosen, second) == (None, replace(first, chosen=SEARCH, now=second.now))
    assert desk.workshop.sender.arrived[1].place == desk.workshop.sender.arrived[0].place
    for again in (MEMBER, OWNER):
        assert await desk.press(nonce, again) == told(ClickRefusal.USED)
    assert len(await desk.settle()) == 1
    assert await desk.workshop.ends() == [("answered", None), ("answered", None)]


@pytest.mark.requirement("A5")
async def test_evidence_comes_in_full_into_the_same_place(desk: Desk) -> None:
    nonce = await desk.nonce(ActionKind.EVIDENCE)
    assert await desk.press(nonce) == done(ActionKind.EVIDENCE)
    assert await desk.press(nonce) == told(ClickRefusal.USED)
    assert await desk.press(nonce, OWNER) == done(ActionKind.EVIDENCE)
    shown = await desk.settle()
    assert len(shown) == 2
    assert all("[1] Release" in text and "[2] Release" in text for text in shown)
    assert all("Behind the answer: Which one do you mean?" in text for text in shown)
    assert {one.place for one in desk.workshop.sender.arrived} == {
        Place(HERE, MessageRef(APP, "om_1"), in_thread=False)
    }
    assert await desk.workshop.ends() == [("answered", None)]


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("kind", UNDER_AN_ANSWER)
async def test_nobody_else_moves_anything(desk: Desk, kind: ActionKind) -> None:
    nonce = await desk.nonce(kind)
    foreign = TenantKey("tenant_foreign")
    assert [
        await desk.press(nonce, OTHER),
        await desk.press(nonce, MEMBER, tenant=foreign),
        await desk.press(nonce, OWNER, tenant=foreign),
        await desk.press(nonce, MEMBER, tenant=None),
        await desk.press(nonce, None),
    ] == [told(ClickRefusal.NOT_PERMITTED)] * 5
    assert [
        await desk.press(nonce, message=MessageRef(APP, "om_forwarded")),
        await desk.press(nonce, chat=ChatId("oc_elsewhere")),
        await desk.press("guess"),
        await desk.press(None),
    ] == [
        told(ClickRefusal.FOREIGN_CARD),
        told(ClickRefusal.FOREIGN_CARD),
        told(ClickRefusal.UNKNOWN, None),
        told(ClickRefusal.UNKNOWN, None),
    ]
    assert await desk.settle() == []
    assert await desk.press(nonce) == done(kind)


@pytest.mark.requirement("A5")
@pytest.mark.parametrize("kind", UNDER_AN_ANSWER)
async def test_a_button_expires(desk: Desk, kind: ActionKind) -> None:
    desk.workshop.clock.advance(BUTTON_LIFE)
    assert await desk.press(await desk.nonce(kind)) == told(ClickRefusal.EXPIRED)
    assert await desk.settle() == []


@pytest.mark.requirement("A3", "A5")
@pytest.mark.parametrize("kind", UNDER_AN_ANSWER)
async def test_after_a_revocation_no_row_is_shown_and_no_goal_asked_about(
    desk: Desk, kind: ActionKind
) -> None:
    await desk.workshop.store.grants.sync([])
    changed = told(ClickRefusal.AUTHORIZATION_CHANGED)
    assert await desk.press(await desk.nonce(kind)) == changed
    assert await desk.settle() == []


@pytest.mark.requirement("A3")
async def test_after_a_narrowing_the_rest_of_the_evidence_is_shown_and_the_gap_counted(
    desk: Desk,
) -> None:
    await desk.workshop.store.grants.sync([replace(TEAM_GRANT, goals=(PAYMENTS,))])
    assert await desk.press(await desk.nonce(ActionKind.EVIDENCE)) == done(ActionKind.EVIDENCE)
    (shown,) = await desk.settle()
    assert "[1] Release" in shown
    assert "[2]" not in shown
    assert "Not shown any more: 1." in shown
    assert "Which one do you mean?" not in shown
    other = await desk.nonce(ActionKind.CHOOSE, SEARCH)
    assert await desk.press(other) == told(ClickRefusal.AUTHORIZATION_CHANGED)


@pytest.mark.requirement("A3")
async def test_a_group_that_became_external_gets_nothing(desk: Desk) -> None:
    desk.workshop.directory.add(TEAM, external=True)
    nonce = await desk.nonce(ActionKind.EVIDENCE)
    assert await desk.press(nonce) == told(ClickRefusal.AUTHORIZATION_CHANGED)
    assert await desk.settle() == []


@pytest.mark.requirement("A1")
async def test_a_chat_that_cannot_be_looked_up_is_no_audience_and_uses_nothing_up(
    desk: Desk,
) -> None:
    nonce = await desk.nonce(ActionKind.EVIDENCE)
    desk.workshop.directory.failure = DirectoryFailure(retry=True, reason="timeout")
    assert await desk.press(nonce) == told(ClickRefusal.NOT_NOW)
    desk.workshop.directory.failure = None
    assert await desk.press(nonce) == done(ActionKind.EVIDENCE)


@pytest.mark.requirement("D2", "A5")
@pytest.mark.parametrize("kind", UNDER_AN_ANSWER)
async def test_a_question_that_was_taken_back_has_no_buttons(desk: Desk, kind: ActionKind) -> None:
    store = desk.workshop.store
    event = envelope("recall", chat=TEAM, kind=EventKind.RECALL, lane=Lane.NOW)
    (recorded,) = await store.inbox.record([event])
    await store.inbox.withdraw(recorded.inbox, MessageRef(APP, "om_1"))
    assert await desk.press(await desk.nonce(kind)) == told(ClickRefusal.WITHDRAWN)


@pytest.mark.requirement("A5", "D4")
async def test_a_card_that_was_shown_before_its_sending_was_reported_works_once_it_is(
    workshop: Workshop,
) -> None:
    workshop.sender.script(LostReply())
    await workshop.say(ASKED)
    await workshop.judge()
    await workshop.answer()
    await workshop.courier.round()
    desk = Desk(workshop)
    nonce = await desk.nonce(ActionKind.EVIDENCE)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        pressed = group.create_task(desk.press(nonce))
        while not pressed.done():
            workshop.clock.advance(timedelta(minutes=1))
            await workshop.deliver()
    assert pressed.result() == done(ActionKind.EVIDENCE)


@pytest.mark.requirement("A5", "D4")
async def test_a_card_whose_sending_stays_unknown_is_not_waited_for_for_ever(
    workshop: Workshop,
) -> None:
    workshop.sender.script(LostReply())
    await workshop.say(ASKED)
    await workshop.judge()
    await workshop.answer()
    await workshop.courier.round()
    desk = Desk(workshop)
    async with asyncio.TaskGroup() as group:
        pressed = group.create_task(desk.press(await desk.nonce(ActionKind.EVIDENCE)))
        await until_done(workshop, pressed)
    assert pressed.result() == told(ClickRefusal.NOT_NOW)
    assert LOOKS * LOOK_AGAIN_SECONDS < 2


async def until_done(workshop: Workshop, pressed: "asyncio.Task[ClickReply]") -> None:
    async with asyncio.timeout(5):
        while not pressed.done():
            workshop.clock.advance(timedelta(seconds=LOOK_AGAIN_SECONDS))
            await asyncio.sleep(0)


async def test_a_choice_that_is_one_question_too_many_works_once_the_others_are_answered(
    desk: Desk,
) -> None:
    nonce = await desk.nonce(ActionKind.CHOOSE, SEARCH)
    for _ in range(DEFAULT_LIMITS.open_per_asker):
        await desk.workshop.say()
    await desk.workshop.judge()
    assert await desk.press(nonce) == told(ClickRefusal.TOO_MANY)
    assert len(await desk.settle()) == DEFAULT_LIMITS.open_per_asker
    assert await desk.press(nonce) == done(ActionKind.CHOOSE)


@pytest.mark.requirement("A5", "D7")
async def test_of_many_presses_at_once_one_takes_effect(desk: Desk) -> None:
    nonce = await desk.nonce(ActionKind.CHOOSE)
    who = [MEMBER, OWNER] * 4
    replies = await asyncio.gather(*(desk.press(nonce, operator) for operator in who))
    assert sorted(reply.toast for reply in replies) == sorted(
        [DONE[ActionKind.CHOOSE].en, *[REFUSED[ClickRefusal.USED].en] * 7]
    )
    assert len(await desk.settle()) == 1


async def test_a_store_that_is_away_is_said_to_the_caller(desk: Desk) -> None:
    nonce = await desk.nonce(ActionKind.CHOOSE)
    await desk.workshop.store.aclose()
    with pytest.raises(StoreUnavailableError):
        await desk.press(nonce)
