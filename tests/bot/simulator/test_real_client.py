"""The official client, in a process of its own, takes this platform for the real one."""

import asyncio
import base64
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from bot.simulator.model import Chat, Person, Pushed
from bot.simulator.platform import Platform
from bot.simulator.pusher import Pusher, Signed
from bot.simulator.server import PlatformServer
from tests.bot.simulator.callers import SkippingClock, card, words
from tests.children import ended, kill

SCRIPT = Path(__file__).with_name("real_client.py")
OLD = card({"tag": "markdown", "content": "three open"})
NEW = card({"tag": "markdown", "content": "two open"})


def on_the_wire(signed: Signed) -> dict[str, Any]:
    return {"headers": signed.headers, "body": base64.b64encode(signed.body).decode()}


def events(
    platform: Platform, team: Chat, lin: Person, wei: Person, asked: Pushed
) -> dict[str, Pushed]:
    """One event of each kind that a person can cause."""
    assert asked.message is not None
    message_id = asked.message.message_id
    reply = platform.say(wei, team, "@Lin yes", mentions=[lin], reply_to=message_id, in_thread=True)
    return {
        "asked": asked,
        "reply": reply,
        "post": platform.say(
            lin,
            team,
            message_type="post",
            content={"title": "", "content": [[{"tag": "text", "text": "hi"}]]},
        ),
        "click": platform.click(lin, message_id, {"nonce": "n"}),
        "reaction": platform.react(wei, message_id, "THUMBSUP"),
        "joined": platform.add_member(team, platform.add_person("New"), by=lin),
        "left": platform.remove_member(team, wei, by=lin),
        "bot_left": platform.remove_bot(team, by=lin),
        "bot_joined": platform.add_bot(team, by=lin),
        "renamed": platform.rename(team, "Crew", by=lin),
        "first_contact": platform.p2p_first_contact(lin),
        "disbanded": platform.disband(platform.add_chat("Old", members=[lin]), by=lin),
    }


async def run(job: dict[str, Any]) -> None:
    """Let the script do the job; its standard output belongs to the client's logger."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(SCRIPT),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(110):
            out, err = await process.communicate(orjson.dumps(job))
    finally:
        kill(process)
        await ended(process)
    assert process.returncode == 0, (out + err).decode()


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_the_official_client_calls_it_and_accepts_what_it_pushes(
    platform: Platform,
    server: PlatformServer,
    clock: SkippingClock,
    team: Chat,
    lin: Person,
    wei: Person,
    tmp_path: Path,
) -> None:
    platform.owner = lin
    asked = platform.say(lin, team, "how is it going?", mention_bot=True)
    assert asked.message is not None
    happened = events(platform, team, lin, wei, asked)
    pusher = Pusher(platform, "http://127.0.0.1:9/lark/events", clock)
    deliveries = {name: on_the_wire(pusher.signed(one.document)) for name, one in happened.items()}
    deliveries |= {
        "bad": on_the_wire(pusher.signed(asked.document, signature="bad")),
        "plain": on_the_wire(pusher.signed(asked.document, encrypted=False)),
        "unsigned": on_the_wire(pusher.signed(asked.document, signature="missing")),
        "challenge": on_the_wire(pusher.asking("ajls384", encrypted=True)),
    }
    job = {
        "domain": server.url,
        "app_id": platform.app.app_id,
        "app_secret": platform.app.app_secret,
        "encrypt_key": platform.app.encrypt_key,
        "verification_token": platform.app.verification_token,
        "chat_id": team.chat_id,
        "message_id": asked.message.message_id,
        "card": OLD,
        "other_card": NEW,
        "deliveries": deliveries,
        "output": str(tmp_path / "found.json"),
    }
    await run(job)
    found = findings(job)
    check_calls(found["calls"], platform, asked)
    check_received(found["received"], happened)


def findings(job: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(Path(job["output"]).read_bytes())
    return found


def check_calls(calls: dict[str, Any], platform: Platform, asked: Pushed) -> None:
    assert asked.message is not None
    assert {name for name, answer in calls.items() if not answer["ok"]} == {"unknown_chat"}
    assert calls["unknown_chat"]["code"] == 232006
    assert calls["bot"]["raw"]["bot"]["open_id"] == "ou_sim_bot"
    sent = platform.message(calls["create"]["data"]["message_id"])
    replied = platform.message(calls["reply"]["data"]["message_id"])
    assert sent is not None
    assert replied is not None
    assert calls["create_again"]["data"]["message_id"] == sent.message_id
    assert (sent.content, sent.deleted) == (words("edited"), True)
    assert (replied.content, replied.updated) == (NEW, True)
    assert replied.thread_id == asked.message.thread_id
    [got] = calls["get"]["data"]["items"]
    assert got["message_id"] == asked.message.message_id
    assert got["sender"]["id"] == "ou_lin"
    assert got["body"]["content"] == words("@_user_1 how is it going?")
    assert got["mentions"][0]["id"] == "ou_sim_bot"
    listed = calls["list"]["data"]
    assert listed["items"][0]["message_id"] == asked.message.message_id
    assert listed["has_more"] is True
    assert listed["page_token"]
    assert calls["react"]["data"]["reaction_type"]["emoji_type"] == "OnIt"
    assert [one.emoji_type for one in asked.message.reactions] == ["THUMBSUP"]
    chat = calls["chat"]["data"]
    assert (chat["chat_mode"], chat["external"], chat["tenant_key"]) == (
        "group",
        False,
        "tenant_sim",
    )
    assert calls["members"]["data"]["items"][0]["member_id"] == "ou_lin"
    assert calls["tenant"]["data"]["tenant"]["tenant_key"] == "tenant_sim"
    assert calls["application"]["data"]["app"]["owner"]["owner_id"] == "ou_lin"


def check_received(received: dict[str, Any], happened: dict[str, Pushed]) -> None:
    statuses = {name: answer["status"] for name, answer in received.items()}
    assert statuses == dict.fromkeys(happened, 200) | {
        "bad": 500,
        "plain": 200,
        "unsigned": 500,
        "challenge": 200,
    }
    assert received["challenge"]["body"] == {"challenge": "ajls384"}
    assert received["click"]["body"] == {"toast": {"type": "info", "content": "seen"}}
    for name, pushed in happened.items():
        [event] = received[name]["events"]
        assert not lost(pushed.document, event), name


def lost(sent: Any, kept: Any, path: str = "") -> list[str]:
    """The paths of what was sent that the client's models did not keep: names it does not know, or other values."""
    if isinstance(sent, dict):
        inner = kept if isinstance(kept, dict) else {}
        return [one for name in sent for one in lost(sent[name], inner.get(name), f"{path}.{name}")]
    if isinstance(sent, list):
        pairs = zip(sent, kept or [None] * len(sent), strict=True)
        return [one for a, b in pairs for one in lost(a, b, f"{path}[]")]
    return [] if sent == kept else [path]
