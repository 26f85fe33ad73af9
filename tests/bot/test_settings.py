"""The configuration: what is read, what is refused, and that every refusal names its key and its repair."""

from datetime import date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.settings import Fault, Settings, example_toml, load, missing_secrets
from bot.settings.tables import Sprint
from bot.settings.values import duration, written_duration
from steward.errors import ConfigurationError
from steward.model.audience import Audience, AudienceKind, Grant, GrantOrigin
from steward.model.ids import ChatId, GoalId, OpenId, SourceId
from steward.policy import scope

SHIPPED = Path(__file__).parents[2] / "config/steward.toml"
SIMULATED = """
[lark]
app_id = "cli_sim_a"
app_secret = "sim_one"
encrypt_key = "sim_two"
verification_token = "sim_three"
domain = "http://127.0.0.1:9000"
simulated = true
"""
EVIDENCE = """
[source.plans]
kind = "folder"
path = "evidence"
max_age = "7d"
"""


def read(folder: Path, text: str = "", **env: str) -> Settings:
    file = folder / "steward.toml"
    file.write_text(text, encoding="utf-8")
    return load(file, env)


def refusals(folder: Path, text: str = "", **env: str) -> dict[str, str]:
    """Key → repair of everything that stops this start."""
    with pytest.raises(ConfigurationError) as caught:
        read(folder, text, **env)
    return {problem.key: problem.repair for problem in caught.value.problems}


def faults(folder: Path, text: str, **env: str) -> dict[str, str]:
    return {fault.key: fault.repair for fault in read(folder, text, **env).faults}


# ---------------------------------------------------------------- what is read


def test_without_a_file_everything_has_its_default() -> None:
    settings = load(None, {})

    assert (settings.server.host, settings.server.port) == ("127.0.0.1", 8070)
    assert settings.display.timezone == ZoneInfo("Asia/Shanghai")
    assert settings.lark.event_max_age == timedelta(hours=8)
    assert (settings.sources, settings.grants, settings.faults) == ({}, (), ())
    assert missing_secrets(settings.lark) == (
        "lark.app_id",
        "lark.app_secret",
        "lark.encrypt_key",
        "lark.verification_token",
    )


def test_the_shipped_configuration_is_printed_from_the_settings() -> None:
    shipped = SHIPPED.read_text(encoding="utf-8")

    assert shipped == example_toml()


def test_the_shipped_configuration_reads_back_as_the_defaults_and_the_example_evidence() -> None:
    shipped = load(SHIPPED, {})
    default = load(None, {})

    assert shipped.faults == ()
    assert list(shipped.sources) == ["plans"]
    assert Path(str(shipped.sources[SourceId("plans")].options["path"])).is_dir()
    for table in ("limits", "lark", "owner", "access", "endpoint", "display"):
        assert getattr(shipped, table) == getattr(default, table)


def test_every_switched_off_line_of_the_shipped_configuration_is_a_valid_key(
    tmp_path: Path,
) -> None:
    entries = example_toml().split("\n#[", 1)[1]
    text = "[source.plans]\nkind='folder'\n[" + entries.replace("\n#", "\n").replace("\n ", "\n# ")

    assert faults(tmp_path, text) == {
        "digest.friday": "this version sends no digests: the entry does nothing"
    }


def test_a_variable_wins_over_the_file(tmp_path: Path) -> None:
    settings = read(tmp_path, "[server]\nport = 1\nadmin_port = 2", STEWARD__SERVER__PORT="3")

    assert (settings.server.port, settings.server.admin_port) == (3, 2)


def test_an_entry_can_come_from_variables_alone(tmp_path: Path) -> None:
    settings = read(
        tmp_path,
        STEWARD__SOURCE__PLANS__KIND="folder",
        STEWARD__SOURCE__PLANS__PATH="/srv/plans",
        STEWARD__GRANT__TEAM__AUDIENCE="group:oc_1",
        STEWARD__GRANT__TEAM__SOURCES='["plans"]',
        STEWARD__GRANT__TEAM__GOALS='["payments"]',
    )

    assert settings.faults == ()
    assert settings.sources[SourceId("plans")].options == {"path": "/srv/plans"}
    assert settings.grants == (
        Grant(
            "team",
            "group:oc_1",
            (SourceId("plans"),),
            (GoalId("payments"),),
            GrantOrigin.CONFIG,
        ),
    )


