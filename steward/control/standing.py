"""Whether an audience still is what it was, and what it may read now. Contracts A1, A3.

Above: presses, turns, recovery, the courier. Below: authorities, the directory and the grants, each asked afresh; the
directory keeps a chat's facts for 5 minutes at most. Private chats are looked up in no directory: whose they are
follows from the owner's record.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from steward.control.authorities import Authorities
from steward.control.scopes import Scopes, unreadable
from steward.errors import StoreUnavailableError
from steward.model.audience import Audience, AudienceKind, ChatFacts, DirectoryFailure, Scope
from steward.model.ids import ConversationId, OpenId
from steward.model.reading import ContextCode, ReadFailure
from steward.model.turn import TurnCode, TurnFailure
from steward.policy.boundary import holds
from steward.policy.retry import look_again
from steward.ports.directory import Directory
from steward.ports.world import Clock

LOOKED_UP = frozenset({AudienceKind.GROUP, AudienceKind.EXTERNAL})
"""Audiences that the platform's word on the chat decides."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The audience is not what it was: nothing that was meant for it may be shown (A3)."""


Stand: TypeAlias = Scope | ReadFailure | DirectoryFailure | Lost
"""What an audience may read now, or why nothing: grants or owner unreadable, chat not looked up, another audience."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Of one app. Keeps nothing itself."""

    authorities: Authorities
    directory: Directory
    scopes: Scopes
    clock: Clock

    async def now(self, audience: Audience, asker: OpenId, conversation: ConversationId) -> Stand:
        """The scope of an audience that holds; asked once, without waiting for anything to get better."""
        try:
            gone = await self.gone(audience, asker, conversation)
        except StoreUnavailableError:
            return unreadable(audience)
        return gone or await self.scopes.of(audience)

    async def patiently(
        self, audience: Audience, asker: OpenId, conversation: ConversationId
    ) -> Stand:
        """The same, a look-up that fails being tried again with pauses, for 10 minutes at most (A1)."""
        since = self.clock.now()
        while True:
            stand = await self.now(audience, asker, conversation)
            until = again_at(stand, since, self.clock.now())
            if until is None:
                return stand
            await self.clock.sleep((until - self.clock.now()).total_seconds())

    async def gone(
        self, audience: Audience, asker: OpenId, conversation: ConversationId
    ) -> DirectoryFailure | Lost | None:
        """Why the audience cannot be taken for what it was; None: it holds.

        Raises StoreUnavailableError where the owner's record cannot be read.
        """
        authority = await self.authorities.now()
        if isinstance(authority, DirectoryFailure):
            return authority
        facts: ChatFacts | DirectoryFailure | None = None
        if audience.kind in LOOKED_UP:
            facts = await self.directory.chat(conversation)
        if isinstance(facts, DirectoryFailure):
            return facts
        return None if holds(audience, asker, facts, authority) else Lost()


def again_at(stand: Stand, since: datetime, now: datetime) -> datetime | None:
    """When to look again after a look-up that failed, first at `since`; None: what was found is final (A1)."""
    if not isinstance(stand, DirectoryFailure):
        return None
    return look_again(now, since, retry=stand.retry)


def failure_of(stand: ReadFailure | DirectoryFailure | Lost) -> TurnFailure:
    """Why a question is owed that has no standing."""
    match stand:
        case Lost():
            return TurnFailure(TurnCode.AUTHORIZATION_CHANGED)
        case DirectoryFailure():
            return TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
        case ReadFailure():
            code = stand.code if isinstance(stand.code, ContextCode) else None
            return TurnFailure(TurnCode.CONTEXT_FAILURE, context=code)
