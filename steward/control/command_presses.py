"""Presses on command buttons, from the event to what the presser is told. Contracts A3, A4, A5, D2.

Above: presses, which hand over what is no answer's button. Below: what is stored of the button, who stands where now, and the
replies. A plain command is answered as in words; an approval goes its own way.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from steward.control.command_replies import Replies, Told
from steward.control.commands import Stops, command_row, written
from steward.control.parts import Subject, answering
from steward.control.standing import Lost, Standing
from steward.model.action import ClickRefusal
from steward.model.audience import DirectoryFailure, Scope
from steward.model.audit import UNKNOWN, AuditAct, AuditRow
from steward.model.command import Command, StoredButton
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.effect import ByPress, Changed, Done, Repeated
from steward.model.events import Click, Envelope
from steward.model.ids import OpenId
from steward.model.owner import Authority
from steward.model.spoken import CommandSubject
from steward.model.turn import Language
from steward.policy.clicking import LOOK_AGAIN_SECONDS, LOOKS
from steward.policy.command_pressing import refused
from steward.policy.permitting import APPROVALS, Permission, permitted
from steward.policy.toasting import toast
from steward.ports.conversations import Wake
from steward.ports.effects import Effects
from steward.ports.sender import Sender
from steward.ports.world import Clock
from steward.texts.command_answers import PRESSED, PRESSED_BEFORE
from steward.texts.toasts import REFUSED

logger = logging.getLogger(__name__)

Approves: TypeAlias = Callable[[Envelope, Click, StoredButton], Awaitable[ClickReply]]
"""`Approvals.pressed`: a button that approves something."""


@dataclass(frozen=True, slots=True)
class CommandPresses:
    """Carries out presses on command buttons. Stateless."""

    replies: Replies
    effects: Effects
    standing: Standing
    sender: Sender
    deliveries: Wake
    stops: Stops
    approves: Approves
    clock: Clock

    async def press(self, envelope: Envelope, click: Click) -> ClickReply | None:
        """What the presser is told; None: it is no command button.

        Raises StoreUnavailableError where nothing was recorded.
        """
        language: Language | None = None
        for _ in range(LOOKS):
            stored = await self.effects.find(click)
            if stored is None:
                return None
            command = stored.button.meaning
            if not isinstance(command, Command):
                return await self.approves(envelope, click, stored)
            subject = _parsed(stored)
            if subject is None:
                return None
            language = subject.language
            decided = await self._decided(stored, command, subject, click)
            if decided is ClickRefusal.NOT_NOW and stored.sending:
                await self.clock.sleep(LOOK_AGAIN_SECONDS)
                continue
            if isinstance(decided, ClickRefusal):
                return await self._refuse(envelope, click, language, decided)
            said = await self._commit(envelope, click, stored, command, decided)
            if said is not None:
                return said
        return await self._refuse(envelope, click, language, ClickRefusal.NOT_NOW)

    async def _decided(
        self, stored: StoredButton, command: Command, subject: CommandSubject, click: Click
    ) -> Told | ClickRefusal:
        """Who presses, as one who tells the same in words here and now (A5)."""
        authority = await self.standing.authorities.now()
        operator = click.operator.open_id
        if isinstance(authority, DirectoryFailure) or operator is None:
            return ClickRefusal.NOT_NOW if operator else ClickRefusal.NOT_PERMITTED
        why = refused(stored, subject, click, authority, self.clock.now())
        return why or await self._standing(stored, command, subject, click, operator, authority)

    async def _standing(
        self,
        stored: StoredButton,
        command: Command,
        subject: CommandSubject,
        click: Click,
        operator: OpenId,
        authority: Authority,
    ) -> Told | ClickRefusal:
        audience = subject.audience
        stand = await self.standing.now(audience, operator, subject.conversation)
        if isinstance(stand, Lost):
            return ClickRefusal.AUTHORIZATION_CHANGED
        if not isinstance(stand, Scope) or click.message is None:
            return ClickRefusal.NOT_NOW
        may = permitted(command, audience.kind, granted=not stand.empty)
        if may is not Permission.ALLOWED or command.name in APPROVALS:
            return ClickRefusal.AUTHORIZATION_CHANGED
        key = f"{click.message.message_id}.{stored.button.nonce}.{operator}"
        return Told(
            conversation=subject.conversation,
            person=operator,
            audience=audience,
            scope=stand,
            owns=authority.owner is not None and operator == authority.owner,
            ours=True,
            language=subject.language,
            subject=str(CommandSubject(subject.language, audience.kind, subject.conversation, key)),
        )

    async def _commit(
        self, envelope: Envelope, click: Click, stored: StoredButton, command: Command, told: Told
    ) -> ClickReply | None:
        """None: something changed meanwhile, and the press is decided anew."""
        reply = await self.replies.to(told, command)
        place = answering(told.conversation, click.message)
        done = await self.effects.commit(
            ByPress(envelope, click, stored),
            reply.effect,
            audit=[command_row(AuditAct.PRESSED, told, command), *reply.audit],
            reply=written(self.sender, reply, Subject(told.subject, 1, place), told),
            buttons=reply.buttons,
        )
        match done:
            case Done():
                if done.stopped is not None:
                    self.stops(done.stopped.questions)
                self.deliveries.wake(told.conversation)
                return toast(PRESSED, ReplyKind.SUCCESS, told.language)
            case Repeated():
                return toast(PRESSED_BEFORE, ReplyKind.INFO, told.language)
            case Changed():
                return None

    async def _refuse(
        self, envelope: Envelope, click: Click, language: Language | None, why: ClickRefusal
    ) -> ClickReply:
        logger.info("a click on a command does nothing: %s", why)
        chat = None if click.conversation is None else click.conversation.chat_id
        row = AuditRow(AuditAct.REFUSED, click.operator.open_id or UNKNOWN, chat=chat, reason=why)
        await self.effects.refuse(envelope, why, row)
        if why is ClickRefusal.USED:
            return toast(PRESSED_BEFORE, ReplyKind.INFO, language)
        kind = ReplyKind.INFO if why is ClickRefusal.NOT_NOW else ReplyKind.WARNING
        return toast(REFUSED[why], kind, language)


def _parsed(stored: StoredButton) -> CommandSubject | None:
    """None: a subject of none of our replies, so the button means nothing."""
    try:
        return CommandSubject.parse(stored.button.subject)
    except ValueError:
        return None
