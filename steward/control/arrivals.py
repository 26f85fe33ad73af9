"""The bot was added to a group: the owner hears of it in private, with a button for each grant. Contracts A2, A4.

Above: intake. Below: approvals, whose buttons these are. Which group it is, and whether it is an external one, only the
platform says; an event alone grants nothing and shows nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from steward.control.approvals import Approvals
from steward.control.chatbook import Chatbook
from steward.control.parts import Subject, parts_of
from steward.control.telling import Telling
from steward.control.to_owner import private_place
from steward.model.approval import Carrier
from steward.model.audience import (
    Audience,
    AudienceKind,
    ChatFacts,
    DirectoryFailure,
    Grant,
    Ignored,
    IgnoreReason,
)
from steward.model.command import ApplyGrants, Approval, NewButton, SetGrant
from steward.model.delivery import NewPart
from steward.model.effect import ByMessage
from steward.model.events import Membership, Taken
from steward.model.ids import SourceId
from steward.model.owner import Authority, OwnerRecord
from steward.model.turn import Language
from steward.policy import approval_cards
from steward.policy.approval_cards import Whom
from steward.policy.approving import Card
from steward.policy.boundary import group_kind
from steward.policy.language import language_of
from steward.policy.retry import look_again
from steward.policy.wording import NAME_CHARS
from steward.ports.inbox import Inbox
from steward.reading.text import clean
from steward.texts import approvals as texts

MOST_SOURCES = 6
"""Sources with a button of their own; for others there are words."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Stateless. Every method raises StoreUnavailableError where nothing was recorded."""

    approvals: Approvals
    inbox: Inbox
    chatbook: Chatbook
    telling: Telling

    async def joined(self, item: Taken, event: Membership) -> None:
        """Tell the owner, and the group where it has no grant; all of it in the commit of the event's verdict.

        A look-up that fails is tried again for at most 10 minutes; then the event is only noted.
        """
        authority = await self.approvals.authorities.now()
        if isinstance(authority, DirectoryFailure):
            await self._wait(item, authority)
            return
        facts = await self.approvals.directory.chat(event.conversation)
        if isinstance(facts, DirectoryFailure):
            await self._wait(item, facts)
            return
        await self.chatbook.seen(facts)
        kind = group_kind(facts, authority.tenant, foreign=False)
        if kind is AudienceKind.UNKNOWN:
            await self.inbox.ignore(item.id, Ignored(IgnoreReason.AUDIENCE_UNKNOWN))
            return
        await self._tell(item, event, facts, Audience(kind, facts.chat_id), authority)

    async def _tell(
        self,
        item: Taken,
        event: Membership,
        facts: ChatFacts,
        audience: Audience,
        authority: Authority,
    ) -> None:
        held = await self.approvals.granting.grants.of(audience.grant_key)
        owner = await self.approvals.authorities.owner()
        language = language_of(facts.title)
        said: list[NewPart] = []
        buttons: Sequence[NewButton] = ()
        if owner is not None:
            by_owner = event.operator.open_id == owner.open_id == authority.owner
            whom = Whom(audience.grant_key, facts)
            card = await self._card(item, event, whom, held, owner, language, by_owner=by_owner)
            said = await self._sent(item, event, card, owner, language)
            buttons = card.buttons
        if not held:
            said.extend(self.telling.ungranted(item, event.conversation, audience, language))
        if not said:
            await self.inbox.ignore(item.id, Ignored(IgnoreReason.APPLIED))
            return
        await self.approvals.effects.commit(
            ByMessage(item.id), None, audit=(), reply=said, buttons=buttons
        )
        for conversation in {part.place.conversation for part in said}:
            self.approvals.deliveries.wake(conversation)

    async def _card(
        self,
        item: Taken,
        event: Membership,
        whom: Whom,
        held: Sequence[Grant],
        owner: OwnerRecord,
        language: Language,
        *,
        by_owner: bool,
    ) -> Card:
        sources = self.approvals.granting.sources.ids
        told = approval_cards.arrived(whom, held, language, by_owner=by_owner, sources=sources)
        offers = [] if held else await self._offers(whom.key, sources, language)
        maker = self.approvals.maker(owner, _carrier(item, event, language))
        return maker.card(told, offers)

    async def _offers(
        self, key: str, sources: tuple[SourceId, ...], language: Language
    ) -> list[tuple[str, Approval]]:
        """Every source at once, and each alone; every button has the plan of its own grant."""
        named = self.approvals.granting.sources.titles
        singly = [(one,) for one in sources[:MOST_SOURCES]] if len(sources) > 1 else []
        offers: list[tuple[str, Approval]] = []
        for some in [*([sources] if sources else []), *singly]:
            change = SetGrant(key, some, None)
            plan = await self.approvals.granting.grants.plan(change)
            title = clean(named.get(some[0], some[0]), NAME_CHARS)
            whole = some == sources and len(sources) > 1
            label = (
                texts.ALLOW_ALL.of(language)
                if whole
                else texts.ALLOW_ONE.format(language, source=title)
            )
            offers.append((label, ApplyGrants(change, plan.plan_revision)))
        return offers

    async def _sent(
        self, item: Taken, event: Membership, card: Card, owner: OwnerRecord, language: Language
    ) -> list[NewPart]:
        place = private_place(owner)
        subject = Subject(str(_carrier(item, event, language)), 1, place)
        guard = await self.approvals.guard(owner)
        return parts_of(self.approvals.sender, card.outgoing, subject, guard)

    async def _wait(self, item: Taken, failure: DirectoryFailure) -> None:
        now = self.approvals.clock.now()
        until = look_again(now, item.envelope.received_at, retry=failure.retry)
        if until is None:
            await self.inbox.ignore(item.id, Ignored(IgnoreReason.APPLIED))
        else:
            await self.inbox.defer(item.id, until=until)


def _carrier(item: Taken, event: Membership, language: Language) -> Carrier:
    return Carrier(language, event.conversation, f"arrival:{item.envelope.event_id}")
