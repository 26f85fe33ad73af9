"""What the machine document says, what follows from it, and what a change of it would do. Contracts P1-P4, P8. Pure.

Above: control.profiles, the turn controller, the store's transaction, the command line. Nothing in here raises for any
bytes: what cannot be read is corrupt, and what is corrupt is restricted.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from steward.model.audience import AudienceKind
from steward.model.machine import PlanAction, PlanStatus, ProfilePlan, Receipt
from steward.model.profile import (
    RESTRICTED_DEFAULT,
    CorruptProfile,
    EffectiveProfile,
    NothingStored,
    ProfileSource,
    ProfileStatus,
    RuntimeProfile,
    Sandbox,
    StandingGrant,
    Stored,
    StoredProfile,
    ToolClass,
)
from steward.texts.profile import REPAIR

DOCUMENT_SCHEMA = "machine_configuration_v0"
NAMESPACE = "manager_runtime"
NAMESPACE_SCHEMA = "manager_runtime_profile_v0"

DEEPEST = 64
"""Nesting beyond this is no document of ours; a fixed bound, where the interpreter's own depends on its caller."""


def stored_of(raw: bytes | None) -> Stored:
    """What is stored: nothing, exactly P1's value, or something that is neither. A sibling namespace decides nothing."""
    if raw is None:
        return NothingStored()
    namespaces = _namespaces(raw)
    if namespaces is not None and NAMESPACE not in namespaces:
        return NothingStored()
    profile = None if namespaces is None else _profile(namespaces[NAMESPACE])
    if profile is None:
        return CorruptProfile("unavailable:" + hashlib.sha256(raw).hexdigest())
    return StoredProfile(profile, revision(profile))


def revision(profile: RuntimeProfile) -> str:
    """The revision of this namespace alone, with this profile in it (P3)."""
    return _digest(_value(profile))


def effective(
    stored: Stored,
    audience: AudienceKind,
    endpoint_profiles: frozenset[str],
    *,
    simulated: bool,
) -> EffectiveProfile:
    """P2's row; the first that fits, and each but the last one is less than trusted_owner.

    `endpoint_profiles`: what the endpoint can hold (`Endpoint.profiles`). `simulated`: the platform is, so nobody's
    word there is proof of anything.
    """
    restricted = replace(RESTRICTED_DEFAULT, configuration_revision=stored.revision)
    match stored:
        case CorruptProfile():
            return replace(
                restricted,
                source=ProfileSource.INVALID_CONFIGURATION_FALLBACK,
                status=ProfileStatus.CONFIGURATION_INVALID,
                repair=REPAIR.en,
            )
        case NothingStored():
            return restricted
        case StoredProfile(profile=profile) if profile is not RuntimeProfile.TRUSTED_OWNER:
            return replace(restricted, source=ProfileSource.MACHINE_CONFIGURATION)
        case StoredProfile():
            return _of_trusted(restricted, audience, endpoint_profiles, simulated=simulated)


def _of_trusted(
    restricted: EffectiveProfile,
    audience: AudienceKind,
    endpoint_profiles: frozenset[str],
    *,
    simulated: bool,
) -> EffectiveProfile:
    if simulated:
        return replace(
            restricted,
            source=ProfileSource.SIMULATED_PLATFORM,
            status=ProfileStatus.SIMULATED_RESTRICTED,
        )
    if audience is not AudienceKind.OWNER_PRIVATE:
        return replace(
            restricted,
            source=ProfileSource.EXTERNAL_AUDIENCE_BOUNDARY,
            status=ProfileStatus.EXTERNAL_AUDIENCE_RESTRICTED,
            configured_runtime_profile=RuntimeProfile.TRUSTED_OWNER,
        )
    if RuntimeProfile.TRUSTED_OWNER.value not in endpoint_profiles:
        return replace(
            restricted,
            runtime_profile=None,
            source=ProfileSource.MACHINE_CONFIGURATION,
            status=ProfileStatus.ENDPOINT_UNSUPPORTED,
            tool_classes=(),
        )
    return replace(
        restricted,
        runtime_profile=RuntimeProfile.TRUSTED_OWNER,
        source=ProfileSource.MACHINE_CONFIGURATION,
        standing_grant=StandingGrant.MACHINE_CONFIGURATION,
        sandbox=Sandbox.FULL_ACCESS,
        tool_classes=tuple(ToolClass),
    )


