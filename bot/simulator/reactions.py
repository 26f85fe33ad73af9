"""Emoji under messages, as the app adds and removes them."""

from bot.simulator import refusals
from bot.simulator.emoji import EMOJI_TYPES
from bot.simulator.model import Document, Reaction, StoredMessage
from bot.simulator.platform import Platform
from bot.simulator.refusals import Refusal
from bot.simulator.request import Request


def add(platform: Platform, request: Request) -> Document | Refusal:
    """The same emoji twice is one reaction."""
    stored = _target(platform, request)
    if isinstance(stored, Refusal):
        return stored
    kind = request.body.get("reaction_type")
    emoji = kind.get("emoji_type") if isinstance(kind, dict) else None
    if not isinstance(emoji, str) or emoji not in EMOJI_TYPES:
        return refusals.BAD_EMOJI
    reaction = _mine(platform, stored, emoji)
    if reaction is None:
        reaction = Reaction(f"r_{platform.tokens.new()}", emoji, "app", platform.app.app_id)
        stored.reactions.append(reaction)
        platform.touch()
    return {"data": _shown(platform, reaction)}


def remove(platform: Platform, request: Request) -> Document | Refusal:
    """Only the app's own."""
    stored = _target(platform, request)
    if isinstance(stored, Refusal):
        return stored
    for reaction in stored.reactions:
        if reaction.reaction_id == request.path["reaction_id"]:
            if reaction.operator_type != "app":
                return refusals.MAY_NOT_REACT
            stored.reactions.remove(reaction)
            platform.touch()
            return {"data": _shown(platform, reaction)}
    return refusals.NO_REACTION


def _target(platform: Platform, request: Request) -> StoredMessage | Refusal:
    stored = platform.message(request.path["message_id"])
    if stored is None or stored.deleted:
        return refusals.NOTHING_TO_REACT_TO
    chat = platform.chat_of(stored)
    if not chat.bot_present:
        return refusals.MAY_NOT_REACT
    return refusals.DISSOLVED if chat.dissolved else stored


def _mine(platform: Platform, stored: StoredMessage, emoji: str) -> Reaction | None:
    own = platform.app.app_id
    return next(
        (one for one in stored.reactions if one.emoji_type == emoji and one.operator_id == own),
        None,
    )


def _shown(platform: Platform, reaction: Reaction) -> Document:
    return {
        "reaction_id": reaction.reaction_id,
        "operator": {
            "operator_id": reaction.operator_id,
            "operator_type": reaction.operator_type,
        },
        "action_time": str(platform.milliseconds()),
        "reaction_type": {"emoji_type": reaction.emoji_type},
    }
