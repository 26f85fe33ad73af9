"""What a command looks up and what it does, as one reply that is ready to be committed. Contracts A3, A4, P3, S4.

Above: commands and command presses, which have asked `policy.permitting` whether it may be used here. Below: the ledger,
the sources, the owner's records. Nothing here writes, and nothing is read of another conversation but before the owner.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

from steward.control.collect import Collector
from steward.control.endpoints import Endpoints
from steward.control.profiles import Profiles
from steward.control.registry import Sources
from steward.errors import ContractError
from steward.model.answer import Outgoing, OutgoingButton
from steward.model.audience import Audience, AudienceKind, Scope
from steward.model.audit import AuditAct, AuditRow
from steward.model.command import Command, CommandName, NewButton, UnknownCommand
from steward.model.effect import Effect, RenewSession, StopQuestions
from steward.model.ids import ConversationId, OpenId
from steward.model.turn import Language
from steward.policy import command_answers as answers
from steward.policy import owner_answers
from steward.policy.clicking import OPERABLE
from steward.policy.command_answers import OwnersView, Reader, SourceState
from steward.policy.offering import BUTTON_LIFE
from steward.policy.owner_answers import owed_in
from steward.policy.permitting import Permission, allowed_here, permitted
from steward.ports.audit import Audit
from steward.ports.chats import Chats
from steward.ports.grants import Grants
from steward.ports.ledger import Ledger
from steward.ports.people import People
from steward.ports.world import Clock, Tokens
from steward.reading.windows import window_start
from steward.texts.commands import COMMANDS

PROBED_WITHIN = timedelta(seconds=5)
"""For all sources of a /status or /sources; a slower one is said to be unread."""

MOST_AUDIT = 20

_OFFERED = (CommandName.STATUS, CommandName.SOURCES, CommandName.OWED)
_OFFERED_IN_PRIVATE = (CommandName.NEW, CommandName.STOP)
_SHOWS_EVIDENCE = frozenset(
    {
        CommandName.STATUS,
        CommandName.SOURCES,
        CommandName.OWED,
        CommandName.CHATS,
        CommandName.AUDIT,
    }
)
"""Held back where the audience or its scope is another one by the time it is sent (A3)."""


@dataclass(frozen=True, slots=True)
class Told:
    """Who told us something, where, before whom. `subject`: the outbox subject of the reply.

    `owns`: it is the owner, also where other people read along: then for operating alone (A5). `ours`: a person of the
    app's tenant.
    """

    conversation: ConversationId
    person: OpenId
    audience: Audience
    scope: Scope
    owns: bool
    ours: bool
    language: Language
    subject: str

    @property
    def in_private(self) -> bool:
        """The owner's private chat: the one place for what is the owner's (A4)."""
        return self.audience.kind is AudienceKind.OWNER_PRIVATE


@dataclass(frozen=True, slots=True)
class Reply:
    """What one commit writes beside its verdict. `guarded`: held back where what may be read changes meanwhile."""

    outgoing: Outgoing
    effect: Effect | None = None
    audit: tuple[AuditRow, ...] = ()
    buttons: tuple[NewButton, ...] = field(default=())
    guarded: bool = False


@dataclass(frozen=True, slots=True)
class Replies:
    """Of one app. Every method raises StoreUnavailableError where the store cannot be read."""

    ledger: Ledger
    sources: Sources
    grants: Grants
    chats: Chats
    people: People
    audit: Audit
    profiles: Profiles
    endpoints: Endpoints
    clock: Clock
    tokens: Tokens
    zone: tzinfo

    async def to(self, told: Told, command: Command | UnknownCommand) -> Reply:
        """The reply to a command that is no approval; whatever is not allowed here is answered as it must be."""
        reader = self._reader(told)
        may = permitted(command, told.audience.kind, granted=not told.scope.empty)
        match may:
            case Permission.ALLOWED if isinstance(command, Command):
                return await self._allowed(told, command.name, reader)
            case Permission.NOT_HERE:
                return Reply(answers.not_here(reader))
            case Permission.UNKNOWN:
                return Reply(answers.unknown(reader))
            case _:
                raise ContractError("whoever may not ask here is declined before any command")

    async def _allowed(self, told: Told, name: CommandName, reader: Reader) -> Reply:
        guarded = name in _SHOWS_EVIDENCE
        match name:
            case CommandName.HELP:
                return self._help(told, reader)
            case CommandName.STATUS:
                return Reply(await self._status(told, reader), guarded=guarded)
            case CommandName.SOURCES:
                states = await self._states(told)
                return Reply(answers.sources(reader, states), guarded=guarded)
            case CommandName.WHOAMI:
                return Reply(await self._whoami(told, reader))
            case CommandName.NEW | CommandName.STOP:
                return await self.urgent(told, name)
            case CommandName.OWED:
                return Reply(await self._owed(told, reader), guarded=guarded)
            case CommandName.CHATS:
                return Reply(await self._chats(told), guarded=guarded)
            case CommandName.AUDIT:
                entries = await self.audit.recent(most=MOST_AUDIT, acts=owner_answers.SHOWN_ACTS)
                return Reply(
                    owner_answers.audit(told.language, self.zone, entries), guarded=guarded
                )
            case _:
                raise ContractError("an approval is asked for elsewhere")

    async def urgent(self, told: Told, name: CommandName) -> Reply:
        """/stop or /new, of whoever has it; it shows nothing."""
        reader = self._reader(told)
        return await self._stop(told, reader) if name is CommandName.STOP else _new(told, reader)

    def _reader(self, told: Told) -> Reader:
        return Reader(told.language, self.clock.now(), self.zone)

    def _help(self, told: Told, reader: Reader) -> Reply:
        kind = told.audience.kind
        allowed = allowed_here(kind, granted=not told.scope.empty)
        offered = _OFFERED if kind is AudienceKind.GROUP else _OFFERED + _OFFERED_IN_PRIVATE
        offers = [name for name in offered if kind in OPERABLE and name in allowed]
        buttons = [self._button(told, name) for name in offers]
        shown = [
            OutgoingButton(COMMANDS[name].shown.of(told.language), button.nonce)
            for name, button in zip(offers, buttons, strict=True)
        ]
        return Reply(answers.help_card(reader, kind, allowed, shown), buttons=tuple(buttons))

    def _button(self, told: Told, name: CommandName) -> NewButton:
        """In private the reader's alone; in a group whoever may ask there may press it."""
        alone = told.audience.kind is not AudienceKind.GROUP
        return NewButton(
            nonce=self.tokens.new(),
            meaning=Command(name),
            subject=told.subject,
            expires_at=self.clock.now() + BUTTON_LIFE,
            operator=told.person if alone else None,
        )

    async def _status(self, told: Told, reader: Reader) -> Outgoing:
        since = window_start(0, reader.now, self.zone)
        here = await self.ledger.counts(
            told.conversation.app_id, conversation=told.conversation, since=since
        )
        owners = await self._owners(told, since) if told.in_private else None
        return answers.status(reader, here, await self._states(told), owners)

    async def _owners(self, told: Told, since: datetime) -> OwnersView:
        kind = told.audience.kind
        endpoint = self.endpoints.of(kind)
        return OwnersView(
            stored=await self.profiles.stored(),
            effective=await self.profiles.effective(kind, endpoint.profiles),
            endpoint=endpoint.name,
            everywhere=await self.ledger.counts(told.conversation.app_id, since=since),
        )

    async def _states(self, told: Told) -> Sequence[SourceState]:
        """The sources of the scope, each asked now whether it can be read."""
        entries = [self.sources.of(source) for source in told.scope.sources]
        seen = dict(self.sources.last_good.seen)
        deadline = self.clock.now() + PROBED_WITHIN
        found = await Collector(self.clock, deadline, self.sources.last_good).probe(entries)
        return [
            SourceState(entry.title, one, seen.get(entry.id))
            for entry, one in zip(entries, found, strict=True)
        ]

    async def _whoami(self, told: Told, reader: Reader) -> Outgoing:
        names = await self.people.names(told.conversation.app_id, told.person)
        return answers.whoami(reader, told.person, told.audience.kind, names, ours=told.ours)

    async def _stop(self, told: Told, reader: Reader) -> Reply:
        """One's own questions here; the owner's word counts for everybody's (A5)."""
        asker = None if told.owns else told.person
        here = await self.ledger.counts(
            told.conversation.app_id,
            conversation=told.conversation,
            asker=asker,
            since=reader.now,
        )
        return Reply(
            answers.stopped(reader, here.running + here.queued),
            StopQuestions(told.conversation, asker),
            (_row(AuditAct.STOPPED, told),),
        )

    async def _owed(self, told: Told, reader: Reader) -> Outgoing:
        """One's own, here; before the owner in private everybody's, everywhere."""
        app = told.conversation.app_id
        conversation = None if told.in_private else told.conversation
        asker = None if told.in_private else told.person
        questions = await self.ledger.owed(
            app, conversation=conversation, asker=asker, most=answers.MOST_OWED
        )
        totals = await self.ledger.counts(
            app, conversation=conversation, asker=asker, since=reader.now
        )
        if not told.in_private:
            return answers.owed(reader, questions, totals.owed, [None] * len(questions))
        known = {one.chat_id: one for one in await self.chats.known(app)}
        names = [owed_in(one, known.get(one.conversation.chat_id)) for one in questions]
        return answers.owed(reader, questions, totals.owed, names)

    async def _chats(self, told: Told) -> Outgoing:
        known = await self.chats.known(told.conversation.app_id)
        return owner_answers.chats(
            told.language, known, await self.grants.all(), self.sources.titles
        )


def _row(act: AuditAct, told: Told) -> AuditRow:
    return AuditRow(act, told.person, told.audience.grant_key, told.conversation.chat_id)


def _new(told: Told, reader: Reader) -> Reply:
    return Reply(
        answers.renewed(reader),
        RenewSession(told.conversation),
        (_row(AuditAct.SESSION_RENEWED, told),),
    )
