"""One message's whole way through a store by its ports, and what is looked up beside it, each operation timed.

Without platform, endpoint or loop of ours: what is compared is what the store alone takes.
"""

import secrets
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeVar

from steward.model.action import ActionKind, NewAction, Shown
from steward.model.answer import OutgoingKind
from steward.model.audience import (
    Audience,
    AudienceKind,
    ChatFacts,
    ChatMode,
    Ignored,
    IgnoreReason,
    Limits,
)
from steward.model.delivery import Arrived, Guard, NewPart, SentRef
from steward.model.events import Click, Envelope, EventKind, Lane, Principal, PrincipalKind
from steward.model.ids import AttemptToken, ChatId, MessageRef, QuestionId, TenantKey
from steward.model.reading import Coverage, Reading, ScanQuery, View
from steward.model.turn import Candidate, TurnCode, TurnFailure, Written
from steward.model.upkeep import Horizon
from steward.store import Store
from steward.world import SystemClock
from tests.contracts.given import (
    APP,
    ASKER,
    TTL,
    WORKER,
    answer,
    asked,
    begin,
    conversation,
    envelope,
    notice,
    part,
    recall,
)

T = TypeVar("T")

CHATS = 8
"""Messages of one batch, each of another chat."""

BODY = b'{"text":"' + b"How is the payment gateway? " * 24 + b'"}'
PERSON = Principal(ASKER, TenantKey("tenant"), PrincipalKind.PERSON)
READING = Reading(
    tool="scan",
    query=ScanQuery(View.TODOS),
    rows=(),
    counts={"open": 3, "done": 4},
    coverage=Coverage(1, 1, 1, 0, 0, 0, 0, complete=True),
    failures=(),
    as_of=None,
    window_start=None,
    window_end=None,
)


def chat(number: int) -> str:
    return f"oc_c{number}"


