"""Profile, plan, receipt and session by the names of the contract, for programs: command line and dashboard. Contracts P2, P3, P8, S1, S4. Pure.

All of it is owner material (A4).
"""

from collections.abc import Mapping

from steward.model.json import Json
from steward.model.machine import Applied, ProfilePlan
from steward.model.profile import (
    CorruptProfile,
    EffectiveProfile,
    NothingStored,
    Stored,
    StoredProfile,
)
from steward.model.session import Session

_STATES: Mapping[type[Stored], str] = {
    NothingStored: "absent",
    StoredProfile: "valid",
    CorruptProfile: "corrupt",
}


def stored(found: Stored) -> dict[str, Json]:
    """What is stored; `runtime_profile` None: nothing, or nothing valid."""
    profile = found.profile.value if isinstance(found, StoredProfile) else None
    return {
        "state": _STATES[type(found)],
        "runtime_profile": profile,
        "configuration_revision": found.revision,
    }


def effective(profile: EffectiveProfile) -> dict[str, Json]:
    """One effective profile, by the names of the contract (P2, P3)."""
    held, configured_profile = profile.runtime_profile, profile.configured_runtime_profile
    fields: dict[str, Json] = {
        "runtime_profile": None if held is None else held.value,
        "source": profile.source.value,
        "status": profile.status.value,
        "standing_grant": profile.standing_grant.value,
        "sandbox": profile.sandbox.value,
        "tool_classes": [one.value for one in profile.tool_classes],
        "approval_policy": profile.approval_policy,
        "configuration_revision": profile.configuration_revision,
    }
    if configured_profile is not None:
        fields["configured_runtime_profile"] = configured_profile.value
    if profile.repair is not None:
        fields["repair"] = profile.repair
    return fields


def session(of: Session) -> dict[str, Json]:
    """A session's six fields as it really started with them, and where its thread stands (S1, S2)."""
    six = of.fields
    return {
        "conversation": str(of.conversation),
        "manager_runtime_profile": None if six.profile is None else six.profile.value,
        "manager_runtime_configuration_revision": six.configuration_revision,
        "manager_runtime_status": six.status,
        "manager_runtime_sandbox": six.sandbox,
        "manager_runtime_standing_grant": six.standing_grant,
        "manager_runtime_tool_classes": None
        if six.tool_classes is None
        else list(map(str, six.tool_classes)),
        "endpoint": of.endpoint,
        "upstream_context_history": list(of.upstream_context_history),
        "updated_at": of.updated_at.isoformat(),
    }


def plan(made: ProfilePlan) -> dict[str, Json]:
    """A preview by the names of the contract (P8)."""
    return {
        "status": made.status.value,
        "current_revision": made.current_revision,
        "desired_revision": made.desired_revision,
        "plan_revision": made.plan_revision,
        "action": made.action.value,
        "changed_namespaces": list(made.changed_namespaces),
        "writes_required": made.writes_required,
    }


def applied(outcome: Applied) -> dict[str, Json]:
    """A receipt by the names of the contract (P8)."""
    done = outcome.receipt
    return {
        "transaction_id": done.transaction_id,
        "prior_revision": done.prior_revision,
        "applied_revision": done.applied_revision,
        "readback_verified": done.readback_verified,
        "receipt_revision": done.receipt_revision,
        "superseded": outcome.superseded,
        "present_revision": outcome.present_revision,
    }
