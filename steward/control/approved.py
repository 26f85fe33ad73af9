"""Presses that approve: judged by who pressed where, then the plan against what is stored, in one commit. Contracts A5, P7, P8.

Above: presses, which found the button. Below: the effects. Whatever changed since the preview leads to a new preview and
to nothing else; whoever is not the owner learns of no button.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from steward.control.approvals import Approvals
from steward.control.granting import Asked
from steward.control.parts import Subject, answering, parts_of
from steward.model.action import ClickRefusal
from steward.model.approval import Carrier
from steward.model.audience import DirectoryFailure, Grant
from steward.model.audit import UNKNOWN, AuditAct, AuditRow
from steward.model.command import (
    ApplyGrants,
    ApplyProfile,
    Approval,
    ApproveNames,
    Command,
    RevokeGrants,
    StoredButton,
)
from steward.model.delivery import ClickReply, NewPart, Place, ReplyKind
from steward.model.effect import ByPress, Changed, Done, EffectOutcome, Repeated
from steward.model.events import Click, Envelope
from steward.model.ids import MessageRef
from steward.model.owner import Authority, OwnerRecord
from steward.policy import approval_cards, approving, profile_card, requesting
from steward.policy.approving import Card
from steward.policy.clicking import LOOK_AGAIN_SECONDS, LOOKS
from steward.policy.requesting import Refusal
from steward.policy.toasting import toast
from steward.texts import approvals as texts
from steward.texts.catalogue import Text
from steward.texts.profile import SUPERSEDED
from steward.texts.toasts import REFUSED

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Press:
    """One press by the owner, entitled; `approval` is what the button stands for."""

    envelope: Envelope
    click: Click
    stored: StoredButton
    approval: Approval
    owner: OwnerRecord
    authority: Authority
    carrier: Carrier
    place: Place

    @property
    def cause(self) -> ByPress:
        return ByPress(self.envelope, self.click, self.stored)

    def audit(
        self,
        act: AuditAct,
        *,
        audience: str = requesting.OWNER_KEY,
        reason: str | None = None,
        subject: str | None = None,
    ) -> AuditRow:
        """A row of the owner's, in the chat of the press."""
        chat = self.place.conversation.chat_id
        return AuditRow(act, self.owner.open_id, audience, chat, reason, subject)


@dataclass(frozen=True, slots=True)
class _Ready:
    """What a commit needs: rows for the audit, and parts."""

    audit: Sequence[AuditRow]
    reply: Sequence[NewPart]


