"""What an audience may read now: stored grants joined with the configured sources. Contracts A2, R12."""

import logging
from collections.abc import Sequence

from steward.errors import StoreUnavailableError
from steward.model.audience import Audience, AudienceKind, Grant, Scope
from steward.model.ids import SourceId
from steward.model.reading import ContextCode, ReadFailure
from steward.policy.scope import Access, scope_of
from steward.ports.grants import Grants

logger = logging.getLogger(__name__)


class Scopes:
    """Reads grants afresh at every call: a revocation counts from its commit on."""

    def __init__(self, grants: Grants, sources: tuple[SourceId, ...], access: Access) -> None:
        self._grants = grants
        self._sources = sources
        self._access = access

    async def of(self, audience: Audience) -> Scope | ReadFailure:
        """The scope, or why it cannot be known: then no endpoint is called (R12)."""
        try:
            grants = await self._grants.of(audience.grant_key)
        except StoreUnavailableError:
            logger.warning("grants could not be read")
            return unreadable(audience)
        return self.under(audience, grants)

    def under(self, audience: Audience, grants: Sequence[Grant]) -> Scope:
        """The scope that these grants give, for a caller who read them in a transaction of its own."""
        return scope_of(audience, grants, self._sources, self._access)


def unreadable(audience: Audience) -> ReadFailure:
    """The records that say what this audience may read cannot be read (R12)."""
    if audience.kind in {AudienceKind.OWNER_PRIVATE, AudienceKind.MEMBER_PRIVATE}:
        return ReadFailure(ContextCode.REGISTRY_UNAVAILABLE)
    return ReadFailure(ContextCode.EXTERNAL_AUTHORIZATION_UNAVAILABLE)
