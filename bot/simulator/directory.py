"""Chats, members, tenant, app: what the app may look up."""

from bot.simulator import refusals, wire
from bot.simulator.model import Chat, Document
from bot.simulator.platform import Platform
from bot.simulator.refusals import Refusal
from bot.simulator.request import Request, page_token
from steward.model.json import Json

MOST_PER_PAGE = 100


def chat(platform: Platform, request: Request) -> Document | Refusal:
    found = _visible(platform, request)
    if isinstance(found, Refusal):
        return found
    return {"data": wire.chat(found, platform.owner)}


def members(platform: Platform, request: Request) -> Document | Refusal:
    """The people of a chat, by pages; bots are not among them."""
    found = _visible(platform, request)
    if isinstance(found, Refusal):
        return found
    size, offset = request.size("page_size", 20, MOST_PER_PAGE), request.offset()
    if size is None or offset is None:
        return refusals.invalid("invalid page_size or page_token")
    people = [person for one in found.members if (person := platform.person(one)) is not None]
    page, more = people[offset : offset + size], len(people) > offset + size
    items: list[Json] = [wire.member(person) for person in page]
    return {
        "data": {
            "items": items,
            "page_token": page_token(offset + size) if more else "",
            "has_more": more,
            "member_total": len(people),
        }
    }


def tenant(platform: Platform, _: Request) -> Document | Refusal:
    facts: Document = {
        "name": "Simulated tenant",
        "display_id": "F000000001",
        "tenant_tag": 0,
        "tenant_key": platform.app.tenant_key,
    }
    return {"data": {"tenant": facts}}


def bot(platform: Platform, _: Request) -> Document | Refusal:
    """The one answer whose payload is not under `data`."""
    return {"msg": "ok", "bot": wire.bot(platform.app)}


def application(platform: Platform, request: Request) -> Document | Refusal:
    if request.path["app_id"] not in {platform.app.app_id, "me"}:
        return refusals.UNKNOWN_APPLICATION
    return {"data": {"app": wire.application(platform.app, platform.owner)}}


def _visible(platform: Platform, request: Request) -> Chat | Refusal:
    found = platform.chat(request.path["chat_id"])
    if found is None:
        return refusals.BAD_CHAT
    if found.dissolved:
        return refusals.DISSOLVED
    if not found.bot_present:
        return refusals.OUTSIDE_CHAT
    shared = platform.external_sharing or not found.external
    return found if shared else refusals.EXTERNAL_CHAT
