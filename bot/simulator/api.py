"""The table of operations: path, the scopes of which one is needed, and the rule that answers.

server.py routes by it. `answer` runs what every call goes through, in the gateway's order: token, scope,
frequency, then the operation itself.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.simulator import directory, messages, reactions, refusals
from bot.simulator.faults import Op
from bot.simulator.model import Document
from bot.simulator.platform import Platform
from bot.simulator.refusals import Refusal
from bot.simulator.request import Request

SENDING = ("im:message", "im:message:send_as_bot")
READING = ("im:message", "im:message:readonly")
CHATS = ("im:chat", "im:chat:readonly")
REACTING = ("im:message", "im:message.reactions:write_only")


@dataclass(frozen=True, slots=True)
class Operation:
    """One entry: `path` in aiohttp's form, `scopes` any of which suffices."""

    method: str
    path: str
    answer: Callable[[Platform, Request], Document | Refusal]
    scopes: tuple[str, ...] = ()
    needs_token: bool = True


def issue_token(platform: Platform, request: Request) -> Document | Refusal:
    """The fields stand at the top level."""
    issued = platform.access.issue(request.text("app_id"), request.text("app_secret"))
    if isinstance(issued, Refusal):
        return issued
    return {"msg": "ok", "tenant_access_token": issued.token, "expire": issued.expire}


_IM = "/open-apis/im/v1"
_MESSAGE = f"{_IM}/messages/{{message_id}}"

OPERATIONS: Mapping[Op, Operation] = {
    Op.TOKEN: Operation(
        "POST",
        "/open-apis/auth/v3/tenant_access_token/internal",
        issue_token,
        needs_token=False,
    ),
    Op.BOT: Operation("GET", "/open-apis/bot/v3/info", directory.bot),
    Op.CREATE: Operation("POST", f"{_IM}/messages", messages.create, SENDING),
    Op.LIST: Operation("GET", f"{_IM}/messages", messages.listing, READING),
    Op.REPLY: Operation("POST", f"{_MESSAGE}/reply", messages.reply, SENDING),
    Op.GET: Operation("GET", _MESSAGE, messages.get, READING),
    Op.RECALL: Operation("DELETE", _MESSAGE, messages.recall, SENDING),
    Op.PATCH: Operation("PATCH", _MESSAGE, messages.patch, SENDING),
    Op.EDIT: Operation("PUT", _MESSAGE, messages.edit, SENDING),
    Op.REACT: Operation("POST", f"{_MESSAGE}/reactions", reactions.add, REACTING),
    Op.UNREACT: Operation(
        "DELETE", f"{_MESSAGE}/reactions/{{reaction_id}}", reactions.remove, REACTING
    ),
    Op.CHAT: Operation("GET", f"{_IM}/chats/{{chat_id}}", directory.chat, CHATS),
    Op.MEMBERS: Operation("GET", f"{_IM}/chats/{{chat_id}}/members", directory.members, CHATS),
    Op.TENANT: Operation(
        "GET", "/open-apis/tenant/v2/tenant/query", directory.tenant, ("tenant:tenant:readonly",)
    ),
    Op.APPLICATION: Operation(
        "GET",
        "/open-apis/application/v6/applications/{app_id}",
        directory.application,
        ("application:application:self_manage", "admin:app.info:readonly"),
    ),
}


def answer(
    platform: Platform, op: Op, authorization: str | None, request: Request | None
) -> Document | Refusal:
    """One call from the gateway to the rule. `request` is None where the body was no JSON object."""
    operation = OPERATIONS[op]
    if operation.needs_token:
        refusal = platform.access.check(authorization) or platform.access.lacks(operation.scopes)
        if refusal is not None:
            return refusal
    if refusal := _too_frequent(platform, op):
        return refusal
    if request is None:
        return refusals.NOT_JSON
    return operation.answer(platform, request)


def _too_frequent(platform: Platform, op: Op) -> Refusal | None:
    for window in (platform.second_window, platform.minute_window):
        if wait := window.wait(op):
            return refusals.rate_limited(wait, window.limit)
    platform.second_window.use(op)
    platform.minute_window.use(op)
    return None
