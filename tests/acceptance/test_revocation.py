"""What was read for one audience reaches no other, whenever the permission goes: the whole steward, also over a restart.

Between question and settle the endpoint waits; between settle and delivery the platform takes no message. A3, A1.
"""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.app import serving
from bot.parts import World
from bot.settings import load
from bot.simulator.faults import Answer, Op, Page
from bot.simulator.model import Chat, Person, Pushed, SimulatedApp
from bot.simulator.platform import Platform
from bot.simulator.pusher import Pusher
from bot.simulator.refusals import rate_limited
from bot.simulator.server import PlatformServer
from bot.simulator.transcript import as_read
from steward.model.reading import ScanQuery, View
from steward.model.turn import Rerun, TurnCode
from steward.policy.retry import DIRECTORY_PATIENCE
from steward.testing.endpoint import Says, Scans, Script, ScriptedEndpoint, Seen, Waits
from steward.texts.notices import FAILED
from steward.world import RandomTokens, SystemClock
from tests.acceptance.house import OWNER, TEAM, replies, written
from tests.acceptance.plans import GRANTS, SOURCES, laid

PATIENCE = 15.0
REFUSED_FOR = timedelta(seconds=30)
ASKED = "How is it going?"
CANARY = "Kingfisher"
GOAL = f"""\
goal: {{id: payments, title: {CANARY}, status: active, owner: Lin}}
todos: []
deliveries: []
handoffs: []
"""
CHANGED = FAILED[TurnCode.AUTHORIZATION_CHANGED].what.en
UNCLEAR = FAILED[TurnCode.DIRECTORY_UNAVAILABLE].what.en


class Leaping(SystemClock):
    """The real time, and as much later as the test says."""

    def __init__(self) -> None:
        self._later = timedelta()

    def leap(self, by: timedelta) -> None:
        self._later += by

    def now(self) -> datetime:
        return super().now() + self._later

    def monotonic(self) -> float:
        return super().monotonic() + self._later.total_seconds()

    async def sleep(self, seconds: float) -> None:
        until = self.monotonic() + seconds
        while self.monotonic() < until:
            await super().sleep(min(until - self.monotonic(), 0.05))


def says(seen: Seen) -> bytes:
    cites = [cited.citation for cited in seen.scans[0].rows]
    claims = [{"text": "It goes well.", "cites": cites, "kind": "fact"}]
    return json.dumps({"classification": "overview", "claims": claims}).encode()


