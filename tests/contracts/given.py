"""Events, questions and parts for the port suites, and the short ways to a state that a test begins from."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from steward.model.answer import Answer, OutgoingKind
from steward.model.audience import Audience, AudienceKind
from steward.model.delivery import Delivery, NewPart, Part, Place
from steward.model.events import Envelope, EventKind, Lane
from steward.model.ids import (
    AppId,
    AttemptToken,
    ChatId,
    ConversationId,
    EventId,
    InboxId,
    MessageRef,
    OpenId,
    QuestionId,
    TenantKey,
    ThreadId,
    WorkerId,
)
from steward.model.profile import RESTRICTED_DEFAULT, Readback
from steward.model.reading import Coverage
from steward.model.session import Opening, SessionStart
from steward.model.turn import Language, Lease, NewQuestion, Written
from steward.store import Store
from steward.testing.world import EPOCH

APP = AppId("cli_sim_a")
ASKER = OpenId("ou_asker")
WORKER = WorkerId("worker-1")
OTHER = WorkerId("worker-2")
TTL = timedelta(seconds=30)
READBACK = Readback(RESTRICTED_DEFAULT, "restricted-1")


def conversation(chat: str = "oc_a", thread: str | None = None) -> ConversationId:
    return ConversationId(APP, ChatId(chat), ThreadId(thread) if thread else None)


def envelope(
    name: object,
    *,
    chat: str | None = "oc_a",
    thread: str | None = None,
    message: str | None = None,
    kind: EventKind = EventKind.MESSAGE,
    lane: Lane = Lane.ORDERED,
    body: bytes = b"{}",
) -> Envelope:
    """Event `evt_<name>`; a message carries `om_<name>` unless another is named."""
    if message is None and kind is EventKind.MESSAGE:
        message = f"om_{name}"
    return Envelope(
        app_id=APP,
        event_id=EventId(f"evt_{name}"),
        kind=kind,
        lane=lane,
        conversation=conversation(chat, thread) if chat else None,
        message=MessageRef(APP, message) if message else None,
        tenant_key=TenantKey("tenant"),
        occurred_at=EPOCH,
        received_at=EPOCH + timedelta(milliseconds=120),
        body=body,
    )


def recall(name: object, chat: str = "oc_a") -> Envelope:
    """The event that takes `om_<name>` back."""
    return envelope(f"recall_{name}", chat=chat, kind=EventKind.RECALL, lane=Lane.NOW)


def message(name: object) -> MessageRef:
    return MessageRef(APP, f"om_{name}")


def asked(of: Envelope, words: str = "How is the gateway?") -> NewQuestion:
    assert of.conversation is not None
    assert of.message is not None
    return NewQuestion(
        conversation=of.conversation,
        message=of.message,
        asker=ASKER,
        audience=Audience(AudienceKind.GROUP, of.conversation.chat_id),
        in_thread=of.conversation.thread_id is not None,
        text=words,
        language=Language.EN,
        asked_at=of.occurred_at,
    )


def part(
    subject: str = "message:om_1",
    *,
    number: int = 1,
    of: int = 1,
    rung: str = "card",
    kind: OutgoingKind = OutgoingKind.ANSWER,
    chat: str = "oc_a",
    attempt: int = 1,
    lower: tuple[tuple[Part, ...], ...] = (),
) -> NewPart:
    return NewPart(
        subject=subject,
        attempt=attempt,
        kind=kind,
        question=None,
        place=Place(conversation(chat), MessageRef(APP, "om_1"), in_thread=False),
        part=planned(rung, number, of),
        lower=lower,
    )


def planned(rung: str, number: int = 1, of: int = 1) -> Part:
    return Part(
        rung,
        number,
        of,
        f"{rung} {number}/{of}\x00\udcff".encode("utf-8", "replace"),
        f"uuid-{rung}-{number}",
    )


def notice(subject: str = "message:om_1", chat: str = "oc_a") -> NewPart:
    return part(subject, kind=OutgoingKind.NOTICE, chat=chat)


def answer(headline: str = "Two todos are open.") -> Answer:
    return Answer(
        language=Language.EN,
        classification="overview",
        headline=headline,
        claims=(),
        citations=(),
        coverage=Coverage(1, 1, 1, 0, 0, 0, 0, complete=True),
        failures=(),
        dropped=0,
    )


FIRST = SessionStart(Opening.FIRST, forget=False, audience=AudienceKind.GROUP)


async def recorded(store: Store, *envelopes: Envelope) -> list[InboxId]:
    return [row.inbox for row in await store.inbox.record(envelopes)]


async def admitted(store: Store, name: object, *, chat: str = "oc_a") -> QuestionId:
    """A recorded message that has become a queued question."""
    event = envelope(name, chat=chat)
    (item,) = await recorded(store, event)
    question = await store.inbox.admit(item, asked(event))
    assert question is not Written.LOST
    return question  # type: ignore[return-value] # LOST was the only other value


async def leased(store: Store, worker: WorkerId = WORKER) -> Lease:
    """The one conversation that has a queued question, leased."""
    (lease,) = await store.conversations.claim(worker, limit=1, ttl=TTL)
    return lease


async def begun(
    store: Store, name: object, *, chat: str = "oc_a"
) -> tuple[QuestionId, AttemptToken]:
    """A question under its first attempt, not called yet."""
    question = await admitted(store, name, chat=chat)
    lease = await leased(store)
    token = AttemptToken(f"attempt-{name}")
    assert await begin(store, lease, question, token) is Written.DONE
    return question, token


async def begin(store: Store, lease: Lease, question: QuestionId, token: AttemptToken) -> Written:
    return await store.ledger.begin(
        lease,
        question,
        token,
        endpoint="reporter",
        readback=READBACK,
        scope_revision="scope-1",
        session=FIRST,
    )


async def settled(store: Store, name: object, *parts: NewPart, chat: str = "oc_a") -> QuestionId:
    """A question whose answer waits in the outbox."""
    question, token = await begun(store, name, chat=chat)
    whole = parts or (part(f"message:om_{name}", chat=chat),)
    assert await store.ledger.settle(token, answer(), whole) is Written.DONE
    held = conversation(chat)
    await store.conversations.release(Lease(held, WORKER, await fence(store, str(held)), EPOCH))
    return question


async def fence(store: Store, key: str) -> int:
    ((value,),) = await rows(store, "SELECT fence FROM conversation WHERE id = :key", key=key)
    return int(value)


async def claimed(store: Store, limit: int = 16) -> list[Delivery]:
    return list(await store.outbox.claim(WORKER, limit=limit, ttl=TTL))


async def rows(store: Store, query: str, **values: object) -> Sequence[tuple[Any, ...]]:
    """What stands in the tables, for the few promises that no port shows."""
    return await store.database.read(
        lambda connection: [tuple(row) for row in connection.execute(text(query), values)]
    )


async def closed(store: Store, question: QuestionId) -> bool:
    """Whether nothing more is due to the question's asker (W3)."""
    ((closed_at,),) = await rows(
        store,
        "SELECT i.closed_at FROM inbox i JOIN question q ON q.inbox_id = i.id"
        " WHERE q.id = :question",
        question=question,
    )
    return closed_at is not None


def moved(lease: Lease, until: datetime) -> Lease:
    return replace(lease, until=until)
