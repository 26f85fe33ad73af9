"""`steward owner` and what doctor says of the owner."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from steward.model.events import Envelope, EventKind, Lane
from steward.model.ids import AppId, ChatId, EventId, OpenId
from steward.store import Store
from tests.bot.cli.running import shown, steward, with_store

APP = AppId("cli_a")
OWNER = OpenId("ou_owner")
NOW = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "steward.toml"
    file.write_text(
        f'[lark]\napp_id = "{APP}"\n[owner]\nopen_id = "{OWNER}"\n[store]\nurl = "sqlite:///steward.db"\n',
        encoding="utf-8",
    )
    return file


async def lose(store: Store) -> None:
    envelope = Envelope(
        APP, EventId("e1"), EventKind.PERSON_DELETED, Lane.NOW, None, None, None, NOW, NOW, b"{}"
    )
    (recorded,) = await store.inbox.record([envelope])
    await store.owners.lose(recorded.inbox, APP, OWNER)


async def follow(store: Store) -> None:
    await store.owners.follow(APP, OWNER)


@pytest.mark.requirement("P9")
def test_before_the_first_start_the_owner_is_configured_and_not_in_force(config: Path) -> None:
    state = shown(config, "owner")
    assert (state["configured"], state["in_force"]) == (OWNER, None)
    assert not config.with_name("steward.db").exists()
    assert "takes effect when" in steward(config, "owner").output


@pytest.mark.requirement("P7", "P9")
def test_the_owner_in_force_is_shown_with_whether_the_private_chat_is_known(config: Path) -> None:
    with_store(config, follow)
    before = shown(config, "owner")

    async def prove(store: Store) -> None:
        record = await store.owners.current(APP)
        assert record is not None
        await store.owners.prove_chat(record, ChatId("oc_private"))

    with_store(config, prove)
    after = shown(config, "owner")
    assert (before["in_force"], before["private_chat_known"]) == (OWNER, False)
    assert (after["in_force"], after["private_chat_known"]) == (OWNER, True)
    assert "oc_private" not in json.dumps(after)


@pytest.mark.requirement("P9")
def test_an_owner_who_left_the_tenant_is_none_until_the_operator_says_otherwise(
    config: Path,
) -> None:
    with_store(config, follow)
    with_store(config, lose)
    with_store(config, follow)
    state = shown(config, "owner")
    assert (state["in_force"], state["ended_by"]) == (None, "deleted")
    assert "--reinstate" in steward(config, "owner").output
    found = json.loads(steward(config, "doctor", "--json").output)
    (finding,) = [one for one in found if one["check"] == "owner"]
    assert finding["grade"] == "fail"
    assert "--reinstate" in finding["repair"]

    assert shown(config, "owner", "--reinstate")["in_force"] == OWNER
    with_store(config, follow)
    assert shown(config, "owner")["in_force"] == OWNER
    assert "reinstate" not in steward(config, "doctor").output


def test_nobody_can_be_reinstated_whom_the_configuration_does_not_name(tmp_path: Path) -> None:
    file = tmp_path / "steward.toml"
    file.write_text('[store]\nurl = "sqlite:///steward.db"\n', encoding="utf-8")
    result = steward(file, "owner", "--reinstate")
    assert result.exit_code == 1
    assert "owner.open_id" in result.output
