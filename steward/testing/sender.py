"""A sender whose chats are lists, and whose bad luck is scripted. Implements ports.sender.Sender.

It behaves as the platform does where that matters to control: the same uuid makes one message for an hour, a
message may arrive although the sender cannot know, and a revision that comes late is refused.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from steward.model.answer import Outgoing, OutgoingKind
from steward.model.delivery import (
    REPEAT,
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
from steward.texts.labels import MAY_BE_DUPLICATE

UUID_KEPT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class LostReply:
    """The message arrives, and the sender learns nothing of it: `send` gives Unknown(reason)."""

    reason: str = "timeout"


Scripted: TypeAlias = Refused | Unknown | LostReply


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message that stands in a chat."""

    sent: SentRef
    part: Part
    place: Place
    at: datetime

    @property
    def text(self) -> str:
        """The body as words."""
        return self.part.body.decode()


@dataclass(frozen=True, slots=True)
class Tried:
    """One call of `send` and what it gave."""

    part: Part
    place: Place
    outcome: SendOutcome


class ScriptedSender:
    """Everything arrives, except what `script` says of the next sends.

    `arrived` is what stands in the chats, oldest first; `tried` every send; `marks` every mark that was shown.
    `marking` False drops marks; `blind` makes `find` see nothing, as without the scope for a group's history;
    `unreadable` is what `find` gives while it can look nowhere. `down` is what every send gives while it is set.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._script: deque[Scripted] = deque()
        self._count = 0
        self._revised: dict[MessageRef, int] = {}
        self.arrived: list[Arrival] = []
        self.tried: list[Tried] = []
        self.marks: list[tuple[MessageRef, Mark]] = []
        self._marked = asyncio.Event()
        self.marking = True
        self.blind = False
        self.unreadable: Unknown | None = None
        self.down: Refused | Unknown | None = None

    def script(self, *outcomes: Scripted) -> None:
        """The next sends end so, one each, in this order."""
        self._script.extend(outcomes)

    def texts(self) -> list[str]:
        """What stands in the chats, as words."""
        return [arrival.text for arrival in self.arrived]

    def plan(self, message: Outgoing, place: Place) -> Sequence[Sequence[PlannedPart]]:
        """Two rungs of one part each, `card` and `text`, with the same plain lines."""
        body = "\n".join(_lines(message)).encode()
        return [[PlannedPart(rung, 1, 1, body)] for rung in ("card", "text")]

    def repeated(self, part: Part, language: Language) -> PlannedPart:
        mark = MAY_BE_DUPLICATE.of(language).encode()
        return PlannedPart(f"{part.form}{REPEAT}", part.number, part.of, mark + b"\n" + part.body)

    async def send(
        self, part: Part, place: Place, kind: OutgoingKind = OutgoingKind.ANSWER
    ) -> SendOutcome:
        outcome = self._outcome(part, place)
        self.tried.append(Tried(part, place, outcome))
        return outcome

    async def revise(self, sent: SentRef, part: Part, *, sequence: int) -> SendOutcome:
        index = next((i for i, one in enumerate(self.arrived) if one.sent == sent), None)
        if index is None:
            return Refused("target_gone", Disposition.GIVE_UP)
        if sequence <= self._revised.get(sent.message, 0):
            return Refused("out_of_order", Disposition.GIVE_UP)
        self._revised[sent.message] = sequence
        self.arrived[index] = replace(self.arrived[index], part=part)
        return sent

    async def find(self, part: Part, place: Place, since: datetime) -> SentRef | Unknown | None:
        if self.unreadable is not None:
            return self.unreadable
        if self.blind:
            return None
        for arrival in reversed(self.arrived):
            same = arrival.part.body == part.body and arrival.part.rung == part.rung
            if same and arrival.place == place and arrival.at >= since:
                return arrival.sent
        return None

    async def mark(self, message: MessageRef, mark: Mark) -> bool:
        if self.marking:
            self.marks.append((message, mark))
            self._marked.set()
        return self.marking

    async def until_marked(self, message: MessageRef, mark: Mark) -> None:
        """Wait until this mark is shown; the caller bounds the wait."""
        while (message, mark) not in self.marks:
            self._marked.clear()
            await self._marked.wait()

    def _outcome(self, part: Part, place: Place) -> SendOutcome:
        match self._script.popleft() if self._script else self.down:
            case None:
                return self._arrive(part, place)
            case LostReply(reason):
                self._arrive(part, place)
                return Unknown(reason)
            case scripted:
                return scripted

    def _arrive(self, part: Part, place: Place) -> SentRef:
        now = self._clock.now()
        for arrival in self.arrived:
            if arrival.part.uuid == part.uuid and now < arrival.at + UUID_KEPT:
                return arrival.sent
        self._count += 1
        sent = SentRef(MessageRef(place.conversation.app_id, f"om_scripted_{self._count}"))
        self.arrived.append(Arrival(sent, part, place, now))
        return sent


def _lines(message: Outgoing) -> list[str]:
    return [
        message.headline,
        *([message.note] if message.note else []),
        *(claim.text + "".join(f" [{n}]" for n in claim.cites) for claim in message.claims),
        *([message.coverage] if message.coverage else []),
        *message.details,
        *(f"[{source.number}] {source.text}" for source in message.sources),
    ]