@dataclass(slots=True)
class Passage:
    """`took`: seconds of each operation, in the order of the passes."""

    store: Store
    took: dict[str, list[float]] = field(default_factory=dict)
    clock: SystemClock = field(default_factory=SystemClock)

    async def once(self) -> QuestionId:
        """Eight messages, one of them answered, one recalled, and everything that is looked up on the way."""
        names = [secrets.token_hex(8) for _ in range(CHATS)]
        events = [
            replace(envelope(name, chat=chat(number), body=BODY), received_at=self.clock.now())
            for number, name in enumerate(names)
        ]
        question = await self._admitted(events)
        token = AttemptToken(names[0])
        await self._answered(question, token, names[0])
        await self._delivered(names[0])
        await self._pressed(names[0])
        await self._recalled(names[2])
        await self._looked_up(question)
        return question

    async def _admitted(self, events: list[Envelope]) -> QuestionId:
        store, limits = self.store, Limits()
        await self._timed("record 8", store.inbox.record(events))
        taken = await self._timed(
            "take", store.inbox.take(WORKER, lane=Lane.ORDERED, limit=CHATS, ttl=TTL)
        )
        first, second, *others = taken
        await self._timed("owner", store.owners.current(APP))
        await self._timed("tenant", store.owners.tenant(APP))
        await self._timed("grants", store.grants.of(f"group:{chat(0)}"))
        admitted = await self._timed(
            "admit", store.inbox.admit(first.id, asked(first.envelope), limits)
        )
        owed, lost = asked(second.envelope), TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
        told = notice(str(owed.message), chat(1))
        await self._timed("owe", store.inbox.owe(second.id, owed, lost, [told]))
        for item in others:
            why = Ignored(IgnoreReason.NOT_ADDRESSED)
            await self._timed("ignore", store.inbox.ignore(item.id, why))
        facts = ChatFacts(
            ChatId(chat(0)),
            ChatMode.GROUP,
            external=False,
            tenant_key=TenantKey("tenant"),
            title="Team",
            as_of=self.clock.now(),
        )
        await self._timed("chat", store.chats.note(APP, facts))
        assert isinstance(admitted, int)
        return admitted

    async def _answered(self, question: QuestionId, token: AttemptToken, name: str) -> None:
        store, held = self.store, conversation(chat(0))
        claim = store.conversations.claim(WORKER, limit=1, ttl=TTL)
        (lease,) = await self._timed("claim conversation", claim)
        await self._timed("renew", store.conversations.renew([lease], TTL))
        assert await self._timed("next", store.conversations.next(lease)) == question
        await self._timed("question", store.ledger.question(question))
        await self._timed("session", store.sessions.of(held))
        await self._timed("begin", begin(store, lease, question, token))
        await self._timed("history", store.sessions.history(held, most=8))
        await self._timed("names", store.people.names(APP, ASKER))
        await self._timed("topic", store.ledger.topic(held))
        await self._timed("calling", store.ledger.calling(token))
        await self._timed("read", store.ledger.read(token, READING))
        await self._timed("candidate", store.ledger.candidate(token, Candidate(b"{}")))
        written = self._parts(name)
        action = NewAction(name, ActionKind.EVIDENCE, self.clock.now() + timedelta(hours=24))
        settled = await self._timed(
            "settle", store.ledger.settle(token, answer(), [written], [action])
        )
        assert settled is Written.DONE
        await self._timed("release", store.conversations.release(lease))

    def _parts(self, name: str) -> NewPart:
        audience = Audience(AudienceKind.GROUP, ChatId(chat(0)))
        guarded = Guard(audience, ASKER, "scope-1")
        return replace(part(f"message:om_{name}", chat=chat(0)), guard=guarded)

    async def _delivered(self, name: str) -> None:
        store = self.store
        await self._timed("outbox due", store.outbox.due())
        told, delivery = await self._timed(
            "claim parts", store.outbox.claim(WORKER, limit=16, ttl=TTL)
        )
        await store.outbox.finish(told, Arrived(SentRef(MessageRef(APP, f"om_n{name}"))))
        sent = MessageRef(APP, f"om_r{name}")
        await self._timed("finish part", store.outbox.finish(delivery, Arrived(SentRef(sent))))
        assert await self._timed("ours", store.outbox.ours(sent))

    async def _pressed(self, name: str) -> None:
        store = self.store
        click = Click(MessageRef(APP, f"om_r{name}"), conversation(chat(0)), PERSON, name)
        offer = await self._timed("find button", store.clicks.find(click))
        assert offer is not None
        event = envelope(f"press{name}", chat=chat(0), kind=EventKind.CLICK, lane=Lane.NOW)
        reply = part(f"message:om_{name}:evidence", kind=OutgoingKind.EVIDENCE, chat=chat(0))
        shown = Shown([replace(reply, guard=self._parts(name).guard)])
        pressed = await self._timed("press", store.clicks.press(event, click, offer, shown))
        assert pressed is Written.DONE
        (delivery,) = await store.outbox.claim(WORKER, limit=16, ttl=TTL)
        sent = MessageRef(APP, f"om_e{name}")
        await store.outbox.finish(delivery, Arrived(SentRef(sent)))

    async def _recalled(self, name: str) -> None:
        inbox = self.store.inbox
        await inbox.record([recall(name, chat(2))])
        (back,) = await inbox.take(WORKER, lane=Lane.NOW, limit=1, ttl=TTL)
        await self._timed("withdraw", inbox.withdraw(back.id, MessageRef(APP, f"om_{name}")))

    async def _looked_up(self, question: QuestionId) -> None:
        store, held = self.store, conversation(chat(0))
        since = self.clock.now() - timedelta(days=1)
        await self._timed("answer", store.ledger.answer(question))
        await self._timed("readings", store.ledger.readings(question))
        await self._timed("orphans", store.ledger.orphans())
        await self._timed("language", store.ledger.last_language(held, ASKER))
        await self._timed("owed", store.ledger.owed(APP, most=10))
        await self._timed("owed here", store.ledger.owed(APP, conversation=held, most=10))
        here = store.ledger.counts(APP, conversation=held, asker=ASKER, since=since)
        await self._timed("counts here", here)
        await self._timed("counts", store.ledger.counts(APP, since=since))
        await self._timed("audit", store.audit.recent(most=20))
        await self._timed("gone", store.leases.break_gone())
        await self._upkept()

    async def _upkept(self) -> None:
        """Nothing is old enough: what is measured is how it is found that there is nothing."""
        upkeep = self.store.upkeep
        horizon = Horizon.at(self.clock.now() - timedelta(days=400))
        await self._timed("forget", upkeep.forget(horizon, most=100))
        await self._timed("sweep", upkeep.sweep(horizon, most=100))
        await self._timed("seen", upkeep.seen(APP))
        await self._timed("chat language", upkeep.chat_language(APP, ChatId(chat(0))))
        await self._timed("backlog", upkeep.backlog(APP))

    async def _timed(self, name: str, work: Awaitable[T]) -> T:
        began = time.perf_counter()
        result = await work
        self.took.setdefault(name, []).append(time.perf_counter() - began)
        return result
