"""What the service can see of trusted_owner's limits: names alone, and only what is there."""

from pathlib import Path

import pytest

from bot.host import credentials_in_reach, host_facts
from bot.settings import Settings, load

CODEX = frozenset({"restricted", "trusted_owner"})


def settings(home: Path, **env: str) -> Settings:
    return load(None, {"HOME": str(home), **env})


@pytest.mark.requirement("P6")
def test_variables_that_look_like_another_systems_credential_are_named_and_never_shown(
    tmp_path: Path,
) -> None:
    found = settings(
        tmp_path,
        GITHUB_TOKEN="ghp_1",
        AWS_SECRET_ACCESS_KEY="secret-1",
        KUBECONFIG="/etc/kube",
        PGPASSWORD_FILE="",
        NPM_TOKEN="",
        PATH="/bin",
        EDITOR="vi",
        MONKEY="banana",
        STEWARD__LARK__APP_SECRET="ours",
    )

    assert credentials_in_reach(found) == ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "KUBECONFIG"]
    assert "ghp_1" not in repr(found)


@pytest.mark.requirement("P6")
def test_files_that_hold_credentials_count_where_there_is_something_in_them(
    tmp_path: Path,
) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".netrc").touch()
    assert credentials_in_reach(settings(tmp_path)) == []

    (tmp_path / ".ssh" / "id_ed25519").touch()
    (tmp_path / ".netrc").write_text("machine", encoding="utf-8")
    assert credentials_in_reach(settings(tmp_path)) == ["~/.netrc", "~/.ssh"]


@pytest.mark.requirement("P6")
def test_the_facts_claim_no_separation_that_nobody_arranged(tmp_path: Path) -> None:
    bare = host_facts(settings(tmp_path), CODEX)
    assert (bare.separated, bare.credentials, bare.simulated) == (False, False, False)
    assert bare.endpoint_profiles == CODEX
    assert host_facts(settings(tmp_path, GH_TOKEN="x"), CODEX).credentials
