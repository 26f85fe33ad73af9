"""A question whose turn read and then lost its way, and the sweep that may review it, over the whole of control."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from steward.control.review import Reviews
from steward.control.reviewing import Reviewing
from steward.control.turns import TurnLimits
from steward.dispatch.local import EventWake
from steward.model.events import Message
from steward.model.ids import ConversationId, WorkerId
from steward.model.reading import ScanQuery, View
from steward.model.turn import (
    Observed,
    ObservedCall,
    Thread,
    TurnCode,
    TurnFailure,
    TurnInput,
)
from steward.testing.endpoint import Fails, Says, Scans, Script, ScriptedEndpoint, Seen
from steward.texts.coverage import SUPPLEMENT
from steward.texts.notices import FAILED
from tests.contracts.given import rows
from tests.steward.control.workshop import APP, TEAM, WORKER, Workshop, open_workshop
from tests.steward.evidence import goal, snapshot, todo

ASKED = "How is the gateway going?"
HERE = ConversationId(APP, TEAM)
READ = Scans(ScanQuery(View.TODOS))
LOST = TurnFailure(TurnCode.TRANSPORT_LOST)
OWED = ("owed", TurnCode.TRANSPORT_LOST)
CALL = ObservedCall("loopx_context_read", known=True, completed=True, host=False)
BROKEN_OFF = Observed(closed=True, final=None, calls=(CALL,), error=TurnCode.TRANSPORT_LOST)
"""What the endpoint shows of a turn that a review may speak for."""

LIMITS = TurnLimits(total=timedelta(seconds=5), grace=timedelta(seconds=1))


class Shown(ScriptedEndpoint):
    """Shows the same of every turn, also after a restart. At the n-th look `at_look[n]` happens first."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.looks: list[tuple[Thread, TurnInput]] = []
        self.at_look: dict[int, Callable[[], Awaitable[None]]] = {}
        self.observed: Observed | TurnFailure = BROKEN_OFF

    async def observe(self, thread: Thread, turn: TurnInput) -> Observed | TurnFailure:
        self.looks.append((thread, turn))
        if (happens := self.at_look.get(len(self.looks))) is not None:
            await happens()
        return self.observed


def cites(seen: Seen) -> bytes:
    """One fact that rests on every row that was seen."""
    found = [cited.citation for scan in seen.scans for cited in scan.rows]
    return said(claims=[{"text": "Callback signature is open", "cites": found, "kind": "fact"}])


FORMED = (READ, Says(cites))
"""A review that forms an answer."""

MARK = SUPPLEMENT.en.partition("{")[0]
"""How a supplement begins."""

USED = (True, False, True)
"""A `review_row` of one that was called, was not released, and has ended."""


def said(**fields: object) -> bytes:
    return json.dumps({"classification": "progress", **fields}).encode()


@asynccontextmanager
async def interrupting(
    *review: Any, answers: Script | None = None, **more: Any
) -> AsyncIterator[Workshop]:
    """A workshop whose endpoint reads and breaks off, and reviews by this script; the source has one open todo."""
    scripts: dict[str, Script] = {ASKED: answers or [READ, Fails(LOST)]}
    reviews: dict[str, Script] = {ASKED: review} if review else {}
    endpoint = more.pop("endpoint", None) or Shown(_Any(scripts), reviews=reviews)
    async with (
        open_workshop(endpoint=endpoint, scripts=scripts, **more) as shop,
        asyncio.timeout(30),
    ):
        goals = (goal(),)
        shop.source.play(snapshot(*goals, todo(title="Callback signature"), goals=goals))
        yield shop


class _Any(dict[str, Script]):
    """A question without a script of its own is answered by what it reads."""

    def __init__(self, scripts: dict[str, Script]) -> None:
        super().__init__()
        self._scripts = scripts

    def get(self, question: str, default: Script | None = None) -> Script | None:  # type: ignore[override] # narrower on purpose
        return self._scripts.get(question, [READ, Says(cites)])


def endpoint_of(shop: Workshop) -> Shown:
    assert isinstance(shop.endpoint, Shown)
    return shop.endpoint


def reviews_of(shop: Workshop, worker: WorkerId = WORKER) -> Reviews:
    """The sweep, as bot.parts builds it."""
    reviewing = Reviewing(
        store=shop.store.reviews,
        sessions=shop.store.sessions,
        grounds=shop.turns.grounds,
        endings=shop.turns.endings,
        limits=LIMITS,
    )
    return Reviews(
        worker=worker,
        conversations=shop.store.conversations,
        store=shop.store.reviews,
        standing=shop.standing,
        reviewing=reviewing,
        questions=EventWake(),
    )


async def going_on(shop: Workshop, work: Awaitable[Any]) -> Any:
    """Await it while time goes on, second by second, whenever it waits."""
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.wait([task], timeout=0.05)
        if not task.done():
            shop.clock.advance(timedelta(seconds=1))
    return task.result()


async def swept(shop: Workshop, reviews: Reviews | None = None) -> int:
    """One sweep; how many reviews were reserved."""
    made: int = await going_on(shop, (reviews or reviews_of(shop)).sweep())
    return made


async def broken_off(shop: Workshop, text: str = ASKED) -> Message:
    """Asked, read, and owed; its notice is in the chat."""
    message = await shop.say(text)
    await shop.through()
    endpoint_of(shop).looks.clear()
    return message


async def review_row(shop: Workshop) -> tuple[object, ...] | None:
    """Of the one review: whether it was called, was released and has ended, and what became of it."""
    found = await rows(
        shop.store,
        "SELECT called_at IS NOT NULL, released, ended_at IS NOT NULL, outcome FROM review",
    )
    assert len(found) <= 1
    if not found:
        return None
    called, released, ended, outcome = found[0]
    return bool(called), bool(released), bool(ended), outcome


async def until_called(shop: Workshop) -> None:
    """Until the review of ASKED is under way."""
    while not endpoint_of(shop).running:
        await asyncio.wait([asyncio.ensure_future(asyncio.sleep(0.01))])


async def nothing_more(shop: Workshop) -> bool:
    """No word beside the notice, and the question owed as before, for ever."""
    await shop.deliver()
    assert await shop.ends() == [OWED]
    (notice,) = shop.sender.texts()
    assert FAILED[TurnCode.TRANSPORT_LOST].what.en in notice
    calls = len(endpoint_of(shop).reviewed)
    assert await swept(shop) == 0
    return len(endpoint_of(shop).reviewed) == calls
