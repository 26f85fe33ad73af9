import subprocess
import sys
from datetime import UTC, datetime

import orjson
import pytest

from bot.lark.calls import LarkCall, Operation
from tests.bot.lark.peer import load_sdk

IM = "/open-apis/im/v1"


def body(call: LarkCall) -> object:
    return orjson.loads(call.body or b"null")


def test_a_message_into_a_chat_is_as_the_platform_defines_it() -> None:
    call = load_sdk().create_message("oc_1", "text", '{"text":"你好"}', uuid="u-1")
    query = (("receive_id_type", "chat_id"),)
    assert call == LarkCall(Operation.CREATE_MESSAGE, "POST", f"{IM}/messages", query, call.body)
    assert body(call) == {
        "receive_id": "oc_1",
        "msg_type": "text",
        "content": '{"text":"你好"}',
        "uuid": "u-1",
    }


@pytest.mark.parametrize("in_thread", [True, False])
def test_a_reply_says_whether_it_opens_a_thread(in_thread: bool) -> None:
    call = load_sdk().reply_message("om_1", "post", "{}", in_thread=in_thread, uuid="u-1")
    path = f"{IM}/messages/om_1/reply"
    assert call == LarkCall(Operation.REPLY_MESSAGE, "POST", path, (), call.body)
    assert body(call) == {
        "content": "{}",
        "msg_type": "post",
        "reply_in_thread": in_thread,
        "uuid": "u-1",
    }


def test_every_other_call_is_as_the_platform_defines_it() -> None:
    sdk = load_sdk()
    since = datetime(2026, 11, 30, 4, 0, 0, 900_000, tzinfo=UTC)
    sort = (("sort_type", "ByCreateTimeDesc"), ("page_size", "50"))
    card = ("card_msg_content_type", "user_card_content")
    assert [
        sdk.bot_info(),
        sdk.tenant(),
        sdk.get_message("om_1"),
        sdk.list_messages("chat", "oc_1", since=since, page_token="p2"),
        sdk.list_messages("thread", "omt_1", since=since),
        sdk.get_chat("oc_1"),
        sdk.chat_members("oc_1", page_token="p2"),
    ] == [
        LarkCall(Operation.BOT_INFO, "GET", "/open-apis/bot/v3/info"),
        LarkCall(Operation.TENANT, "GET", "/open-apis/tenant/v2/tenant/query"),
        LarkCall(Operation.GET_MESSAGE, "GET", f"{IM}/messages/om_1", (card,)),
        LarkCall(
            Operation.LIST_MESSAGES,
            "GET",
            f"{IM}/messages",
            (
                *(("container_id_type", "chat"), ("container_id", "oc_1")),
                *sort,
                card,
                *(("start_time", "1796011200"), ("page_token", "p2")),
            ),
        ),
        LarkCall(
            Operation.LIST_MESSAGES,
            "GET",
            f"{IM}/messages",
            (("container_id_type", "thread"), ("container_id", "omt_1"), *sort, card),
        ),
        LarkCall(Operation.GET_CHAT, "GET", f"{IM}/chats/oc_1"),
        LarkCall(
            Operation.CHAT_MEMBERS,
            "GET",
            f"{IM}/chats/oc_1/members",
            (("member_id_type", "open_id"), ("page_size", "100"), ("page_token", "p2")),
        ),
    ]


def test_calls_that_change_carry_what_they_change() -> None:
    sdk = load_sdk()
    reaction, patch = sdk.add_reaction("om_1", "OnIt"), sdk.patch_message("om_1", "{}")
    assert (reaction.method, reaction.path) == ("POST", f"{IM}/messages/om_1/reactions")
    assert body(reaction) == {"reaction_type": {"emoji_type": "OnIt"}}
    assert (patch.method, patch.path) == ("PATCH", f"{IM}/messages/om_1")
    assert body(patch) == {"content": "{}"}


def test_an_id_cannot_leave_its_place_in_the_path() -> None:
    assert load_sdk().get_chat("../oc?x#y").path == f"{IM}/chats/..%2Foc%3Fx%23y"


def test_a_secret_is_in_the_body_alone() -> None:
    sdk = load_sdk()
    call = sdk.tenant_token("cli_1", "hush")
    assert body(call) == {"app_id": "cli_1", "app_secret": "hush"}
    assert "hush" not in repr(call)
    left_behind = sdk._models.CreateTokenRequestBody.builder().build()
    assert (left_behind.app_id, left_behind.app_secret) == (None, None)


def run(program: str) -> dict[str, object]:
    """Run in a process of its own; its last line is a JSON object, anything before it would be noise."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr
    noise, _, last = done.stdout.strip().rpartition("\n")
    assert noise == ""
    found: dict[str, object] = orjson.loads(last)
    return found


NARROW = """
import json, logging, sys
from bot.lark import sdk
before = "lark_oapi" in sys.modules
loaded = sdk.load()
logging.getLogger("Lark").warning("nothing of this on stdout")
theirs = [name for name in sys.modules if name.split(".")[0] == "lark_oapi"]
print(json.dumps({
    "imported_with_the_module": before,
    "fell_back": loaded.fell_back,
    "stand_ins_left": [name for name in sdk.STAND_INS if name in sys.modules],
    "few": len(theirs) < 60,
    "heavy": [name for name in ("httpx", "requests", "websockets") if name in sys.modules],
}))
"""


def test_loading_is_narrow_and_leaves_nothing_behind() -> None:
    assert run(NARROW) == {
        "imported_with_the_module": False,
        "fell_back": False,
        "stand_ins_left": [],
        "few": True,
        "heavy": [],
    }


LATER = """
import json, logging
from bot.lark import sdk
loaded = sdk.load()
import lark_oapi
from lark_oapi.api.im.v1 import CreateMessageRequest, ListMessageRequest
from lark_oapi.api.tenant.v2 import QueryTenantRequest
from lark_oapi.core.token import CreateSelfTenantTokenRequest, TokenManager
client = lark_oapi.Client.builder().app_id("cli_1").app_secret("s").build()
print(json.dumps({
    "same": [
        CreateMessageRequest is loaded._models.CreateMessageRequest,
        ListMessageRequest is loaded._models.ListMessageRequest,
        QueryTenantRequest is loaded._models.QueryTenantRequest,
        CreateSelfTenantTokenRequest is loaded._models.CreateSelfTenantTokenRequest,
        lark_oapi.BaseRequest is loaded._models.BaseRequest,
        isinstance(CreateMessageRequest.builder().build(), loaded._models.BaseRequest),
    ],
    "client": callable(client.im.v1.message.create),
    "registration": callable(lark_oapi.aregister_app),
    "handlers": len(logging.getLogger("Lark").handlers),
}))
"""


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_later_ordinary_import_works_and_finds_the_same_classes() -> None:
    assert run(LATER) == {"same": [True] * 6, "client": True, "registration": True, "handlers": 0}


FALLBACK = """
import json
from bot.lark import sdk
loaded = sdk.load((*sdk.STAND_INS, "lark_oapi.core"))
import lark_oapi
print(json.dumps({
    "fell_back": loaded.fell_back,
    "path": loaded.bot_info().path,
    "whole": callable(lark_oapi.Client.builder),
}))
"""


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_where_the_narrow_import_fails_the_whole_is_imported_and_said_so() -> None:
    assert run(FALLBACK) == {"fell_back": True, "path": "/open-apis/bot/v3/info", "whole": True}
