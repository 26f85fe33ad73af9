"""Implements ports.sender.Sender: a planned part becomes one call, and its end a value that the outbox decides on.

Above: control's outbox and marks. Below: client.py, pacing.py; rungs.py plans, readback.py compares. Nothing is
sent twice here but for one case that is certain: a chat that refuses threads gets the same part without one.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from bot.lark.calls import LarkCall, MsgType
from bot.lark.client import LarkClient
from bot.lark.errors import FailureClass, LarkFailure
from bot.lark.pacing import Pacing
from bot.lark.readback import is_part
from bot.lark.repeats import marked
from bot.lark.replies import MessagesReply, Reply, SentReply
from bot.lark.rungs import MSG_TYPES, rungs
from bot.lark.sdk import is_person
from steward.model.answer import Outgoing, OutgoingKind
from steward.model.delivery import (
    Disposition,
    Mark,
    Part,
    Place,
    PlannedPart,
    Refused,
    SendOutcome,
    SentRef,
    Unknown,
)
from steward.model.ids import MessageRef
from steward.model.turn import Language
from steward.ports.world import Clock

EMOJI = {Mark.RECEIVED: "OnIt", Mark.DONE: "DONE", Mark.FAILED: "CrossMark"}
RANKS = {kind: rank for rank, kind in enumerate(OutgoingKind)}
"""Who goes first where the app's budget is short."""
LONGEST_UUID = "x" * 50
"""Stands for the key while a plan is measured."""
PAGES_SEARCHED = 4
CARDS_REMEMBERED = 1024

R = TypeVar("R", bound=Reply)

DISPOSITIONS: Mapping[FailureClass, tuple[Disposition, timedelta | None]] = {
    FailureClass.UNREACHABLE: (Disposition.HOLD, None),
    FailureClass.RATE_LIMITED: (Disposition.RETRY, timedelta(seconds=1)),
    FailureClass.TOKEN: (Disposition.HOLD, timedelta(seconds=10)),
    FailureClass.QUOTA: (Disposition.HOLD, timedelta(minutes=10)),
    FailureClass.APP_REFUSED: (Disposition.HOLD, timedelta(minutes=1)),
    FailureClass.FORM: (Disposition.STEP_DOWN, None),
    FailureClass.TOO_LONG: (Disposition.STEP_DOWN, None),
    FailureClass.BAD_REQUEST: (Disposition.STEP_DOWN, None),
    FailureClass.UNCLASSIFIED: (Disposition.STEP_DOWN, None),
    FailureClass.PERMISSION: (Disposition.GIVE_UP, None),
    FailureClass.TARGET_GONE: (Disposition.GIVE_UP, None),
    FailureClass.CHAT_GONE: (Disposition.GIVE_UP, None),
    FailureClass.CHAT_CLOSED: (Disposition.GIVE_UP, None),
    FailureClass.THREAD_REFUSED: (Disposition.GIVE_UP, None),
    FailureClass.CONTENT_BLOCKED: (Disposition.GIVE_UP, None),
    FailureClass.EXPIRED: (Disposition.GIVE_UP, None),
}
"""What each definite refusal allows, and the least time before the same is tried again."""

PASSING = frozenset(
    {
        FailureClass.AMBIGUOUS,
        FailureClass.UNREACHABLE,
        FailureClass.RATE_LIMITED,
        FailureClass.TOKEN,
        FailureClass.QUOTA,
    }
)
"""After these a look-up may succeed later."""