def test_the_variable_names_the_file_where_no_argument_does(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("[server]\nport = 4711", encoding="utf-8")

    settings = load(None, {"STEWARD_CONFIG": str(tmp_path / "other.toml")})

    assert (settings.server.port, settings.folder) == (4711, tmp_path)


def test_relative_paths_count_from_the_folder_of_the_file(tmp_path: Path) -> None:
    settings = read(tmp_path, EVIDENCE)

    assert settings.server.admin_token_file == tmp_path / "var/admin.token"
    assert settings.store.url.get_secret_value() == f"sqlite:///{tmp_path}/var/steward.db"
    assert settings.sources[SourceId("plans")].options == {"path": str(tmp_path / "evidence")}


def test_a_postgresql_url_stays_as_it_is_and_does_not_print(tmp_path: Path) -> None:
    url = "postgresql://steward:pw-9@db/steward"

    settings = read(tmp_path, f'[store]\nurl = "{url}"')

    assert settings.store.url.get_secret_value() == url
    assert "pw-9" not in repr(settings)


def test_what_a_kind_knows_alone_reaches_it_as_an_option(tmp_path: Path) -> None:
    source = read(tmp_path, EVIDENCE + 'encoding = "utf-8"\n').sources[SourceId("plans")]

    assert source.options == {"path": str(tmp_path / "evidence"), "encoding": "utf-8"}
    assert (source.title, source.max_age) == ("plans", timedelta(days=7))


@pytest.mark.parametrize(
    ("title", "shown"),
    [("", "plans"), ("  ", "plans"), (r"\u200b", "plans"), (r" Plans\u202e\n2 ", "Plans 2")],
)
def test_a_source_is_called_by_what_of_its_title_can_be_seen_else_by_its_id(
    tmp_path: Path, title: str, shown: str
) -> None:
    source = read(tmp_path, f'{EVIDENCE}title = "{title}"\n').sources[SourceId("plans")]

    assert source.title == shown


def test_a_star_grants_every_goal(tmp_path: Path) -> None:
    grant = '[grant.all]\naudience = "owner"\nsources = ["plans"]\ngoals = ["*"]'

    assert read(tmp_path, EVIDENCE + grant).grants[0].goals is None


def test_a_person_is_known_by_open_id_alone(tmp_path: Path) -> None:
    settings = read(tmp_path, '[person.lin]\nopen_id = "ou_1"\nnames = ["Lin", "小林"]')

    assert settings.names == {OpenId("ou_1"): ("Lin", "小林")}


def test_a_child_process_inherits_nothing_of_ours(tmp_path: Path) -> None:
    settings = read(tmp_path, PATH="/bin", STEWARD__LARK__APP_SECRET="s-1", OTHER_TOKEN="s-2")

    assert settings.inherited == {"PATH": "/bin"}


@given(st.integers(min_value=1, max_value=999_999))
def test_a_duration_is_written_as_it_is_read(seconds: int) -> None:
    span = timedelta(seconds=seconds)

    assert duration(written_duration(span)) == span


# ---------------------------------------------------------------- secrets


def test_a_secret_is_read_from_the_file_that_its_key_names(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("k-1\n", encoding="utf-8")

    settings = read(tmp_path, '[lark]\nencrypt_key_file = "key"', STEWARD__LARK__APP_SECRET="s-1")

    assert [key.get_secret_value() for key in settings.lark.encrypt_keys] == ["k-1"]
    assert missing_secrets(settings.lark) == ("lark.app_id", "lark.verification_token")


def test_both_keys_of_a_rotation_are_in_force_the_present_one_first(tmp_path: Path) -> None:
    lark = read(
        tmp_path,
        '[lark]\nencrypt_key = "a"\nencrypt_key_next = "b"\nverification_token_next = "d"',
    ).lark

    assert [key.get_secret_value() for key in lark.encrypt_keys] == ["a", "b"]
    assert [token.get_secret_value() for token in lark.verification_tokens] == ["d"]


def test_an_empty_secret_is_a_missing_one(tmp_path: Path) -> None:
    settings = read(tmp_path, STEWARD__LARK__APP_SECRET="")

    assert "lark.app_secret" in missing_secrets(settings.lark)


@pytest.mark.requirement("W2")
def test_no_secret_prints_and_no_refusal_quotes_what_was_given(tmp_path: Path) -> None:
    settings = read(tmp_path, SIMULATED)
    refused = refusals(tmp_path, '[lark]\napp_id = "hunter2"\n[server]\nport = "hunter2"')

    assert "sim_one" not in repr(settings)
    assert "hunter2" not in str(refused)


def test_a_secret_given_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("k-1", encoding="utf-8")

    assert refusals(tmp_path, '[lark]\napp_secret = "x"\napp_secret_file = "key"') == {
        "lark.app_secret": "is given twice: keep it or lark.app_secret_file"
    }


def test_a_secret_file_that_cannot_be_read_is_named_by_its_key(tmp_path: Path) -> None:
    assert refusals(tmp_path, '[lark]\napp_secret_file = "nowhere"') == {
        "lark.app_secret_file": "names a file that cannot be read"
    }


# ---------------------------------------------------------------- what stops the start


@pytest.mark.parametrize(
    ("text", "key", "repair"),
    [
        ("[server]\nprot = 1", "server.prot", "is no setting; the nearest is server.port"),
        ("[servr]\nport = 1", "servr", "is no setting; the nearest is server"),
        ("port = 1", "port", "is no setting; the nearest is server.port"),
        ("[owner]\nx = 1", "owner.x", "is no setting; there are: open_id"),
        (
            "[endpoint.owner]\nkinds = 'reporter'",
            "endpoint.owner.kinds",
            "is no setting; the nearest is endpoint.owner.kind",
        ),
        ("source = 3", "source", "must hold one table for each id"),
        ("[server]\nport = 70000", "server.port", "must be less than or equal to 65535"),
        ("[server]\nadmin_port = 8070", "server.admin_port", "must differ from server.port"),
        ("[display]\ntimezone = 'Mars/Base'", "display.timezone", "must be an IANA time zone, such as Asia/Shanghai"),
        ("[display]\ntimezone = '../etc/passwd'", "display.timezone", "must be an IANA time zone, such as Asia/Shanghai"),
        ("[lark]\napp_id = 'app'", "lark.app_id", "must be an app id, cli_…"),
        ("[lark]\ntransport = 'long_connection'", "lark.transport", "must be webhook: this version has no other"),
        ("[lark]\nevent_max_age = '0h'", "lark.event_max_age", "must be a whole number above 0 with s, m, h or d behind it, such as 7d"),
        ("[endpoint]\nkind = 'codex'", "endpoint.kind", "must be reporter: this version has no other"),
        ("[endpoint.owner]\nkind = 'models'", "endpoint.owner.kind", "must be reporter: this version has no other"),
        ("[owner]\nopen_id = 'Lin'", "owner.open_id", "must be an open_id of this app, ou_…"),
        ("[access]\ngroups = 'all'", "access.groups", "must be 'granted' or 'nobody'"),
        ("[store]\nurl = 'sqlite://'", "store.url", "must be sqlite:///FILE or postgresql://USER@HOST/NAME"),
        ("[store]\nurl = 'sqlite:///:memory:'", "store.url", "must be sqlite:///FILE or postgresql://USER@HOST/NAME"),
    ],
)  # fmt: skip
def test_a_wrong_setting_stops_the_start_and_is_named(
    tmp_path: Path, text: str, key: str, repair: str
) -> None:
    assert refusals(tmp_path, text) == {key: repair}


def test_a_variable_that_matches_nothing_is_named_with_the_nearest_key(tmp_path: Path) -> None:
    assert refusals(
        tmp_path,
        STEWARD__SERVR__PORT="1",
        STEWARD__SERVER__PROT="1",
        STEWARD__GRNT__TEAM__AUDIENCE="owner",
    ) == {
        "servr.port": "is no setting; the nearest is server.port (set by STEWARD__SERVR__PORT)",
        "server.prot": "is no setting; the nearest is server.port (set by STEWARD__SERVER__PROT)",
        "grnt.team.audience": "is no setting; the nearest is grant.team.audience"
        " (set by STEWARD__GRNT__TEAM__AUDIENCE)",
    }


@pytest.mark.parametrize(
    "env",
    [
        {"STEWARD__PORT": "1"},
        {"STEWARD____PORT": "1"},
        {"STEWARD__SERVER__PORT": "1", "STEWARD__SERVER__PORT__X": "1"},
    ],
)
def test_a_variable_without_table_and_key_is_refused(tmp_path: Path, env: dict[str, str]) -> None:
    assert list(refusals(tmp_path, **env)) == [max(env)]


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    refused = refusals(
        tmp_path,
        "[server]\nport = 'x'\n[lark]\napp_secret_file = 'nowhere'\n[owner]\nopen_id = 'me'",
    )

    assert set(refused) == {"server.port", "lark.app_secret_file", "owner.open_id"}


def test_a_file_that_is_not_there_or_no_toml_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such configuration file"):
        load(tmp_path / "absent.toml", {})
    with pytest.raises(ConfigurationError, match="no valid TOML"):
        read(tmp_path, "[server")
    (tmp_path / "latin.toml").write_bytes(b'[owner]\nopen_id = "\xe9"')
    with pytest.raises(ConfigurationError, match="cannot be read as UTF-8"):
        load(tmp_path / "latin.toml", {})


# ---------------------------------------------------------------- simulated and live


def test_simulated_settings_are_well_together(tmp_path: Path) -> None:
    settings = read(tmp_path, SIMULATED)

    assert settings.lark.simulated
    assert missing_secrets(settings.lark) == ()


@pytest.mark.parametrize("domain", ["http://localhost:9", "https://[::1]:9", "http://127.8.8.8"])
def test_loopback_has_several_spellings(tmp_path: Path, domain: str) -> None:
    text = SIMULATED.replace("http://127.0.0.1:9000", domain)

    assert read(tmp_path, text).lark.domain == domain


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        (("cli_sim_a", "cli_a"), "lark.app_id"),
        (("sim_one", "one"), "lark.app_secret"),
        (("sim_two", "two"), "lark.encrypt_key"),
        (("sim_three", "three"), "lark.verification_token"),
        (("http://127.0.0.1:9000", "https://open.feishu.cn"), "lark.domain"),
        (("http://127.0.0.1:9000", "http://127.0.0.1.example.com"), "lark.domain"),
        (("http://127.0.0.1:9000", "http://127.0.0.1@example.com"), "lark.domain"),
        (("http://127.0.0.1:9000", "file://localhost/x"), "lark.domain"),
        (("http://127.0.0.1:9000", "http://[::1"), "lark.domain"),
    ],
)
def test_a_simulated_start_takes_nothing_real(
    tmp_path: Path, wrong: tuple[str, str], key: str
) -> None:
    assert list(refusals(tmp_path, SIMULATED.replace(*wrong))) == [key]


