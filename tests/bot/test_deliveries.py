"""What probes and gauges see of sending: words and numbers, red while nothing is taken, and no id of anybody. D4, W2."""

from datetime import timedelta

import pytest

from bot.deliveries import Deliveries
from bot.web.health import Health, RedPart
from bot.web.metrics import Metrics
from steward.model.delivery import Disposition, Refused
from tests.steward.control.test_undelivered import GONE, lost, undelivered
from tests.steward.control.workshop import Workshop, open_workshop

QUOTA = Refused("quota", Disposition.HOLD, timedelta(minutes=10))


def shown(shop: Workshop) -> tuple[Health, Metrics, Deliveries]:
    health, metrics = Health(), Metrics()
    deliveries = Deliveries(shop.courier, undelivered(shop), shop.clock)
    deliveries.show(health, metrics)
    return health, metrics, deliveries


@pytest.mark.requirement("D4")
async def test_while_nothing_is_taken_the_probe_is_red_and_says_why() -> None:
    async with open_workshop() as shop:
        health, metrics, _ = shown(shop)
        assert health.red() == ()
        await lost(shop, failure=QUOTA)
        assert health.red() == (RedPart("sending_refused", "quota"),)
        assert 'steward_sending_refused_total{reason="quota"} 1' in metrics.render()
        shop.clock.advance(timedelta(minutes=10))
        await shop.deliver()
        assert health.red() == ()


async def test_the_gauges_count_what_waits_and_what_was_given_up_and_name_nobody() -> None:
    async with open_workshop() as shop:
        _, metrics, deliveries = shown(shop)
        await lost(shop, failure=GONE)
        await shop.say()
        await shop.through()
        await shop.say()
        await shop.judge()
        await shop.answer()
        shop.clock.advance(timedelta(seconds=90))
        await deliveries.undelivered.look()
        lines = [line for line in metrics.render().splitlines() if not line.startswith("#")]
        assert lines == [
            'steward_sends_total{outcome="given_up"} 1',
            'steward_sends_total{outcome="arrived"} 1',
            'steward_outbox_parts{status="pending"} 1',
            'steward_outbox_parts{status="sending"} 0',
            'steward_outbox_parts{status="unknown"} 0',
            'steward_outbox_parts{status="dead"} 1',
            "steward_outbox_oldest_due_seconds 90.0",
        ]
