"""The short way to an owed question whose turn had called and read, and to a review of it."""

from datetime import timedelta

from steward.model.ids import AttemptToken, QuestionId, WorkerId
from steward.model.reading import Coverage, Reading, ScanQuery, View
from steward.model.turn import Lease, TurnCode, TurnFailure, Written
from steward.store import Store
from steward.testing.world import EPOCH
from tests.contracts.given import READBACK, TTL, WORKER, begun, conversation, fence, notice

LOST_IT = TurnFailure(TurnCode.TRANSPORT_LOST)
MINE, AGAIN = AttemptToken("review-1"), AttemptToken("review-2")
READING = Reading(
    tool="loopx_context_read",
    query=ScanQuery(View.TODOS),
    rows=(),
    counts={},
    coverage=Coverage(1, 1, 1, 0, 0, 0, 0, complete=True),
    failures=(),
    as_of=EPOCH,
    window_start=None,
    window_end=None,
    unknown_reasons=(),
)


async def interrupted(
    store: Store, name: object = 1, *, chat: str = "oc_a", read: bool = True
) -> tuple[QuestionId, AttemptToken]:
    """A question whose turn called, read and lost its way; its conversation is free."""
    question, token = await begun(store, name, chat=chat)
    assert await store.ledger.calling(token, upstream="thread-1") is Written.DONE
    if read:
        assert await store.ledger.read(token, READING) is Written.DONE
    told = [notice(f"message:om_{name}", chat)]
    assert await store.ledger.fail(token, LOST_IT, told) is Written.DONE
    held = conversation(chat)
    await store.conversations.release(Lease(held, WORKER, await fence(store, str(held)), EPOCH))
    return question, token


async def held(
    store: Store,
    worker: WorkerId = WORKER,
    *,
    chat: str = "oc_a",
    ttl: timedelta = TTL,
) -> Lease:
    """The conversation, held for a review."""
    lease = await store.conversations.hold(worker, conversation(chat), ttl)
    assert lease is not None
    return lease


async def reserve(
    store: Store,
    lease: Lease,
    question: QuestionId,
    reviewed: AttemptToken,
    attempt: AttemptToken = MINE,
) -> Written:
    case = await store.reviews.case(question)
    return await store.reviews.reserve(
        lease,
        question,
        case.input_hash,
        attempt,
        reviewed=reviewed,
        readback=READBACK,
        scope_revision="scope-1",
    )


async def reserved(
    store: Store, name: object = 1, *, chat: str = "oc_a"
) -> tuple[QuestionId, AttemptToken]:
    """A question in review, and the attempt of the turn that is reviewed."""
    question, token = await interrupted(store, name, chat=chat)
    assert await reserve(store, await held(store, chat=chat), question, token) is Written.DONE
    return question, token
