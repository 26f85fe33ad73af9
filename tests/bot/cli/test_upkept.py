"""What doctor says of upkeep. Contracts D6, W4, T7."""

import json
from pathlib import Path

import pytest

from steward.store import Store
from tests.bot.cli.running import steward, with_store
from tests.bot.cli.test_store_commands import config, owed
from tests.contracts.given import APP, settled

__all__ = ["config"]


def findings(config: Path) -> dict[str, tuple[str, str]]:
    """Grade and text, by check."""
    found = json.loads(steward(config, "doctor", "--json").output)
    return {one["check"]: (one["grade"], one["found"]) for one in found}


def test_of_a_store_that_is_not_there_nothing_is_wrong_and_none_is_made(config: Path) -> None:
    found = findings(config)
    assert found["owed"] == ("ok", "no question is owed")
    assert found["presence"] == ("ok", "no process has served yet")
    assert not config.with_name("steward.db").exists()


@pytest.mark.requirement("D6", "W4", "T7")
def test_it_is_told_what_is_owed_how_old_the_words_are_and_who_served_last(config: Path) -> None:
    async def work(store: Store) -> None:
        await owed(store)
        await settled(store, 2, chat="oc_b")
        await store.upkeep.note_seen(APP)

    with_store(config, work)
    found = findings(config)
    assert found["owed"] == ("warn", "questions that are owed: 1")
    assert found["presence"] == ("ok", "a process last served just now")
    assert found["retention"][0] == "ok"
    assert found["log"][0] == "ok"
    assert "MiB" in found["log"][1]


@pytest.mark.requirement("D6")
def test_words_that_should_have_gone_are_a_warning(config: Path) -> None:
    async def work(store: Store) -> None:
        await settled(store, 1)
        await store.database.write(
            lambda connection: connection.exec_driver_sql(
                "UPDATE question SET status = 'answered', admitted_at = admitted_at - 3456000000000"
            )
        )

    with_store(config, work)
    grade, found = findings(config)["retention"]
    assert grade == "warn"
    assert "40 d" in found
