"""Deliveries as a bot's server gets them."""

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import orjson
import pytest
from aiohttp import web
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from bot.simulator import crypto
from bot.simulator.model import Chat, Person, Pushed
from bot.simulator.platform import Platform
from bot.simulator.pusher import Pusher
from tests.bot.simulator.callers import SkippingClock

Reply = Callable[[], Awaitable[web.Response]]


async def ok() -> web.Response:
    return web.json_response({})


@dataclass
class Receiver:
    """A server that keeps what it gets, and answers as it is told; the last answer stays."""

    replies: list[Reply] = field(default_factory=lambda: [ok])
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    async def handle(self, request: web.Request) -> web.Response:
        self.bodies.append(await request.read())
        self.headers.append({key.decode(): value.decode() for key, value in request.raw_headers})
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return await reply()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    application = web.Application()
    application.router.add_post("/lark/events", receiver.handle)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}/lark/events"
    yield receiver
    await runner.cleanup()


@pytest.fixture
async def pusher(
    platform: Platform, receiver: Receiver, clock: SkippingClock
) -> AsyncIterator[Pusher]:
    async with Pusher(platform, receiver.url, clock) as pusher:
        yield pusher


@pytest.fixture
def pushed(platform: Platform, team: Chat, lin: Person) -> Pushed:
    return platform.say(lin, team, "hi", mention_bot=True)


def opened(body: bytes, key: str) -> object:
    wrapper = orjson.loads(body)
    assert list(wrapper) == ["encrypt"]
    raw = base64.b64decode(wrapper["encrypt"])
    secret = hashlib.sha256(key.encode()).digest()
    decryptor = Cipher(algorithms.AES(secret), modes.CBC(raw[:16])).decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    padded = decryptor.update(raw[16:]) + decryptor.finalize()
    return orjson.loads(unpadder.update(padded) + unpadder.finalize())


async def test_a_delivery_is_encrypted_and_signed_over_its_raw_bytes(
    pusher: Pusher, receiver: Receiver, platform: Platform, pushed: Pushed
) -> None:
    delivery = await pusher.push(pushed)
    assert (delivery.status, delivery.body, delivery.accepted) == (200, b"{}", True)
    [body], [headers] = receiver.bodies, receiver.headers
    assert opened(body, platform.app.encrypt_key) == pushed.document
    assert headers["Content-Type"] == "application/json;charset=utf-8"
    assert headers["X-Lark-Request-Timestamp"] == "1796011200"
    assert headers["X-Lark-Signature"] == crypto.sign(
        "1796011200", headers["X-Lark-Request-Nonce"], platform.app.encrypt_key, body
    )


async def test_each_delivery_is_signed_and_encrypted_anew(
    pusher: Pusher, receiver: Receiver, pushed: Pushed
) -> None:
    await pusher.push(pushed)
    await pusher.push(pushed)
    assert receiver.bodies[0] != receiver.bodies[1]
    nonces = {headers["X-Lark-Request-Nonce"] for headers in receiver.headers}
    assert len(nonces) == 2


async def test_a_delivery_can_be_wrong_in_every_way(
    pusher: Pusher, receiver: Receiver, platform: Platform, pushed: Pushed
) -> None:
    key = platform.app.encrypt_key
    await pusher.push(pushed, signature="bad")
    await pusher.push(pushed, signature="missing")
    await pusher.push(pushed, timestamp_offset=-90_000)
    await pusher.push(pushed, lower_case_headers=True)
    await pusher.push(
        pushed, encrypted=False, app_id="cli_other", tenant_key="tenant_other", token="forged"
    )
    bad, missing, stale, lower, foreign = receiver.headers
    assert bad["X-Lark-Signature"] != crypto.sign(
        bad["X-Lark-Request-Timestamp"], bad["X-Lark-Request-Nonce"], key, receiver.bodies[0]
    )
    assert not [name for name in missing if name.startswith("X-Lark")]
    assert stale["X-Lark-Request-Timestamp"] == str(1796011200 - 90_000)
    assert {"x-lark-signature", "x-lark-request-nonce", "x-lark-request-timestamp"} < set(lower)
    header = orjson.loads(receiver.bodies[4])["header"]
    assert (header["app_id"], header["tenant_key"], header["token"]) == (
        "cli_other",
        "tenant_other",
        "forged",
    )
    assert pushed.document["header"]["app_id"] == "cli_sim_steward"
    assert "X-Lark-Signature" in foreign


