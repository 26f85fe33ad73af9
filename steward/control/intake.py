"""Recorded events → verdicts: two lanes, each event judged once. Contracts A1, D2, D3.

Above: `bot.app`, which runs both lanes. Below: the inbox, the directory, and the policies. The now lane holds
what must not wait behind a question; the ordered lane keeps each conversation's order and looks up the chat.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from steward.control.parts import Subject, answering, parts_of, place_of
from steward.control.scopes import Scopes
from steward.control.slots import AT_ONCE, keep_working
from steward.errors import StoreUnavailableError
from steward.model.answer import Outgoing
from steward.model.audience import (
    Audience,
    AudienceKind,
    BotIdentity,
    ChatFacts,
    Declined,
    DeclineReason,
    DirectoryFailure,
    Ignored,
    IgnoreReason,
)
from steward.model.delivery import NewPart
from steward.model.events import (
    ChatChange,
    ChatType,
    EventKind,
    Lane,
    Membership,
    Message,
    Recall,
    Taken,
    TextContent,
    Unparsable,
)
from steward.model.ids import OpenId, TenantKey, WorkerId
from steward.model.reading import ReadFailure
from steward.model.turn import Language, NewQuestion, TurnCode, TurnEvent, TurnFailure
from steward.policy.addressing import addressed_to, question_text
from steward.policy.admission import admission, question, unwanted
from steward.policy.boundary import audience_of
from steward.policy.language import language_of
from steward.policy.presentation import decline, notice, unparsable_line
from steward.policy.retry import look_again, pause
from steward.ports.conversations import Wake
from steward.ports.directory import Directory
from steward.ports.inbound import Wire
from steward.ports.inbox import Inbox
from steward.ports.outbox import Outbox
from steward.ports.sender import Sender
from steward.ports.watcher import Watcher
from steward.ports.world import Clock

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
POLL = timedelta(seconds=1)
MOST_ATTEMPTS = 5
"""A row whose intake fails this often becomes unparsable, and the next one goes on (D3)."""


@dataclass(frozen=True, slots=True)
class Household:
    """Who the owner is and which tenant is ours, as configured; a tenant left open is taken from the platform."""

    owner: OpenId | None
    tenant: TenantKey | None


@dataclass(frozen=True, slots=True)
class _Chat:
    """What had to be looked up before a message could be judged."""

    me: BotIdentity
    tenant: TenantKey
    facts: ChatFacts | None


class Intake:
    """Judges recorded events. One instance serves both lanes; `run` is called once for each."""

    def __init__(
        self,
        *,
        worker: WorkerId,
        inbox: Inbox,
        outbox: Outbox,
        directory: Directory,
        scopes: Scopes,
        wire: Wire,
        sender: Sender,
        watcher: Watcher,
        turns: Wake,
        deliveries: Wake,
        household: Household,
        clock: Clock,
    ) -> None:
        self._worker = worker
        self._inbox = inbox
        self._outbox = outbox
        self._directory = directory
        self._scopes = scopes
        self._wire = wire
        self._sender = sender
        self._watcher = watcher
        self._turns = turns
        self._deliveries = deliveries
        self._household = household
        self._clock = clock

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
            return await self._inbox.take(self._worker, lane=lane, limit=limit, ttl=LEASE)
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
            case Membership() | ChatChange():
                self._directory.forget(event.conversation)
                await self._inbox.ignore(item.id, Ignored(IgnoreReason.APPLIED))
            case Unparsable():
                await self._inbox.unparsable(item.id, event.reason, self._unparsable_notice(item))
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
        chat = await self._look_up(message, me)
        if isinstance(chat, DirectoryFailure):
            await self._wait(item, message, chat)
            return
        audience = audience_of(message, chat.facts, tenant=chat.tenant, owner=self._household.owner)
        scope = await self._scopes.of(audience)
        if isinstance(scope, ReadFailure):
            raise StoreUnavailableError("grants could not be read")
        verdict = admission(message, question_text(message, me.open_id), audience, scope)
        await self._apply(item, message, audience, verdict)

    async def _unaddressed(self, message: Message, me: BotIdentity) -> Ignored | None:
        if message.chat_type is ChatType.P2P or addressed_to(message, me.open_id):
            return None
        if message.parent is not None and await self._outbox.ours(message.parent):
            return None
        return Ignored(IgnoreReason.NOT_ADDRESSED)

    async def _look_up(self, message: Message, me: BotIdentity) -> _Chat | DirectoryFailure:
        tenant = self._household.tenant or me.tenant_key
        if tenant is None:
            return DirectoryFailure(retry=True, reason="tenant_unknown")
        if message.chat_type is not ChatType.GROUP:
            return _Chat(me, tenant, None)
        facts = await self._directory.chat(message.conversation)
        return facts if isinstance(facts, DirectoryFailure) else _Chat(me, tenant, facts)

    async def _apply(
        self,
        item: Taken,
        message: Message,
        audience: Audience,
        verdict: NewQuestion | Declined | Ignored,
    ) -> None:
        match verdict:
            case NewQuestion():
                admitted = await self._inbox.admit(item.id, verdict)
                if isinstance(admitted, int):
                    self._watcher.saw(admitted, message.ref, TurnEvent.QUEUED)
                    self._turns.wake(message.conversation)
            case Declined():
                await self._inbox.decline(
                    item.id, verdict, self._decline_notice(item, message, audience, verdict)
                )
                self._deliveries.wake(message.conversation)
            case Ignored():
                await self._inbox.ignore(item.id, verdict)

    async def _wait(self, item: Taken, message: Message, failure: DirectoryFailure) -> None:
        """A1: wait for a look-up, at most 10 minutes, then the question is owed."""
        now = self._clock.now()
        until = look_again(now, item.envelope.received_at, retry=failure.retry)
        if until is None and self._may_be_for_others(message):
            until = now + pause(10)
        if until is not None:
            await self._inbox.defer(item.id, until=until)
            return
        text = message.content.text if isinstance(message.content, TextContent) else ""
        asked = question(
            message, text, Audience(AudienceKind.UNKNOWN, message.conversation.chat_id)
        )
        if isinstance(asked, Ignored):
            await self._inbox.ignore(item.id, asked)
            return
        owed = TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
        said = self._say(
            notice(owed, language=asked.language),
            Subject(key=f"message:{message.ref.message_id}", attempt=1, place=place_of(asked)),
        )
        await self._inbox.owe(item.id, asked, owed, said)
        self._deliveries.wake(message.conversation)

    def _may_be_for_others(self, message: Message) -> bool:
        """In a group, without our own id, nobody can say whether we were asked: a notice might be noise there."""
        return message.chat_type is not ChatType.P2P and not self._directory.knows_itself

    def _decline_notice(
        self, item: Taken, message: Message, audience: Audience, why: Declined
    ) -> Sequence[NewPart]:
        language = (
            language_of(message.content.text)
            if isinstance(message.content, TextContent)
            else Language.ZH
        )
        key = f"inbox:{item.id}"
        if why.reason is DeclineReason.NOT_GRANTED:
            key = _once(audience, item)
        place = answering(message.conversation, message.ref)
        return self._say(decline(why.reason, language=language), Subject(key, 1, place))

    def _unparsable_notice(self, item: Taken) -> Sequence[NewPart]:
        """D3: one typed line where the chat is known and a message of a person may have been lost."""
        envelope = item.envelope
        if envelope.kind is not EventKind.MESSAGE or envelope.conversation is None:
            return ()
        place = answering(envelope.conversation, envelope.message)
        return self._say(unparsable_line(Language.ZH), Subject(f"inbox:{item.id}", 1, place))

    async def _failed(self, item: Taken) -> None:
        try:
            if item.attempts >= MOST_ATTEMPTS:
                await self._inbox.unparsable(
                    item.id, "intake_failed", self._unparsable_notice(item)
                )
                self._deliveries.wake(item.envelope.conversation)
            else:
                until = self._clock.now() + pause(item.attempts)
                await self._inbox.release(item.id, until=until)
        except StoreUnavailableError:
            logger.warning("intake: row %d waits for the store", item.id)

    def _say(self, outgoing: Outgoing, subject: Subject) -> Sequence[NewPart]:
        return parts_of(self._sender, outgoing, subject)


async def _poll() -> timedelta:
    return POLL


def _once(audience: Audience, item: Taken) -> str:
    """An ungranted group hears of it once a day, a stranger in private once."""
    chat = audience.chat_id
    if audience.kind is AudienceKind.GROUP:
        return f"not_granted:{chat}:{item.envelope.received_at.date().isoformat()}"
    return f"not_granted:{chat}"