@dataclass(slots=True)
class _Revisions:
    """Of one card: the newest sequence that was sent, and whose turn it is."""

    newest: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class LarkSender:
    """One app's voice."""

    def __init__(self, client: LarkClient, pacing: Pacing, clock: Clock) -> None:
        self._client = client
        self._pacing = pacing
        self._clock = clock
        self._hushed_until = 0.0
        self._revised: OrderedDict[str, _Revisions] = OrderedDict()

    def plan(self, message: Outgoing, place: Place) -> Sequence[Sequence[PlannedPart]]:
        """Card, post, text, as far as each fits the request that would carry it there."""

        def size(msg_type: MsgType, content: str) -> int:
            call = self._request(place, msg_type, content, LONGEST_UUID, in_thread=place.in_thread)
            return len(call.body or b"")

        return rungs(message, size)

    def repeated(self, part: Part, language: Language) -> PlannedPart:
        """The same with its mark; the platform's limits leave it room."""
        return marked(part, language)

    async def send(
        self, part: Part, place: Place, kind: OutgoingKind = OutgoingKind.ANSWER
    ) -> SendOutcome:
        msg_type = MSG_TYPES.get(part.form)
        if msg_type is None:
            return Refused("unknown_form", Disposition.STEP_DOWN)
        outcome = await self._post(part, place, msg_type, kind, in_thread=place.in_thread)
        refused_thread = (
            isinstance(outcome, LarkFailure) and outcome.kind is FailureClass.THREAD_REFUSED
        )
        if refused_thread and place.in_thread:
            outcome = await self._post(part, place, msg_type, kind, in_thread=False)
        if isinstance(outcome, SentReply):
            return SentRef(MessageRef(place.conversation.app_id, outcome.data.message_id))
        return self._refused(outcome)

    async def revise(self, sent: SentRef, part: Part, *, sequence: int) -> SendOutcome:
        """Replace a card that we sent. A revision that comes after a newer one is refused."""
        if MSG_TYPES.get(part.form) != "interactive":
            return Refused("not_revisable", Disposition.GIVE_UP)
        message_id = sent.message.message_id
        card = self._card(message_id)
        async with card.turn:
            if sequence <= card.newest:
                return Refused("out_of_order", Disposition.GIVE_UP)
            card.newest = sequence
            call = self._client.sdk.patch_message(message_id, part.body.decode())
            outcome = await self._paced(message_id, call, Reply)
        return sent if isinstance(outcome, Reply) else self._refused(outcome)

    async def find(self, part: Part, place: Place, since: datetime) -> SentRef | Unknown | None:
        """Search the newest messages of the chat, or of the thread, for this part.

        Which chat is a person's private one the platform does not say: there nothing can be looked for.
        """
        if is_person(place.conversation.chat_id):
            return Unknown("private_chat_unknown", lasting=True)
        thread = await self._thread(place) if place.in_thread else None
        if isinstance(thread, LarkFailure):
            return _unseen(thread)
        token: str | None = None
        for _ in range(PAGES_SEARCHED):
            call = self._client.sdk.list_messages(
                "thread" if thread else "chat",
                thread or place.conversation.chat_id,
                since=since,
                page_token=token,
            )
            page = await self._client.call(call, MessagesReply, idempotent=True)
            if isinstance(page, LarkFailure):
                return _unseen(page)
            for listed in page.data.items:
                if is_part(listed, part, place, since):
                    return SentRef(MessageRef(place.conversation.app_id, listed.message_id))
            token = page.data.page_token
            if not page.data.has_more or not token:
                break
        return None

    async def mark(self, message: MessageRef, mark: Mark) -> bool:
        """An emoji under the message; dropped while the platform or our own pace asks for silence."""
        if self._clock.monotonic() < self._hushed_until:
            return False
        if not self._pacing.try_acquire(message.message_id):
            return False
        call = self._client.sdk.add_reaction(message.message_id, EMOJI[mark])
        outcome = await self._client.call(call, Reply, idempotent=False)
        if isinstance(outcome, LarkFailure):
            self._note(outcome)
            return False
        return True

    def _request(
        self, place: Place, msg_type: MsgType, content: str, uuid: str, *, in_thread: bool
    ) -> LarkCall:
        sdk = self._client.sdk
        if place.reply_to is None:
            return sdk.create_message(place.conversation.chat_id, msg_type, content, uuid=uuid)
        return sdk.reply_message(
            place.reply_to.message_id, msg_type, content, in_thread=in_thread, uuid=uuid
        )

    async def _post(
        self, part: Part, place: Place, msg_type: MsgType, kind: OutgoingKind, *, in_thread: bool
    ) -> SentReply | LarkFailure | Refused:
        call = self._request(place, msg_type, part.body.decode(), part.uuid, in_thread=in_thread)
        return await self._paced(place.conversation.chat_id, call, SentReply, RANKS[kind])

    async def _paced(
        self, key: str, call: LarkCall, reply: type[R], rank: int = 0
    ) -> R | LarkFailure | Refused:
        wait = await self._pacing.acquire(key, rank)
        if wait is not None:
            return Refused("paced", Disposition.LATER, wait)
        return await self._client.call(call, reply, idempotent=False)

    def _refused(self, outcome: LarkFailure | Refused) -> Refused | Unknown:
        if isinstance(outcome, Refused):
            return outcome
        self._note(outcome)
        if outcome.kind is FailureClass.AMBIGUOUS:
            return Unknown(outcome.kind.value)
        disposition, least = DISPOSITIONS[outcome.kind]
        return Refused(outcome.kind.value, disposition, outcome.retry_after or least)

    def _note(self, failure: LarkFailure) -> None:
        """After a rate limit decorations keep silent until its window opens again."""
        if failure.kind is FailureClass.RATE_LIMITED:
            wait = failure.retry_after or timedelta(seconds=1)
            until = self._clock.monotonic() + wait.total_seconds()
            self._hushed_until = max(self._hushed_until, until)

    async def _thread(self, place: Place) -> str | LarkFailure | None:
        """The topic's id; where the answer opened it, only the answered message knows."""
        if place.conversation.thread_id or place.reply_to is None:
            return place.conversation.thread_id
        call = self._client.sdk.get_message(place.reply_to.message_id)
        page = await self._client.call(call, MessagesReply, idempotent=True)
        if isinstance(page, LarkFailure):
            return page
        return next((listed.thread_id for listed in page.data.items), None)

    def _card(self, message_id: str) -> _Revisions:
        card = self._revised.setdefault(message_id, _Revisions())
        self._revised.move_to_end(message_id)
        if len(self._revised) > CARDS_REMEMBERED:
            self._revised.popitem(last=False)
        return card


def _unseen(failure: LarkFailure) -> Unknown:
    return Unknown(failure.kind.value, lasting=failure.kind not in PASSING)
