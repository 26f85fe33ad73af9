"""Requests that end in the owner's approval: grants, the runtime profile, names; and the presses that give it. Contracts A5, P7, P8.

Above: commands, and presses. A request changes nothing by itself: it sends the owner a card, in private, and only after
the platform's own copy bore out that the owner asked. What a press does is `approved`'s.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from steward.control.authorities import Authorities
from steward.control.granting import Asked, Granting
from steward.control.parts import Subject, answering, parts_of
from steward.control.profiles import Profiles
from steward.control.to_owner import private_place
from steward.model.answer import Outgoing
from steward.model.approval import ApprovalRefusal, Carrier
from steward.model.audience import Audience, AudienceKind, DirectoryFailure, Grant
from steward.model.audit import UNKNOWN, AuditAct, AuditRow
from steward.model.command import (
    ApplyGrants,
    ApplyProfile,
    ApproveNames,
    Command,
    CommandName,
    NewButton,
    RevokeGrants,
)
from steward.model.delivery import Guard, NewPart, Place
from steward.model.effect import ByMessage, ClaimNames, Effect
from steward.model.events import ChatType, Message, Taken
from steward.model.ids import AppId, ChatId, OpenId
from steward.model.owner import Authority, OwnerRecord
from steward.model.profile import HostFacts, RuntimeProfile
from steward.model.turn import Language
from steward.policy import approval_cards, profile_card, requesting
from steward.policy.approving import Card, Maker
from steward.policy.proof import Proof, proof_of
from steward.policy.requesting import Refusal
from steward.ports.audit import Audit
from steward.ports.conversations import Wake
from steward.ports.directory import Directory
from steward.ports.effects import Effects
from steward.ports.people import People
from steward.ports.sender import Sender
from steward.ports.world import Clock, Tokens
from steward.texts import approvals as texts

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Approvals:
    """Of one app; keeps nothing itself. Methods raise StoreUnavailableError where nothing was recorded."""

    authorities: Authorities
    directory: Directory
    granting: Granting
    profiles: Profiles
    host: HostFacts
    people: People
    audit: Audit
    effects: Effects
    sender: Sender
    deliveries: Wake
    clock: Clock
    tokens: Tokens

    async def asked(
        self,
        item: Taken,
        message: Message,
        command: Command,
        authority: Authority,
        language: Language,
    ) -> None:
        """Carry out /grant, /revoke, /profile or /iam: answered, and its row judged, in one commit (D2)."""
        request = _Request(item, message, command, language)
        owner = await self.authorities.owner()
        if command.name is CommandName.IAM:
            await self._claim(request, authority, owner)
            return
        if owner is None or not _is_owners(message, owner):
            await self._refuse(request, Refusal(ApprovalRefusal.NOT_PERMITTED))
            return
        if command.name is CommandName.PROFILE and not command.arguments:
            await self._answer(request, Card(await self._profile_shown(language)), owner)
            return
        unproven = await self._unproven(message)
        if unproven is not None:
            await self._refuse(request, Refusal(unproven))
        elif command.name is CommandName.PROFILE:
            await self._profile(request, owner)
        else:
            await self._grants(request, authority, owner)

    async def _unproven(self, message: Message) -> ApprovalRefusal | None:
        """P7: the platform's own copy of this very message, asked for anew."""
        copy = await self.directory.message(message.ref)
        if isinstance(copy, DirectoryFailure):
            return ApprovalRefusal.NOT_VERIFIED
        proven = proof_of(message, copy) is Proof.PROVEN
        return None if proven else ApprovalRefusal.NOT_PROVEN

    async def _grants(self, request: "_Request", authority: Authority, owner: OwnerRecord) -> None:
        asked = await self.granting.asked(request.command, authority.tenant)
        if isinstance(asked, Refusal):
            await self._refuse(request, asked, await self.guard(owner))
            return
        card = await self.grant_card(asked, authority, owner, request.carrier)
        await self._answer(request, card, owner, about=asked.whom.key)

    async def grant_card(
        self,
        asked: Asked,
        authority: Authority,
        owner: OwnerRecord,
        carrier: Carrier,
        *,
        again: bool = False,
    ) -> Card:
        """The preview of a change of grants, with its button where it changes anything."""
        plan, shown = await self.granting.previewed(asked, again=again)
        outgoing = approval_cards.preview(shown, carrier.language, authority.tenant)
        revoking = isinstance(asked.change, RevokeGrants)
        label = (texts.APPLY_REVOKE if revoking else texts.APPLY).of(carrier.language)
        offered = (label, ApplyGrants(asked.change, plan.plan_revision))
        return self.maker(owner, carrier).card(outgoing, [offered] if shown.needed else [])

    async def _profile_shown(self, language: Language) -> Outgoing:
        """What is stored, and what holds of it before the owner."""
        held = await self.profiles.effective(
            AudienceKind.OWNER_PRIVATE, self.host.endpoint_profiles
        )
        return profile_card.state(await self.profiles.stored(), held, language)

    async def _profile(self, request: "_Request", owner: OwnerRecord) -> None:
        word = request.command.arguments[0]
        desired = next((one for one in RuntimeProfile if one.value == word), None)
        if desired is None:
            await self._refuse(request, Refusal(ApprovalRefusal.PROFILE_UNKNOWN, word))
            return
        card = await self.profile_card(desired, owner, request.carrier)
        await self._answer(request, card, owner, about=desired.value)

    async def profile_card(
        self,
        desired: RuntimeProfile,
        owner: OwnerRecord,
        carrier: Carrier,
        *,
        again: bool = False,
    ) -> Card:
        """The preview of a profile, with its button where it changes anything."""
        plan = await self.profiles.preview(desired)
        worded = profile_card.stale if again else profile_card.previewed
        outgoing = worded(plan, self.host, carrier.language)
        offered = (texts.APPLY.of(carrier.language), ApplyProfile(desired, plan.plan_revision))
        return self.maker(owner, carrier).card(outgoing, [offered] if plan.writes_required else [])

    async def _claim(
        self, request: "_Request", authority: Authority, owner: OwnerRecord | None
    ) -> None:
        """Anybody of the tenant may claim names; the owner decides, and until then nothing is called by them."""
        sender = request.message.sender
        names = requesting.claimed_names(request.command.arguments)
        if sender.open_id is None or sender.tenant_key != authority.tenant:
            await self._refuse(request, Refusal(ApprovalRefusal.NOT_PERMITTED))
        elif isinstance(names, Refusal):
            await self._refuse(request, names)
        elif owner is None:
            await self._refuse(request, Refusal(ApprovalRefusal.NO_OWNER))
        elif (often := await self._often(sender.open_id)) is not None:
            await self._refuse(request, often)
        else:
            await self._put_to_owner(request, sender.open_id, names, owner)

    async def _often(self, person: OpenId) -> Refusal | None:
        """Whether the owner has enough to decide on for now (A6's kind of limit)."""
        most = requesting.MOST_CLAIMS
        claims = await self.audit.recent(most=most, acts=(AuditAct.NAMES_CLAIMED,))
        return requesting.claimed_often(claims, person, self.clock.now())

    async def _put_to_owner(
        self, request: "_Request", person: OpenId, names: tuple[str, ...], owner: OwnerRecord
    ) -> None:
        language = request.language
        offered = (texts.APPROVE_NAMES.of(language), ApproveNames(person, names))
        claim = await self._names_claim(owner.app_id, person, names, language)
        card = self.maker(owner, request.carrier).card(claim, [offered])
        to_owner = private_place(owner)
        subject = Subject(str(request.carrier), 1, to_owner)
        sent = parts_of(self.sender, card.outgoing, subject, await self.guard(owner))
        await self._commit(
            request,
            ClaimNames(person, names),
            [_audit(request, AuditAct.NAMES_CLAIMED)],
            [*self._said(request, approval_cards.names_asked(names, language)), *sent],
            card.buttons,
        )
        self.deliveries.wake(to_owner.conversation)

    async def _names_claim(
        self, app: AppId, person: OpenId, names: tuple[str, ...], language: Language
    ) -> Outgoing:
        held = await self.people.names(app, person)
        called = await self.people.called(app, names)
        others = [one for one in called if one != person]
        return approval_cards.names_claim(person, names, language, held=held, others=others)

    async def guard(self, owner: OwnerRecord, grants: Sequence[Grant] | None = None) -> Guard:
        """What is the owner's is shown to nobody who is not the owner any more: compared before it is sent (A3, A4).

        `grants`: those of the owner's private chat, where the same commit changes them.
        """
        chat = owner.private_chat or ChatId(owner.open_id)
        audience = Audience(AudienceKind.OWNER_PRIVATE, chat)
        held = await self.granting.grants.of(audience.grant_key) if grants is None else grants
        return Guard(audience, owner.open_id, self.granting.scopes.under(audience, held).revision)

    def maker(self, owner: OwnerRecord, carrier: Carrier) -> Maker:
        """What binds buttons to this owner and to the card of this subject."""
        return Maker(owner, str(carrier), self.clock.now(), self.tokens.new)

    async def _answer(
        self, request: "_Request", card: Card, owner: OwnerRecord, *, about: str | None = None
    ) -> None:
        """A card in reply to the command; a card with buttons goes under the subject that its buttons are bound to."""
        subject = str(request.carrier) if card.buttons else request.key
        guard = await self.guard(owner)
        reply = parts_of(self.sender, card.outgoing, Subject(subject, 1, request.place), guard)
        audit = replace(_audit(request, AuditAct.COMMAND), subject=request.about(about))
        await self._commit(request, None, [audit], reply, card.buttons)

    async def _refuse(self, request: "_Request", no: Refusal, guard: Guard | None = None) -> None:
        logger.info("a request for an approval leads to none: %s", no.why)
        audit = replace(_audit(request, AuditAct.REFUSED), reason=no.why.value)
        said = self._said(request, approval_cards.refusal(no, request.language), guard)
        await self._commit(request, None, [audit], said)

    def _said(
        self, request: "_Request", outgoing: Outgoing, guard: Guard | None = None
    ) -> list[NewPart]:
        return parts_of(self.sender, outgoing, Subject(request.key, 1, request.place), guard)

    async def _commit(
        self,
        request: "_Request",
        effect: Effect | None,
        audit: Sequence[AuditRow],
        reply: Sequence[NewPart],
        buttons: Sequence[NewButton] = (),
    ) -> None:
        """Changed or Repeated: the row has its verdict already, and its reply with it."""
        cause = ByMessage(request.item.id)
        await self.effects.commit(cause, effect, audit=audit, reply=reply, buttons=buttons)
        self.deliveries.wake(request.message.conversation)


@dataclass(frozen=True, slots=True)
class _Request:
    """A command in words, and how its sender reads."""

    item: Taken
    message: Message
    command: Command
    language: Language

    @property
    def key(self) -> str:
        """The outbox subject of a plain reply."""
        return f"command:{self.message.ref.message_id}"

    @property
    def carrier(self) -> Carrier:
        """The outbox subject of a card with buttons."""
        return Carrier(self.language, self.message.conversation, self.message.ref.message_id)

    @property
    def place(self) -> Place:
        return answering(self.message.conversation, self.message.ref)

    def about(self, what: str | None) -> str:
        """The command and what it was about, as the audit names it."""
        return self.command.name.value if what is None else f"{self.command.name.value} {what}"


def _is_owners(message: Message, owner: OwnerRecord) -> bool:
    return message.chat_type is ChatType.P2P and message.sender.open_id == owner.open_id


def _audit(request: _Request, act: AuditAct) -> AuditRow:
    return AuditRow(
        act,
        request.message.sender.open_id or UNKNOWN,
        chat=request.message.conversation.chat_id,
        subject=request.command.name.value,
    )