def test_a_live_start_takes_nothing_simulated(tmp_path: Path) -> None:
    refused = refusals(tmp_path, SIMULATED.replace("simulated = true", "simulated = false"))

    assert list(refused) == [
        "lark.domain",
        "lark.app_id",
        "lark.app_secret",
        "lark.encrypt_key",
        "lark.verification_token",
    ]


def test_a_rotated_secret_is_held_to_the_same_rule(tmp_path: Path) -> None:
    assert list(refusals(tmp_path, SIMULATED + 'encrypt_key_next = "real"')) == [
        "lark.encrypt_key_next"
    ]


# ---------------------------------------------------------------- what disables one entry


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[source.plans]\npath = 'x'",
            {"source.plans.kind": "is required"},
        ),
        (
            "[source.plans]\nkind = 'folder'\nmax_age = 7",
            {"source.plans.max_age": "must be a whole number above 0 with s, m, h or d behind it, such as 7d"},
        ),
        (
            "[source.'My Plans']\nkind = 'folder'",
            {"source.My Plans": "the id must be 1 to 40 of a-z, 0-9, _ and -"},
        ),
        (
            "[grant.team]\naudience = 'everyone'\nsources = ['plans']\ngoals = ['*']",
            {"grant.team.audience": "must be owner, members, group:oc_… or external:oc_…"},
        ),
        (
            "[grant.team]\naudience = 'members'\nsources = ['plans']\ngoals = ['*']",
            {"grant.team": "its sources must each be a [source.ID]; there are: none"},
        ),
        (
            "[grant.team]\naudience = 'members'\nsources = []\ngoal = ['*']",
            {
                "grant.team.sources": "must name at least one",
                "grant.team.goals": "is required",
                "grant.team.goal": "is no setting; the nearest is grant.team.goals",
            },
        ),
        (
            "[person.a]\nopen_id = 'ou_1'\nnames = ['A']\n[person.b]\nopen_id = 'ou_1'\nnames = ['B']",
            {"person.b": "person.a has this open_id: merge the two"},
        ),
        (
            "[person.a]\nopen_id = 'ou_1'\nnames = 'A'",
            {"person.a.names": 'must be a list, in an environment variable as JSON: ["a", "b"]'},
        ),
        (
            "[sprint.s1]\nnames = ['S1']\nstart = 2026-11-16\nend = 2026-11-15",
            {"sprint.s1.end": "must not lie before sprint.s1.start"},
        ),
        (
            "[sprint.s1]\nnames = ['S1']\nstart = 2026-11-16T00:00:00\nend = '30 Feb'",
            {
                "sprint.s1.start": "must be a date such as 2026-09-14",
                "sprint.s1.end": "must be a date such as 2026-09-14",
            },
        ),
        (
            "[digest.friday]\nchat = 'oc_1'\nat = '24:00'\ndays = 'someday'",
            {
                "digest.friday.at": "must be a time such as 17:30",
                "digest.friday.days": "must be days such as fri, mon-fri or tue,thu",
            },
        ),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_disabled_alone_and_shows(
    tmp_path: Path, text: str, expected: dict[str, str]
) -> None:
    settings = read(tmp_path, text)

    assert {fault.key: fault.repair for fault in settings.faults} == expected
    assert (settings.sources, settings.grants, settings.digests) == ({}, (), {})
    assert settings.sprints == {}
    assert set(settings.people) <= {"a"} - ({"a"} if "person.a.names" in expected else set())


