"""Several stewards on one PostgreSQL store, each at ports of its own, and the ledger of what their endpoints did.

The ledger is a file to which every process appends, outside of the store: `RUN PID QUESTION`, `END PID QUESTION`, and
of a process that was killed `DEAD PID`, once it is gone.
"""

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.simulator.model import Pushed
from bot.simulator.pusher import Pusher
from steward.world import SystemClock
from tests.acceptance.child import Order, appended
from tests.acceptance.nursery import Child, Nursery
from tests.acceptance.outside import AGAIN, PATIENCE, Outside, free_port, open_outside

LEASE = 2.0
TAKEOVER = 0.3


@dataclass(slots=True)
class Steward:
    """One place of several: where it is started again and again, and how events reach it."""

    nursery: Nursery
    order: Order
    pusher: Pusher
    child: Child | None = None

    @property
    def pid(self) -> int:
        assert self.child is not None
        return self.child.pid


@dataclass(frozen=True, slots=True)
class Run:
    """A call of an endpoint, as the ledger has it."""

    pid: int
    question: int


@dataclass(slots=True)
class Several:
    """`stewards` share the store and everything outside of it."""

    outside: Outside
    stewards: Sequence[Steward]
    ledger: Path
    waiting: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(
        self,
        *numbers: int,
        stage: str | None = None,
        endpoint: str = "slow",
        lease: float = LEASE,
        takeover: float = TAKEOVER,
    ) -> None:
        """Start these, and wait until they serve."""
        for number in numbers:
            one = self.stewards[number]
            order = Order(
                config=one.order.config,
                calls=one.order.calls,
                stage=stage,
                endpoint=endpoint,
                runs=str(self.ledger),
                lease=lease,
                takeover=takeover,
            )
            one.child = await one.nursery.start(order)
        for number in numbers:
            child = self.stewards[number].child
            assert child is not None
            await child.ready()

    async def stop(self, *numbers: int) -> None:
        """Ask them to end, as an operator would."""
        for number in numbers or range(len(self.stewards)):
            child = self.stewards[number].child
            assert child is not None
            assert await child.stop() == 0

    async def kill(self, number: int) -> None:
        """Without warning; the ledger knows it once it is gone."""
        one = self.stewards[number]
        assert one.child is not None
        await one.child.kill()
        appended(self.ledger, f"DEAD {one.pid}")

    def signal(self, number: int, what: signal.Signals) -> None:
        os.kill(self.stewards[number].pid, what)

    async def stands_still(self, number: int) -> None:
        """Until the process has stopped itself."""
        status = Path(f"/proc/{self.stewards[number].pid}/stat")
        async with asyncio.timeout(PATIENCE):
            while status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "T":  # noqa: ASYNC240
                await self.outside.platform.clock.sleep(0.01)

    async def deliver(self, pushed: Pushed, *numbers: int) -> None:
        """To each of these, all at once, until it is acknowledged there."""
        deliveries = await asyncio.gather(
            *(self.stewards[number].pusher.deliver(pushed) for number in numbers)
        )
        assert all(tries[-1].accepted for tries in deliveries), deliveries
        self.outside.acknowledged.append(pushed.event_id)
        self.outside.platform.touch()

    async def ran(self, pushed: Pushed) -> None:
        """Until an endpoint was called for this question."""
        number = self.outside.asked.index(pushed)
        async with asyncio.timeout(PATIENCE):
            while number not in {run.question for run in self.runs()}:
                await self.outside.platform.clock.sleep(0.01)

    async def rows_become(
        self, statement: str, wanted: Sequence[tuple[str | int | None, ...]]
    ) -> None:
        """Until the store holds this."""
        async with asyncio.timeout(PATIENCE):
            while self.outside.rows(statement) != list(wanted):
                await self.outside.platform.clock.sleep(0.05)

    def runs(self) -> list[Run]:
        """Every call that was made, in order."""
        return [run for word, run in self._lines() if word == "RUN"]

    def _lines(self) -> list[tuple[str, Run]]:
        if not self.ledger.exists():
            return []
        found = []
        for line in self.ledger.read_text(encoding="utf-8").splitlines():
            word, pid, *words = line.split(maxsplit=2)
            number = re.search(r"no\. (\d+)\?", words[0]) if words else None
            found.append((word, Run(int(pid), int(number[1]) if number else -1)))
        return found

    def check_runs(self) -> None:
        """No question's call was made twice, and those of a chat neither overlap nor overtake each other (T4, D7)."""
        called = [run.question for run in self.runs()]
        assert len(called) == len(set(called))
        running: dict[str, Run] = {}
        order: dict[str, list[int]] = {}
        for word, run in self._lines():
            if word == "DEAD":
                running = {chat: one for chat, one in running.items() if one.pid != run.pid}
                continue
            chat = self._chat(run.question)
            if word == "END":
                running.pop(chat, None)
                continue
            assert chat not in running, (running[chat], run)
            running[chat] = run
            order.setdefault(chat, []).append(run.question)
        for chat, questions in order.items():
            place = self._recorded()
            assert questions == sorted(questions, key=place.__getitem__), chat

    def _chat(self, question: int) -> str:
        message = self.outside.asked[question].message
        assert message is not None
        return message.chat_id

    def _recorded(self) -> dict[int, int]:
        """Each question's place in the inbox."""
        places = {
            message: place
            for place, (message,) in enumerate(
                self.outside.rows("SELECT message_id FROM inbox ORDER BY id")
            )
        }
        return {
            number: places[pushed.message.message_id]
            for number, pushed in enumerate(self.outside.asked)
            if pushed.message is not None
        }


@asynccontextmanager
async def open_several(
    folder: Path, postgres: str, nurseries: Sequence[Nursery], *, chats: int = 1, people: int = 1
) -> AsyncIterator[Several]:
    """As many places as nurseries; nothing serves yet, and nothing does any more afterwards."""
    async with AsyncExitStack() as stack:
        outside = await stack.enter_async_context(
            open_outside(folder, chats=chats, people=people, postgres=postgres)
        )
        stewards = []
        for nursery in nurseries:
            config, port = _config(outside, len(stewards))
            url = f"http://127.0.0.1:{port}/lark/events"
            pusher = Pusher(outside.platform, url, SystemClock(), retry_after=AGAIN)
            await stack.enter_async_context(pusher)
            stack.push_async_callback(nursery.clear)
            order = Order(str(config), str(folder / "calls.log"))
            stewards.append(Steward(nursery, order, pusher))
        yield Several(outside, stewards, folder / "runs.log")


def _config(outside: Outside, number: int) -> tuple[Path, int]:
    """The first serves where the platform pushes by itself, each other at a port of its own."""
    if number == 0:
        return outside.config, outside.port
    port = free_port()
    text = outside.config.read_text(encoding="utf-8")
    config = outside.folder / f"steward-{number}.toml"
    own = text.replace(f"port = {outside.port}\n", f"port = {port}\n", 1)
    config.write_text(own.replace("admin.token", f"admin-{number}.token"), encoding="utf-8")
    return config, port
