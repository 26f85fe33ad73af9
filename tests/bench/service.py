"""A whole steward in a process of its own, beside a simulated platform in this one.

It is started as people start it, `python -m bot serve`, from a configuration file, and spoken to as in
tests/acceptance/house.py: questions are pushed through the webhook, answers arrive at the platform.
"""

import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bot.cli.demo import example_evidence
from bot.simulator.model import Chat, Person, Pushed, SimulatedApp
from bot.simulator.platform import Platform
from bot.simulator.pusher import Pusher
from bot.simulator.server import PlatformServer
from bot.web.listeners import Ports
from steward.world import RandomTokens, SystemClock
from tests.acceptance.house import OWNER, replies, written
from tests.bench.children import ENVIRONMENT, ROOT
from tests.bench.traffic import QUESTION
from tests.children import ended

GROUPS = 80
PATIENCE = 30.0
IN_FOLDER = "sqlite:///steward.db"
_READY = re.compile(rb"ready: events at http://[^:]+:(\d+)/\S+, readiness at http://[^:]+:(\d+)/")
_RESIDENT = re.compile(r"^VmRSS:\s+(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Service:
    """A running steward. `seconds`: from the start of its process until it said that it was ready."""

    platform: Platform
    pusher: Pusher
    member: Person
    groups: list[Chat]
    ports: Ports
    pid: int
    seconds: float

    def say(self, chat: Chat) -> Pushed:
        """A question in the chat; nobody has pushed it yet."""
        return self.platform.say(self.member, chat, QUESTION, mention_bot=True)

    async def ask(self, chat: Chat) -> Pushed:
        """A question, answered."""
        pushed = self.say(chat)
        delivery = await self.pusher.push(pushed)
        assert delivery.accepted, delivery
        await self.answered(pushed)
        return pushed

    async def answered(self, pushed: Pushed) -> None:
        """Wait for the reply to a pushed question."""
        asked = pushed.message
        assert asked is not None
        await self.platform.changed(lambda now: next(replies(now, asked), None), PATIENCE)

    def resident(self) -> float:
        """The memory that the process holds, in MiB."""
        return resident(self.pid)


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def resident(pid: int) -> float:
    """The resident memory of a process, in MiB."""
    found = _RESIDENT.search(Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    assert found is not None
    return int(found[1]) / 1024


@dataclass(frozen=True, slots=True)
class Town:
    """A platform with one member and GROUPS groups."""

    platform: Platform
    member: Person
    groups: list[Chat]


def new_town() -> Town:
    platform = Platform(SimulatedApp(), SystemClock(), RandomTokens())
    member = platform.add_person("Wei", open_id="ou_sim_wei")
    platform.add_person("Mei", open_id=OWNER)
    groups = [
        platform.add_chat(f"Team {number}", members=[member], chat_id=f"oc_sim_{number}")
        for number in range(GROUPS)
    ]
    return Town(platform, member, groups)


@asynccontextmanager
async def serving_process(
    folder: Path, *, store: str = IN_FOLDER, town: Town | None = None
) -> AsyncIterator[Service]:
    """A service with the example evidence and GROUPS granted groups; a store in `folder` stays there."""
    town = town or new_town()
    platform, groups = town.platform, town.groups
    async with PlatformServer(platform) as server:
        config = written(
            _made(folder), platform, server.url, _source(), _grants(groups), store=store
        )
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "serve", "--config", str(config)),
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            cwd=ROOT,
            env=ENVIRONMENT,
        )
        try:
            ports = await _ready(process, folder)
            seconds = time.perf_counter() - began
            url = f"http://127.0.0.1:{ports.public}/lark/events"
            async with _drained(process), Pusher(platform, url, platform.clock) as pusher:
                yield Service(platform, pusher, town.member, groups, ports, process.pid, seconds)
        finally:
            if process.returncode is None:
                process.terminate()
            await ended(process)


async def _ready(process: asyncio.subprocess.Process, folder: Path) -> Ports:
    """The ports that the process tells, once its readiness probe says yes."""
    assert process.stderr is not None
    seen = b""
    async with asyncio.timeout(PATIENCE):
        while line := await process.stderr.readline():
            seen += line
            if found := _READY.search(line):
                ports = Ports(int(found[1]), int(found[2]))
                await _green(ports, (folder / "admin.token").read_text(encoding="ascii"))
                return ports
    raise RuntimeError(f"the service did not start: {seen.decode()}")


async def _green(ports: Ports, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        while True:
            async with session.get(f"http://127.0.0.1:{ports.admin}/readyz") as answer:
                if answer.status == 200:
                    return
            await asyncio.sleep(0.01)


@asynccontextmanager
async def _drained(process: asyncio.subprocess.Process) -> AsyncIterator[None]:
    """Read the log away, or the process would stand still when the pipe is full."""

    async def read() -> None:
        assert process.stderr is not None
        while await process.stderr.read(65536):
            pass

    task = asyncio.get_running_loop().create_task(read())
    try:
        yield
    finally:
        task.cancel()


def _source() -> str:
    return f"""
[source.plans]
kind = "folder"
path = "{example_evidence()}"
title = "Plans"
max_age = "36500d"
"""


def _grants(groups: list[Chat]) -> str:
    return "".join(
        f"""
[grant.team_{number}]
audience = "group:{group.chat_id}"
sources = ["plans"]
goals = ["*"]
"""
        for number, group in enumerate(groups)
    )
