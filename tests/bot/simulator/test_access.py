"""Tokens and scopes as the platform hands them out."""

from datetime import timedelta

import pytest

from bot.simulator.platform import Platform
from tests.bot.simulator.callers import TOKEN_PATH, Caller, SkippingClock

BOT = ("GET", "/open-apis/bot/v3/info")


async def test_the_token_stands_at_the_top_level_of_the_answer(
    app: Caller, platform: Platform
) -> None:
    body = {"app_id": platform.app.app_id, "app_secret": platform.app.app_secret}
    answer = await app.call("POST", TOKEN_PATH, body)
    assert answer.document == {
        "code": 0,
        "msg": "ok",
        "tenant_access_token": app.token,
        "expire": 7200,
    }


async def test_a_token_with_half_an_hour_left_is_handed_out_again_and_a_younger_one_beside_it_later(
    app: Caller, clock: SkippingClock
) -> None:
    first = app.token
    clock.advance(timedelta(seconds=5400))
    assert await app.sign_in() == first
    clock.advance(timedelta(seconds=1))
    second = await app.sign_in()
    assert second != first
    app.token = first
    assert (await app.call(*BOT)).code == 0
    clock.advance(timedelta(seconds=1799))
    assert (await app.call(*BOT)).code == 99991663
    app.token = second
    assert (await app.call(*BOT)).code == 0


@pytest.mark.parametrize("status", [200, 400, 401])
async def test_a_revoked_token_is_refused_by_code_under_any_status(
    app: Caller, platform: Platform, status: int
) -> None:
    platform.access.revoke(status=status)
    answer = await app.call(*BOT)
    assert (answer.status, answer.code) == (status, 99991663)
    await app.sign_in()
    assert (await app.call(*BOT)).code == 0


@pytest.mark.parametrize(
    ("token", "code"), [(None, 99991661), ("u-person", 99991671), ("t-forged", 99991663)]
)
async def test_each_wrong_token_has_its_code(app: Caller, token: str | None, code: int) -> None:
    app.token = token
    assert (await app.call(*BOT)).code == code


@pytest.mark.parametrize(
    ("app_id", "secret", "code"),
    [("cli_other", "sim_app_secret", 10003), ("cli_sim_steward", "sim_wrong", 10014)],
)
async def test_wrong_credentials_are_refused_inside_a_200(
    app: Caller, app_id: str, secret: str, code: int
) -> None:
    answer = await app.call("POST", TOKEN_PATH, {"app_id": app_id, "app_secret": secret})
    assert (answer.status, answer.code) == (200, code)


async def test_a_missing_scope_names_what_would_do(app: Caller, platform: Platform) -> None:
    platform.access.scopes.discard("tenant:tenant:readonly")
    answer = await app.call("GET", "/open-apis/tenant/v2/tenant/query")
    assert (answer.status, answer.code) == (400, 99991672)
    assert answer.document["error"]["permission_violations"] == [
        {"type": "action_scope_required", "subject": "tenant:tenant:readonly"}
    ]


async def test_a_body_that_is_no_json_object_is_refused_after_the_token_check(app: Caller) -> None:
    assert (await app.call("POST", "/open-apis/im/v1/messages", b"[1]")).code == 9499
    app.token = None
    assert (await app.call("POST", "/open-apis/im/v1/messages", b"{")).code == 99991661


async def test_an_operation_has_fifty_calls_a_second_and_says_when_there_are_more(
    app: Caller, clock: SkippingClock
) -> None:
    answers = [await app.call(*BOT) for _ in range(51)]
    assert [answer.code for answer in answers] == [0] * 50 + [99991400]
    assert answers[-1].status == 429
    assert answers[-1].headers["x-ogw-ratelimit-reset"] == "1"
    assert answers[-1].headers["x-ogw-ratelimit-limit"] == "50"
    clock.advance(timedelta(seconds=1))
    assert (await app.call(*BOT)).code == 0


async def test_an_operation_has_a_thousand_calls_a_minute(
    platform: Platform, clock: SkippingClock
) -> None:
    for _ in range(1000):
        platform.minute_window.use("bot")
        clock.advance(timedelta(milliseconds=30))
    assert platform.minute_window.wait("bot") == pytest.approx(30.0)
