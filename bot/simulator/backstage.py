"""The simulator's own door, beside the platform's: what a person does there, asked for over HTTP, and what came back.

For `steward simulate`, which runs in another process. It is no part of the platform: nothing of the bot knows it.
"""

from collections.abc import Mapping

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.simulator.model import Chat, Document, Person, StoredMessage
from bot.simulator.platform import Platform
from bot.simulator.transcript import as_read
from steward.model.json import Json

SAY_PATH = "/simulator/say"
REPLY_PATH = "/simulator/reply/{message_id}"
MOST_PATIENCE = 60.0


class Line(BaseModel):
    """What somebody says: `chat` None is their private chat with the bot; people and groups are made as needed."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    sender: str = Field(alias="from", pattern=r"^ou_\S+$")
    text: str
    chat: str | None = Field(default=None, pattern=r"^oc_\S+$")
    mention: bool = True
    reply_to: str | None = None


def add_backstage(application: web.Application, platform: Platform) -> None:
    """Serve both paths for this platform."""

    async def say(http: web.Request) -> web.Response:
        try:
            line = Line.model_validate_json(await http.read())
        except ValidationError as error:
            fields = sorted({str(one["loc"][0]) for one in error.errors() if one["loc"]})
            return web.json_response({"error": f"not a line: {', '.join(fields)}"}, status=400)
        return web.json_response(said(platform, line))

    async def reply(http: web.Request) -> web.Response:
        asked = platform.message(http.match_info["message_id"])
        if asked is None:
            return web.json_response({"error": "no such message"}, status=404)
        patience = min(float(http.query.get("wait", "0")), MOST_PATIENCE)
        return web.json_response({"lines": await _reply(platform, asked, patience)})

    application.router.add_post(SAY_PATH, say)
    application.router.add_get(REPLY_PATH, reply)


def said(platform: Platform, line: Line) -> Document:
    """Say it on the platform; the event that the platform would push, and the message's id."""
    person = platform.person(line.sender) or platform.add_person(line.sender, open_id=line.sender)
    chat = _chat(platform, line, person)
    pushed = platform.say(
        person,
        chat,
        line.text,
        mention_bot=line.mention and chat.mode != "p2p",
        reply_to=line.reply_to,
    )
    message_id = "" if pushed.message is None else pushed.message.message_id
    return {"message_id": message_id, "document": pushed.document}


def _chat(platform: Platform, line: Line, person: Person) -> Chat:
    if line.chat is None:
        return platform.private_chat(person)
    return platform.chat(line.chat) or platform.add_chat(
        line.chat, members=[person], chat_id=line.chat
    )


async def _reply(platform: Platform, asked: StoredMessage, patience: float) -> list[Json] | None:
    """The lines of the bot's first reply, or None where none came in time."""

    def found(now: Platform) -> StoredMessage | None:
        history = now.messages(asked.chat_id)
        later = history[history.index(asked) + 1 :]
        return next((one for one in later if _answers(one, asked)), None)

    try:
        message = await platform.changed(found, patience)
    except TimeoutError:
        return None
    return None if message is None else list(as_read(message.msg_type, message.content))


def _answers(message: StoredMessage, asked: StoredMessage) -> bool:
    """In a topic every message hangs from its root, so there the topic decides."""
    in_topic = asked.thread_id is not None and message.thread_id == asked.thread_id
    return message.sender_type == "app" and (message.parent_id == asked.message_id or in_topic)


def line_of(document: Mapping[str, Json]) -> Line | None:
    """The line that a message event's document stands for, or None where it is no message of a person."""
    event = document.get("event")
    if not isinstance(event, Mapping):
        return None
    sender, message = event.get("sender"), event.get("message")
    if not isinstance(sender, Mapping) or not isinstance(message, Mapping):
        return None
    who = sender.get("sender_id")
    private = message.get("chat_type") == "p2p"
    try:
        return Line.model_validate(
            {
                "from": who.get("open_id") if isinstance(who, Mapping) else None,
                "text": as_read(str(message.get("message_type")), str(message.get("content")))[0],
                "chat": None if private else message.get("chat_id"),
                "mention": bool(message.get("mentions")),
            }
        )
    except (ValidationError, ValueError, KeyError):
        return None