@dataclass
class Estate:
    """A platform and a folder that outlive the stewards on them."""

    clock: Leaping
    platform: Platform
    url: str
    folder: Path
    team: Chat
    member: Person
    owner: Person
    pusher: Pusher | None = None
    endpoint: ScriptedEndpoint | None = None

    @asynccontextmanager
    async def serve(self, grants: str = GRANTS, owner: str = OWNER) -> AsyncIterator[None]:
        """A steward of this configuration, whose endpoint reads the goals and waits to be told to go on."""
        config = written(self.folder, self.platform, self.url, SOURCES, grants)
        config.write_text(config.read_text("utf-8").replace(OWNER, owner), "utf-8")
        script: Script = [Scans(ScanQuery(View.PORTFOLIO)), Waits(), Says(says)]
        self.endpoint = ScriptedEndpoint({ASKED: script}, rerun=Rerun.HARMLESS)
        world = World(self.clock, RandomTokens())
        async with (
            serving(load(config, {}), world, endpoint=self.endpoint) as ports,
            Pusher(
                self.platform, f"http://127.0.0.1:{ports.public}/lark/events", self.clock
            ) as pusher,
        ):
            self.pusher = pusher
            yield

    async def push(self, pushed: Pushed) -> None:
        assert self.pusher is not None
        assert (await self.pusher.push(pushed)).accepted

    async def ask(self, chat: Chat | None = None, person: Person | None = None) -> Pushed:
        """The question; when it returns, the evidence is read, and nothing said."""
        chat = chat or self.team
        in_group = chat.mode != "p2p"
        asked = self.platform.say(person or self.member, chat, ASKED, mention_bot=in_group)
        await self.push(asked)
        await self.come_to_read()
        return asked

    async def come_to_read(self) -> None:
        assert self.endpoint is not None
        async with asyncio.timeout(PATIENCE):
            await self.endpoint.until_asked(ASKED)

    async def settle(self) -> None:
        """Let the endpoint answer, and wait until that was refused by the platform, and lies in the outbox again."""
        self.go_on()
        await self.until(lambda: self.count("outbox", "status = 'pending' AND tries > 0") == 1)

    def go_on(self) -> None:
        assert self.endpoint is not None
        self.endpoint.release(ASKED)

    def hold(self) -> None:
        """The platform takes no message, and asks not to be tried again for a while: nothing is on its way then."""
        refusal = rate_limited(REFUSED_FOR.total_seconds())
        for op in (Op.REPLY, Op.CREATE):
            self.platform.faults.add(op, Answer(refusal), times=None)

    def let_go(self) -> None:
        """What lies in the outbox is due, and would be taken."""
        for op in (Op.REPLY, Op.CREATE):
            self.platform.faults.clear(op)
        if self.parts():
            self.clock.leap(2 * REFUSED_FOR)

    async def away(self) -> None:
        """Nothing can be looked up any more, and nothing is remembered of the chat."""
        self.platform.faults.add(Op.CHAT, Page(), times=None)
        colleague = self.platform.add_person("Xin")
        await self.happen(self.platform.add_member(self.team, colleague, by=self.member))

    async def looked(self, times: int = 1) -> None:
        """Wait for so many more look-ups that failed."""
        before = len(self.platform.calls_of(Op.CHAT))
        await self.platform.changed(
            lambda now: len(now.calls_of(Op.CHAT)) >= before + times, PATIENCE
        )

    def back(self) -> None:
        self.platform.faults.clear(Op.CHAT)

    async def happen(self, event: Pushed) -> None:
        """Something that the platform tells us of, and that was taken in."""
        await self.push(event)
        await self.until(lambda: self.count("inbox", "verdict IS NULL") == 0)

    async def turn_external(self) -> None:
        guest = self.platform.add_person("Eve", tenant_key="tenant_foreign")
        await self.happen(self.platform.add_member(self.team, guest, by=self.member))

    async def revoke(self) -> None:
        with self.store() as store:
            store.execute("UPDATE \"grant\" SET revoked_at = 1, revoked_by = 'owner'")

    async def lose_owner(self) -> None:
        await self.happen(self.platform.remove_person(self.owner))

    # ------------------------------------------------------------ what became of it

    async def told(self, asked: Pushed, times: int = 1) -> str:
        """The only thing, or the only so many, that the asker was told, once nothing more is due."""
        assert asked.message is not None
        message = asked.message
        await self.platform.changed(lambda now: any(replies(now, message)), PATIENCE)
        await self.until(lambda: self.parts() == 0)
        found = list(replies(self.platform, message))
        assert len(found) == times
        return "\n".join(as_read(found[0].msg_type, found[0].content))

    def shown_anywhere(self) -> bool:
        """Whether anything of the evidence stands in any chat."""
        said = [
            one for chat in self.platform.chats() for one in self.platform.messages(chat.chat_id)
        ]
        return any(CANARY in one.content for one in said if one.sender_type == "app")

    def ended(self) -> list[tuple[str, str | None]]:
        with self.store() as store:
            found = store.execute("SELECT status, failure FROM question ORDER BY id").fetchall()
        return [(status, failure and json.loads(failure)["code"]) for status, failure in found]

    def parts(self) -> int:
        """How many messages are still to be sent."""
        return self.count("outbox", "status IN ('pending', 'sending', 'unknown')")

    def count(self, table: str, where: str) -> int:
        with self.store() as store:
            query = f"SELECT count(*) FROM {table} WHERE {where}"  # noqa: S608 - our own words
            return int(store.execute(query).fetchone()[0])

    def store(self) -> "Closing":
        return Closing(self.folder / "steward.db")

    async def until(self, holds: Callable[[], bool]) -> None:
        for _ in range(int(PATIENCE / 0.02)):
            if holds():
                return
            await asyncio.sleep(0.02)
        raise TimeoutError


