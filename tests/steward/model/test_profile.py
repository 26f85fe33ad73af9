"""What every turn of this version starts with, spelled out: a change here is a change of contract."""

from dataclasses import asdict

import pytest

from steward.model.profile import RESTRICTED_DEFAULT, RuntimeProfile


@pytest.mark.requirement("P2", "P3")
def test_where_nothing_is_stored_a_turn_reads_evidence_and_can_do_nothing_else() -> None:
    assert asdict(RESTRICTED_DEFAULT) == {
        "runtime_profile": RuntimeProfile.RESTRICTED,
        "source": "capability_default",
        "status": "ready",
        "standing_grant": "none",
        "sandbox": "read-only",
        "tool_classes": ("steward_evidence",),
        "configuration_revision": "absent",
        "approval_policy": "never",
        "configured_runtime_profile": None,
        "repair": None,
    }
