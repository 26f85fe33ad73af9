"""Whether a part of the outbox may still be shown, each time before it is sent, and what is said instead. Contract A3.

Above: the courier. Below: standing. A look-up that fails is waited for: how long is kept in this process alone, for
nothing is shown meanwhile, and after a restart the wait may begin anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from steward.control.parts import Subject, parts_of
from steward.control.places import Nowhere, Places
from steward.control.standing import Lost, Standing, failure_of
from steward.model.answer import OutgoingKind
from steward.model.audience import DirectoryFailure, Scope
from steward.model.delivery import Delivery, GivenUp, NewPart, Place, TryAgain
from steward.model.ids import PartId
from steward.model.turn import Language, TurnCode, TurnFailure
from steward.policy.presentation import notice, withheld
from steward.policy.retry import DIRECTORY_PATIENCE, look_again
from steward.ports.ledger import Ledger
from steward.ports.sender import Sender
from steward.ports.world import Clock

CHANGED = TurnFailure(TurnCode.AUTHORIZATION_CHANGED)

MISSING_PATIENCE = timedelta(seconds=10)
"""How long a message that the platform does not show may be too new for it to know."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """The part may be shown now, there."""

    place: Place


@dataclass(frozen=True, slots=True)
class Unsaid:
    """The platform did not say, and may say it later. `otherwise`: what follows where it answers others (A1).

    Where it answers nobody, that is waited for as long as it lasts: no word about it could be sent either.
    """

    failure: DirectoryFailure
    otherwise: TryAgain | TurnFailure


Leave: TypeAlias = Allowed | Unsaid | TryAgain | TurnFailure | GivenUp
"""Shown; nobody can say at the moment; never, and its reader is told; or never, and there is nobody to tell."""


class Guards:
    """Of one courier."""

    def __init__(self, standing: Standing, places: Places, clock: Clock) -> None:
        self._standing = standing
        self._places = places
        self._clock = clock
        self._since: dict[PartId, datetime] = {}

    async def leave(self, delivery: Delivery) -> Leave:
        """Whether a claimed part may be shown. One that shows nothing of any evidence has no guard."""
        guard = delivery.guard
        if guard is None:
            return _unguarded(delivery)
        stand = await self._standing.now(guard.audience, guard.asker, delivery.place.conversation)
        match stand:
            case Scope() if stand.revision == guard.scope_revision:
                return await self._placed(delivery)
            case Scope() | Lost():
                return CHANGED
            case DirectoryFailure():
                return self._unsaid(delivery, stand)
            case _:
                return self._again(delivery) or failure_of(stand)

    async def _placed(self, delivery: Delivery) -> Leave:
        place = await self._places.of(delivery.place)
        match place:
            case Place():
                self._since.pop(delivery.id, None)
                return Allowed(place)
            case DirectoryFailure():
                return self._unsaid(delivery, place)
            case Nowhere.MISSING:
                return self._again(delivery, most=MISSING_PATIENCE) or GivenUp(place.value)
            case Nowhere.ELSEWHERE:
                return GivenUp(place.value)

    def _unsaid(self, delivery: Delivery, failure: DirectoryFailure) -> Leave:
        otherwise = self._again(delivery, retry=failure.retry) or failure_of(failure)
        return Unsaid(failure, otherwise) if failure.retry or failure.whole_app else otherwise

    def _again(
        self, delivery: Delivery, *, retry: bool = True, most: timedelta = DIRECTORY_PATIENCE
    ) -> TryAgain | None:
        """Look once more, as long as one may wait for it."""
        now = self._clock.now()
        since = self._since.get(delivery.id, now)
        until = look_again(now, since, retry=retry and now - since < most)
        if until is None:
            return None
        self._since[delivery.id] = since
        return TryAgain(until, unknown=False, counted=False)

    def forget(self, part: PartId) -> None:
        """The part has its end, or what was waited for was nobody's fault."""
        self._since.pop(part, None)


def _unguarded(delivery: Delivery) -> Leave:
    """An answer, or rows behind one, from before there were guards: what they rest on is not known any more."""
    if delivery.kind is not OutgoingKind.NOTICE and delivery.question is not None:
        return CHANGED
    return Allowed(delivery.place)


async def said_instead(
    ledger: Ledger, sender: Sender, delivery: Delivery, failure: TurnFailure
) -> Sequence[NewPart]:
    """What the reader is told of a message that was withheld: once for each, beside every other notice of the question.

    Raises StoreUnavailableError where nobody can say in which language.
    """
    evidence = delivery.kind is OutgoingKind.EVIDENCE
    language = await language_for(ledger, delivery)
    if delivery.question is None or evidence:
        outgoing = withheld(failure, language=language, evidence=evidence)
    else:
        outgoing = notice(failure, language=language)
    key = f"{delivery.subject}:withheld"
    subject = Subject(key, delivery.attempt, delivery.place, delivery.question)
    return parts_of(sender, outgoing, subject)


async def language_for(ledger: Ledger, delivery: Delivery) -> Language:
    """That of the question; of a command nothing is kept but who sent it."""
    if delivery.question is not None:
        return (await ledger.question(delivery.question)).language
    if delivery.guard is None:
        return Language.EN
    conversation, asker = delivery.place.conversation, delivery.guard.asker
    return await ledger.last_language(conversation, asker) or Language.EN