def test_a_sprint_has_names_and_its_first_and_last_day(tmp_path: Path) -> None:
    text = (
        "[sprint.s12]\nnames = ['sprint 12', '第 12 迭代']\nstart = 2026-11-16\nend = '2026-11-29'"
    )

    settings = read(tmp_path, text)

    assert settings.faults == ()
    assert settings.sprints == {
        "s12": Sprint(
            names=("sprint 12", "第 12 迭代"), start=date(2026, 11, 16), end=date(2026, 11, 29)
        )
    }


def test_the_entries_beside_a_wrong_one_stay(tmp_path: Path) -> None:
    settings = read(tmp_path, EVIDENCE + "[source.bad]\nkind = 3\n")

    assert list(settings.sources) == ["plans"]
    assert settings.faults == (Fault("source.bad.kind", "must be a valid string"),)


def test_a_source_with_a_fault_stays_granted_so_that_its_readers_are_told(tmp_path: Path) -> None:
    grant = "[grant.team]\naudience = 'members'\nsources = ['plans', 'bad']\ngoals = ['*']\n"

    settings = read(tmp_path, EVIDENCE + grant + "[source.bad]\npath = 'x'\n")

    assert settings.unusable == ("bad",)
    assert settings.grants[0].sources == ("plans", "bad")
    assert [fault.key for fault in settings.faults] == ["source.bad.kind"]


