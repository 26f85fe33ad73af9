"""The one door to lark_oapi: its request models define paths, queries and bodies; its transport is not used.

Above: client.py and who makes calls. `load` imports at composition, never before. An ordinary import runs all
of lark_oapi (10,600 modules, 168 MiB, 5 s of CPU), so `load` lets empty stand-ins pass for the packages above
the few modules it needs, and takes them away again: a later ordinary import finds the same classes.
"""

import importlib
import importlib.util
import logging
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Literal
from urllib.parse import quote

from bot.lark.calls import LarkCall, MsgType, Operation

logger = logging.getLogger(__name__)

ROOT = "lark_oapi"

_IM = f"{ROOT}.api.im.v1.model"
_TENANT = f"{ROOT}.api.tenant.v2.model"
_TOKEN = f"{ROOT}.core.token"

STAND_INS = (
    ROOT,
    f"{ROOT}.api",
    f"{ROOT}.api.im",
    f"{ROOT}.api.im.v1",
    _IM,
    f"{ROOT}.api.tenant",
    f"{ROOT}.api.tenant.v2",
    _TENANT,
    _TOKEN,
)
"""Packages whose `__init__` imports much that we do not need."""

CLASSES = {
    "BaseRequest": f"{ROOT}.core.model",
    "HttpMethod": f"{ROOT}.core.enum",
    "JSON": f"{ROOT}.core.json",
    "CreateMessageRequest": f"{_IM}.create_message_request",
    "CreateMessageRequestBody": f"{_IM}.create_message_request_body",
    "ReplyMessageRequest": f"{_IM}.reply_message_request",
    "ReplyMessageRequestBody": f"{_IM}.reply_message_request_body",
    "PatchMessageRequest": f"{_IM}.patch_message_request",
    "PatchMessageRequestBody": f"{_IM}.patch_message_request_body",
    "GetMessageRequest": f"{_IM}.get_message_request",
    "ListMessageRequest": f"{_IM}.list_message_request",
    "CreateMessageReactionRequest": f"{_IM}.create_message_reaction_request",
    "CreateMessageReactionRequestBody": f"{_IM}.create_message_reaction_request_body",
    "Emoji": f"{_IM}.emoji",
    "GetChatRequest": f"{_IM}.get_chat_request",
    "GetChatMembersRequest": f"{_IM}.get_chat_members_request",
    "QueryTenantRequest": f"{_TENANT}.query_tenant_request",
    "CreateSelfTenantTokenRequest": f"{_TOKEN}.create_self_tenant_token_request",
    "CreateTokenRequestBody": f"{_TOKEN}.create_token_request_body",
}
"""Each class and the module that holds it."""

PAGE = 50
MEMBERS_PAGE = 100


def is_person(chat_id: str) -> bool:
    """Whether a place is a person, whose private chat the platform finds or opens."""
    return chat_id.startswith("ou_")


