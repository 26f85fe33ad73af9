"""Commands in words, from the recorded message to their effect. Contracts A4, A5, D2.

Above: intake, once audience and scope are known. Below: the replies, and one commit for effect, audit, reply and verdict: a
message that is judged twice has no second effect. Approvals go their own way.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from steward.control.command_replies import Replies, Reply, Told
from steward.control.parts import Subject, answering, parts_of
from steward.model.audience import Audience, AudienceKind, Scope
from steward.model.audit import AuditAct, AuditRow
from steward.model.command import Command, UnknownCommand
from steward.model.delivery import Guard, NewPart
from steward.model.effect import ByMessage, Done
from steward.model.events import Message, Taken, TextContent
from steward.model.ids import OpenId, QuestionId
from steward.model.owner import Authority
from steward.model.spoken import CommandSubject
from steward.model.turn import Language
from steward.policy.command_answers import not_done
from steward.policy.commands import spoken
from steward.policy.permitting import Permission, leads_to_approval, permitted
from steward.ports.conversations import Wake
from steward.ports.effects import Effects
from steward.ports.ledger import Ledger
from steward.ports.sender import Sender

Stops: TypeAlias = Callable[[Sequence[QuestionId]], None]
"""`Turns.stop`: these questions are answered no more; what runs for one ends."""

Asks: TypeAlias = Callable[[Taken, Message, Command, Authority, Language], Awaitable[None]]
"""`Approvals.asked`: a command that leads to an approval, from its message to the preview."""

_NO_SCOPE = Scope((), (), "")


@dataclass(frozen=True, slots=True)
class Commands:
    """Carries out commands. Stateless. Every method raises StoreUnavailableError where nothing was recorded."""

    replies: Replies
    effects: Effects
    ledger: Ledger
    sender: Sender
    deliveries: Wake
    stops: Stops
    asks: Asks

    async def told(
        self,
        item: Taken,
        message: Message,
        audience: Audience,
        scope: Scope,
        command: Command | UnknownCommand,
        authority: Authority,
    ) -> None:
        """A message that is a command, before an audience that hears of commands at all (`permitting.heard`)."""
        person = message.sender.open_id
        if person is None:
            return
        language = await self.language(message, person)
        may = permitted(command, audience.kind, granted=not scope.empty)
        if leads_to_approval(command) and may is Permission.ALLOWED:
            await self.asks(item, message, command, authority, language)
            return
        told = Told(
            conversation=message.conversation,
            person=person,
            audience=audience,
            scope=scope,
            owns=authority.owner is not None and person == authority.owner,
            ours=message.sender.tenant_key == authority.tenant,
            language=language,
            subject=_subject(message, audience, language),
        )
        await self._commit(item, message, told, command, await self.replies.to(told, command))

    async def at_once(self, item: Taken, message: Message, command: Command) -> None:
        """/stop or /new in private while nobody can say who sees the chat: one's own questions, without a proof (P7)."""
        person = message.sender.open_id
        if person is None:
            return
        language = await self.language(message, person)
        told = _by_a_stranger(message, person, AudienceKind.MEMBER_PRIVATE, language)
        reply = await self.replies.urgent(told, command.name)
        await self._commit(item, message, told, command, reply)

    async def undone(
        self, item: Taken, message: Message, command: Command | UnknownCommand
    ) -> None:
        """A command that waited for a look-up in vain: nothing was done, and its sender is told so (A1)."""
        person = message.sender.open_id
        if person is None:
            return
        language = await self.language(message, person)
        told = _by_a_stranger(message, person, AudienceKind.UNKNOWN, language)
        await self._commit(item, message, told, command, Reply(not_done(language)))

    async def language(self, message: Message, person: OpenId) -> Language:
        """W5: Chinese words are answered in Chinese; an English name in the language that its sender last asked in."""
        text = message.content.text if isinstance(message.content, TextContent) else ""
        return (
            spoken(text)
            or await self.ledger.last_language(message.conversation, person)
            or Language.EN
        )

    async def _commit(
        self,
        item: Taken,
        message: Message,
        told: Told,
        command: Command | UnknownCommand,
        reply: Reply,
    ) -> None:
        place = answering(message.conversation, message.ref)
        done = await self.effects.commit(
            ByMessage(item.id),
            reply.effect,
            audit=[command_row(AuditAct.COMMAND, told, command), *reply.audit],
            reply=written(self.sender, reply, Subject(told.subject, 1, place), told),
            buttons=reply.buttons,
        )
        if isinstance(done, Done):
            if done.stopped is not None:
                self.stops(done.stopped.questions)
            self.deliveries.wake(message.conversation)


def written(sender: Sender, reply: Reply, subject: Subject, told: Told) -> Sequence[NewPart]:
    """The reply as outbox rows; what shows sources or chats is compared again before it is sent (A3)."""
    guard = Guard(told.audience, told.person, told.scope.revision) if reply.guarded else None
    return parts_of(sender, reply.outgoing, subject, guard)


def command_row(act: AuditAct, told: Told, command: Command | UnknownCommand) -> AuditRow:
    """Who told us what; never in words of their own."""
    name = command.name if isinstance(command, Command) else None
    return AuditRow(
        act,
        told.person,
        told.audience.grant_key,
        told.conversation.chat_id,
        reason=Permission.UNKNOWN if name is None else None,
        subject=name,
    )


def _by_a_stranger(
    message: Message, person: OpenId, kind: AudienceKind, language: Language
) -> Told:
    """As one of whom nothing is known may tell it: no scope, not the owner, not known to be of our tenant."""
    audience = Audience(kind, message.conversation.chat_id)
    return Told(
        conversation=message.conversation,
        person=person,
        audience=audience,
        scope=_NO_SCOPE,
        owns=False,
        ours=False,
        language=language,
        subject=_subject(message, audience, language),
    )


def _subject(message: Message, audience: Audience, language: Language) -> str:
    return str(
        CommandSubject(language, audience.kind, message.conversation, message.ref.message_id)
    )
