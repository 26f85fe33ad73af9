"""`steward demo`: bot and simulated platform on loopback, a short conversation, printed as people see it.

Everything runs as it would in service: the configuration is a file, the events are signed and encrypted and go
through the webhook, the answers are what the simulated platform was sent.
"""

import asyncio
import logging
import re
import shutil
import signal
import socket
import sys
import tempfile
from dataclasses import dataclass
from datetime import date
from importlib import resources
from pathlib import Path

from bot.app import serving
from bot.cli.process import DONE, FAILED, out, run_loop, start_log
from bot.parts import World
from bot.settings import load
from bot.simulator.model import Chat, Person, Pushed, SimulatedApp
from bot.simulator.platform import Platform
from bot.simulator.pusher import Pusher
from bot.simulator.server import PlatformServer
from bot.simulator.transcript import as_read
from bot.web.listeners import Ports
from steward.world import RandomTokens, SystemClock

WRITTEN_ON = date(2026, 11, 30)
"""The day that the example evidence was written for; the demo moves its dates to today."""

PATIENCE = 20.0
_DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")


@dataclass(frozen=True, slots=True)
class Cast:
    """Who speaks in the demo, and where."""

    team: Chat
    member: Person
    second: Person
    stranger: Person
    owner: Person


def run(*, stay: bool, port: int) -> int:
    """DONE where every line got its answer."""
    return run_loop(lambda: _demo(stay=stay, port=port))


async def _demo(*, stay: bool, port: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="steward-demo-"))
    try:
        return await _played(folder, stay=stay, port=port)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _played(folder: Path, *, stay: bool, port: int) -> int:
    clock, tokens = SystemClock(), RandomTokens()
    platform = Platform(SimulatedApp(), clock, tokens)
    cast = _cast(platform)
    async with PlatformServer(platform) as server:
        config = _written(folder, platform, server.url, cast, (_free(port), _free(port + 1)))
        settings = load(config, {})
        start_log(settings, logging.INFO if stay else logging.WARNING)
        async with (
            serving(settings, World(clock, tokens)) as ports,
            Pusher(platform, f"http://127.0.0.1:{ports.public}/lark/events", clock) as pusher,
        ):
            answered = await _conversation(platform, pusher, cast)
            if stay and answered:
                await _stay(ports, config)
    return DONE if answered else FAILED


def _cast(platform: Platform) -> Cast:
    member = platform.add_person("小魏", open_id="ou_sim_wei")
    second = platform.add_person("Ana", open_id="ou_sim_ana")
    stranger = platform.add_person("Noor", open_id="ou_sim_guest")
    owner = platform.add_person("Mei", open_id="ou_sim_owner")
    team = platform.add_chat(
        "支付与发布 · Payments & release", members=[member, second, owner], chat_id="oc_sim_team"
    )
    return Cast(team, member, second, stranger, owner)


async def _conversation(platform: Platform, pusher: Pusher, cast: Cast) -> bool:
    """Each line waits for its answer, so that the page reads like a chat."""
    team, owner_chat = cast.team, platform.private_chat(cast.owner)
    stranger_chat = platform.private_chat(cast.stranger)
    scenes = [
        ("A member asks in the team's group", team, cast.member, "支付网关进展如何？"),
        ("A second member asks in English", team, cast.second, "What is left for Release 2?"),
        (
            "Somebody without a grant writes in private",
            stranger_chat,
            cast.stranger,
            "How is it going?",
        ),
        ("The owner asks in private", owner_chat, cast.owner, "现在整体情况怎么样？"),
    ]
    for title, chat, person, text in scenes:
        out.print(f"\n── {title} ", style="bold cyan")
        pushed = platform.say(person, chat, text, mention_bot=chat is team)
        _line(chat, person.name, [text])
        if not await _answered(platform, pusher, pushed, chat):
            return False
    return True


