"""The payload samples of tests/data/lark, and the app that they were made for."""

import copy
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.lark.webhook import Refusals, Webhook, WebhookSettings
from steward.model.ids import AppId, TenantKey
from steward.testing.inbound import RecordingInbound
from steward.testing.world import FakeClock

APP = AppId("cli_sim_steward")
TENANT = TenantKey("tenant_ours")
KEY = "sim_encrypt_key"
NEXT_KEY = "sim_encrypt_key_next"
TOKEN = "verify-me"
NEXT_TOKEN = "verify-me-next"
FRESHNESS = timedelta(hours=8)

_FOLDER = Path(__file__).parents[2] / "data" / "lark"


def sample(name: str) -> dict[str, Any]:
    return copy.deepcopy(json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def plain(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


class Site:
    """A webhook over a recording inbound, on a clock that stands still."""

    def __init__(
        self,
        clock: FakeClock,
        tenant: Callable[[], TenantKey | None] = lambda: TENANT,
        body_time: timedelta = timedelta(seconds=5),
    ) -> None:
        self.clock = clock
        self.inbound = RecordingInbound()
        self.refusals = Refusals()
        settings = WebhookSettings(
            APP, (KEY, NEXT_KEY), (TOKEN, NEXT_TOKEN), FRESHNESS, body_time=body_time
        )
        self.webhook = Webhook(settings, self.inbound, clock, self.refusals, tenant)