async def test_a_legacy_event_can_claim_another_app_too(
    pusher: Pusher, receiver: Receiver, platform: Platform, lin: Person
) -> None:
    pushed = platform.p2p_first_contact(lin)
    await pusher.push(pushed, encrypted=False, app_id="cli_other", token="forged")
    sent = orjson.loads(receiver.bodies[0])
    assert (sent["token"], sent["event"]["app_id"]) == ("forged", "cli_other")
    assert sent["uuid"] == pushed.event_id


async def failing() -> web.Response:
    return web.Response(status=500)


async def created() -> web.Response:
    return web.Response(status=201)


async def moved() -> web.Response:
    return web.Response(status=302, headers={"Location": "/lark/events"})


async def test_only_200_ends_the_schedule(
    pusher: Pusher, receiver: Receiver, clock: SkippingClock, pushed: Pushed
) -> None:
    receiver.replies = [failing, created, moved, ok]
    deliveries = await pusher.deliver(pushed)
    assert [delivery.status for delivery in deliveries] == [500, 201, 302, 200]
    assert clock.slept == [15.0, 300.0, 3600.0]
    stamps = [int(headers["X-Lark-Request-Timestamp"]) for headers in receiver.headers]
    assert stamps == [1796011200, 1796011215, 1796011515, 1796015115]


async def test_after_the_fourth_retry_the_platform_gives_up(
    pusher: Pusher, receiver: Receiver, clock: SkippingClock, pushed: Pushed
) -> None:
    receiver.replies = [failing]
    assert len(await pusher.deliver(pushed)) == 5
    assert clock.slept == [15.0, 300.0, 3600.0, 21600.0]


async def test_a_late_or_absent_answer_is_a_failed_delivery(
    pusher: Pusher, receiver: Receiver, platform: Platform, clock: SkippingClock, pushed: Pushed
) -> None:
    never = asyncio.Event()

    async def late() -> web.Response:
        await never.wait()
        return web.Response()

    receiver.replies = [late]
    delivery = await pusher.post(pusher.signed(pushed.document), within=0.05)
    assert (delivery.status, delivery.failure, delivery.accepted) == (None, "timeout", False)
    never.set()
    async with Pusher(platform, "http://127.0.0.1:9/", clock) as lost:
        assert (await lost.push(pushed)).failure == "connection"


@pytest.mark.parametrize("encrypted", [True, False])
async def test_a_challenge_carries_the_token_and_no_signature(
    pusher: Pusher, receiver: Receiver, platform: Platform, encrypted: bool
) -> None:
    await pusher.challenge(encrypted, text="ask")
    [body] = receiver.bodies
    document = opened(body, platform.app.encrypt_key) if encrypted else orjson.loads(body)
    assert document == {
        "challenge": "ask",
        "token": "sim_verification_token",
        "type": "url_verification",
    }
    assert not [name for name in receiver.headers[0] if name.startswith("X-Lark")]


async def test_a_pusher_without_a_session_says_what_is_missing(
    platform: Platform, clock: SkippingClock, pushed: Pushed
) -> None:
    with pytest.raises(RuntimeError, match="async with"):
        await Pusher(platform, "http://127.0.0.1:9/", clock).push(pushed)


async def test_a_press_is_asked_once_and_settled(
    pusher: Pusher, receiver: Receiver, platform: Platform, lin: Person, pushed: Pushed
) -> None:
    assert pushed.message is not None

    async def toast() -> web.Response:
        return web.json_response({"toast": {"type": "info", "content": "seen"}})

    receiver.replies = [failing, toast]
    click = platform.click(lin, pushed.message.message_id, {"nonce": "n"})
    assert (await pusher.press(click)).failure == 200671
    assert (await pusher.press(click)).toast == "seen"
    assert len(receiver.bodies) == 2


async def test_an_event_that_nobody_knows_is_delivered_as_any_other(
    pusher: Pusher, receiver: Receiver, platform: Platform
) -> None:
    await pusher.push(platform.event("made.up_v1", {"x": 1}), encrypted=False)
    sent = orjson.loads(receiver.bodies[0])
    assert (sent["header"]["event_type"], sent["event"]) == ("made.up_v1", {"x": 1})
