"""What sends, what tells of it, and what can be seen of it from outside. Contracts D4, W3.

Above: bot.app. Below: the courier and who tells the owner of what did not arrive. Words and numbers alone get out.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.settings import Settings
from bot.web.health import Health
from bot.web.metrics import Metrics, MetricType
from steward.control.guards import Guards
from steward.control.outbox import LEASE, Courier
from steward.control.places import Places
from steward.control.standing import Standing
from steward.control.undelivered import Undelivered
from steward.model.ids import WorkerId
from steward.ports.conversations import Wake
from steward.ports.sender import Sender
from steward.ports.world import Clock
from steward.store import Store


@dataclass(frozen=True, slots=True)
class Deliveries:
    """Of one app, in one process."""

    courier: Courier
    undelivered: Undelivered
    clock: Clock

    @property
    def parts(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        """The loops, by name."""
        return {"outbox": self.courier.run, "undelivered": self.undelivered.run}

    def show(self, health: Health, metrics: Metrics) -> None:
        """Red while nothing is sent; counters by outcome and reason, gauges of what waits."""
        courier, holding = self.courier, self.courier.holding
        health.add_check("sending_refused", lambda: holding.reason)
        metrics.labelled(
            MetricType.COUNTER,
            "steward_sends_total",
            "Tries to send a part, by what became of it.",
            "outcome",
            lambda: courier.outcomes,
        )
        metrics.labelled(
            MetricType.COUNTER,
            "steward_sending_refused_total",
            "Times that the platform took nothing of the app, by reason.",
            "reason",
            lambda: holding.refusals,
        )
        metrics.labelled(
            MetricType.GAUGE,
            "steward_outbox_parts",
            "Parts that wait or were given up, by status.",
            "status",
            lambda: {status.value: n for status, n in self.undelivered.depth.parts.items()},
        )
        metrics.single(
            MetricType.GAUGE,
            "steward_outbox_oldest_due_seconds",
            "For how long the part that waits longest could have been tried.",
            lambda: _age(self.undelivered.depth.oldest_due, self.clock.now()),
        )


def build_deliveries(
    settings: Settings,
    store: Store,
    standing: Standing,
    worker: WorkerId,
    *,
    sender: Sender,
    wake: Wake,
    lease: timedelta = LEASE,
) -> Deliveries:
    """The courier, and who tells the owner."""
    clock = standing.clock
    courier = Courier(
        worker=worker,
        outbox=store.outbox,
        ledger=store.ledger,
        guards=Guards(standing, Places(standing.directory), clock),
        sender=sender,
        wake=wake,
        clock=clock,
        lease=lease,
    )
    undelivered = Undelivered(
        authorities=standing.authorities,
        outbox=store.outbox,
        chats=store.chats,
        ledger=store.ledger,
        sender=sender,
        holding=courier.holding,
        deliveries=wake,
        clock=clock,
        zone=settings.display.timezone,
    )
    return Deliveries(courier, undelivered, clock)


def _age(due: datetime | None, now: datetime) -> float:
    return 0.0 if due is None else max((now - due).total_seconds(), 0.0)
