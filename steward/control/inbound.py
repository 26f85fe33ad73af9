"""The one door for transports: record in a group commit, then acknowledge. Contract D1.

Above: the webhook. Below: the inbox, and intake, which is only woken here. What arrived while the last commit
was in flight is the next batch; there is no timer. The commit lives in the task of `run`, so that a caller
who goes away takes nothing with him.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from steward.errors import StewardError, StoreUnavailableError
from steward.model.action import ClickRefusal
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.events import Click, Envelope, Lane, Recorded
from steward.policy.toasting import toast
from steward.ports.inbound import Wire
from steward.ports.inbox import Inbox
from steward.texts.toasts import CLICK_SLOW, REFUSED

logger = logging.getLogger(__name__)

BATCH = 256
"""The most events in one commit."""

CLICK_SECONDS = 2.5
"""The platform shows an error of its own to whoever pressed after 3 seconds."""

WAITING = 2048
"""The most events that may wait; beyond, a transport is told to send again later."""


Press: TypeAlias = Callable[[Envelope, Click], Awaitable[ClickReply]]
"""Records a press and carries it out, whole, before it returns: `Presses.press`."""


class GroupCommit:
    """Implements ports.inbound.Inbound. `woken` is called with the lane of what was recorded.

    `failing`: the last commit recorded nothing, and no later one has succeeded.
    """

    def __init__(
        self, inbox: Inbox, press: Press, wire: Wire, woken: Callable[[Lane], None]
    ) -> None:
        self._inbox = inbox
        self._press = press
        self._wire = wire
        self._woken = woken
        self._waiting: deque[tuple[Envelope, asyncio.Future[Recorded]]] = deque()
        self._arrived = asyncio.Event()
        self._closed = True
        self.failing = False

    async def record(self, envelope: Envelope) -> Recorded:
        """Durable when it returns. Raises StoreUnavailableError: full, closing, or the store failed."""
        if self._closed or len(self._waiting) >= WAITING:
            raise StoreUnavailableError("the inbox does not take events now")
        future: asyncio.Future[Recorded] = asyncio.get_running_loop().create_future()
        self._waiting.append((envelope, future))
        self._arrived.set()
        return await future

    async def click(self, envelope: Envelope) -> ClickReply:
        """Carry out a press, or say why not. Raises StoreUnavailableError where nothing was recorded.

        Cut short, a commit may still take effect: pressed again, it is done once all the same.
        """
        event = self._wire.event(envelope)
        try:
            async with asyncio.timeout(CLICK_SECONDS):
                if isinstance(event, Click):
                    return await self._press(envelope, event)
                await self.record(envelope)
                return toast(REFUSED[ClickRefusal.UNKNOWN], ReplyKind.WARNING)
        except TimeoutError:
            logger.warning("a click took longer than it may")
            return toast(CLICK_SLOW, ReplyKind.WARNING)
        except StoreUnavailableError:
            raise
        except Exception:  # the click's edge: nothing of it was committed, and its presser is told
            logger.exception("a click failed")
            return toast(REFUSED[ClickRefusal.NOT_NOW], ReplyKind.ERROR)

    async def run(self) -> None:
        """Commit batches until cancelled; what still waits then is refused, and the platform sends it again."""
        self._closed = False
        try:
            while True:
                await self._arrived.wait()
                self._arrived.clear()
                while self._waiting:
                    await self._commit()
        finally:
            self._closed = True
            self._refuse_the_rest()

    async def _commit(self) -> None:
        size = min(len(self._waiting), BATCH)
        batch = [self._waiting.popleft() for _ in range(size)]
        try:
            recorded = await self._inbox.record([envelope for envelope, _ in batch])
        except StewardError as error:
            self.failing = True
            logger.warning("%d events were not recorded: %s", size, type(error).__name__)
            _fail([future for _, future in batch])
            return
        except BaseException:
            _fail([future for _, future in batch])
            raise
        self.failing = False
        lanes = set()
        for (envelope, future), result in zip(batch, recorded, strict=True):
            if not future.done():
                future.set_result(result)
            lanes.add(envelope.lane)
        for lane in lanes:
            self._woken(lane)

    def _refuse_the_rest(self) -> None:
        _fail([future for _, future in self._waiting])
        self._waiting.clear()


def _fail(futures: Sequence["asyncio.Future[Recorded]"]) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(StoreUnavailableError("nothing was recorded"))
