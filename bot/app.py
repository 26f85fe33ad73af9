"""The one composition root: settings in, a running steward out.

Above: the command line. Nothing else constructs an adapter. What is heavy is imported here, when it is needed.
"""

import logging
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from bot.commands import CommandParts, build_commands
from bot.deliveries import Deliveries, build_deliveries
from bot.jobs import running, supervise
from bot.kinds import build_sources
from bot.lark.client import open_session
from bot.lark.directory import LarkDirectory
from bot.lark.events import LarkWire
from bot.lark.pacing import Pacing
from bot.lark.sdk import load as load_sdk
from bot.lark.sender import LarkSender
from bot.lark.webhook import Refusals, Webhook
from bot.parts import (
    PACES,
    Paces,
    StoreOpener,
    World,
    app_of,
    build_client,
    build_endpoints,
    build_grounds,
    build_limits,
    build_metrics,
    build_reviews,
    build_scopes,
    build_turns,
    settle_authorities,
    webhook_settings,
)
from bot.settings import Settings, missing_secrets
from bot.web.admin import admin_app, made_token
from bot.web.health import Health
from bot.web.listeners import Ports, public_app, serve_listeners
from bot.web.metrics import Metrics
from steward.control.arrivals import Arrivals
from steward.control.audiences import Audiences
from steward.control.chatbook import Chatbook
from steward.control.endpoints import Endpoints
from steward.control.inbound import GroupCommit
from steward.control.intake import Intake
from steward.control.marks import Marks
from steward.control.presses import Presses
from steward.control.recovery import Recovery
from steward.control.registry import Sources
from steward.control.rounds import Rounds
from steward.control.standing import Standing
from steward.control.telling import Telling
from steward.control.tenancy import Tenancy
from steward.control.turns import Turns
from steward.dispatch.local import LocalDispatcher
from steward.dispatch.wakes import Wakes
from steward.errors import ConfigurationError, SettingsError
from steward.model.events import Lane
from steward.model.ids import WorkerId
from steward.ports.endpoint import Endpoint
from steward.ports.world import Clock
from steward.store import Store, StoreLock, open_store

logger = logging.getLogger(__name__)

FINISHING = timedelta(seconds=3)
"""How long turns that run at a stop may go on: the process is gone within 10 s, and the next start takes up the rest."""


