"""Faults of our own: whatever breaks, its question is owed and its reader told, and nothing waits behind it."""

from collections.abc import Sequence

import pytest

from steward.model.answer import Outgoing, OutgoingKind
from steward.model.delivery import Place, PlannedPart
from steward.model.ids import AttemptToken, ChatId, QuestionId
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.turn import Lease, Seat, Thread, TurnCode, TurnFailure
from steward.testing.endpoint import ScriptedEndpoint
from steward.testing.sender import ScriptedSender
from tests.contracts.given import FIRST
from tests.contracts.test_grants import execute
from tests.steward.control.workshop import (
    TEAM,
    TEAM_GRANT,
    TTL,
    WORKER,
    Workshop,
    foreign,
    open_workshop,
)

OTHER = ChatId("oc_other")


class Unopened(ScriptedEndpoint):
    """Breaks before it is called."""

    async def open(
        self, seat: Seat, *, resume: str | None, history: Sequence[str]
    ) -> Thread | TurnFailure:
        raise RuntimeError("out of order")


class Speechless(ScriptedSender):
    """Cannot lay out an answer; a notice it can."""

    def plan(self, message: Outgoing, place: Place) -> Sequence[Sequence[PlannedPart]]:
        if message.kind is OutgoingKind.ANSWER:
            raise RuntimeError("out of order")
        return super().plan(message, place)


class Shy(ScriptedSender):
    """Has no words at all for one chat."""

    def plan(self, message: Outgoing, place: Place) -> Sequence[Sequence[PlannedPart]]:
        if place.conversation.chat_id == TEAM:
            raise RuntimeError("out of order")
        return super().plan(message, place)


@pytest.mark.requirement("T6", "W3")
async def test_an_endpoint_that_breaks_before_its_call_leaves_the_question_owed() -> None:
    async with open_workshop(endpoint=Unopened({})) as shop:
        await shop.say()
        await shop.say()
        await shop.through()
        assert await shop.ends() == [("owed", TurnCode.UNCLASSIFIED)] * 2
        assert len(shop.sender.arrived) == 2


@pytest.mark.requirement("T6", "W3")
async def test_an_answer_that_cannot_be_laid_out_leaves_the_question_owed() -> None:
    async with open_workshop(voice=Speechless) as shop:
        await shop.say()
        await shop.say()
        await shop.through()
        assert await shop.ends() == [("owed", TurnCode.UNCLASSIFIED)] * 2
        assert len(shop.sender.arrived) == 2
        assert len(shop.endpoint.asked) == 2


@pytest.mark.requirement("T6", "W3")
async def test_a_turn_that_cannot_begin_is_tried_again_and_owed_in_the_end() -> None:
    grants = (TEAM_GRANT, foreign(TEAM_GRANT, OTHER))
    async with open_workshop(grants=grants) as shop:
        shop.directory.add(OTHER)
        await shop.say()
        await shop.through()
        await execute(shop.store, "UPDATE session SET updated_at = 'yesterday'")
        await shop.say("first")
        await shop.say("second", chat=OTHER)
        await shop.judge()
        here, there = await shop.store.conversations.claim(WORKER, limit=2, ttl=TTL)
        for _ in range(2):
            with pytest.raises(TypeError):
                await shop.turns.work(here)
        await shop.turns.work(there)
        assert [end for end, _ in await shop.ends()] == ["answered", "queued", "settled"]
        await shop.turns.work(here)
        await shop.deliver()
        assert (await shop.ends())[1] == ("owed", TurnCode.UNCLASSIFIED)
        assert len(shop.sender.arrived) == 3


@pytest.mark.requirement("D7")
async def test_a_turn_that_cannot_be_recovered_keeps_neither_the_others_nor_the_start() -> None:
    grants = (TEAM_GRANT, foreign(TEAM_GRANT, OTHER))
    async with open_workshop(voice=Shy, grants=grants) as shop:
        shop.directory.add(OTHER)
        await shop.say("first")
        await shop.say("second", chat=OTHER)
        await shop.judge()
        first, second = await shop.store.conversations.claim(WORKER, limit=2, ttl=TTL)
        with pytest.raises(RuntimeError):
            await shop.turns.work(first)
        await _called(shop, second)
        assert await shop.recovery.run() == 1
        assert await shop.ends() == [("acting", None), ("owed", TurnCode.INTERRUPTED)]


async def _called(shop: Workshop, lease: Lease) -> None:
    """The second question's turn as it stands after its worker died."""
    token = AttemptToken("attempt-of-a-dead-worker")
    await shop.store.ledger.begin(
        lease,
        QuestionId(2),
        token,
        endpoint=shop.endpoint.name,
        readback=Readback(RESTRICTED_DEFAULT, "restricted-1"),
        scope_revision="1",
        session=FIRST,
    )
    await shop.store.ledger.calling(token)
