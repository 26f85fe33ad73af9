"""What is stored, what follows from it, and what a change would do: every cell of the table, and any bytes at all."""

import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import asdict, replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steward.model.audience import AudienceKind
from steward.model.machine import PlanAction, PlanStatus
from steward.model.profile import (
    CorruptProfile,
    EffectiveProfile,
    NothingStored,
    RuntimeProfile,
    Stored,
    StoredProfile,
)
from steward.policy import profile as policy

RESTRICTED, TRUSTED = RuntimeProfile.RESTRICTED, RuntimeProfile.TRUSTED_OWNER
ANYBODY, CODEX = frozenset({"restricted"}), frozenset({"restricted", "trusted_owner"})
STORED: dict[str, Stored] = {
    "absent": NothingStored(),
    "restricted": StoredProfile(RESTRICTED, policy.revision(RESTRICTED)),
    "trusted_owner": StoredProfile(TRUSTED, policy.revision(TRUSTED)),
    "corrupt": CorruptProfile("unavailable:ff"),
}
CELLS = list(itertools.product(STORED, AudienceKind, (ANYBODY, CODEX), (True, False)))
EVIDENCE = ("steward_evidence",)
HOST_TOOLS = ("steward_evidence", "filesystem", "shell", "git", "web", "configured_connectors")


def value(profile: object = "trusted_owner", **more: object) -> dict[str, object]:
    return {
        "schema_version": "manager_runtime_profile_v0",
        "runtime_profile": profile,
        **more,
    }


def document(ours: object, **siblings: object) -> bytes:
    namespaces = {"manager_runtime": ours, **siblings}
    return json.dumps(
        {"schema_version": "machine_configuration_v0", "namespaces": namespaces}
    ).encode()


def row(stored: str, audience: AudienceKind, endpoint: frozenset[str], *, simulated: bool) -> str:
    """Which row of the table a cell belongs to, told apart from the table's own words."""
    if stored != "trusted_owner":
        return stored
    if simulated:
        return "simulated"
    if audience is not AudienceKind.OWNER_PRIVATE:
        return "every other audience"
    return "codex" if endpoint is CODEX else "other endpoint"


ROWS = {
    "absent": ("restricted", "capability_default", "ready", "none", "read-only", EVIDENCE),
    "restricted": ("restricted", "machine_configuration", "ready", "none", "read-only", EVIDENCE),
    "codex": (
        "trusted_owner",
        "machine_configuration",
        "ready",
        "machine_configuration",
        "danger-full-access",
        HOST_TOOLS,
    ),
    "other endpoint": (
        None,
        "machine_configuration",
        "endpoint_unsupported",
        "none",
        "read-only",
        (),
    ),
    "simulated": (
        "restricted",
        "simulated_platform",
        "simulated_restricted",
        "none",
        "read-only",
        EVIDENCE,
    ),
    "every other audience": (
        "restricted",
        "external_audience_boundary",
        "external_audience_restricted",
        "none",
        "read-only",
        EVIDENCE,
    ),
    "corrupt": (
        "restricted",
        "invalid_configuration_fallback",
        "configuration_invalid",
        "none",
        "read-only",
        EVIDENCE,
    ),
}


def cell(
    stored: str, audience: AudienceKind, endpoint: frozenset[str], simulated: bool
) -> EffectiveProfile:
    return policy.effective(STORED[stored], audience, endpoint, simulated=simulated)


@pytest.mark.requirement("P2", "P3")
@pytest.mark.parametrize(("stored", "audience", "endpoint", "simulated"), CELLS)
def test_each_cell_of_the_table_is_one_row_of_the_contract(
    stored: str, audience: AudienceKind, endpoint: frozenset[str], simulated: bool
) -> None:
    found = asdict(cell(stored, audience, endpoint, simulated))
    expected = row(stored, audience, endpoint, simulated=simulated)
    profile, source, status, grant, sandbox, tools = ROWS[expected]
    configured, repair = found.pop("configured_runtime_profile"), found.pop("repair")

    assert found == {
        "runtime_profile": profile,
        "source": source,
        "status": status,
        "standing_grant": grant,
        "sandbox": sandbox,
        "tool_classes": tools,
        "configuration_revision": STORED[stored].revision,
        "approval_policy": "never",
    }
    assert configured == ("trusted_owner" if expected == "every other audience" else None)
    assert (repair is not None) == (expected == "corrupt")


@pytest.mark.requirement("P2", "P4")
def test_exactly_one_cell_of_the_table_has_host_tools() -> None:
    trusted = [one for one in CELLS if cell(*one).trusted]

    assert trusted == [("trusted_owner", AudienceKind.OWNER_PRIVATE, CODEX, False)]
    assert [one for one in CELLS if cell(*one).sandbox != "read-only"] == trusted
    assert [one for one in CELLS if len(cell(*one).tool_classes) > 1] == trusted