class Sdk:
    """Makes calls from the official models. `fell_back`: the narrow import failed, the whole was imported."""

    def __init__(self, models: SimpleNamespace, *, fell_back: bool) -> None:
        self._models = models
        self.fell_back = fell_back

    def tenant_token(self, app_id: str, app_secret: str) -> LarkCall:
        """The app's own access token; the one call that carries none."""
        body = self._models.CreateTokenRequestBody()
        body.app_id, body.app_secret = app_id, app_secret
        request = self._models.CreateSelfTenantTokenRequest()
        defined = self._models.CreateSelfTenantTokenRequest.builder().build()
        # The builder's default is one shared object; a secret must not stay in it.
        request.http_method, request.uri, request.body = defined.http_method, defined.uri, body
        return self._call(Operation.TENANT_TOKEN, request)

    def bot_info(self) -> LarkCall:
        """Ourselves; answered under `bot`. The models of lark_oapi do not cover it."""
        request = (
            self._models.BaseRequest.builder()
            .http_method(self._models.HttpMethod.GET)
            .uri("/open-apis/bot/v3/info")
            .build()
        )
        return self._call(Operation.BOT_INFO, request)

    def tenant(self) -> LarkCall:
        """The tenant that the app is installed in."""
        return self._call(Operation.TENANT, self._models.QueryTenantRequest.builder().build())

    def create_message(
        self, chat_id: str, msg_type: MsgType, content: str, *, uuid: str
    ) -> LarkCall:
        """A message into a chat, or to a person where `chat_id` is an open_id. `content` is the JSON text of its format."""
        body = (
            self._models.CreateMessageRequestBody.builder()
            .receive_id(chat_id)
            .msg_type(msg_type)
            .content(content)
            .uuid(uuid)
            .build()
        )
        request = (
            self._models.CreateMessageRequest.builder()
            .receive_id_type("open_id" if is_person(chat_id) else "chat_id")
            .request_body(body)
            .build()
        )
        return self._call(Operation.CREATE_MESSAGE, request)

    def reply_message(
        self, message_id: str, msg_type: MsgType, content: str, *, in_thread: bool, uuid: str
    ) -> LarkCall:
        """An answer to a message; `in_thread` opens or joins its topic."""
        body = (
            self._models.ReplyMessageRequestBody.builder()
            .content(content)
            .msg_type(msg_type)
            .reply_in_thread(in_thread)
            .uuid(uuid)
            .build()
        )
        request = (
            self._models.ReplyMessageRequest.builder()
            .message_id(message_id)
            .request_body(body)
            .build()
        )
        return self._call(Operation.REPLY_MESSAGE, request)

    def patch_message(self, message_id: str, content: str) -> LarkCall:
        """New content for a card that we sent."""
        body = self._models.PatchMessageRequestBody.builder().content(content).build()
        request = (
            self._models.PatchMessageRequest.builder()
            .message_id(message_id)
            .request_body(body)
            .build()
        )
        return self._call(Operation.PATCH_MESSAGE, request)

    def get_message(self, message_id: str) -> LarkCall:
        """One message as the platform keeps it, a card's content as it was sent."""
        request = (
            self._models.GetMessageRequest.builder()
            .message_id(message_id)
            .card_msg_content_type("user_card_content")
            .build()
        )
        return self._call(Operation.GET_MESSAGE, request)

    def list_messages(
        self,
        container: Literal["chat", "thread"],
        container_id: str,
        *,
        since: datetime | None = None,
        page_token: str | None = None,
    ) -> LarkCall:
        """A page of a chat's or topic's messages, newest first. `since` is ignored for topics: they refuse it."""
        builder = (
            self._models.ListMessageRequest.builder()
            .container_id_type(container)
            .container_id(container_id)
            .sort_type("ByCreateTimeDesc")
            .page_size(PAGE)
            .card_msg_content_type("user_card_content")
        )
        if since is not None and container == "chat":
            builder = builder.start_time(str(int(since.timestamp())))
        if page_token is not None:
            builder = builder.page_token(page_token)
        return self._call(Operation.LIST_MESSAGES, builder.build())

    def add_reaction(self, message_id: str, emoji: str) -> LarkCall:
        """An emoji under a message; `emoji` is a key, case matters."""
        kind = self._models.Emoji.builder().emoji_type(emoji).build()
        body = self._models.CreateMessageReactionRequestBody.builder().reaction_type(kind).build()
        request = (
            self._models.CreateMessageReactionRequest.builder()
            .message_id(message_id)
            .request_body(body)
            .build()
        )
        return self._call(Operation.ADD_REACTION, request)

    def get_chat(self, chat_id: str) -> LarkCall:
        """A chat's mode, tenant and whether it is external."""
        request = self._models.GetChatRequest.builder().chat_id(chat_id).build()
        return self._call(Operation.GET_CHAT, request)

    def chat_members(self, chat_id: str, *, page_token: str | None = None) -> LarkCall:
        """A page of the people in a chat; bots are not among them."""
        builder = (
            self._models.GetChatMembersRequest.builder()
            .chat_id(chat_id)
            .member_id_type("open_id")
            .page_size(MEMBERS_PAGE)
        )
        if page_token is not None:
            builder = builder.page_token(page_token)
        return self._call(Operation.CHAT_MEMBERS, builder.build())

    def _call(self, operation: Operation, request: Any) -> LarkCall:
        path = request.uri
        for name, value in request.paths.items():
            path = path.replace(f":{name}", quote(value, safe=""))
        body = None if request.body is None else self._models.JSON.marshal(request.body).encode()
        return LarkCall(operation, request.http_method.name, path, tuple(request.queries), body)


def load(stand_ins: Sequence[str] = STAND_INS) -> Sdk:
    """Import what is needed of lark_oapi. Blocks for about 0.2 s, and for many seconds where it falls back."""
    try:
        models, fell_back = _narrow(stand_ins), False
    except (ImportError, AttributeError):
        logger.warning("lark_oapi is laid out otherwise than expected; importing all of it")
        models, fell_back = _models(), True
    _quiet()
    return Sdk(models, fell_back=fell_back)


def _narrow(stand_ins: Sequence[str]) -> SimpleNamespace:
    if ROOT in sys.modules:  # somebody has paid for the whole import: nothing to save
        return _models()
    found = importlib.util.find_spec(ROOT)
    if found is None or found.submodule_search_locations is None:
        raise ImportError(ROOT)
    for name in stand_ins:
        sys.modules[name] = _stand_in(name, found.submodule_search_locations[0])
    try:
        models = _models()
    except (ImportError, AttributeError):
        _forget([name for name in sys.modules if name.partition(".")[0] == ROOT])
        raise
    _forget(stand_ins)
    return models


def _stand_in(name: str, root: str) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = [str(Path(root, *name.split(".")[1:]))]
    return module


def _forget(names: Iterable[str]) -> None:
    for name in names:
        del sys.modules[name]


def _models() -> SimpleNamespace:
    return SimpleNamespace(
        **{name: getattr(importlib.import_module(module), name) for name, module in CLASSES.items()}
    )


def _quiet() -> None:
    """The SDK writes to stdout, which belongs to commands; its records go where ours do."""
    theirs = logging.getLogger("Lark")
    for handler in list(theirs.handlers):
        theirs.removeHandler(handler)
