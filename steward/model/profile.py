"""The runtime profile: what a turn's process may do. Contract P; this version builds `restricted` alone."""

from dataclasses import dataclass
from enum import StrEnum


class RuntimeProfile(StrEnum):
    """RESTRICTED reads evidence; TRUSTED_OWNER has host tools and is planned (P4)."""

    RESTRICTED = "restricted"
    TRUSTED_OWNER = "trusted_owner"


@dataclass(frozen=True, slots=True)
class EffectiveProfile:
    """P2's row for one audience and endpoint. `approval_policy` is always `never` (P3)."""

    runtime_profile: RuntimeProfile
    source: str
    status: str
    standing_grant: str
    sandbox: str
    tool_classes: tuple[str, ...]
    configuration_revision: str
    approval_policy: str = "never"


RESTRICTED_DEFAULT = EffectiveProfile(
    runtime_profile=RuntimeProfile.RESTRICTED,
    source="capability_default",
    status="ready",
    standing_grant="none",
    sandbox="read-only",
    tool_classes=("steward_evidence",),
    configuration_revision="absent",
)


@dataclass(frozen=True, slots=True)
class Readback:
    """What a turn really started with (S1). It reports; no decision reads it as authority."""

    profile: EffectiveProfile
    prompt_revision: str
