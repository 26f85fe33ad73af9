"""A change of the stored profile: its plan, its receipt, and what became of it. Contract P8."""

from dataclasses import dataclass
from enum import StrEnum

from steward.model.profile import RuntimeProfile


class PlanStatus(StrEnum):
    """What the plan was made over."""

    READY = "ready"
    CONFIGURATION_INVALID = "configuration_invalid"


class PlanAction(StrEnum):
    """What an apply does. REPAIR replaces bytes that could not be read; they are kept in the transaction."""

    NONE = "none"
    CREATE = "create"
    UPDATE = "update"
    REPAIR = "repair"


@dataclass(frozen=True, slots=True)
class ProfilePlan:
    """A preview: nothing is written. `plan_revision` names both what is there and what is wanted (P8)."""

    status: PlanStatus
    current_revision: str
    desired_revision: str
    plan_revision: str
    action: PlanAction
    changed_namespaces: tuple[str, ...]
    writes_required: bool
    desired: RuntimeProfile


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one apply did, as it was read back in the same transaction (P8)."""

    transaction_id: str
    prior_revision: str
    applied_revision: str
    readback_verified: bool
    receipt_revision: str


@dataclass(frozen=True, slots=True)
class Applied:
    """`superseded`: this plan was applied before; nothing was changed now, and `present_revision` is what stands."""

    receipt: Receipt
    superseded: bool
    present_revision: str
