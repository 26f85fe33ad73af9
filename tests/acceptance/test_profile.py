"""The profile changed from the command line while the bot serves: the next question of each chat starts under it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.cli.commands import app
from tests.acceptance.house import House, open_house
from tests.acceptance.plans import GRANTS, SOURCES, laid

FIELDS = (
    "profile",
    "configuration_revision",
    "status",
    "sandbox",
    "standing_grant",
    "tool_classes",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return laid(tmp_path)


async def steward(house: House, *words: str) -> Any:
    """A command of the profile, as another process beside the serving one would run it."""
    arguments = ["profile", *words, "--json", "--config", str(house.config)]
    result = await asyncio.to_thread(CliRunner().invoke, app, arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


async def asked(house: House) -> tuple[str, str]:
    """What the owner in private and a member in the group are answered."""
    mine = house.platform.private_chat(house.owner)
    private = await house.ask(mine, house.owner, "How is it going?")
    group = await house.ask(house.team, house.member, "How is it going?")
    return private.text, group.text


async def sessions(house: House) -> dict[str, list[object]]:
    """Each conversation's six fields."""
    shown = await steward(house, "show")
    return {
        one["conversation"]: [one[f"manager_runtime_{field}"] for field in FIELDS]
        for one in shown["sessions"]
    }


@pytest.mark.requirement("P2", "P8", "S1")
async def test_a_change_by_the_command_line_counts_from_the_next_question_on(folder: Path) -> None:
    async with open_house(folder, sources=SOURCES, grants=GRANTS) as house:
        before = await asked(house)
        started = await sessions(house)
        plan = await steward(house, "preview", "trusted_owner")
        untouched = await sessions(house)
        done = await steward(house, "apply", "trusted_owner", "--plan", plan["plan_revision"])
        after = await asked(house)
        rotated = await sessions(house)

    evidence = ["steward_evidence"]
    assert untouched == started
    assert (
        list(started.values())
        == [["restricted", "absent", "ready", "read-only", "none", evidence]] * 2
    )
    changed = [done["applied_revision"], "simulated_restricted", "read-only", "none", evidence]
    assert list(rotated.values()) == [["restricted", *changed]] * 2
    assert rotated.keys() == started.keys()
    for text in (*before, *after):
        assert "Callback signature" in text
        assert "trusted" not in text
