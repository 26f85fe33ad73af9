"""A platform that names another tenant than ours is shown to the operator, and its word on who is ours is not taken. A1."""

from pathlib import Path

import aiohttp
import pytest

from bot.simulator.faults import Op
from steward.model.json import Json
from tests.acceptance.house import House, open_house

CONFIGURED = {"STEWARD__LARK__TENANT_KEY": "tenant_configured"}


async def red(house: House) -> list[Json]:
    """What readiness says once the platform has named its tenant."""
    await house.platform.changed(lambda now: now.calls_of(Op.TENANT), 10)
    token = (house.config.parent / "admin.token").read_text()
    url = f"http://127.0.0.1:{house.ports.admin}/readyz"
    found: list[Json] = []
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:
        for _ in range(20):
            async with session.get(url) as answer:
                found = (await answer.json())["red"]
            if found:
                break
    return found


@pytest.mark.requirement("A1")
async def test_another_tenant_than_the_configured_one_turns_readiness_red(tmp_path: Path) -> None:
    async with open_house(tmp_path, variables=CONFIGURED) as house:
        assert await red(house) == [{"part": "tenant", "reason": "tenant_mismatch"}]
        said = house.platform.say(house.member, house.team, "How is it going?", mention_bot=True)
        assert not (await house.pusher.push(said)).accepted


@pytest.mark.requirement("A1", "P7")
async def test_people_of_the_tenant_that_the_platform_names_are_strangers_then(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path, variables=CONFIGURED) as house:
        own = house.platform.private_chat(house.owner)
        said = house.platform.say(house.owner, own, "How is it going?")
        assert (await house.pusher.push(said, tenant_key="tenant_configured")).accepted
        reply = await house.reply(said)
        assert "may not read any source" in reply.text
        assert not house.platform.calls_of(Op.GET)


async def test_the_tenant_of_the_platform_is_ready(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        assert await red(house) == []