@pytest.mark.requirement("P1")
@pytest.mark.parametrize("profile", RuntimeProfile)
def test_the_exact_value_is_what_is_stored(profile: RuntimeProfile) -> None:
    canonical = (
        f'{{"runtime_profile":"{profile}","schema_version":"manager_runtime_profile_v0"}}'
    ).encode()

    assert policy.stored_of(document(value(profile.value))) == StoredProfile(
        profile, "sha256:" + hashlib.sha256(canonical).hexdigest()
    )


@pytest.mark.requirement("P1")
@pytest.mark.parametrize(
    "raw",
    [None, b'{"schema_version": "machine_configuration_v0", "namespaces": {"other": 1}}'],
)
def test_without_a_document_or_without_our_namespace_nothing_is_stored(raw: bytes | None) -> None:
    assert policy.stored_of(raw) == NothingStored("absent")


SIBLINGS = [None, 7, "garbage", [], {"schema_version": "unheard_of"}, {"runtime_profile": "x"}]


@pytest.mark.requirement("P1", "P3")
@pytest.mark.parametrize("sibling", SIBLINGS)
def test_a_sibling_namespace_changes_neither_profile_nor_revision(sibling: object) -> None:
    alone = policy.stored_of(document(value()))

    assert isinstance(alone, StoredProfile)
    assert policy.stored_of(document(value(), other=sibling)) == alone


def corrupt() -> Iterator[bytes]:
    yield from (b"", b" ", b"{}", b"null", b"[]", b'"trusted_owner"', b"trusted_owner", b"\xff")
    for ours in (None, True, 1, "trusted_owner", [], {}, [value()]):
        yield document(ours)
    for profile in ("Trusted_Owner", "trusted_owner ", "owner", "", None, True, ["trusted_owner"]):
        yield document(value(profile))
    yield document(value(expires="never"))
    yield document({"runtime_profile": "trusted_owner"})
    yield document(value() | {"schema_version": "manager_runtime_profile_v1"})
    good = document(value())
    yield b"\xef\xbb\xbf" + good
    yield good + b"x"
    yield good[:-1]
    yield good.decode().encode("utf-16")
    yield good.replace(b"machine_configuration_v0", b"machine_configuration_v1")
    yield good.replace(b'{"schema_version"', b'{"more": 1, "schema_version"', 1)
    yield b'{"schema_version": "machine_configuration_v0", "namespaces": []}'
    yield b'{"schema_version": "machine_configuration_v0"}'
    twice = b'"runtime_profile": "restricted", "runtime_profile": "trusted_owner"'
    yield good.replace(b'"runtime_profile": "trusted_owner"', twice)
    yield good.replace(b'"manager_runtime"', b'"manager_runtime": {}, "manager_runtime"')
    for number in (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"9" * 5000):
        yield document(value(), other=0).replace(b'"other": 0', b'"other": ' + number)
    for depth in (100, 100_000):
        deep = b"[" * depth + b"]" * depth
        yield document(value(), other=0).replace(b'"other": 0', b'"other": ' + deep)


@pytest.mark.requirement("P1", "P3")
@pytest.mark.parametrize("raw", list(corrupt()), ids=lambda raw: repr(raw[-40:]))
def test_anything_else_is_corrupt_and_says_by_its_revision_which_bytes_are_meant(
    raw: bytes,
) -> None:
    assert policy.stored_of(raw) == CorruptProfile("unavailable:" + hashlib.sha256(raw).hexdigest())


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
WORDS = st.sampled_from(["trusted_owner", "restricted", "manager_runtime_profile_v0"])
NEAR = st.dictionaries(
    st.sampled_from(["schema_version", "runtime_profile", "more"]), WORDS | JSONS
)


@pytest.mark.requirement("P1", "P4")
@given(st.binary() | JSONS.map(lambda one: json.dumps(one).encode()))
@example(b"\xed\xa0\x80")
@example(b"\xff\xfe\x00")
def test_bytes_that_are_not_our_document_never_give_host_tools_and_never_raise(raw: bytes) -> None:
    stored = policy.stored_of(raw)

    assert not isinstance(stored, StoredProfile)
    profile = policy.effective(stored, AudienceKind.OWNER_PRIVATE, CODEX, simulated=False)
    assert profile.runtime_profile is RESTRICTED
    assert isinstance(policy.stored_of(policy.applied(raw, RESTRICTED)), StoredProfile)


