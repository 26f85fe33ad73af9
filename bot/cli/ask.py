"""`steward ask`: one question through scope, endpoint, gate, judge and answer rules, in a store of its own.

It never passes Inbound: nothing is queued, sent, or kept.
"""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from bot.cli.audiences import asker_of, parse_audience
from bot.cli.process import DONE, FAILED, configured, out, run_loop
from bot.cli.stored import granted_store
from bot.kinds import build_sources
from bot.lark.rungs import text_of
from bot.parts import World, assumed_grounds, build_endpoints, build_scopes, build_turns
from bot.settings import Settings
from steward.dispatch.local import EventWake
from steward.errors import ContractError
from steward.model.answer import Answer, Outgoing, OutgoingKind
from steward.model.audience import Audience, DeclineReason, Scope
from steward.model.delivery import (
    Mark,
    Part,
    Place,
    PlannedPart,
    SendOutcome,
    SentRef,
    Unknown,
)
from steward.model.events import Envelope, EventKind, Lane
from steward.model.ids import (
    AppId,
    ConversationId,
    EventId,
    MessageRef,
    OpenId,
    QuestionId,
    WorkerId,
)
from steward.model.json import Json
from steward.model.profile import RuntimeProfile
from steward.model.reading import Reading
from steward.model.turn import Language, NewQuestion, TurnEvent
from steward.policy.language import language_of
from steward.policy.presentation import decline
from steward.store import Store
from steward.world import RandomTokens, SystemClock

WORKER = WorkerId("command-line")
LEASE = timedelta(minutes=10)


def run(text: str, audience: str, config: Path | None, *, as_json: bool) -> int:
    """Print the answer as that audience would read it; FAILED where it would be declined, or owed."""
    return run_loop(lambda: _ask(text, audience, config, as_json=as_json))


async def _ask(text: str, audience_text: str, config: Path | None, *, as_json: bool) -> int:
    settings, audience = configured(config), parse_audience(audience_text)
    world = World(SystemClock(), RandomTokens())
    answer: Answer | None = None
    readings: Sequence[Reading] = ()
    async with granted_store(settings) as store:
        scope = await build_scopes(settings, store).of(audience)
        if isinstance(scope, Scope) and scope.empty:
            said = text_of(decline(DeclineReason.NOT_GRANTED, language=language_of(text)))
        else:
            question, said = await _turn(text, audience, settings, store, world)
            answer = await store.ledger.answer(question)
            readings = await store.ledger.readings(question)
    if as_json:
        document = _document(text, audience, answer, readings, said)
        out.print_json(json.dumps(document, ensure_ascii=False))
    else:
        out.print(said, markup=False)
    return DONE if answer is not None else FAILED


async def _turn(
    text: str, audience: Audience, settings: Settings, store: Store, world: World
) -> tuple[QuestionId, str]:
    """One turn over the private store; the question, and what would have been sent about it."""
    sources, _ = build_sources(settings, world.clock)
    try:
        turns = build_turns(
            settings,
            store,
            sources,
            assumed_grounds(settings, store, build_endpoints(settings)),
            sender=Unsent(),
            watcher=Unwatched(),
            deliveries=EventWake(),
            world=world,
        )
        question = await _admitted(text, audience, settings, store, world)
        for lease in await store.conversations.claim(WORKER, limit=1, ttl=LEASE):
            await turns.work(lease)
        deliveries = await store.outbox.claim(WORKER, limit=1, ttl=LEASE)
    finally:
        await sources.aclose()
    return question, "\n".join(delivery.part.body.decode() for delivery in deliveries)


async def _admitted(
    text: str, audience: Audience, settings: Settings, store: Store, world: World
) -> QuestionId:
    """The question as a queued row, as if intake had admitted it."""
    now = world.clock.now()
    app_id = AppId("cli_command_line")
    await store.people.sync(app_id, settings.names)
    message = MessageRef(app_id, f"om_{world.tokens.new()}")
    conversation = ConversationId(app_id, audience.chat_id)
    envelope = Envelope(
        app_id=app_id,
        event_id=EventId(message.message_id),
        kind=EventKind.MESSAGE,
        lane=Lane.ORDERED,
        conversation=conversation,
        message=message,
        tenant_key=None,
        occurred_at=now,
        received_at=now,
        body=b"{}",
    )
    (recorded,) = await store.inbox.record([envelope])
    asked = NewQuestion(
        conversation=conversation,
        message=message,
        asker=OpenId(asker_of(audience, settings)),
        audience=audience,
        in_thread=False,
        text=text,
        language=language_of(text),
        asked_at=now,
    )
    admitted = await store.inbox.admit(recorded.inbox, asked)
    if not isinstance(admitted, int):
        raise ContractError("a fresh row was not admitted")
    return admitted


class Unsent:
    """A ports.sender.Sender that plans plain text for a terminal, and sends nothing."""

    def plan(self, message: Outgoing, place: Place) -> Sequence[Sequence[PlannedPart]]:
        return [[PlannedPart("text", 1, 1, text_of(message).encode())]]

    def repeated(self, part: Part, language: Language) -> PlannedPart:
        raise ContractError("the command line sends nothing")

    async def send(
        self, part: Part, place: Place, kind: OutgoingKind = OutgoingKind.ANSWER
    ) -> SendOutcome:
        raise ContractError("the command line sends nothing")

    async def revise(self, sent: SentRef, part: Part, *, sequence: int) -> SendOutcome:
        raise ContractError("the command line sends nothing")

    async def find(self, part: Part, place: Place, since: datetime) -> SentRef | Unknown | None:
        return None

    async def mark(self, message: MessageRef, mark: Mark) -> bool:
        return False


class Unwatched:
    """A ports.watcher.Watcher that looks away."""

    def saw(self, question: QuestionId, message: MessageRef, event: TurnEvent) -> None:
        """Nothing is shown while the turn runs."""


def _document(
    text: str, audience: Audience, answer: Answer | None, readings: Sequence[Reading], said: str
) -> Json:
    """What `ask --json` prints."""
    return {
        "question": text,
        "audience": audience.grant_key,
        "runtime_profile": RuntimeProfile.RESTRICTED.value,
        "language": language_of(text).value,
        "intent": None if answer is None else answer.classification,
        "headline": None if answer is None else answer.headline,
        "claims": []
        if answer is None
        else [
            {"text": claim.text, "cites": list(claim.cites), "kind": claim.kind.value}
            for claim in answer.claims
        ],
        "readings": [_reading(reading) for reading in readings],
        "coverage": None if answer is None else _coverage(answer),
        "text": said,
    }


def _reading(reading: Reading) -> Json:
    query = reading.query
    return {
        "view": None if query is None else query.view.value,
        "source_id": None if query is None else query.source,
        "goal_id": None if query is None else query.goal,
        "ok": reading.refused is None,
        "code": None if reading.refused is None else reading.refused.code.value,
        "included": len(reading.rows),
        "matched": reading.matched,
        "unknown": bool(reading.unknown_reasons),
    }


def _coverage(answer: Answer) -> Json:
    found = answer.coverage
    return {
        "discovered": found.discovered,
        "attempted": found.attempted,
        "read": found.read,
        "stale": found.stale,
        "unreadable": found.unreadable,
        "partial": found.partial,
        "not_read": found.not_read,
        "complete": found.complete,
    }
