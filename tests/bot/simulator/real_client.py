"""The official client against a served platform, in a process of its own: its import alone takes seconds.

Reads a job as JSON from standard input and writes what the client saw, as JSON, to the path that the job names.
The client logs to standard output, so that is left to it.
"""

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lark_oapi as lark
from lark_oapi.api.application.v6 import GetApplicationRequest
from lark_oapi.api.im.v1 import (
    CreateMessageReactionRequest,
    CreateMessageReactionRequestBody,
    CreateMessageRequest,
    CreateMessageRequestBody,
    DeleteMessageReactionRequest,
    DeleteMessageRequest,
    Emoji,
    GetChatMembersRequest,
    GetChatRequest,
    GetMessageRequest,
    ListMessageRequest,
    PatchMessageRequest,
    PatchMessageRequestBody,
    ReplyMessageRequest,
    ReplyMessageRequestBody,
    UpdateMessageRequest,
    UpdateMessageRequestBody,
)
from lark_oapi.api.tenant.v2 import QueryTenantRequest


def seen(response: Any) -> dict[str, Any]:
    """What the client made of an answer: its typed data, or the raw document where it has no type for it."""
    raw = json.loads(response.raw.content)
    typed = getattr(response, "data", None)
    return {
        "ok": response.success(),
        "code": response.code,
        "msg": response.msg,
        "data": json.loads(lark.JSON.marshal(typed)) if typed is not None else None,
        "raw": raw,
    }


def calls(client: lark.Client, job: dict[str, Any]) -> dict[str, Any]:
    messages, reactions = client.im.v1.message, client.im.v1.message_reaction
    chat_id, asked = job["chat_id"], job["message_id"]
    results: dict[str, Any] = {}

    def did(name: str, response: Any) -> dict[str, Any]:
        results[name] = seen(response)
        return results[name]

    bot = (
        lark.BaseRequest.builder()
        .http_method(lark.HttpMethod.GET)
        .uri("/open-apis/bot/v3/info")
        .token_types({lark.AccessTokenType.TENANT})
        .build()
    )
    did("bot", client.request(bot))
    body = CreateMessageRequestBody.builder().receive_id(chat_id).msg_type("text")
    body = body.content('{"text":"from the client"}').uuid("create-1").build()
    create = CreateMessageRequest.builder().receive_id_type("chat_id").request_body(body).build()
    sent = did("create", messages.create(create))
    did("create_again", messages.create(create))
    answer = ReplyMessageRequestBody.builder().msg_type("interactive").content(job["card"])
    answer = answer.reply_in_thread(False).uuid("reply-1").build()
    replied = did(
        "reply",
        messages.reply(
            ReplyMessageRequest.builder().message_id(asked).request_body(answer).build()
        ),
    )
    did("get", messages.get(GetMessageRequest.builder().message_id(asked).build()))
    listing = ListMessageRequest.builder().container_id_type("chat").container_id(chat_id)
    did("list", messages.list(listing.page_size(2).build()))
    patched = PatchMessageRequestBody.builder().content(job["other_card"]).build()
    replied_id = replied["data"]["message_id"]
    did(
        "patch",
        messages.patch(
            PatchMessageRequest.builder().message_id(replied_id).request_body(patched).build()
        ),
    )
    edited = UpdateMessageRequestBody.builder().msg_type("text").content('{"text":"edited"}')
    sent_id = sent["data"]["message_id"]
    did(
        "edit",
        messages.update(
            UpdateMessageRequest.builder().message_id(sent_id).request_body(edited.build()).build()
        ),
    )
    did("recall", messages.delete(DeleteMessageRequest.builder().message_id(sent_id).build()))
    emoji = Emoji.builder().emoji_type("OnIt").build()
    react = CreateMessageReactionRequest.builder().message_id(asked)
    react = react.request_body(
        CreateMessageReactionRequestBody.builder().reaction_type(emoji).build()
    )
    reacted = did("react", reactions.create(react.build()))
    unreact = DeleteMessageReactionRequest.builder().message_id(asked)
    did(
        "unreact",
        reactions.delete(unreact.reaction_id(reacted["data"]["reaction_id"]).build()),
    )
    did("chat", client.im.v1.chat.get(GetChatRequest.builder().chat_id(chat_id).build()))
    did(
        "unknown_chat",
        client.im.v1.chat.get(GetChatRequest.builder().chat_id("oc_unknown").build()),
    )
    did(
        "members",
        client.im.v1.chat_members.get(GetChatMembersRequest.builder().chat_id(chat_id).build()),
    )
    did("tenant", client.tenant.v2.tenant.query(QueryTenantRequest.builder().build()))
    application = GetApplicationRequest.builder().app_id(job["app_id"]).lang("zh_cn").build()
    did("application", client.application.v6.application.get(application))
    return results


def receive(job: dict[str, Any]) -> dict[str, Any]:
    """Give each delivery to the official dispatcher: the status it answers, and the event as its models hold it."""
    events: list[Any] = []

    def keep(event: Any) -> None:
        events.append(json.loads(lark.JSON.marshal(event)))

    def press(event: Any) -> Any:
        keep(event)
        return {"toast": {"type": "info", "content": "seen"}}

    builder = lark.EventDispatcherHandler.builder(job["encrypt_key"], job["verification_token"])
    builder = builder.register_p2_im_message_receive_v1(keep)
    builder = builder.register_p2_im_message_recalled_v1(keep)
    builder = builder.register_p2_im_chat_member_user_added_v1(keep)
    builder = builder.register_p2_im_chat_member_user_deleted_v1(keep)
    builder = builder.register_p2_im_chat_member_bot_added_v1(keep)
    builder = builder.register_p2_im_chat_member_bot_deleted_v1(keep)
    builder = builder.register_p2_im_chat_updated_v1(keep)
    builder = builder.register_p2_im_chat_disbanded_v1(keep)
    builder = builder.register_p2_im_message_reaction_created_v1(keep)
    builder = builder.register_p1_customized_event("p2p_chat_create", keep)
    builder = builder.register_p2_card_action_trigger(press)
    return answers(builder.build().do, job["deliveries"], events)


def answers(
    do: Callable[[lark.RawRequest], lark.RawResponse],
    deliveries: dict[str, Any],
    events: list[Any],
) -> dict[str, Any]:
    results = {}
    for name, delivery in deliveries.items():
        events.clear()
        request = lark.RawRequest()
        request.uri = "/lark/events"
        request.headers = delivery["headers"]
        request.body = base64.b64decode(delivery["body"])
        response = do(request)
        results[name] = {
            "status": response.status_code,
            "body": json.loads(response.content) if response.status_code == 200 else None,
            "events": list(events),
        }
    return results


def main() -> None:
    job = json.load(sys.stdin)
    client = (
        lark.Client.builder()
        .app_id(job["app_id"])
        .app_secret(job["app_secret"])
        .domain(job["domain"])
        .log_level(lark.LogLevel.ERROR)
        .build()
    )
    results = {"calls": calls(client, job), "received": receive(job)}
    Path(job["output"]).write_text(json.dumps(results), encoding="utf-8")


main()