@pytest.mark.requirement("A2")
@pytest.mark.parametrize(
    "entry",
    [
        "[grant.mine]\naudience = 'owner'\nsources = ['plan']\ngoals = ['*']",
        "[grant.mine]\naudience = 'owner'\nsource = ['plans']\ngoals = ['*']",
        "[grant.'MINE!']\naudience = 'owner'\nsources = ['plans']\ngoals = ['*']",
    ],
)
def test_a_slip_in_what_narrows_the_owner_opens_nothing(tmp_path: Path, entry: str) -> None:
    settings = read(tmp_path, EVIDENCE + entry)
    (left,) = settings.grants
    assert (left.audience, left.sources) == ("owner", ())
    assert all(fault.key.startswith("grant.") for fault in settings.faults)
    assert settings.faults
    owner = Audience(AudienceKind.OWNER_PRIVATE, ChatId("oc_home"))
    access = scope.Access(groups=True, members_private=True)
    assert scope.scope_of(owner, settings.grants, tuple(settings.sources), access).empty
    others = read(tmp_path, EVIDENCE + entry.replace("'owner'", "'members'"))
    assert others.grants == ()


def test_a_fault_says_which_variable_caused_it(tmp_path: Path) -> None:
    assert faults(tmp_path, EVIDENCE, STEWARD__SOURCE__PLANS__MAX_AGE="soon") == {
        "source.plans.max_age": "must be a whole number above 0 with s, m, h or d behind it,"
        " such as 7d (set by STEWARD__SOURCE__PLANS__MAX_AGE)"
    }