def plan(raw: bytes | None, desired: RuntimeProfile, after: str | None) -> ProfilePlan:
    """What an apply would do (P8). `after` names the last transaction, None before the first.

    It goes into `plan_revision`, so that the same step taken a second time, with others between, is another plan.
    """
    current = stored_of(raw)
    wanted = revision(desired)
    action = _action(current, desired)
    writes = action is not PlanAction.NONE
    invalid = isinstance(current, CorruptProfile)
    return ProfilePlan(
        status=PlanStatus.CONFIGURATION_INVALID if invalid else PlanStatus.READY,
        current_revision=current.revision,
        desired_revision=wanted,
        plan_revision=_digest([current.revision, wanted, after]),
        action=action,
        changed_namespaces=(NAMESPACE,) if writes else (),
        writes_required=writes,
        desired=desired,
    )


def _action(current: Stored, desired: RuntimeProfile) -> PlanAction:
    match current:
        case NothingStored():
            return PlanAction.CREATE
        case CorruptProfile():
            return PlanAction.REPAIR
        case StoredProfile(profile=profile):
            return PlanAction.NONE if profile is desired else PlanAction.UPDATE


def applied(raw: bytes | None, desired: RuntimeProfile) -> bytes:
    """The document with this profile; sibling namespaces keep their values.

    A document that cannot be read is replaced whole: the store keeps its bytes in the transaction.
    """
    namespaces = {} if raw is None else _namespaces(raw) or {}
    document = {
        "schema_version": DOCUMENT_SCHEMA,
        "namespaces": {**namespaces, NAMESPACE: _value(desired)},
    }
    return _canonical(document)


def receipt(made: ProfilePlan, transaction_id: str, readback: bytes | None) -> Receipt:
    """What an apply of `made` did; `readback`: the document as the same transaction then reads it.

    Where it is not verified the transaction must not stand.
    """
    found = stored_of(readback)
    verified = isinstance(found, StoredProfile) and found.profile is made.desired
    parts = [transaction_id, made.plan_revision, made.current_revision, found.revision, verified]
    return Receipt(
        transaction_id=transaction_id,
        prior_revision=made.current_revision,
        applied_revision=found.revision,
        readback_verified=verified,
        receipt_revision=_digest(parts),
    )


def _namespaces(raw: bytes) -> dict[str, object] | None:
    """The namespaces of a well-formed document; None: it is none."""
    try:
        document: object = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_refuse,
            parse_float=_finite,
        )
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.keys() != {"schema_version", "namespaces"}:
        return None
    namespaces = document["namespaces"]
    if document["schema_version"] != DOCUMENT_SCHEMA or not isinstance(namespaces, dict):
        return None
    return namespaces if _shallow(document) else None


def _profile(value: object) -> RuntimeProfile | None:
    """P1's value, spelled exactly; None: it is not."""
    return next((one for one in RuntimeProfile if value == _value(one)), None)


def _value(profile: RuntimeProfile) -> dict[str, object]:
    return {"schema_version": NAMESPACE_SCHEMA, "runtime_profile": profile.value}


def _unique(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Of a key that stands twice, readers differ in which one they take: so it says nothing."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise ValueError("no number of JSON")
    return number


def _shallow(document: object) -> bool:
    level: list[object] = [document]
    for _ in range(DEEPEST):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return True
    return False


def _inside(value: object) -> Sequence[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()


def _canonical(document: object) -> bytes:
    """Sorted keys, no blanks, ASCII alone: the same value has the same bytes everywhere."""
    return json.dumps(
        document, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode("ascii")


def _digest(value: object) -> str:
    return "sha256:" + hashlib.sha256(_canonical(value)).hexdigest()
