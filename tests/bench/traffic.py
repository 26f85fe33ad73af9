"""Events as the platform would deliver them, signed and encrypted beforehand, in a file between processes.

Each is a question of its own: another event id, another message. Making them costs more than answering them, so
nobody does it while something is measured.
"""

import base64
import json
from pathlib import Path

from bot.lark.webhook import PATH
from bot.simulator.model import Chat, Person, SimulatedApp
from bot.simulator.platform import Platform
from bot.simulator.pusher import Pusher, Signed
from steward.world import RandomTokens, SystemClock

QUESTION = "支付网关进展如何？还有哪些任务卡住了，谁在处理？"


def questions(platform: Platform, chat: Chat, person: Person, count: int) -> list[Signed]:
    """`count` questions to the bot in one chat; the platform remembers them all."""
    signer = Pusher(platform, "", platform.clock)
    said = (platform.say(person, chat, QUESTION, mention_bot=True) for _ in range(count))
    return [signer.signed(pushed.document) for pushed in said]


def of_some_platform(count: int, chats: int = 8) -> list[Signed]:
    """The same where no platform has to answer for them, over several chats in turn."""
    platform = Platform(SimulatedApp(), SystemClock(), RandomTokens())
    person = platform.add_person("Wei")
    groups = [platform.add_chat(f"Team {number}", members=[person]) for number in range(chats)]
    each = [questions(platform, group, person, -(-count // chats)) for group in groups]
    return [one for turn in zip(*each, strict=True) for one in turn][:count]


def save(path: Path, traffic: list[Signed]) -> Path:
    """Write it where another process finds it."""
    entries = [[one.headers, base64.b64encode(one.body).decode()] for one in traffic]
    path.write_text(json.dumps(entries), encoding="ascii")
    return path


def load(path: Path) -> list[Signed]:
    """Read what `save` wrote."""
    entries = json.loads(path.read_text(encoding="ascii"))
    return [Signed(headers, base64.b64decode(body)) for headers, body in entries]


def over_http(one: Signed) -> bytes:
    """The bytes of one request on a connection that stays open."""
    headers = {"Host": "127.0.0.1", **one.headers, "Content-Length": str(len(one.body))}
    lines = [f"POST {PATH} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + one.body
