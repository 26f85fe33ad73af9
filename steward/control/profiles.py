"""The runtime profile in force and a preview of its change, asked afresh each time. Contracts P1-P3, P8, S4.

Above: turns, commands, approvals, the command line, the dashboard: all show and use this one. Below: the stored machine
document. A change itself is an effect (`ports.effects`). Keeps nothing, so that another process's change counts at once.
"""

from dataclasses import dataclass

from steward.model.audience import AudienceKind
from steward.model.machine import ProfilePlan
from steward.model.profile import EffectiveProfile, RuntimeProfile, Stored
from steward.policy import profile
from steward.ports.machine import Machine


@dataclass(frozen=True, slots=True)
class Profiles:
    """Every method raises StoreUnavailableError: a store that cannot be read is neither absent nor corrupt (P3).

    `simulated`: the platform is, so that nothing said there opens anything (P2).
    """

    machine: Machine
    simulated: bool

    async def stored(self) -> Stored:
        """What is stored, valid or not."""
        return profile.stored_of(await self.machine.document())

    async def effective(
        self, audience: AudienceKind, endpoint_profiles: frozenset[str]
    ) -> EffectiveProfile:
        """What holds before this audience, for an endpoint that can hold `endpoint_profiles`."""
        return profile.effective(
            await self.stored(), audience, endpoint_profiles, simulated=self.simulated
        )

    async def preview(self, desired: RuntimeProfile) -> ProfilePlan:
        """What an apply would do; nothing is written. A change between the two reads only makes the plan stale."""
        after = await self.machine.last_transaction()
        return profile.plan(await self.machine.document(), desired, after)

    async def revision(self) -> str:
        """`absent`, `unavailable:…` or `sha256:…` (P3)."""
        return (await self.stored()).revision
