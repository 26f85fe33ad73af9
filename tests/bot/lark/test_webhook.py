import asyncio
import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.lark.verification import Refusal
from bot.lark.webhook import Ack, Refusals, WebhookSettings
from steward.errors import SettingsError
from steward.model.events import Envelope, EventKind, Lane
from steward.model.ids import AppId, ChatId, ConversationId, EventId, MessageRef, ThreadId
from steward.testing.world import FakeClock
from steward.texts.toasts import CLICK_NOT_RECORDED
from tests.bot.lark.samples import (
    APP,
    FRESHNESS,
    KEY,
    NEXT_KEY,
    NEXT_TOKEN,
    TENANT,
    TOKEN,
    Site,
    plain,
    sample,
)
from tests.bot.lark.sealing import encrypted, signed

REFUSED = Ack(401, b'{"error":"refused"}')
RECORDED = Ack(200, b"{}")
JSON = {"Content-Type": "application/json"}
MIB = 1024 * 1024


async def _post(site: Site, document: object, key: str = KEY) -> Ack:
    return await _post_bytes(site, plain(document), key)


async def _post_bytes(site: Site, document: bytes, key: str = KEY) -> Ack:
    body = encrypted(document, key)
    return await site.webhook.handle(signed(body, key, site.clock.now()), body)


def _padded(size: int) -> bytes:
    """A plain challenge of exactly `size` bytes."""
    document = plain(sample("challenge"))
    return document[:-1] + b" " * (size - len(document)) + b"}"


# ---------------------------------------------------------------- headers, size, form


@pytest.mark.parametrize("change", [str.lower, str.upper, str.title])
async def test_header_names_are_read_in_any_case(change: Any, clock: FakeClock) -> None:
    site = Site(clock)
    body = encrypted(plain(sample("message_in_group")), KEY)
    headers = {change(name): value for name, value in signed(body, KEY, clock.now()).items()}
    assert await site.webhook.handle(headers, body) == RECORDED


async def test_a_challenge_is_answered_as_json_whatever_it_holds(clock: FakeClock) -> None:
    challenge = 'a"b\\c\n</script>é雪'
    document = sample("challenge") | {"challenge": challenge}
    ack = await Site(clock).webhook.handle(JSON, plain(document))
    assert (ack.status, orjson.loads(ack.body)) == (200, {"challenge": challenge})


async def test_a_body_of_one_mebibyte_is_read_and_one_byte_more_is_refused(
    clock: FakeClock,
) -> None:
    site = Site(clock)
    assert (await site.webhook.handle(JSON, _padded(MIB))).status == 200
    assert await site.webhook.handle(JSON, _padded(MIB + 1)) == Ack(413, REFUSED.body)
    assert site.refusals.counts[Refusal.TOO_LARGE] == 1


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 200),
        ("application/json;charset=utf-8", 200),
        ('Application/JSON ; charset="UTF-8"', 200),
        ("application/jsonp", 401),
        ("text/json", 401),
        ("application/x-www-form-urlencoded", 401),
        ("", 401),
    ],
)
async def test_only_json_is_taken(content_type: str, status: int, clock: FakeClock) -> None:
    headers = {"content-type": content_type}
    ack = await Site(clock).webhook.handle(headers, plain(sample("challenge")))
    assert ack.status == status


@pytest.mark.parametrize("headers", [{}, {**JSON, "Content-Encoding": "gzip"}])
async def test_a_body_without_a_type_or_with_a_coding_is_refused(
    headers: Mapping[str, str], clock: FakeClock
) -> None:
    assert await Site(clock).webhook.handle(headers, plain(sample("challenge"))) == REFUSED


DEEP = b"[" * 100_000 + b"]" * 100_000
BROKEN = [
    b"",
    b"not json",
    b"[]",
    b"null",
    b'"encrypt"',
    b"7",
    b"{",
    b"\xff\xfe",
    b"{}",
    b'{"encrypt":7}',
    b'{"encrypt":"!!"}',
    b'{"encrypt":""}',
    b'{"encrypt":"AAAA"}',
    b'{"type":"url_verification","token":"verify-me"}',
    b'{"type":"url_verification","token":"verify-me","challenge":["a"]}',
    b'{"type":"url_verification","token":["verify-me"],"challenge":"a"}',
    b'{"type":"url_verification","challenge":"a"}',
    DEEP,
    b'{"a":' + DEEP + b"}",
    b'{"type":"url_verification","token":"x","challenge":' + DEEP + b"}",
    b'{"a":' + b"9" * 10_000 + b"}",
]


