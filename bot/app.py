"""The one composition root: settings in, a running steward out.

Above: the command line. Nothing else constructs an adapter. What is heavy is imported here, when it is needed.
"""

import logging
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from bot.commands import build_commands
from bot.jobs import running, supervise
from bot.kinds import build_sources
from bot.lark.client import open_session
from bot.lark.directory import LarkDirectory
from bot.lark.events import LarkWire
from bot.lark.pacing import Pacing
from bot.lark.sdk import load as load_sdk
from bot.lark.sender import LarkSender
from bot.lark.webhook import Refusals, Webhook, WebhookSettings
from bot.parts import (
    StoreOpener,
    World,
    app_of,
    build_client,
    build_endpoints,
    build_grounds,
    build_limits,
    build_scopes,
    build_turns,
    settle_authorities,
)
from bot.settings import Settings, missing_secrets
from bot.web.admin import admin_app, made_token
from bot.web.health import Health
from bot.web.listeners import Ports, public_app, serve_listeners
from bot.web.metrics import Metrics, MetricType
from steward.control.arrivals import Arrivals
from steward.control.audiences import Audiences
from steward.control.chatbook import Chatbook
from steward.control.command_presses import CommandPresses
from steward.control.guards import Guards
from steward.control.inbound import GroupCommit
from steward.control.intake import Intake
from steward.control.marks import Marks
from steward.control.outbox import Courier
from steward.control.presses import Presses
from steward.control.recovery import Recovery
from steward.control.registry import Sources
from steward.control.rounds import Rounds
from steward.control.standing import Standing
from steward.control.telling import Telling
from steward.control.tenancy import Tenancy
from steward.dispatch.local import EventWake, LocalDispatcher
from steward.errors import ConfigurationError, SettingsError
from steward.model.events import Lane
from steward.model.ids import WorkerId
from steward.ports.conversations import Wake
from steward.ports.endpoint import Endpoint
from steward.ports.world import Clock
from steward.store import Store, StoreLock, open_store

logger = logging.getLogger(__name__)


@asynccontextmanager
async def serving(
    settings: Settings,
    world: World,
    *,
    opener: StoreOpener = open_store,
    endpoint: Endpoint | None = None,
) -> AsyncIterator[Ports]:
    """A whole steward, serving until the block ends; then listeners close first, and every part with them.

    `opener` opens the configured store; `endpoint` stands in for the configured one.
    Raises ConfigurationError where a secret is missing, StoreLockedError, SchemaVersionError,
    StoreUnavailableError, and OSError where an address cannot be bound.
    """
    missing = missing_secrets(settings.lark)
    if missing:
        raise ConfigurationError(
            tuple(SettingsError(key, "is needed to serve the webhook") for key in missing)
        )
    async with AsyncExitStack() as stack:
        stack.enter_context(StoreLock(settings.store.url.get_secret_value()))
        store = await opener(settings.store.url.get_secret_value(), world.clock)
        stack.push_async_callback(store.aclose)
        await store.grants.sync(settings.grants)
        sources, faults = build_sources(settings, world.clock)
        stack.push_async_callback(sources.aclose)
        for fault in faults:
            logger.warning("source %s is disabled: %s", fault.source, fault.error)
        process = await _process(stack, settings, store, sources, world, endpoint)
        await process.recovery.run()
        await stack.enter_async_context(
            running(supervise(process.parts, process.health, world.clock))
        )
        ports = await stack.enter_async_context(
            serve_listeners(
                public_app(process.webhook.add_to),
                admin_app(
                    process.health,
                    process.metrics,
                    token_file=made_token(settings.server.admin_token_file),
                ),
                settings.server.host,
                settings.server.port,
                settings.server.admin_host,
                settings.server.admin_port,
            )
        )
        yield ports


@dataclass(frozen=True, slots=True)
class _Process:
    """What `serving` starts: recovery first, then the loops, then the two doors."""

    recovery: Recovery
    parts: Mapping[str, Callable[[], Awaitable[None]]]
    webhook: Webhook
    health: Health
    metrics: Metrics


@dataclass(frozen=True, slots=True)
class _Platform:
    """Everything that talks to Lark, over one pooled session."""

    sender: LarkSender
    directory: LarkDirectory


async def _platform(stack: AsyncExitStack, settings: Settings, clock: Clock) -> _Platform:
    session = await stack.enter_async_context(open_session())
    client = build_client(settings, clock, load_sdk(), session)
    return _Platform(
        sender=LarkSender(client, Pacing(clock), clock),
        directory=LarkDirectory(client, clock),
    )


