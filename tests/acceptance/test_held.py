"""The whole bot while the platform takes nothing of it for a moment: red with its reason, then every answer once. D4."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from bot.simulator.faults import Answer, Op, Page
from bot.simulator.refusals import Refusal
from tests.acceptance.house import House, open_house, replies
from tests.acceptance.plans import GRANTS, SOURCES, laid


async def looked_at(house: House, path: str) -> str:
    token = (house.config.parent / "admin.token").read_text(encoding="utf-8")
    headers = {"Authorization": f"Bearer {token}"}
    address = f"http://127.0.0.1:{house.ports.admin}{path}"
    async with aiohttp.ClientSession() as session, session.get(address, headers=headers) as found:
        return await found.text()


@pytest.mark.requirement("D4")
async def test_an_answer_that_the_way_did_not_take_is_sent_again_at_once_and_counted(
    tmp_path: Path,
) -> None:
    async with open_house(laid(tmp_path), sources=SOURCES, grants=GRANTS) as house:
        house.platform.faults.add(Op.REPLY, Page(404))
        reply = await house.ask(house.team, house.member, "How is the payment gateway going?")
        assert "Callback signature" in reply.text
        metrics = await looked_at(house, "/metrics")
        assert 'steward_sending_refused_total{reason="unreachable"} 1' in metrics
        assert "steward_outbox_oldest_due_seconds" in metrics
        assert "sending_refused" not in await looked_at(house, "/readyz")


@pytest.mark.requirement("D4", "D1")
async def test_out_of_quota_questions_are_taken_in_and_the_probe_says_why_none_is_answered(
    tmp_path: Path,
) -> None:
    async with open_house(laid(tmp_path), sources=SOURCES, grants=GRANTS) as house:
        house.platform.faults.add(Op.REPLY, Answer(Refusal(99991403, "x")), times=None)
        for _ in range(2):
            pushed = house.platform.say(
                house.member, house.team, "How is it going?", mention_bot=True
            )
            assert (await house.pusher.push(pushed)).accepted
        await house.platform.changed(lambda now: now.calls_of(Op.REPLY) or None, 10.0)
        async with asyncio.timeout(10):
            while "sending_refused" not in (ready := await looked_at(house, "/readyz")):
                pass
        assert '"reason": "quota"' in ready
        assert len(house.platform.calls_of(Op.REPLY)) == 1
        assert pushed.message is not None
        assert list(replies(house.platform, pushed.message)) == []
