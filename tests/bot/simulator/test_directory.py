"""What the app may look up."""

import pytest

from bot.simulator.model import Chat, ChatMode, Person
from bot.simulator.platform import Platform
from tests.bot.simulator.callers import IM, Caller


async def test_the_bots_own_id_stands_under_bot(app: Caller) -> None:
    answer = await app.call("GET", "/open-apis/bot/v3/info")
    assert answer.document == {
        "code": 0,
        "msg": "ok",
        "bot": {
            "activate_status": 2,
            "app_name": "Steward",
            "avatar_url": "",
            "ip_white_list": [],
            "open_id": "ou_sim_bot",
        },
    }


@pytest.mark.parametrize(("mode", "kind"), [("group", "chat"), ("topic", "thread"), ("p2p", None)])
async def test_a_chat_says_its_mode_and_whether_it_is_external(
    app: Caller, platform: Platform, lin: Person, mode: ChatMode, kind: str | None
) -> None:
    chat = platform.add_chat("Here", mode=mode, members=[lin], external=True)
    data = (await app.call("GET", f"{IM}/chats/{chat.chat_id}")).data
    assert (data["chat_mode"], data["external"], data.get("group_message_type")) == (
        mode,
        True,
        kind,
    )
    assert data["tenant_key"] == "tenant_sim"


async def test_a_chat_that_the_bot_may_not_see_is_refused_by_its_reason(
    app: Caller, platform: Platform, team: Chat, lin: Person
) -> None:
    for path in (f"{IM}/chats/{team.chat_id}", f"{IM}/chats/{team.chat_id}/members"):
        team.bot_present, team.dissolved = True, False
        assert (await app.call("GET", path)).code == 0
        platform.remove_bot(team, by=lin)
        assert (await app.call("GET", path)).code == 232011
        platform.disband(team, by=lin)
        assert (await app.call("GET", path)).code == 232009
    assert (await app.call("GET", f"{IM}/chats/oc_unknown")).code == 232006


async def test_members_come_by_pages_with_their_tenants_and_without_the_bot(
    app: Caller, platform: Platform, team: Chat
) -> None:
    platform.add_member(
        team,
        platform.add_person("Guest", open_id="ou_guest", tenant_key="tenant_other"),
        by=platform.add_person("Admin"),
    )
    path = f"{IM}/chats/{team.chat_id}/members"
    first = (await app.call("GET", path, query={"page_size": "2"})).data
    assert [one["member_id"] for one in first["items"]] == ["ou_lin", "ou_wei"]
    assert (first["has_more"], first["member_total"]) == (True, 3)
    second = (
        await app.call("GET", path, query={"page_size": "2", "page_token": first["page_token"]})
    ).data
    assert second["items"] == [
        {
            "member_id_type": "open_id",
            "member_id": "ou_guest",
            "name": "Guest",
            "tenant_key": "tenant_other",
        }
    ]
    assert second["has_more"] is False
    assert team.external


async def test_the_tenant_and_the_apps_owner_can_be_asked_for(
    app: Caller, platform: Platform, lin: Person
) -> None:
    tenant = (await app.call("GET", "/open-apis/tenant/v2/tenant/query")).data
    assert tenant["tenant"]["tenant_key"] == "tenant_sim"
    platform.owner = lin
    path = "/open-apis/application/v6/applications/cli_sim_steward"
    shown = (await app.call("GET", path)).data["app"]
    assert shown["owner"] == {"type": 2, "owner_id": "ou_lin"}
    assert (await app.call("GET", f"{path}_other")).code == 210502