async def _process(
    stack: AsyncExitStack,
    settings: Settings,
    store: Store,
    sources: Sources,
    world: World,
    endpoint: Endpoint | None,
) -> _Process:
    """Build every part. What must be closed is closed by `stack`."""
    clock = world.clock
    platform = await _platform(stack, settings, clock)
    worker = WorkerId(f"{socket.gethostname()}:{os.getpid()}:{world.tokens.new()}")
    marks = Marks(platform.sender)
    wakes = {lane: EventWake() for lane in Lane}
    questions, deliveries = EventWake(), EventWake()
    wire, endpoints = LarkWire(), build_endpoints(settings, endpoint)
    authorities, pinned = await settle_authorities(settings, store, platform.directory)
    tenancy = Tenancy(authorities, clock, pinned)
    standing = Standing(authorities, platform.directory, build_scopes(settings, store), clock)
    turns = build_turns(
        settings,
        store,
        sources,
        build_grounds(settings, store, endpoints, standing, platform.directory),
        sender=platform.sender,
        watcher=marks,
        deliveries=deliveries,
        world=world,
    )
    told = build_commands(
        settings,
        store,
        sources,
        endpoints,
        standing,
        sender=platform.sender,
        stops=turns.stop,
        deliveries=deliveries,
        world=world,
    )
    presses = _presses(
        settings, store, platform, standing, told.presses, questions, deliveries, clock
    )
    inbound = GroupCommit(store.inbox, presses.press, wire, lambda lane: wakes[lane].wake(None))
    chatbook = Chatbook(app_of(settings), store.chats)
    telling = Telling(platform.sender, build_limits(settings))
    intake = Intake(
        worker=worker,
        inbox=store.inbox,
        outbox=store.outbox,
        directory=platform.directory,
        owners=store.owners,
        audiences=Audiences(authorities, platform.directory, chatbook),
        chatbook=chatbook,
        scopes=build_scopes(settings, store),
        telling=telling,
        commands=told.commands,
        wire=wire,
        watcher=marks,
        turns=questions,
        recalled=turns.recalled,
        deliveries=deliveries,
        clock=clock,
        arrives=Arrivals(told.approvals, store.inbox, chatbook, telling).joined,
    )
    recovery = Recovery(
        leases=store.leases,
        ledger=store.ledger,
        turns=turns,
        endpoints=endpoints,
        standing=standing,
        clock=clock,
    )
    parts: Mapping[str, Callable[[], Awaitable[None]]] = {
        "inbound": inbound.run,
        "intake_now": partial(intake.run, Lane.NOW, wakes[Lane.NOW]),
        "intake_ordered": partial(intake.run, Lane.ORDERED, wakes[Lane.ORDERED]),
        "turns": partial(
            LocalDispatcher(
                worker=worker, conversations=store.conversations, wake=questions, clock=clock
            ).run,
            turns.work,
        ),
        "outbox": Courier(
            worker=worker,
            outbox=store.outbox,
            ledger=store.ledger,
            guards=Guards(standing, clock),
            sender=platform.sender,
            wake=deliveries,
            clock=clock,
        ).run,
        "marks": marks.run,
        "takeover": recovery.watch,
        "sources": Rounds(sources, clock).run,
        "tenancy": tenancy.run,
    }
    refusals = Refusals()
    return _Process(
        recovery=recovery,
        parts=parts,
        webhook=Webhook(
            _webhook_settings(settings),
            inbound,
            clock,
            refusals,
            lambda: tenancy.ours() or platform.directory.tenant,
        ),
        health=_health(parts, refusals, inbound, tenancy, clock),
        metrics=_metrics(refusals),
    )


def _presses(
    settings: Settings,
    store: Store,
    platform: _Platform,
    standing: Standing,
    commands: CommandPresses,
    turns: Wake,
    deliveries: Wake,
    clock: Clock,
) -> Presses:
    return Presses(
        clicks=store.clicks,
        ledger=store.ledger,
        scopes=build_scopes(settings, store),
        standing=standing,
        sender=platform.sender,
        turns=turns,
        deliveries=deliveries,
        authorities=standing.authorities,
        commands=commands,
        clock=clock,
        zone=settings.display.timezone,
        limits=build_limits(settings),
    )


def _health(
    parts: Iterable[str],
    refusals: Refusals,
    inbound: GroupCommit,
    tenancy: Tenancy,
    clock: Clock,
) -> Health:
    health = Health(parts)
    health.add_check("webhook", lambda: refusals.stale_reason(clock.now()))
    health.add_check("store", lambda: "last_record_failed" if inbound.failing else None)
    health.add_check("tenant", tenancy.red)
    return health


def _metrics(refusals: Refusals) -> Metrics:
    metrics = Metrics()
    metrics.labelled(
        MetricType.COUNTER,
        "steward_webhook_refused_total",
        "Requests turned away, by reason.",
        "reason",
        lambda: {reason.value: count for reason, count in refusals.counts.items()},
    )
    return metrics


def _webhook_settings(settings: Settings) -> WebhookSettings:
    return WebhookSettings(
        app_id=app_of(settings),
        encrypt_keys=tuple(key.get_secret_value() for key in settings.lark.encrypt_keys),
        verification_tokens=tuple(
            token.get_secret_value() for token in settings.lark.verification_tokens
        ),
        freshness=settings.lark.event_max_age,
    )
