"""One question too many is refused in sight, by the limit that it meets; what ended makes room. A6."""

import pytest

from steward.model.audience import Limits
from steward.model.audit import AuditAct
from steward.model.ids import OpenId
from steward.model.turn import QuestionStatus
from tests.steward.control.test_intake import statuses, verdicts
from tests.steward.control.workshop import MEMBER, OWNER, TEAM, Workshop, open_workshop

OTHER, THIRD = OpenId("ou_other"), OpenId("ou_third")
ADMITTED = ("admitted", None)


async def refusals(shop: Workshop) -> list[tuple[str | None, str, str | None]]:
    entries = await shop.store.audit.recent(most=99, acts=(AuditAct.REFUSED,))
    return [(entry.row.reason, entry.row.actor, entry.row.audience) for entry in entries]


@pytest.mark.requirement("A6")
async def test_the_fourth_open_question_of_one_person_is_refused_and_says_why() -> None:
    async with open_workshop() as shop:
        for number in range(4):
            await shop.say(f"question {number}?")
        await shop.say("and mine?", sender=OTHER)
        await shop.judge()
        await shop.deliver()
        assert await verdicts(shop) == [*[ADMITTED] * 3, ("declined", "asker_limit"), ADMITTED]
        (said,) = shop.sender.texts()
        assert "You have 3 open questions already" in said
        assert await refusals(shop) == [("asker_limit", MEMBER, f"group:{TEAM}")]


@pytest.mark.requirement("A6")
async def test_a_full_conversation_refuses_whoever_asks_next_in_their_language() -> None:
    async with open_workshop(limits=Limits(open_per_asker=2, open_per_conversation=2)) as shop:
        await shop.say(sender=MEMBER)
        await shop.say(sender=OTHER)
        await shop.say("支付网关进展如何？", sender=THIRD)
        await shop.in_private("And?", OWNER)
        await shop.judge()
        await shop.deliver()
        assert await verdicts(shop) == [
            ADMITTED,
            ADMITTED,
            ("declined", "conversation_limit"),
            ADMITTED,
        ]
        (said,) = shop.sender.texts()
        assert "这个会话里还有 2 个问题没答完" in said


@pytest.mark.requirement("A6")
async def test_an_answered_question_makes_room_and_one_that_is_owed_takes_none() -> None:
    async with open_workshop(limits=Limits(open_per_asker=1), scripts={"bad": []}) as shop:
        for text in ("first?", "bad", "third?"):
            await shop.say(text)
            await shop.through()
        assert await verdicts(shop) == [ADMITTED] * 3
        assert QuestionStatus.OWED in await statuses(shop)
