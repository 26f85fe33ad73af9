"""The runtime profile: what a turn's process may do. Contract P, `manager_runtime_profile_v0`.

What is stored is one of three: nothing, a profile, or bytes that are no profile. What holds for a turn follows from that,
from the audience and from the endpoint, by `policy.profile.effective` alone.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class RuntimeProfile(StrEnum):
    """RESTRICTED reads evidence; TRUSTED_OWNER has host tools, before the owner in private alone (P4)."""

    RESTRICTED = "restricted"
    TRUSTED_OWNER = "trusted_owner"


class ProfileSource(StrEnum):
    """Why a profile is in force (P2)."""

    CAPABILITY_DEFAULT = "capability_default"
    MACHINE_CONFIGURATION = "machine_configuration"
    SIMULATED_PLATFORM = "simulated_platform"
    EXTERNAL_AUDIENCE_BOUNDARY = "external_audience_boundary"
    INVALID_CONFIGURATION_FALLBACK = "invalid_configuration_fallback"


class ProfileStatus(StrEnum):
    """Whether what is stored is in force, and if not, why (P2)."""

    READY = "ready"
    ENDPOINT_UNSUPPORTED = "endpoint_unsupported"
    SIMULATED_RESTRICTED = "simulated_restricted"
    EXTERNAL_AUDIENCE_RESTRICTED = "external_audience_restricted"
    CONFIGURATION_INVALID = "configuration_invalid"


class StandingGrant(StrEnum):
    """Where the right to host tools comes from (P2)."""

    NONE = "none"
    MACHINE_CONFIGURATION = "machine_configuration"


class Sandbox(StrEnum):
    """The sandbox of the process that answers, in the words of its host (seed 003)."""

    READ_ONLY = "read-only"
    FULL_ACCESS = "danger-full-access"


class ToolClass(StrEnum):
    """Kinds of tools that a turn has (P2)."""

    STEWARD_EVIDENCE = "steward_evidence"
    FILESYSTEM = "filesystem"
    SHELL = "shell"
    GIT = "git"
    WEB = "web"
    CONFIGURED_CONNECTORS = "configured_connectors"


ABSENT = "absent"
"""The configuration revision where nothing is stored (P3)."""


@dataclass(frozen=True, slots=True)
class NothingStored:
    """No machine document, or one without our namespace."""

    revision: str = ABSENT


@dataclass(frozen=True, slots=True)
class StoredProfile:
    """A valid value. `revision`: `sha256:` over the canonical JSON of this namespace alone (P3)."""

    profile: RuntimeProfile
    revision: str


@dataclass(frozen=True, slots=True)
class CorruptProfile:
    """Bytes that are no profile. `revision`: `unavailable:` and the sha256 of the bytes (P3)."""

    revision: str


Stored: TypeAlias = NothingStored | StoredProfile | CorruptProfile


@dataclass(frozen=True, slots=True)
class EffectiveProfile:
    """P2's row for one audience and endpoint. `approval_policy` is always `never` (P3).

    `runtime_profile` None: no endpoint here can hold what is stored, so there is no session and no call (P5).
    `configured_runtime_profile` is set where an audience keeps a stored trusted_owner from applying, `repair` where what
    is stored is corrupt: both are for the owner's eyes alone (P3).
    """

    runtime_profile: RuntimeProfile | None
    source: ProfileSource
    status: ProfileStatus
    standing_grant: StandingGrant
    sandbox: Sandbox
    tool_classes: tuple[ToolClass, ...]
    configuration_revision: str
    approval_policy: str = "never"
    configured_runtime_profile: RuntimeProfile | None = None
    repair: str | None = None

    @property
    def trusted(self) -> bool:
        """Whether turns under it have host tools."""
        return self.runtime_profile is RuntimeProfile.TRUSTED_OWNER


RESTRICTED_DEFAULT = EffectiveProfile(
    runtime_profile=RuntimeProfile.RESTRICTED,
    source=ProfileSource.CAPABILITY_DEFAULT,
    status=ProfileStatus.READY,
    standing_grant=StandingGrant.NONE,
    sandbox=Sandbox.READ_ONLY,
    tool_classes=(ToolClass.STEWARD_EVIDENCE,),
    configuration_revision=ABSENT,
)


@dataclass(frozen=True, slots=True)
class Readback:
    """What a turn really started with (S1). It reports; no decision reads it as authority."""

    profile: EffectiveProfile
    prompt_revision: str


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What of P6 holds on this machine, for whoever decides about trusted_owner.

    `endpoint_profiles`: what the endpoint of the owner's private chat can hold. `separated`: the process with host tools
    runs under a user of its own. `credentials`: some that others' systems accept lie within that process's reach.
    """

    endpoint_profiles: frozenset[str]
    simulated: bool
    separated: bool
    credentials: bool
