"""What a turn stands on: audience and scope, runtime profile, and the owner's word for it. Contracts A3, P5, P7, P9.

Above: turns, which asks at the start, while a trusted turn runs, and before anything is settled. Below: standing,
profiles, the owner's record, the platform's own copy of the question. Everything is asked afresh, and whatever cannot
be known gives no host tools.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from steward.control.endpoints import Endpoints
from steward.control.profiles import Profiles
from steward.control.standing import Stand, failure_of
from steward.errors import StoreUnavailableError
from steward.model.audience import Audience, Scope
from steward.model.ids import ConversationId, OpenId
from steward.model.owner import OwnerRecord
from steward.model.profile import EffectiveProfile
from steward.model.turn import Question, TurnCode, TurnFailure
from steward.policy.hosting import borne_out, without_proof
from steward.policy.sessions import six_fields
from steward.ports.directory import Directory
from steward.ports.endpoint import Endpoint

logger = logging.getLogger(__name__)

Stands: TypeAlias = Callable[[Audience, OpenId, ConversationId], Awaitable[Stand]]
"""Standing.patiently, or for the command line the word of its operator."""

Proves: TypeAlias = Callable[[Question], Awaitable[bool]]
"""Whether the platform's own copy of a question bears out who asked it, where, and in which words (P7)."""

Owns: TypeAlias = Callable[[], Awaitable[OwnerRecord | None]]
"""Authorities.owner."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a turn starts on.

    `profile` is what the turn starts with: less than what is stored, where the owner's message could not be proven.
    `owner`: the record of the owner whose turn it is, where it has host tools.
    """

    endpoint: Endpoint
    scope: Scope
    profile: EffectiveProfile
    owner: int | None

    @property
    def trusted(self) -> bool:
        """Whether the turn has host tools."""
        return self.profile.trusted


@dataclass(frozen=True, slots=True)
class Settling:
    """What a turn may be settled on. `unproven`: it ran restricted because its message could not be proven (P7).

    `supplement`: its answer comes after its failure was told, from a review (V5).
    """

    scope: Scope
    unproven: bool
    supplement: bool = False


@dataclass(frozen=True, slots=True)
class Grounds:
    """Keeps nothing itself."""

    endpoints: Endpoints
    stands: Stands
    profiles: Profiles
    proves: Proves
    owns: Owns

    async def of(self, question: Question) -> Ground | TurnFailure:
        """At the start; a failure: the question is owed before any call."""
        stand = await self._stand(question)
        if not isinstance(stand, Scope):
            return failure_of(stand)
        endpoint = self.endpoints.of(question.audience.kind)
        try:
            profile = await self.held(question)
            if profile.runtime_profile is None:
                return TurnFailure(TurnCode.ENDPOINT_UNSUPPORTED)
            owner = await self._owner(question) if profile.trusted else None
        except StoreUnavailableError:
            logger.warning("question %d: profile or owner cannot be read", question.id)
            return TurnFailure(TurnCode.STORE_UNAVAILABLE)
        if profile.trusted and owner is None:
            profile = without_proof(profile)
        return Ground(endpoint, stand, profile, owner)

    async def changed(self, question: Question, ground: Ground) -> TurnFailure | None:
        """While a turn with host tools runs: whether it still may (P9). What cannot be read ends it."""
        try:
            held = await self.held(question)
            record = await self.owns()
        except StoreUnavailableError:
            logger.warning("question %d: profile or owner cannot be read", question.id)
            return TurnFailure(TurnCode.STORE_UNAVAILABLE)
        mine = record is not None and record.id == ground.owner
        if mine and six_fields(held) == six_fields(ground.profile):
            return None
        return TurnFailure(TurnCode.PROFILE_CHANGED)

    async def settling(
        self, question: Question, scope_revision: str, begun: EffectiveProfile
    ) -> Settling | TurnFailure:
        """Before the settle: the audience, its scope and the profile are those that the turn began with (A3, P9).

        Raises StoreUnavailableError: what cannot be compared is not settled.
        """
        stand = await self._stand(question)
        if not isinstance(stand, Scope):
            return failure_of(stand)
        if stand.revision != scope_revision:
            return TurnFailure(TurnCode.AUTHORIZATION_CHANGED)
        held = await self.held(question)
        if six_fields(held) == six_fields(begun):
            return Settling(stand, unproven=False)
        if held.trusted and six_fields(without_proof(held)) == six_fields(begun):
            return Settling(stand, unproven=True)
        return TurnFailure(TurnCode.PROFILE_CHANGED)

    async def _stand(self, question: Question) -> Stand:
        return await self.stands(question.audience, question.asker, question.conversation)

    async def held(self, question: Question) -> EffectiveProfile:
        """What is in force before the question's audience. Raises StoreUnavailableError."""
        kind = question.audience.kind
        return await self.profiles.effective(kind, self.endpoints.of(kind).profiles)

    async def _owner(self, question: Question) -> int | None:
        """The record of the owner who asks, where the platform bears it out (P7)."""
        record = await self.owns()
        if record is None or record.open_id != question.asker:
            return None
        return record.id if await self.proves(question) else None


def proves(directory: Directory) -> Proves:
    """The proof by the platform's own copy, asked for anew each time (P7)."""

    async def proven(question: Question) -> bool:
        return borne_out(question, await directory.message(question.message))

    return proven