@pytest.mark.requirement("P1", "P4")
@given(NEAR | JSONS, st.dictionaries(st.text(), JSONS))
def test_a_value_gives_host_tools_only_where_it_is_the_exact_one(
    ours: object, siblings: dict[str, object]
) -> None:
    namespaces = siblings | {"manager_runtime": ours}
    raw = json.dumps(
        {"schema_version": "machine_configuration_v0", "namespaces": namespaces}
    ).encode()
    profile = policy.effective(
        policy.stored_of(raw), AudienceKind.OWNER_PRIVATE, CODEX, simulated=False
    )

    assert not profile.trusted or ours == value()


@pytest.mark.requirement("P8")
def test_a_plan_names_what_is_there_and_what_is_wanted() -> None:
    made = policy.plan(document(value("restricted")), TRUSTED, None)

    assert made.status is PlanStatus.READY
    assert made.current_revision == policy.revision(RESTRICTED)
    assert made.desired_revision == policy.revision(TRUSTED)
    assert (made.action, made.writes_required) == (PlanAction.UPDATE, True)
    assert made.changed_namespaces == ("manager_runtime",)
    assert made == policy.plan(document(value("restricted"), other=1), TRUSTED, None)


@pytest.mark.requirement("P8")
@pytest.mark.parametrize(
    ("raw", "status", "action"),
    [
        (None, "ready", "create"),
        (b'{"schema_version": "machine_configuration_v0", "namespaces": {}}', "ready", "create"),
        (document(value("trusted_owner")), "ready", "update"),
        (document(value("restricted")), "ready", "none"),
        (document(value("owner")), "configuration_invalid", "repair"),
        (b"\xff", "configuration_invalid", "repair"),
    ],
)
def test_a_plan_says_whether_it_makes_changes_repairs_or_leaves_the_document(
    raw: bytes | None, status: str, action: str
) -> None:
    made = policy.plan(raw, RESTRICTED, None)

    assert (made.status, made.action) == (status, action)
    assert made.writes_required == (action != "none") == bool(made.changed_namespaces)


@pytest.mark.requirement("P8")
def test_the_same_step_taken_again_later_is_another_plan() -> None:
    raw, after, seen = None, None, []
    for number, desired in enumerate((TRUSTED, RESTRICTED, TRUSTED, RESTRICTED, TRUSTED)):
        made = policy.plan(raw, desired, after)
        seen.append(made.plan_revision)
        raw = policy.applied(raw, desired)
        after = policy.receipt(made, f"transaction-{number}", raw).receipt_revision

    assert len(set(seen)) == 5


@pytest.mark.requirement("P8")
def test_a_plan_is_another_where_other_corrupt_bytes_are_there_now() -> None:
    first, second = (policy.plan(raw, RESTRICTED, None) for raw in (b"\xff", b"\xfe"))

    assert first.plan_revision != second.plan_revision


@pytest.mark.requirement("P1", "P8")
@pytest.mark.parametrize("sibling", [*SIBLINGS, "\ud800", {"键": [1.5, -0.0, 10**30, True]}])
@pytest.mark.parametrize("ours", [value("restricted"), value("owner"), None])
def test_an_apply_keeps_every_sibling_namespace_by_value(ours: object, sibling: object) -> None:
    written = policy.applied(document(ours, other=sibling), TRUSTED)

    assert json.loads(written) == {
        "schema_version": "machine_configuration_v0",
        "namespaces": {"manager_runtime": value(), "other": sibling},
    }


@pytest.mark.requirement("P1", "P8")
@pytest.mark.parametrize("raw", [None, *corrupt()], ids=lambda raw: repr(raw and raw[-40:]))
def test_an_apply_over_anything_leaves_the_exact_value(raw: bytes | None) -> None:
    written = policy.applied(raw, TRUSTED)

    assert policy.stored_of(written) == StoredProfile(TRUSTED, policy.revision(TRUSTED))


@pytest.mark.requirement("P8")
def test_a_receipt_is_verified_only_by_reading_back_what_was_wanted() -> None:
    made = policy.plan(None, TRUSTED, None)
    good = policy.receipt(made, "t1", policy.applied(None, TRUSTED))

    assert good.readback_verified
    assert (good.prior_revision, good.applied_revision) == ("absent", policy.revision(TRUSTED))
    for readback in (None, b"\xff", policy.applied(None, RESTRICTED)):
        assert not policy.receipt(made, "t1", readback).readback_verified
    assert policy.receipt(made, "t2", policy.applied(None, TRUSTED)) == replace(
        good,
        transaction_id="t2",
        receipt_revision=policy.receipt(made, "t2", policy.applied(None, TRUSTED)).receipt_revision,
    )
    assert policy.receipt(made, "t2", None).receipt_revision != good.receipt_revision