async def _answered(platform: Platform, pusher: Pusher, pushed: Pushed, chat: Chat) -> bool:
    asked = pushed.message
    delivery = await pusher.push(pushed)
    if not delivery.accepted or asked is None:
        out.print(f"The webhook did not accept the event: {delivery.status}", style="bold red")
        return False
    try:
        reply = await platform.changed(
            lambda now: next(
                (one for one in now.messages(chat.chat_id) if one.parent_id == asked.message_id),
                None,
            ),
            PATIENCE,
        )
    except TimeoutError:
        out.print(f"No answer within {PATIENCE:.0f} s", style="bold red")
        return False
    marks = ", ".join(one.emoji_type for one in asked.reactions)
    out.print(
        f"   (acknowledged in {delivery.seconds * 1000:.0f} ms; reaction: {marks or 'none'})",
        style="dim",
    )
    if reply is None:
        return False
    _line(chat, platform.app.bot_name, as_read(reply.msg_type, reply.content))
    return True


def _line(chat: Chat, speaker: str, lines: list[str]) -> None:
    out.print(f"[{chat.title or 'private'}] {speaker}:", style="bold", markup=False)
    for line in lines:
        out.print(f"   {line}", markup=False)


async def _stay(ports: Ports, config: Path) -> None:
    """Up until Ctrl-C or SIGTERM."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    out.print("\n── Still up. Ctrl-C ends it. ", style="bold cyan")
    out.print(
        f"   events      POST http://127.0.0.1:{ports.public}/lark/events (signed and encrypted)"
    )
    out.print(
        f"   readiness   http://127.0.0.1:{ports.admin}/readyz, with the token in {config.parent}/admin.token"
    )
    steward = _command()
    for label, text in (
        ("say more", f"{steward} simulate FILE --config {config}"),
        ("", 'where FILE holds {"chat": "oc_sim_team", "from": "ou_sim_wei", "text": "…"}'),
        ("ask here", f"{steward} ask '哪些任务卡住了？' --as group:oc_sim_team --config {config}"),
        ("diagnose", f"{steward} doctor --config {config}"),
    ):
        out.print(f"   {label:<11} {text}", markup=False)
    await stop.wait()


def _command() -> str:
    """How this very program is called from a shell here, installed or not."""
    python = Path(sys.executable)
    if python.with_name("steward").exists():
        return str(_near(python.with_name("steward")))
    return f"{_near(python)} -m bot"


def _near(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _free(port: int) -> int:
    """This port, or any other where it is taken (0: any): the file must name the one that is used."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port if port > 1 else 0))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        chosen: int = probe.getsockname()[1]
    return chosen


def _written(
    folder: Path, platform: Platform, domain: str, cast: Cast, ports: tuple[int, int]
) -> Path:
    """A configuration as a person would write it: two sources, of which one cannot be read."""
    _evidence(folder / "evidence")
    app = platform.app
    config = folder / "steward.toml"
    config.write_text(
        f"""\
[server]
port = {ports[0]}
admin_port = {ports[1]}
admin_token_file = "admin.token"
[lark]
simulated = true
domain = "{domain}"
app_id = "{app.app_id}"
app_secret = "{app.app_secret}"
encrypt_key = "{app.encrypt_key}"
verification_token = "{app.verification_token}"
[owner]
open_id = "{cast.owner.open_id}"
[store]
url = "sqlite:///steward.db"
[source.plans]
kind = "folder"
path = "evidence"
title = "项目计划 Plans"
max_age = "3650d"
[source.archive]
kind = "folder"
path = "not-mounted"
title = "归档盘 Archive"
[grant.team]
audience = "group:{cast.team.chat_id}"
sources = ["plans", "archive"]
goals = ["*"]
""",
        encoding="utf-8",
    )
    return config


def _evidence(target: Path) -> None:
    """The example evidence with its dates moved, so that "last week" is last week."""
    today = SystemClock().now().date()
    target.mkdir()
    for example in example_evidence().iterdir():
        text = example.read_text(encoding="utf-8")
        moved = _DATE.sub(
            lambda found: (date.fromisoformat(found[0]) + (today - WRITTEN_ON)).isoformat(), text
        )
        (target / example.name).write_text(moved, encoding="utf-8")


def example_evidence() -> Path:
    """In a checkout config/evidence, in an installed package the copy beside this program."""
    installed = Path(str(resources.files("bot"))) / "example" / "evidence"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "config" / "evidence"