class Closing:
    """A connection of our own to the store's file."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file, timeout=5)

    def __enter__(self) -> sqlite3.Connection:
        return self._connection.__enter__()

    def __exit__(self, *raised: object) -> None:
        with closing(self._connection):
            self._connection.commit()


@pytest.fixture
async def estate(tmp_path: Path) -> AsyncIterator[Estate]:
    laid(tmp_path, payments=GOAL)
    clock = Leaping()
    platform = Platform(SimulatedApp(), clock, RandomTokens())
    member = platform.add_person("Wei", open_id="ou_sim_wei")
    owner = platform.add_person("Mei", open_id=OWNER)
    team = platform.add_chat("Team", members=[member, owner], chat_id=TEAM)
    async with PlatformServer(platform) as server:
        yield Estate(clock, platform, server.url, tmp_path, team, member, owner)


@pytest.mark.requirement("A3")
@pytest.mark.parametrize("change", [Estate.revoke, Estate.turn_external])
@pytest.mark.parametrize("settled", [False, True], ids=["before the settle", "before delivery"])
async def test_a_group_that_may_not_read_any_more_is_told_so_and_shown_nothing(
    estate: Estate, change: Callable[[Estate], Awaitable[None]], settled: bool
) -> None:
    async with estate.serve():
        asked = await estate.ask()
        if settled:
            estate.hold()
            await estate.settle()
        await change(estate)
        estate.go_on()
        estate.let_go()
        assert CHANGED in await estate.told(asked)
        assert estate.ended() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]
        assert not estate.shown_anywhere()


@pytest.mark.requirement("A3")
@pytest.mark.parametrize("settled", [False, True], ids=["before the settle", "before delivery"])
async def test_an_owner_who_left_is_shown_nothing_more(estate: Estate, settled: bool) -> None:
    private = estate.platform.private_chat(estate.owner)
    async with estate.serve():
        asked = await estate.ask(private, estate.owner)
        if settled:
            estate.hold()
            await estate.settle()
        await estate.lose_owner()
        estate.go_on()
        estate.let_go()
        assert CHANGED in await estate.told(asked)
        assert estate.ended() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]
        assert not estate.shown_anywhere()


@pytest.mark.requirement("A3", "D7")
@pytest.mark.parametrize("change", ["grant", "external"])
async def test_an_answer_that_waits_over_a_restart_is_judged_anew(
    estate: Estate, change: str
) -> None:
    async with estate.serve():
        asked = await estate.ask()
        estate.hold()
        await estate.settle()
    if change == "external":
        guest = estate.platform.add_person("Eve", tenant_key="tenant_foreign")
        estate.platform.add_member(estate.team, guest, by=estate.member)
    async with estate.serve("" if change == "grant" else GRANTS):
        estate.let_go()
        assert CHANGED in await estate.told(asked)
        assert estate.ended() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]
        assert not estate.shown_anywhere()


@pytest.mark.requirement("A3", "D7")
async def test_an_owners_answer_does_not_outlive_the_owner_over_a_restart(estate: Estate) -> None:
    private = estate.platform.private_chat(estate.owner)
    async with estate.serve():
        asked = await estate.ask(private, estate.owner)
        estate.hold()
        await estate.settle()
    async with estate.serve(owner=estate.member.open_id):
        estate.let_go()
        assert CHANGED in await estate.told(asked)
        assert estate.ended() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]
        assert not estate.shown_anywhere()


@pytest.mark.requirement("A3", "D7")
async def test_a_question_that_is_taken_up_after_a_restart_is_judged_anew(estate: Estate) -> None:
    async with estate.serve():
        asked = await estate.ask()
    guest = estate.platform.add_person("Eve", tenant_key="tenant_foreign")
    estate.platform.add_member(estate.team, guest, by=estate.member)
    async with estate.serve():
        assert CHANGED in await estate.told(asked)
        assert estate.ended() == [("owed", TurnCode.AUTHORIZATION_CHANGED)]
        assert not estate.shown_anywhere()


@pytest.mark.requirement("A1", "A3")
@pytest.mark.parametrize("settled", [False, True], ids=["before the settle", "before delivery"])
async def test_a_look_up_that_fails_for_a_while_makes_an_answer_late_once(
    estate: Estate, settled: bool
) -> None:
    async with estate.serve():
        asked = await estate.ask()
        if settled:
            estate.hold()
            await estate.settle()
        await estate.away()
        estate.go_on()
        estate.let_go()
        await estate.looked()
        assert not estate.shown_anywhere()
        estate.back()
        assert CANARY in await estate.told(asked)
        assert estate.ended() == [("answered", None)]


@pytest.mark.requirement("A1", "A3")
async def test_after_ten_minutes_without_a_look_up_an_answer_is_owed(estate: Estate) -> None:
    async with estate.serve():
        asked = await estate.ask()
        estate.hold()
        await estate.settle()
        await estate.away()
        estate.let_go()
        await estate.looked()
        await estate.until(lambda: estate.count("outbox", "status = 'pending'") == 1)
        estate.clock.leap(DIRECTORY_PATIENCE)
        assert UNCLEAR in await estate.told(asked)
        assert estate.ended() == [("owed", TurnCode.DIRECTORY_UNAVAILABLE)]
        estate.back()
        assert not estate.shown_anywhere()


@pytest.mark.requirement("A3")
async def test_whose_permission_stays_is_answered_over_a_restart(estate: Estate) -> None:
    async with estate.serve():
        asked = await estate.ask()
        estate.hold()
        await estate.settle()
    async with estate.serve():
        estate.let_go()
        assert CANARY in await estate.told(asked)
        assert estate.ended() == [("answered", None)]