@dataclass(frozen=True, slots=True)
class Approved:
    """Carries out presses on approvals. Stateless."""

    approvals: Approvals

    async def pressed(self, envelope: Envelope, click: Click, stored: StoredButton) -> ClickReply:
        """What the presser is told; when it returns, the press and its effect are on disk.

        Raises StoreUnavailableError where nothing was recorded.
        """
        found: StoredButton | None = stored
        for _ in range(LOOKS):
            if found is None or isinstance(found.button.meaning, Command):
                return await self._refuse(envelope, click, ClickRefusal.UNKNOWN)
            press = await self._entitled(envelope, click, found, found.button.meaning)
            if press is ClickRefusal.NOT_NOW and found.sending:
                await self.approvals.clock.sleep(LOOK_AGAIN_SECONDS)
            elif isinstance(press, ClickRefusal):
                return await self._refuse(envelope, click, press)
            else:
                told = await self._carry_out(press)
                if told is not None:
                    return told
            found = await self.approvals.effects.find(click)
        return await self._refuse(envelope, click, ClickRefusal.NOT_NOW)

    async def _entitled(
        self, envelope: Envelope, click: Click, stored: StoredButton, approval: Approval
    ) -> _Press | ClickRefusal:
        authority = await self.approvals.authorities.now()
        if isinstance(authority, DirectoryFailure):
            return ClickRefusal.NOT_NOW
        owner = await self.approvals.authorities.owner()
        owner = await self._in_their_chat(owner, stored, click)
        why = approving.unpressable(stored, click, authority, owner, self.approvals.clock.now())
        if why is not None or owner is None or click.conversation is None:
            return why or ClickRefusal.UNKNOWN
        try:
            carrier = Carrier.parse(stored.button.subject)
        except ValueError:
            return ClickRefusal.UNKNOWN
        place = answering(replace(click.conversation, thread_id=None), click.message)
        return _Press(envelope, click, stored, approval, owner, authority, carrier, place)

    async def _in_their_chat(
        self, owner: OwnerRecord | None, stored: StoredButton, click: Click
    ) -> OwnerRecord | None:
        """A card addressed to the owner in person, whose chat nobody has proven yet, stands in that very chat.

        It is ours and went to the person: where the platform says that it stands is where their private chat is (P7).
        """
        if owner is None or owner.private_chat is not None or not stored.carried:
            return owner
        mine = click.operator.open_id == owner.open_id and str(stored.chat) == owner.open_id
        if not mine or click.message is None:
            return owner
        copy = await self.approvals.directory.message(click.message)
        if copy is None or isinstance(copy, DirectoryFailure):
            return owner
        await self.approvals.authorities.owners.prove_chat(owner, copy.chat_id)
        return replace(owner, private_chat=copy.chat_id)

    async def _carry_out(self, press: _Press) -> ClickReply | None:
        """None: what was looked at has changed, so the press is decided anew."""
        ready = await self._ready(press)
        if isinstance(ready, ClickRefusal):
            return await self._refuse(press.envelope, press.click, ready)
        if ready is None:
            return await self._again(press)
        outcome = await self.approvals.effects.commit(
            press.cause, press.approval, audit=ready.audit, reply=ready.reply
        )
        match outcome:
            case Done():
                self._wake(ready.reply)
                return toast(_done(press.approval), ReplyKind.SUCCESS, press.carrier.language)
            case Repeated(applied):
                text = texts.USED if applied is None else SUPERSEDED
                return toast(text, ReplyKind.INFO, press.carrier.language)
            case Changed():
                now = await self.approvals.effects.find(press.click)
                return await self._again(press) if now == press.stored else None

    async def _ready(self, press: _Press) -> _Ready | ClickRefusal | None:
        """The readback that stands in the commit; None: the plan is of another time."""
        match press.approval:
            case ApplyGrants():
                return await self._grants(press, press.approval)
            case ApplyProfile(desired, plan_revision):
                plan = await self.approvals.profiles.preview(desired)
                told = profile_card.done(plan, self.approvals.host, press.carrier.language)
                reply = await self._reply(press, Card(told))
                audit = press.audit(
                    AuditAct.PROFILE_APPLIED, reason=desired.value, subject=plan_revision
                )
                return _Ready([audit], reply)
            case ApproveNames():
                return await self._names(press, press.approval)

    async def _grants(self, press: _Press, approval: ApplyGrants) -> _Ready | ClickRefusal | None:
        change = approval.change
        asked = await self.approvals.granting.anew(change, press.authority.tenant)
        if isinstance(asked, Refusal):
            return ClickRefusal.NOT_NOW
        plan = await self.approvals.granting.grants.plan(change)
        if asked.change != change or plan.plan_revision != approval.plan_revision:
            return None
        language = press.carrier.language
        card = Card(approval_cards.applied(change, asked.whom, plan.after, language))
        mine = plan.after if change.audience == requesting.OWNER_KEY else None
        reply = await self._reply(press, card, grants=mine)
        act = AuditAct.REVOKED if isinstance(change, RevokeGrants) else AuditAct.GRANTED
        audit = press.audit(act, audience=change.audience, subject=plan.plan_revision)
        return _Ready([audit], reply)

    async def _names(self, press: _Press, approval: ApproveNames) -> _Ready:
        """The owner's receipt, and word for the claimer where they asked."""
        language, carrier = press.carrier.language, press.carrier
        receipt = approval_cards.names_approved(approval.person, approval.names, language)
        asked = MessageRef(carrier.asked_in.app_id, carrier.key)
        told = parts_of(
            self.approvals.sender,
            approval_cards.names_yours(approval.names, language),
            Subject(f"names:{press.stored.button.nonce}", 1, answering(carrier.asked_in, asked)),
        )
        audit = press.audit(AuditAct.NAMES_APPROVED, subject=approval.person)
        return _Ready([audit], [*await self._reply(press, Card(receipt)), *told])

    async def _again(self, press: _Press) -> ClickReply:
        """The stale plan does nothing; a new preview follows (P8)."""
        card = await self._fresh(press)
        if card is None:
            return await self._refuse(press.envelope, press.click, ClickRefusal.NOT_NOW)
        audit = press.audit(AuditAct.REFUSED, reason="plan_changed")
        reply = await self._reply(press, card, str(self._next(press)))
        outcome: EffectOutcome = await self.approvals.effects.commit(
            press.cause, None, audit=[audit], reply=reply, buttons=card.buttons
        )
        language = press.carrier.language
        if not isinstance(outcome, Done):
            return toast(texts.USED, ReplyKind.INFO, language)
        self._wake(reply)
        return toast(texts.CHANGED, ReplyKind.WARNING, language)

    async def _fresh(self, press: _Press) -> Card | None:
        carrier = self._next(press)
        match press.approval:
            case ApplyGrants(change):
                asked = await self.approvals.granting.anew(change, press.authority.tenant)
                if not isinstance(asked, Asked):
                    return None
                return await self.approvals.grant_card(
                    asked, press.authority, press.owner, carrier, again=True
                )
            case ApplyProfile(desired):
                return await self.approvals.profile_card(desired, press.owner, carrier, again=True)
            case ApproveNames():
                return None

    def _next(self, press: _Press) -> Carrier:
        """The subject of a preview that follows this one: another for each, and the same for the same press."""
        return replace(press.carrier, key=f"after:{press.stored.button.nonce}")

    async def _reply(
        self,
        press: _Press,
        card: Card,
        key: str | None = None,
        grants: Sequence[Grant] | None = None,
    ) -> list[NewPart]:
        subject = Subject(key or f"approved:{press.stored.button.nonce}", 1, press.place)
        guard = await self.approvals.guard(press.owner, grants)
        return parts_of(self.approvals.sender, card.outgoing, subject, guard)

    def _wake(self, parts: Sequence[NewPart]) -> None:
        for conversation in {part.place.conversation for part in parts}:
            self.approvals.deliveries.wake(conversation)

    async def _refuse(self, envelope: Envelope, click: Click, why: ClickRefusal) -> ClickReply:
        logger.info("a press approves nothing: %s", why)
        where = click.conversation
        audit = AuditRow(
            AuditAct.REFUSED,
            click.operator.open_id or UNKNOWN,
            chat=None if where is None else where.chat_id,
            reason=why.value,
        )
        await self.approvals.effects.refuse(envelope, why, audit)
        if why is ClickRefusal.EXPIRED:
            return toast(texts.EXPIRED, ReplyKind.WARNING)
        mild = why in {ClickRefusal.USED, ClickRefusal.NOT_NOW}
        text = texts.USED if why is ClickRefusal.USED else REFUSED[why]
        return toast(text, ReplyKind.INFO if mild else ReplyKind.WARNING)


def _done(approval: Approval) -> Text:
    """A grant is in force at once; a profile where the platform and the endpoint can hold it."""
    return texts.APPLIED if isinstance(approval, ApplyGrants) else texts.APPROVED
