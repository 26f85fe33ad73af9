"""The one door for transports: record in a group commit, then acknowledge. Contract D1.

Above: the webhook. Below: the inbox, and intake, which is only woken here. What arrived while the last commit
was in flight is the next batch; there is no timer. The commit lives in the task of `run`, so that a caller
who goes away takes nothing with him.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence

from steward.errors import StewardError, StoreUnavailableError
from steward.model.delivery import ClickReply, ReplyKind
from steward.model.events import Click, Envelope, Lane, Recorded
from steward.model.turn import Language
from steward.ports.clicks import Clicks
from steward.ports.inbound import Wire
from steward.ports.inbox import Inbox
from steward.texts.toasts import CLICK_EXPIRED

logger = logging.getLogger(__name__)

BATCH = 256
"""The most events in one commit."""

CLICK_SECONDS = 2.5
"""The platform shows an error of its own to whoever pressed after 3 seconds."""

WAITING = 2048
"""The most events that may wait; beyond, a transport is told to send again later."""


class GroupCommit:
    """Implements ports.inbound.Inbound. `woken` is called with the lane of what was recorded."""

    def __init__(
        self, inbox: Inbox, clicks: Clicks, wire: Wire, woken: Callable[[Lane], None]
    ) -> None:
        self._inbox = inbox
        self._clicks = clicks
        self._wire = wire
        self._woken = woken
        self._waiting: deque[tuple[Envelope, asyncio.Future[Recorded]]] = deque()
        self._arrived = asyncio.Event()
        self._closed = True

    async def record(self, envelope: Envelope) -> Recorded:
        """Durable when it returns. Raises StoreUnavailableError: full, closing, or the store failed."""
        if self._closed or len(self._waiting) >= WAITING:
            raise StoreUnavailableError("the inbox does not take events now")
        future: asyncio.Future[Recorded] = asyncio.get_running_loop().create_future()
        self._waiting.append((envelope, future))
        self._arrived.set()
        return await future

    async def click(self, envelope: Envelope) -> ClickReply:
        """Recorded once per (card, action, operator). No action is stored yet that a click could carry out.

        Raises StoreUnavailableError also where the store takes longer than a click may: the person is told so.
        """
        event = self._wire.event(envelope)
        try:
            async with asyncio.timeout(CLICK_SECONDS):
                if isinstance(event, Click):
                    await self._clicks.record(envelope, event)
                else:
                    await self.record(envelope)
        except TimeoutError as error:
            raise StoreUnavailableError("the click was not recorded in time") from error
        return ClickReply(CLICK_EXPIRED.of(Language.ZH), ReplyKind.INFO)

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
            logger.warning("%d events were not recorded: %s", size, type(error).__name__)
            _fail([future for _, future in batch])
            return
        except BaseException:
            _fail([future for _, future in batch])
            raise
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
