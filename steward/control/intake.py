"""Recorded events → verdicts: two lanes, each event judged once. Contracts A1, D2, D3.

Above: `bot.app`, which runs both lanes. Below: the inbox, the directory, and the policies. The now lane holds
what must not wait behind a question; the ordered lane keeps each conversation's order and looks up the chat.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import TypeAlias

from steward.control.audiences import Audiences, Seen
from steward.control.chatbook import Chatbook
from steward.control.commands import Commands
from steward.control.scopes import Scopes
from steward.control.slots import AT_ONCE, keep_working
from steward.control.telling import Telling
from steward.errors import StoreUnavailableError
from steward.model.audience import (
    Audience,
    AudienceKind,
    BotIdentity,
    Declined,
    DirectoryFailure,
    Ignored,
    IgnoreReason,
    Scope,
)
from steward.model.events import (
    ChatChange,
    ChatType,
    Event,
    Lane,
    Membership,
    Message,
    PersonDeleted,
    PrincipalKind,
    Recall,
    Taken,
    TextContent,
    Unparsable,
)
from steward.model.ids import MessageRef, WorkerId
from steward.model.reading import ReadFailure
from steward.model.turn import NewQuestion, TurnCode, TurnEvent, TurnFailure
from steward.policy.addressing import addressed_to, question_text
from steward.policy.admission import admission, question, unwanted
from steward.policy.commands import command_in, command_of, is_urgent
from steward.policy.permitting import heard
from steward.policy.retry import look_again, pause
from steward.ports.conversations import Wake
from steward.ports.directory import Directory
from steward.ports.inbound import Wire
from steward.ports.inbox import Inbox
from steward.ports.outbox import Outbox
from steward.ports.owners import Owners
from steward.ports.watcher import Watcher
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
POLL = timedelta(seconds=1)
MOST_ATTEMPTS = 5
"""A row whose intake fails this often becomes unparsable, and the next one goes on (D3)."""

Arrives: TypeAlias = Callable[[Taken, Membership], Awaitable[None]]
"""`Arrivals.joined`: the bot was added to a group. It writes the verdict."""


class Intake:
    """Judges recorded events. One instance serves both lanes; `run` is called once for each."""

    def __init__(
        self,
        *,
        worker: WorkerId,
        inbox: Inbox,
        outbox: Outbox,
        directory: Directory,
        owners: Owners,
        audiences: Audiences,
        chatbook: Chatbook,
        scopes: Scopes,
        telling: Telling,
        commands: Commands,
        wire: Wire,
        watcher: Watcher,
        turns: Wake,
        recalled: Callable[[MessageRef], None],
        deliveries: Wake,
        clock: Clock,
        arrives: Arrives | None = None,
        lease: timedelta = LEASE,
    ) -> None:
        self._worker = worker
        self._inbox = inbox
        self._outbox = outbox
        self._directory = directory
        self._owners = owners
        self._audiences = audiences
        self._chatbook = chatbook
        self._scopes = scopes
        self._telling = telling
        self._commands = commands
        self._wire = wire
        self._watcher = watcher
        self._turns = turns
        self._recalled = recalled
        self._deliveries = deliveries
        self._clock = clock
        self._arrives = arrives
        self._lease = lease

    async def run(self, lane: Lane, wake: Wake) -> None:
        """Judge what is due, until cancelled; a hint or the poll says when to look."""
        await keep_working(partial(self._take, lane), self._judge, wake, _poll)

    async def round(self, lane: Lane) -> int:
        """Judge what is due now and see it through; how many rows were taken."""
        taken = await self._take(lane, AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for item in taken:
                group.create_task(self._judge(item))
        return len(taken)

    async def _take(self, lane: Lane, limit: int) -> Sequence[Taken]:
        try:
            return await self._inbox.take(self._worker, lane=lane, limit=limit, ttl=self._lease)
        except StoreUnavailableError:
            logger.warning("intake: the store is unavailable")
            return ()

    async def _judge(self, item: Taken) -> None:
        try:
            await self._decide(item)
        except StoreUnavailableError:
            logger.warning("intake: row %d waits for the store", item.id)
        except Exception:  # the loop's edge: one row never stops the others
            logger.exception("intake: row %d failed, attempt %d", item.id, item.attempts)
            await self._failed(item)

    async def _decide(self, item: Taken) -> None:
        event = self._wire.event(item.envelope)
        match event:
            case Message():
                await self._message(item, event)
            case Recall():
                await self._inbox.withdraw(item.id, event.ref)
                self._recalled(event.ref)
            case Membership() | ChatChange():
                await self._chat_changed(item, event)
            case PersonDeleted():
                await self._owners.lose(item.id, item.envelope.app_id, event.person)
            case Unparsable():
                await self._inbox.unparsable(item.id, event.reason, self._telling.unparsable(item))
                self._deliveries.wake(item.envelope.conversation)
            case _:
                await self._inbox.ignore(item.id, Ignored(IgnoreReason.NO_ACTION))

    async def _message(self, item: Taken, message: Message) -> None:
        me = await self._directory.me()
        if isinstance(me, DirectoryFailure):
            await self._wait(item, message, me)
            return
        no = unwanted(message, me) or await self._unaddressed(message, me)
        if no is not None:
            await self._inbox.ignore(item.id, no)
            return
        seen = await self._audiences.of(message)
        match seen:
            case DirectoryFailure():
                await self._wait(item, message, seen)
            case Ignored():
                where = Audience(AudienceKind.UNKNOWN, message.conversation.chat_id)
                await self._inbox.ignore(item.id, seen, audience=where)
            case Seen():
                await self._seen(item, seen, me)

    async def _seen(self, item: Taken, seen: Seen, me: BotIdentity) -> None:
        scope = await self._scopes.of(seen.audience)
        if isinstance(scope, ReadFailure):
            raise StoreUnavailableError("grants could not be read")
        text = question_text(seen.message, me.open_id)
        if await self._commanded(item, seen, text, scope):
            return
        verdict = admission(seen.message, text, seen.audience, scope)
        await self._apply(item, seen.message, seen.audience, verdict)

    async def _commanded(self, item: Taken, seen: Seen, text: str, scope: Scope) -> bool:
        """Whether the message is a command that this audience hears of; it is carried out then, or waits."""
        command = command_of(text)
        granted = not scope.empty
        if command is None or not heard(command, seen.audience.kind, granted=granted):
            return False
        authority = await self._audiences.authorities.now()
        if isinstance(authority, DirectoryFailure):
            await self._wait(item, seen.message, authority)
        else:
            await self._commands.told(item, seen.claimed, seen.audience, scope, command, authority)
        return True

    async def _chat_changed(self, item: Taken, event: Membership | ChatChange) -> None:
        self._directory.forget(event.conversation)
        if isinstance(event, Membership) and event.bot and event.joined and self._arrives:
            await self._arrives(item, event)
            return
        gone = event.disbanded if isinstance(event, ChatChange) else event.bot and not event.joined
        if gone:
            await self._chatbook.left(event.conversation.chat_id)
        await self._inbox.ignore(item.id, Ignored(IgnoreReason.APPLIED))

    async def _unaddressed(self, message: Message, me: BotIdentity) -> Ignored | None:
        if message.chat_type is ChatType.P2P or addressed_to(message, me.open_id):
            return None
        if message.parent is not None and await self._outbox.ours(message.parent):
            return None
        return Ignored(IgnoreReason.NOT_ADDRESSED)

    async def _apply(
        self,
        item: Taken,
        message: Message,
        audience: Audience,
        verdict: NewQuestion | Declined | Ignored,
    ) -> None:
        match verdict:
            case NewQuestion():
                await self._admit(item, message, verdict)
            case Declined():
                await self._decline(item, message, audience, verdict)
            case Ignored():
                asker = message.sender.open_id
                await self._inbox.ignore(item.id, verdict, audience=audience, asker=asker)

    async def _admit(self, item: Taken, message: Message, asked: NewQuestion) -> None:
        """A6: one question too many is refused in sight, by the limit that it meets."""
        admitted = await self._inbox.admit(item.id, asked, self._telling.limits)
        if isinstance(admitted, Declined):
            await self._decline(item, message, asked.audience, admitted)
        elif isinstance(admitted, int):
            self._watcher.saw(admitted, message.ref, TurnEvent.QUEUED)
            self._turns.wake(message.conversation)

    async def _decline(
        self, item: Taken, message: Message, audience: Audience, why: Declined
    ) -> None:
        said = self._telling.declined(item, message, audience, why)
        asker = message.sender.open_id
        await self._inbox.decline(item.id, why, said, audience=audience, asker=asker)
        self._deliveries.wake(message.conversation)

    async def _wait(self, item: Taken, message: Message, failure: DirectoryFailure) -> None:
        """A1: wait for a look-up, at most 10 minutes, then the question is owed. A private /stop waits for none (P7)."""
        text = message.content.text if isinstance(message.content, TextContent) else ""
        command = command_in(text)
        if is_urgent(command) and await self._of_ours_in_private(message):
            await self._commands.at_once(item, message, command)
            return
        now = self._clock.now()
        until = look_again(now, item.envelope.received_at, retry=failure.retry)
        if until is None and self._may_be_for_others(message):
            until = now + pause(10)
        if until is not None:
            await self._inbox.defer(item.id, until=until)
            return
        if command is not None:
            await self._commands.undone(item, message, command)
            return
        asked = question(
            message, text, Audience(AudienceKind.UNKNOWN, message.conversation.chat_id)
        )
        if isinstance(asked, Ignored):
            await self._inbox.ignore(item.id, asked)
            return
        owed = TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
        await self._inbox.owe(item.id, asked, owed, self._telling.owed(asked, owed))
        self._deliveries.wake(message.conversation)

    async def _of_ours_in_private(self, message: Message) -> bool:
        """Whether a person of the tenant says it in private: what the event itself says, and the store."""
        if message.chat_type is not ChatType.P2P or message.sender.kind is not PrincipalKind.PERSON:
            return False
        tenant = await self._owners.tenant(message.ref.app_id)
        return tenant is not None and message.sender.tenant_key == tenant

    def _may_be_for_others(self, message: Message) -> bool:
        """In a group, without our own id, nobody can say whether we were asked: a notice might be noise there."""
        return message.chat_type is not ChatType.P2P and not self._directory.knows_itself

    async def _failed(self, item: Taken) -> None:
        try:
            if item.attempts >= MOST_ATTEMPTS:
                said = self._telling.unparsable(item, self._readable(item))
                await self._inbox.unparsable(item.id, "intake_failed", said)
                self._deliveries.wake(item.envelope.conversation)
            else:
                until = self._clock.now() + pause(item.attempts)
                await self._inbox.release(item.id, until=until)
        except StoreUnavailableError:
            logger.warning("intake: row %d waits for the store", item.id)

    def _readable(self, item: Taken) -> Event | Unparsable | None:
        """What the row says; None: reading it is what fails."""
        try:
            return self._wire.event(item.envelope)
        except Exception:  # the loop's edge: it is told all the same
            logger.exception("intake: row %d cannot be read", item.id)
            return None


async def _poll() -> timedelta:
    return POLL
