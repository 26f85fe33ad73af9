"""Presses on our buttons, from the event to what the presser is told. Contracts A3, A5.

Above: inbound, on the path that answers within seconds. Below: the clicks, and the policy that judges them. What was
looked at is what is committed: where anything of it changed meanwhile, the press is decided anew.
"""

import logging
from dataclasses import dataclass, replace
from datetime import tzinfo

from steward.control.authorities import Authorities
from steward.control.command_presses import CommandPresses
from steward.control.endpoints import Endpoints
from steward.control.parts import Subject, guarding, parts_of
from steward.control.scopes import Scopes
from steward.control.standing import Standing
from steward.model.action import (
    ASKING_AGAIN,
    ActionKind,
    AskedAgain,
    ClickRefusal,
    Offer,
    PressEffect,
    Requeued,
    Shown,
    Warned,
)
from steward.model.audience import DirectoryFailure, Limits, Scope
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.events import Click, Envelope
from steward.model.ids import OpenId
from steward.model.owner import Authority
from steward.model.turn import Language, Written
from steward.policy.clicking import (
    LOOK_AGAIN_SECONDS,
    LOOKS,
    asked_again,
    choosable,
    readable,
    refused,
)
from steward.policy.offering import offered_anyway
from steward.policy.presentation import repeats
from steward.policy.showing import in_full
from steward.policy.toasting import toast
from steward.ports.clicks import Clicks
from steward.ports.conversations import Wake
from steward.ports.ledger import Ledger
from steward.ports.sender import Sender
from steward.ports.world import Clock, Tokens
from steward.texts.toasts import DONE, REFUSED

logger = logging.getLogger(__name__)

_MILD = frozenset({ClickRefusal.USED, ClickRefusal.NOT_NOW})


@dataclass(frozen=True, slots=True)
class Presses:
    """Carries out presses. Stateless; `press` may run many times at once."""

    clicks: Clicks
    ledger: Ledger
    scopes: Scopes
    standing: Standing
    sender: Sender
    turns: Wake
    deliveries: Wake
    authorities: Authorities
    commands: CommandPresses
    endpoints: Endpoints
    clock: Clock
    tokens: Tokens
    zone: tzinfo
    limits: Limits | None = None

    async def press(self, envelope: Envelope, click: Click) -> ClickReply:
        """What the presser is told; when it returns, the press and its effect are on disk.

        Raises StoreUnavailableError where nothing was recorded.
        """
        language: Language | None = None
        for _ in range(LOOKS):
            offer = await self.clicks.find(click)
            if offer is None:
                told = await self.commands.press(envelope, click)
                return told or await self._refuse(envelope, click, language, ClickRefusal.UNKNOWN)
            language = offer.question.language
            decided = await self._decided(offer, click)
            if decided is ClickRefusal.NOT_NOW and offer.sending:
                await self.clock.sleep(LOOK_AGAIN_SECONDS)
                continue
            if isinstance(decided, ClickRefusal):
                return await self._refuse(envelope, click, language, decided)
            written = await self.clicks.press(envelope, click, offer, decided, self.limits)
            if isinstance(written, ClickRefusal):
                return await self._refuse(envelope, click, language, written)
            if written is Written.REPLAY:
                return toast(REFUSED[ClickRefusal.USED], ReplyKind.INFO, language)
            if written is Written.DONE:
                return self._done(offer, decided)
        return await self._refuse(envelope, click, language, ClickRefusal.NOT_NOW)

    async def _decided(self, offer: Offer, click: Click) -> PressEffect | ClickRefusal:
        authority = await self._authority()
        operator = click.operator.open_id
        if authority is None or operator is None:
            return ClickRefusal.NOT_NOW if operator else ClickRefusal.NOT_PERMITTED
        why = refused(offer, click, authority, self.clock.now())
        forgotten = why is ClickRefusal.EXPIRED and offer.forgotten
        if why is not None and not forgotten:
            return why
        allowed = await self._allowed(offer, operator)
        # Where less may be read since, that is what hid the past: the presser is told so.
        return why if why is not None and not isinstance(allowed, ClickRefusal) else allowed

    async def _authority(self) -> Authority | None:
        """Who is who; None while the platform does not say which tenant is ours."""
        authority = await self.authorities.now()
        return None if isinstance(authority, DirectoryFailure) else authority

    async def _allowed(self, offer: Offer, operator: OpenId) -> PressEffect | ClickRefusal:
        """A3: the chat and the scope as they are now."""
        audience = offer.question.audience
        gone = await self.standing.gone(audience, operator, offer.question.conversation)
        if isinstance(gone, DirectoryFailure):
            return ClickRefusal.NOT_NOW
        if gone is not None:
            return ClickRefusal.AUTHORIZATION_CHANGED
        scope = self.scopes.under(audience, offer.grants)
        if offer.action.kind is ActionKind.EVIDENCE:
            return await self._evidence(offer, operator, scope)
        if offer.action.kind in ASKING_AGAIN:
            return ClickRefusal.AUTHORIZATION_CHANGED if scope.empty else self._again(offer)
        if not choosable(offer.action, scope):
            return ClickRefusal.AUTHORIZATION_CHANGED
        return AskedAgain(asked_again(offer, self.clock.now()))

    def _again(self, offer: Offer) -> Requeued | Warned:
        """T4: where the host may have acted, the first press is told so, and only the second one asks again."""
        harmless = all(map(self.endpoints.harmless, offer.called))
        if harmless or offer.action.kind is ActionKind.ASK_AGAIN_ANYWAY:
            return Requeued()
        language = offer.question.language
        anyway = offered_anyway(language, self.clock.now(), self.tokens.new)
        subject = Subject.of(offer.question)
        warning = replace(subject, key=f"{subject.key}:again:{offer.action.nonce}")
        outgoing = repeats(language, anyway.button)
        return Warned(parts_of(self.sender, outgoing, warning), anyway.action)

    async def _evidence(self, offer: Offer, operator: OpenId, scope: Scope) -> Shown | ClickRefusal:
        answer = await self.ledger.answer(offer.question.id)
        if answer is None:
            return ClickRefusal.EXPIRED  # it was forgotten (D6)
        shown = readable(answer, scope)
        if shown is None:
            return ClickRefusal.AUTHORIZATION_CHANGED
        withheld = len(answer.citations) - len(shown.citations)
        outgoing = in_full(shown, withheld=withheld, zone=self.zone)
        subject = Subject.of(offer.question)
        key = f"{subject.key}:evidence:{offer.action.nonce}:{operator}"
        guard = guarding(offer.question, scope.revision)
        return Shown(parts_of(self.sender, outgoing, replace(subject, key=key), guard))

    async def _refuse(
        self, envelope: Envelope, click: Click, language: Language | None, why: ClickRefusal
    ) -> ClickReply:
        logger.info("a click does nothing: %s", why)
        await self.clicks.refuse(envelope, why, click)
        return toast(REFUSED[why], _tone(why), language)

    def _done(self, offer: Offer, effect: PressEffect) -> ClickReply:
        asks = isinstance(effect, AskedAgain | Requeued)
        (self.turns if asks else self.deliveries).wake(offer.question.conversation)
        return toast(DONE[offer.action.kind], ReplyKind.SUCCESS, offer.question.language)


def _tone(why: ClickRefusal) -> ReplyKind:
    return ReplyKind.INFO if why in _MILD else ReplyKind.WARNING
