"""Every combination of what a request can be, against an oracle that shares no code with the webhook."""

from dataclasses import dataclass
from datetime import timedelta
from itertools import product

import orjson
import pytest

from bot.lark.verification import Refusal
from steward.testing.world import FakeClock
from tests.bot.lark.samples import FRESHNESS, KEY, Site, plain, sample
from tests.bot.lark.sealing import encrypted, signed


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    form: str
    content: str
    token: str
    signature: str
    app: str
    tenant: str

    def __str__(self) -> str:
        return (
            f"{self.form}-{self.content}-token_{self.token}-signature_{self.signature}"
            f"-app_{self.app}-tenant_{self.tenant}"
        )


CASES = [
    Case(*row)
    for row in product(
        ("plain", "encrypted"),
        ("challenge", "event"),
        ("good", "bad", "missing"),
        ("good", "bad", "missing", "replayed", "stale"),
        ("right", "wrong"),
        ("right", "wrong"),
    )
]


def _expected(case: Case) -> Refusal | None:
    """The oracle: the first reason to refuse, in the order of what may be believed; None = accepted."""
    if case.content == "challenge":
        return None if case.token == "good" else Refusal.TOKEN
    reasons = [
        (Refusal.PLAIN_EVENT, case.form == "plain"),
        (Refusal.SIGNATURE_MISSING, case.signature == "missing"),
        (Refusal.SIGNATURE_WRONG, case.signature == "bad"),
        (Refusal.STALE, case.signature == "stale"),
        (Refusal.TOKEN, case.token != "good"),
        (Refusal.APP, case.app == "wrong"),
        (Refusal.TENANT, case.tenant == "wrong"),
    ]
    return next((reason for reason, applies in reasons if applies), None)


def _document(case: Case) -> dict[str, object]:
    document = sample("challenge" if case.content == "challenge" else "message_in_group")
    part = document if case.content == "challenge" else document["header"]
    if case.token == "missing":
        del part["token"]
    elif case.token == "bad":
        part["token"] = "verify-mE"
    if case.content == "event":
        part["app_id"] = "cli_sim_steward" if case.app == "right" else "cli_sim_other"
        part["tenant_key"] = "tenant_ours" if case.tenant == "right" else "tenant_other"
    return document


def _request(case: Case, clock: FakeClock) -> tuple[dict[str, str], bytes]:
    document = plain(_document(case))
    body = document if case.form == "plain" else encrypted(document, KEY)
    late = FRESHNESS + timedelta(seconds=1) if case.signature == "stale" else timedelta(0)
    headers = signed(body, "another key" if case.signature == "bad" else KEY, clock.now() - late)
    if case.signature == "missing":
        del headers["X-Lark-Signature"]
    return headers, body


def test_the_table_is_whole() -> None:
    assert len(set(map(str, CASES))) == 2 * 2 * 3 * 5 * 2 * 2


@pytest.mark.requirement("D1")
@pytest.mark.parametrize("case", CASES, ids=str)
async def test_a_request_is_answered_and_recorded_as_the_table_says(
    case: Case, clock: FakeClock
) -> None:
    site = Site(clock)
    headers, body = _request(case, clock)
    times = 2 if case.signature == "replayed" else 1
    acks = [await site.webhook.handle(headers, body) for _ in range(times)]
    reason = _expected(case)
    if reason is not None:
        assert {(ack.status, ack.body) for ack in acks} == {(401, b'{"error":"refused"}')}
    elif case.content == "challenge":
        assert {ack.status for ack in acks} == {200}
        assert orjson.loads(acks[-1].body) == {"challenge": "ajls384kdjxxxx"}
    else:
        assert {(ack.status, ack.body) for ack in acks} == {(200, b"{}")}
    accepted = reason is None and case.content == "event"
    assert [each.event_id for each in site.inbound.recorded] == ["event_message_1"] * accepted
    assert site.inbound.duplicates == (times - 1) * accepted
    assert site.refusals.counts == {each: times * (each is reason) for each in Refusal}
