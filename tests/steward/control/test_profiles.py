"""The one controller of the profile: it reads afresh, and a store that cannot be read is its own case."""

import pytest

from steward.control.profiles import Profiles
from steward.errors import StoreUnavailableError
from steward.model.audience import AudienceKind
from steward.model.machine import PlanAction, Receipt
from steward.model.profile import NothingStored, RuntimeProfile
from steward.policy import profile as policy

CODEX = frozenset({"restricted", "trusted_owner"})


class Kept:
    """A machine document in memory, which may be out of reach."""

    def __init__(self, raw: bytes | None = None) -> None:
        self.raw = raw
        self.last: str | None = None
        self.reachable = True

    async def document(self) -> bytes | None:
        if not self.reachable:
            raise StoreUnavailableError("out of reach")
        return self.raw

    async def receipt(self, plan_revision: str) -> Receipt | None:
        return None

    async def last_transaction(self) -> str | None:
        return self.last


@pytest.mark.requirement("P2", "P3")
async def test_a_change_by_another_process_counts_at_once() -> None:
    machine = Kept()
    profiles = Profiles(machine, simulated=False)
    assert await profiles.stored() == NothingStored()
    assert await profiles.revision() == "absent"

    machine.raw = policy.applied(None, RuntimeProfile.TRUSTED_OWNER)

    assert (await profiles.effective(AudienceKind.OWNER_PRIVATE, CODEX)).trusted
    assert not (await profiles.effective(AudienceKind.GROUP, CODEX)).trusted
    assert await profiles.revision() == policy.revision(RuntimeProfile.TRUSTED_OWNER)


@pytest.mark.requirement("P2")
async def test_a_simulated_platform_opens_nothing() -> None:
    profiles = Profiles(Kept(policy.applied(None, RuntimeProfile.TRUSTED_OWNER)), simulated=True)

    assert not (await profiles.effective(AudienceKind.OWNER_PRIVATE, CODEX)).trusted


@pytest.mark.requirement("P8")
async def test_a_preview_is_made_over_the_document_and_its_last_transaction() -> None:
    machine = Kept()
    profiles = Profiles(machine, simulated=False)
    first = await profiles.preview(RuntimeProfile.TRUSTED_OWNER)
    machine.last = "machine-1"
    second = await profiles.preview(RuntimeProfile.TRUSTED_OWNER)

    assert first.action is PlanAction.CREATE
    assert first.plan_revision != second.plan_revision
    assert machine.raw is None


@pytest.mark.requirement("P3")
async def test_a_store_that_cannot_be_read_is_neither_absent_nor_corrupt() -> None:
    machine = Kept()
    machine.reachable = False
    profiles = Profiles(machine, simulated=False)

    for asked in (profiles.stored, profiles.revision):
        with pytest.raises(StoreUnavailableError):
            await asked()
    with pytest.raises(StoreUnavailableError):
        await profiles.effective(AudienceKind.OWNER_PRIVATE, CODEX)
    with pytest.raises(StoreUnavailableError):
        await profiles.preview(RuntimeProfile.RESTRICTED)