@pytest.mark.parametrize("body", BROKEN, ids=lambda body: repr(body[:40]))
async def test_every_broken_body_is_refused_alike(body: bytes, clock: FakeClock) -> None:
    site = Site(clock)
    outcomes = [
        await site.webhook.handle(JSON, body),
        await site.webhook.handle(signed(body, KEY, clock.now()), body),
        await _post_bytes(site, body),
        await site.webhook.handle(JSON, encrypted(body, KEY)),
    ]
    assert outcomes == [REFUSED] * 4
    assert site.inbound.recorded == []


@settings(deadline=None)
@given(
    headers=st.dictionaries(
        st.sampled_from(
            ["Content-Type", "X-Lark-Signature", "X-Lark-Request-Nonce", "X-Lark-Request-Timestamp"]
        ),
        st.text(st.characters()) | st.just("application/json"),
    ),
    body=st.binary(max_size=100),
)
def test_no_header_and_no_body_raises(headers: dict[str, str], body: bytes) -> None:
    site = Site(FakeClock())
    outcomes = {
        asyncio.run(site.webhook.handle(headers, each)) for each in (body, encrypted(body, KEY))
    }
    assert outcomes == {REFUSED}


async def test_a_refusal_is_logged_by_its_reason_alone(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        await Site(clock).webhook.handle(JSON, b'{"token":"canary-in-body"}')
    assert caplog.messages == ["a webhook request was refused: plain_event"]


# ---------------------------------------------------------------- rotation, freshness, tenant


@pytest.mark.parametrize("key", [KEY, NEXT_KEY])
@pytest.mark.parametrize("token", [TOKEN, NEXT_TOKEN])
async def test_during_a_rotation_each_key_and_token_is_taken(
    key: str, token: str, clock: FakeClock
) -> None:
    site = Site(clock)
    document = sample("message_in_group")
    document["header"]["token"] = token
    challenge = encrypted(plain(sample("challenge") | {"token": token}), key)
    assert await _post(site, document, key) == RECORDED
    assert (await site.webhook.handle(JSON, challenge)).status == 200


async def test_a_body_signed_with_one_key_and_encrypted_with_another_is_refused(
    clock: FakeClock,
) -> None:
    site = Site(clock)
    body = encrypted(plain(sample("message_in_group")), NEXT_KEY)
    assert await site.webhook.handle(signed(body, KEY, clock.now()), body) == REFUSED


@pytest.mark.parametrize("off_by", [-FRESHNESS, FRESHNESS])
async def test_the_window_of_freshness_reaches_to_both_sides(
    off_by: timedelta, clock: FakeClock
) -> None:
    body = encrypted(plain(sample("message_in_group")), KEY)
    beyond = off_by + (off_by / abs(off_by)) * timedelta(seconds=1)
    site = Site(clock)
    stale = await site.webhook.handle(signed(body, KEY, clock.now() + beyond), body)
    in_time = await site.webhook.handle(signed(body, KEY, clock.now() + off_by), body)
    assert [stale, in_time] == [REFUSED, RECORDED]


async def test_a_stale_refusal_is_red_for_ten_minutes(clock: FakeClock) -> None:
    site = Site(clock)
    body = encrypted(plain(sample("message_in_group")), KEY)
    await site.webhook.handle(signed(body, KEY, clock.now() - timedelta(days=1)), body)
    refused_at = clock.now()
    reasons = [
        site.refusals.stale_reason(refused_at + timedelta(seconds=after)) for after in (0, 600, 601)
    ]
    assert reasons == ["stale_events_refused", "stale_events_refused", None]


async def test_only_an_authentic_request_counts_as_stale(clock: FakeClock) -> None:
    site = Site(clock)
    body = encrypted(plain(sample("message_in_group")), KEY)
    await site.webhook.handle(signed(body, "guess", clock.now() - timedelta(days=1)), body)
    assert site.refusals.last_stale_at is None
    assert Refusals().stale_reason(clock.now()) is None


async def test_any_tenant_is_taken_until_ours_is_known(clock: FakeClock) -> None:
    site = Site(clock, tenant=lambda: None)
    document = sample("message_in_group")
    document["header"]["tenant_key"] = "tenant_first_seen"
    assert await _post(site, document) == RECORDED
    assert [each.tenant_key for each in site.inbound.recorded] == ["tenant_first_seen"]


async def test_a_missing_tenant_is_not_ours(clock: FakeClock) -> None:
    site = Site(clock)
    document = sample("message_in_group")
    del document["header"]["tenant_key"]
    assert await _post(site, document) == REFUSED
    assert site.refusals.counts[Refusal.TENANT] == 1


async def test_an_outside_persons_message_carries_our_tenant_and_is_recorded(
    clock: FakeClock,
) -> None:
    document = sample("message_in_group")
    document["event"]["sender"]["tenant_key"] = "tenant_other"
    assert await _post(Site(clock), document) == RECORDED


@pytest.mark.parametrize(
    ("keys", "tokens", "app"),
    [((), (TOKEN,), APP), ((KEY, " "), (TOKEN,), APP), ((KEY,), (), APP),
     ((KEY,), ("",), APP), ((KEY,), (TOKEN,), AppId(""))],
)  # fmt: skip
def test_a_blank_secret_is_no_secret(
    keys: tuple[str, ...], tokens: tuple[str, ...], app: AppId
) -> None:
    with pytest.raises(SettingsError):
        WebhookSettings(app, keys, tokens)


def test_settings_do_not_show_their_secrets() -> None:
    shown = repr(WebhookSettings(APP, (KEY,), (TOKEN,)))
    assert KEY not in shown
    assert TOKEN not in shown


# ---------------------------------------------------------------- what is recorded


@pytest.mark.requirement("D1", "D3")
async def test_a_message_is_recorded_as_it_came(clock: FakeClock) -> None:
    site = Site(clock)
    document = plain(sample("post_in_topic"))
    assert await _post_bytes(site, document) == RECORDED
    assert site.inbound.recorded == [
        Envelope(
            app_id=APP,
            event_id=EventId("event_message_3"),
            kind=EventKind.MESSAGE,
            lane=Lane.ORDERED,
            conversation=ConversationId(APP, ChatId("oc_team"), ThreadId("omt_7")),
            message=MessageRef(APP, "om_3"),
            tenant_key=TENANT,
            occurred_at=datetime(2026, 11, 30, 4, 0, 0, 123000, tzinfo=UTC),
            received_at=clock.now(),
            body=document,
        )
    ]


TEAM = ConversationId(APP, ChatId("oc_team"))
PRIVATE = ConversationId(APP, ChatId("oc_private"))


@pytest.mark.parametrize(
    ("name", "kind", "conversation"),
    [
        ("recall", EventKind.RECALL, TEAM),
        ("bot_added", EventKind.MEMBERSHIP, TEAM),
        ("bot_deleted", EventKind.MEMBERSHIP, TEAM),
        ("outsider_added", EventKind.MEMBERSHIP, TEAM),
        ("user_withdrawn", EventKind.MEMBERSHIP, TEAM),
        ("chat_updated", EventKind.CHAT_CHANGE, TEAM),
        ("chat_disbanded", EventKind.CHAT_CHANGE, TEAM),
        ("person_deleted", EventKind.PERSON_DELETED, None),
        ("first_contact", EventKind.FIRST_CONTACT, PRIVATE),
        ("menu", EventKind.MENU, None),
        ("reaction", EventKind.OTHER, None),
    ],
)
async def test_whatever_is_no_question_takes_the_lane_that_never_waits(
    name: str, kind: EventKind, conversation: ConversationId | None, clock: FakeClock
) -> None:
    site = Site(clock)
    assert await _post(site, sample(name)) == RECORDED
    (envelope,) = site.inbound.recorded
    assert (envelope.kind, envelope.lane, envelope.conversation, envelope.message) == (
        kind, Lane.NOW, conversation, None,
    )  # fmt: skip


async def test_the_old_schema_is_told_apart_by_its_uuid(clock: FakeClock) -> None:
    site = Site(clock)
    for _ in range(2):
        assert await _post(site, sample("first_contact")) == RECORDED
    (envelope,) = site.inbound.recorded
    assert (envelope.event_id, envelope.tenant_key, envelope.occurred_at, site.inbound.duplicates) == (
        "uuid_first_1", TENANT, datetime(2026, 11, 30, 4, 0, tzinfo=UTC), 1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"), [("token", "x"), ("app_id", "cli_sim_other"), ("tenant_key", "other")]
)
async def test_the_old_schema_is_checked_as_the_new_one(
    field: str, value: str, clock: FakeClock
) -> None:
    document = sample("first_contact")
    (document if field == "token" else document["event"])[field] = value
    assert await _post(Site(clock), document) == REFUSED


async def test_a_token_in_the_wrong_place_is_no_token(clock: FakeClock) -> None:
    site = Site(clock)
    modern, old = sample("message_in_group"), sample("first_contact")
    modern["token"] = modern["header"].pop("token")
    old["header"] = {"token": old.pop("token")}
    assert [await _post(site, modern), await _post(site, old)] == [REFUSED, REFUSED]


async def test_an_event_without_an_id_is_recorded_once_under_its_hash(clock: FakeClock) -> None:
    site = Site(clock)
    document = sample("reaction")
    del document["header"]["event_id"]
    for _ in range(2):
        assert await _post(site, document) == RECORDED
    (envelope,) = site.inbound.recorded
    assert envelope.event_id.startswith("sha256:")
    assert site.inbound.duplicates == 1


@pytest.mark.parametrize("event", [None, [], 7, "x", {}, {"message": []}, {"message": {}}])
@pytest.mark.requirement("D3")
async def test_an_authentic_message_that_cannot_be_placed_is_still_recorded(
    event: object, clock: FakeClock
) -> None:
    site = Site(clock)
    assert await _post(site, sample("message_in_group") | {"event": event}) == RECORDED
    (envelope,) = site.inbound.recorded
    assert (envelope.kind, envelope.lane, envelope.conversation) == (
        EventKind.OTHER, Lane.NOW, None,
    )  # fmt: skip


async def test_a_drift_in_a_field_that_is_not_needed_loses_no_question(clock: FakeClock) -> None:
    site = Site(clock)
    document = sample("message_in_group")
    document["event"]["message"] |= {"mentions": {"a": 1}, "content": 7, "create_time": None}
    document["event"]["sender"] = ["?"]
    document["header"]["create_time"] = 1796011200123
    assert await _post(site, document) == RECORDED
    (envelope,) = site.inbound.recorded
    assert (envelope.kind, envelope.occurred_at) == (EventKind.MESSAGE, clock.now())


async def test_a_lone_surrogate_or_a_deep_field_loses_no_question(clock: FakeClock) -> None:
    site = Site(clock)
    first, second = sample("message_in_group"), sample("message_in_private")
    first["event"]["message"]["mentions"][0]["name"] = "SURROGATE"
    second["event"]["extra"] = "DEEP"
    documents = [
        json.dumps(first).replace("SURROGATE", "\\ud83d").encode(),
        json.dumps(second).replace('"DEEP"', "[" * 300 + "]" * 300).encode(),
    ]
    assert [await _post_bytes(site, each) for each in documents] == [RECORDED, RECORDED]
    assert [each.message for each in site.inbound.recorded] == [
        MessageRef(APP, "om_1"), MessageRef(APP, "om_2"),
    ]  # fmt: skip


@pytest.mark.parametrize("thread", [7, "omt/7", ["omt_7"], "x" * 300])
async def test_an_unreadable_thread_does_not_fall_into_the_chats_session(
    thread: object, clock: FakeClock
) -> None:
    site = Site(clock)
    document = sample("post_in_topic")
    document["event"]["message"]["thread_id"] = thread
    assert await _post(site, document) == RECORDED
    (envelope,) = site.inbound.recorded
    assert (envelope.kind, envelope.lane, envelope.conversation, envelope.message) == (
        EventKind.OTHER, Lane.NOW, None, None,
    )  # fmt: skip


@pytest.mark.parametrize("thread", [None, ""])
async def test_an_empty_thread_is_none(thread: object, clock: FakeClock) -> None:
    site = Site(clock)
    document = sample("post_in_topic")
    document["event"]["message"]["thread_id"] = thread
    assert await _post(site, document) == RECORDED
    assert [each.conversation for each in site.inbound.recorded] == [TEAM]


@pytest.mark.parametrize(
    ("created", "occurred_at"),
    [
        ("1608725989000", datetime(2020, 12, 23, 12, 19, 49, tzinfo=UTC)),
        ("1603977298000000", datetime(2020, 10, 29, 13, 14, 58, tzinfo=UTC)),
        ("1608725989", datetime(2020, 12, 23, 12, 19, 49, tzinfo=UTC)),
        ("soon", None),
    ],
)
async def test_the_platforms_time_is_read_in_each_unit(
    created: str, occurred_at: datetime | None, clock: FakeClock
) -> None:
    site = Site(clock)
    document = sample("reaction")
    document["header"]["create_time"] = created
    await _post(site, document)
    assert [each.occurred_at for each in site.inbound.recorded] == [occurred_at or clock.now()]


@pytest.mark.requirement("D1")
async def test_a_store_that_is_away_makes_the_platform_send_again(clock: FakeClock) -> None:
    site = Site(clock)
    site.inbound.available = False
    assert await _post(site, sample("message_in_group")) == Ack(500, REFUSED.body)
    site.inbound.available = True
    assert await _post(site, sample("message_in_group")) == RECORDED
    assert len(site.inbound.recorded) == 1


# ---------------------------------------------------------------- clicks


async def test_a_click_is_answered_at_once_and_not_put_into_a_lane(clock: FakeClock) -> None:
    site = Site(clock)
    ack = await _post(site, sample("click"))
    assert (ack.status, orjson.loads(ack.body)) == (
        200, {"toast": {"type": "success", "content": "ok"}},
    )  # fmt: skip
    (envelope,) = site.inbound.clicked
    assert (envelope.kind, envelope.lane, envelope.conversation, envelope.event_id) == (
        EventKind.CLICK, Lane.NOW, TEAM, "event_click_1",
    )  # fmt: skip
    assert site.inbound.recorded == []


async def test_a_click_that_could_not_be_recorded_is_owned_up_to(clock: FakeClock) -> None:
    site = Site(clock)
    site.inbound.available = False
    ack = await _post(site, sample("click"))
    text = CLICK_NOT_RECORDED
    assert (ack.status, orjson.loads(ack.body)) == (
        200,
        {
            "toast": {
                "type": "error",
                "content": text.en,
                "i18n": {"zh_cn": text.zh, "en_us": text.en},
            }
        },
    )


# ---------------------------------------------------------------- over a real socket


def _server(site: Site) -> TestServer:
    app = web.Application()
    site.webhook.add_to(app)
    return TestServer(app)


async def _exchange(client: "TestClient[Any, Any]", headers: Mapping[str, str], body: bytes) -> Ack:
    async with client.post("/lark/events", data=BytesIO(body), headers=headers) as response:
        assert response.content_type == "application/json"
        return Ack(response.status, await response.read())


HALF_A_REQUEST = (
    b"POST /lark/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b'Content-Length: 100\r\n\r\n{"encrypt":'
)


async def test_the_main_cases_over_http(clock: FakeClock) -> None:
    site = Site(clock)
    message = encrypted(plain(sample("message_in_group")), KEY)
    click = encrypted(plain(sample("click")), KEY)
    challenge = encrypted(plain(sample("challenge")), KEY)
    async with asyncio.timeout(10), TestClient(_server(site)) as client:
        outcomes = [
            await _exchange(client, JSON, challenge),
            await _exchange(client, signed(message, KEY, clock.now()), message),
            await _exchange(client, signed(message, KEY, clock.now()), message),
            await _exchange(client, signed(click, KEY, clock.now()), click),
            await _exchange(client, signed(message, "guess", clock.now()), message),
            await _exchange(client, {"Content-Type": "text/plain"}, message),
            await _exchange(client, JSON, _padded(MIB)),
            await _exchange(client, JSON, _padded(MIB + 1)),
        ]
    answer = Ack(200, b'{"challenge":"ajls384kdjxxxx"}')
    toast = Ack(200, b'{"toast":{"type":"success","content":"ok"}}')
    assert outcomes == [
        answer, RECORDED, RECORDED, toast, REFUSED, REFUSED, answer, Ack(413, REFUSED.body),
    ]  # fmt: skip
    assert (len(site.inbound.recorded), site.inbound.duplicates) == (1, 1)


async def test_a_body_without_a_length_is_cut_off_at_the_limit(clock: FakeClock) -> None:
    site = Site(clock)

    async def endless() -> Any:
        while True:
            yield b" " * 65_536

    async with (
        asyncio.timeout(10),
        TestClient(_server(site)) as client,
        client.post("/lark/events", data=endless(), headers=JSON) as response,
    ):
        assert response.status == 413


async def test_a_body_that_does_not_come_is_not_waited_for(clock: FakeClock) -> None:
    site = Site(clock, body_time=timedelta(milliseconds=50))
    async with asyncio.timeout(10), _server(site) as server:
        reader, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(HALF_A_REQUEST)
        status_line = await reader.readline()
        writer.close()
        await writer.wait_closed()
    assert status_line.split()[1] == b"401"
    assert site.refusals.counts[Refusal.TOO_SLOW] == 1


async def test_a_client_that_breaks_off_disturbs_nobody(
    clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    site = Site(clock)
    message = encrypted(plain(sample("message_in_group")), KEY)
    async with asyncio.timeout(10), TestClient(_server(site)) as client:
        _, writer = await asyncio.open_connection(client.host, client.port)
        writer.write(HALF_A_REQUEST)
        await writer.drain()
        writer.transport.abort()
        assert await _exchange(client, signed(message, KEY, clock.now()), message) == RECORDED
    assert caplog.messages == []