@asynccontextmanager
async def serving(
    settings: Settings,
    world: World,
    *,
    opener: StoreOpener = open_store,
    endpoint: Endpoint | None = None,
    paces: Paces = PACES,
) -> AsyncIterator[Ports]:
    """A whole steward, serving until the block ends; then listeners close first, and every part with them.

    `opener` opens the configured store, on PostgreSQL beside others; `endpoint` stands in for the configured one.
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
        process = await _process(stack, settings, store, sources, world, endpoint, paces)
        await stack.enter_async_context(store.peers.joined(process.worker))
        await process.recovery.run()
        await stack.enter_async_context(
            running(supervise(process.parts, process.health, world.clock))
        )
        stack.push_async_callback(process.dispatcher.drain, FINISHING)
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

    worker: WorkerId
    recovery: Recovery
    dispatcher: LocalDispatcher
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
        sender=LarkSender(client, Pacing(clock, settings.lark.processes), clock),
        directory=LarkDirectory(client, clock),
    )


@dataclass(frozen=True, slots=True)
class _Shared:
    """What nearly every part is built with."""

    settings: Settings
    store: Store
    world: World
    platform: _Platform
    standing: Standing
    marks: Marks
    worker: WorkerId
    wakes: Wakes
    paces: Paces


async def _process(
    stack: AsyncExitStack,
    settings: Settings,
    store: Store,
    sources: Sources,
    world: World,
    endpoint: Endpoint | None,
    paces: Paces,
) -> _Process:
    """Build every part. What must be closed is closed by `stack`."""
    platform = await _platform(stack, settings, world.clock)
    authorities, pinned = await settle_authorities(settings, store, platform.directory)
    tenancy, refusals = Tenancy(authorities, world.clock, pinned), Refusals()
    shared = _Shared(
        settings=settings,
        store=store,
        world=world,
        platform=platform,
        standing=Standing(
            authorities, platform.directory, build_scopes(settings, store), world.clock
        ),
        marks=Marks(platform.sender),
        worker=WorkerId(f"{socket.gethostname()}:{os.getpid()}:{world.tokens.new()}"),
        wakes=Wakes(),
        paces=paces,
    )
    endpoints = build_endpoints(settings, endpoint)
    turns = _turns(shared, sources, endpoints)
    told = _commands(shared, sources, endpoints, turns)
    inbound = GroupCommit(
        store.inbox,
        _presses(shared, told, endpoints).press,
        LarkWire(),
        shared.wakes.recorded,
    )
    recovery = _recovery(shared, turns, endpoints)
    deliveries = build_deliveries(
        settings,
        store,
        shared.standing,
        shared.worker,
        sender=platform.sender,
        wake=shared.wakes.deliveries,
        lease=shared.paces.sending,
    )
    dispatcher = _dispatcher(shared)
    parts = {
        **_working(shared, inbound, turns, told, deliveries, dispatcher),
        "takeover": recovery.watch,
        "reviews": build_reviews(
            store, turns, shared.standing, shared.worker, shared.wakes, paces
        ).run,
        "sources": Rounds(sources, world.clock).run,
        "tenancy": tenancy.run,
    }
    health = _health(parts, refusals, inbound, tenancy, world.clock)
    metrics = build_metrics(refusals)
    deliveries.show(health, metrics)
    return _Process(
        worker=shared.worker,
        recovery=recovery,
        dispatcher=dispatcher,
        parts=parts,
        webhook=Webhook(
            webhook_settings(settings),
            inbound,
            world.clock,
            refusals,
            lambda: tenancy.ours() or platform.directory.tenant,
        ),
        health=health,
        metrics=metrics,
    )


def _recovery(shared: _Shared, turns: Turns, endpoints: Endpoints) -> Recovery:
    return Recovery(
        leases=shared.store.leases,
        ledger=shared.store.ledger,
        turns=turns,
        endpoints=endpoints,
        standing=shared.standing,
        clock=shared.world.clock,
        pause=shared.paces.takeover,
    )


def _dispatcher(shared: _Shared) -> LocalDispatcher:
    return LocalDispatcher(
        worker=shared.worker,
        conversations=shared.store.conversations,
        wake=shared.wakes.questions,
        clock=shared.world.clock,
        lease=shared.paces.lease,
    )


def _working(
    shared: _Shared,
    inbound: GroupCommit,
    turns: Turns,
    told: CommandParts,
    deliveries: Deliveries,
    dispatcher: LocalDispatcher,
) -> dict[str, Callable[[], Awaitable[None]]]:
    """The loops that carry a message through, in the order of its way."""
    store, intake = shared.store, _intake(shared, turns, told)
    return {
        "inbound": inbound.run,
        "intake_now": partial(intake.run, Lane.NOW, shared.wakes.lanes[Lane.NOW]),
        "intake_ordered": partial(intake.run, Lane.ORDERED, shared.wakes.lanes[Lane.ORDERED]),
        "turns": partial(dispatcher.run, turns.work),
        **deliveries.parts,
        "marks": shared.marks.run,
        "upkeep": _upkeep(shared),
        "peers": partial(store.peers.listen, shared.wakes.heard),
    }


def _upkeep(shared: _Shared) -> Callable[[], Awaitable[None]]:
    """Imported here: its scheduler is heavy, and no command needs it."""
    from bot.upkeep import build_upkeep  # noqa: PLC0415

    return build_upkeep(
        shared.settings,
        shared.store,
        shared.standing.authorities,
        sender=shared.platform.sender,
        deliveries=shared.wakes.deliveries,
        clock=shared.world.clock,
    ).run


def _turns(shared: _Shared, sources: Sources, endpoints: Endpoints) -> Turns:
    settings, store, directory = shared.settings, shared.store, shared.platform.directory
    return build_turns(
        settings,
        store,
        sources,
        build_grounds(settings, store, endpoints, shared.standing, directory),
        sender=shared.platform.sender,
        watcher=shared.marks,
        deliveries=shared.wakes.deliveries,
        world=shared.world,
    )


def _commands(
    shared: _Shared, sources: Sources, endpoints: Endpoints, turns: Turns
) -> CommandParts:
    return build_commands(
        shared.settings,
        shared.store,
        sources,
        endpoints,
        shared.standing,
        sender=shared.platform.sender,
        stops=turns.stop,
        deliveries=shared.wakes.deliveries,
        world=shared.world,
    )


def _intake(shared: _Shared, turns: Turns, told: CommandParts) -> Intake:
    settings, store, directory = shared.settings, shared.store, shared.platform.directory
    chatbook = Chatbook(app_of(settings), store.chats)
    telling = Telling(shared.platform.sender, build_limits(settings))
    return Intake(
        worker=shared.worker,
        inbox=store.inbox,
        outbox=store.outbox,
        directory=directory,
        owners=store.owners,
        audiences=Audiences(shared.standing.authorities, directory, chatbook),
        chatbook=chatbook,
        scopes=build_scopes(settings, store),
        telling=telling,
        commands=told.commands,
        wire=LarkWire(),
        watcher=shared.marks,
        turns=shared.wakes.questions,
        recalled=turns.recalled,
        deliveries=shared.wakes.deliveries,
        clock=shared.world.clock,
        arrives=Arrivals(told.approvals, store.inbox, chatbook, telling).joined,
        lease=shared.paces.lease,
    )


def _presses(shared: _Shared, told: CommandParts, endpoints: Endpoints) -> Presses:
    settings, store = shared.settings, shared.store
    return Presses(
        clicks=store.clicks,
        ledger=store.ledger,
        scopes=build_scopes(settings, store),
        standing=shared.standing,
        sender=shared.platform.sender,
        turns=shared.wakes.questions,
        deliveries=shared.wakes.deliveries,
        authorities=shared.standing.authorities,
        commands=told.presses,
        endpoints=endpoints,
        clock=shared.world.clock,
        tokens=shared.world.tokens,
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
