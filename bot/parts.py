"""Parts that the bot and its commands build alike, from settings.

Above: bot.app, which runs them, and the commands that need one or two of them. Below: adapters and control. Nothing
here is started.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

import aiohttp
from pydantic import SecretStr

from bot.lark.client import LarkClient
from bot.lark.sdk import Sdk
from bot.lark.webhook import Refusals, WebhookSettings
from bot.settings import Settings
from bot.settings.tables import EndpointKind
from bot.web.metrics import Metrics, MetricType
from steward.control.authorities import Authorities
from steward.control.endings import Endings
from steward.control.endpoints import Endpoints
from steward.control.grounds import Grounds, proves
from steward.control.profiles import Profiles
from steward.control.recovery import TAKEOVER
from steward.control.registry import Sources
from steward.control.review import Reviews
from steward.control.reviewing import Reviewing
from steward.control.scopes import Scopes
from steward.control.standing import Standing
from steward.control.turns import TurnLimits, Turns
from steward.dispatch.local import LEASE
from steward.dispatch.wakes import Wakes
from steward.endpoints.reporter.reporter import Reporter
from steward.endpoints.reporter.times import Sprint
from steward.model.audience import Audience, AudienceKind, Limits, Scope
from steward.model.ids import AppId, ConversationId, OpenId, TenantKey, WorkerId
from steward.model.reading import ReadFailure
from steward.model.turn import Question
from steward.policy.scope import Access
from steward.ports.conversations import Wake
from steward.ports.directory import Directory
from steward.ports.endpoint import Endpoint
from steward.ports.sender import Sender
from steward.ports.watcher import Watcher
from steward.ports.world import Clock, Tokens
from steward.store import Store


@dataclass(frozen=True, slots=True)
class World:
    """Time and randomness, real or held still."""

    clock: Clock
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class Paces:
    """How long a silent process keeps what it judges and the conversations that it works on, and how often others look.

    What it sends it keeps for twice as long: a try may take its time.
    """

    lease: timedelta = LEASE
    takeover: timedelta = TAKEOVER

    @property
    def sending(self) -> timedelta:
        """Of a part."""
        return 2 * self.lease


PACES = Paces()


StoreOpener: TypeAlias = Callable[[str, Clock], Awaitable[Store]]
"""Opens the store at a URL: `open_store`, or one that hands out its ports in a wrapping."""


def build_scopes(settings: Settings, store: Store) -> Scopes:
    """What each audience may read, under `[access]` and the stored grants."""
    access = Access(
        groups=settings.access.groups == "granted",
        members_private=settings.access.members_private == "granted",
    )
    return Scopes(store.grants, (*settings.sources, *settings.unusable), access)


def build_reporter(settings: Settings) -> Reporter:
    """The endpoint that needs no model, with the days and the sprints of the configuration."""
    sprints = [Sprint(one.names, one.start, one.end) for one in settings.sprints.values()]
    return Reporter(settings.display.timezone, sprints)


def build_client(
    settings: Settings, clock: Clock, sdk: Sdk, session: aiohttp.ClientSession
) -> LarkClient:
    """What calls the configured app's platform."""
    secret = revealed(settings.lark.app_secret)
    return LarkClient(settings.lark.domain, app_of(settings), secret, clock, sdk, session)


_ENDPOINTS: Mapping[EndpointKind, Callable[[Settings], Endpoint]] = {"reporter": build_reporter}
"""Each configured kind of endpoint, and what builds it."""


def build_endpoints(settings: Settings, stand_in: Endpoint | None = None) -> Endpoints:
    """Who answers whom, as configured; or `stand_in` for everyone."""
    if stand_in is not None:
        return Endpoints(stand_in)
    usual = settings.endpoint.kind
    owners = settings.endpoint.owner.kind or usual
    built = {kind: _ENDPOINTS[kind](settings) for kind in {usual, owners}}
    return Endpoints(built[usual], {AudienceKind.OWNER_PRIVATE: built[owners]})


def build_grounds(
    settings: Settings,
    store: Store,
    endpoints: Endpoints,
    standing: Standing,
    directory: Directory,
) -> Grounds:
    """What turns stand on before a platform."""
    return Grounds(
        endpoints=endpoints,
        stands=standing.patiently,
        profiles=build_profiles(settings, store),
        proves=proves(directory),
        owns=standing.authorities.owner,
    )


def assumed_grounds(settings: Settings, store: Store, endpoints: Endpoints) -> Grounds:
    """What turns stand on without a platform: the audience is the operator's word, and nobody is the owner."""
    scopes = build_scopes(settings, store)

    async def stands(
        audience: Audience, _asker: OpenId, _conversation: ConversationId
    ) -> Scope | ReadFailure:
        return await scopes.of(audience)

    async def proven(_question: Question) -> bool:
        return False

    async def nobody() -> None:
        return None

    return Grounds(endpoints, stands, build_profiles(settings, store), proven, nobody)


def build_profiles(settings: Settings, store: Store) -> Profiles:
    """The one place that says which runtime profile holds (P1)."""
    return Profiles(store.machine, simulated=settings.lark.simulated)


def build_turns(
    settings: Settings,
    store: Store,
    sources: Sources,
    grounds: Grounds,
    *,
    sender: Sender,
    watcher: Watcher,
    deliveries: Wake,
    world: World,
) -> Turns:
    """The runtime controller."""
    return Turns(
        conversations=store.conversations,
        ledger=store.ledger,
        sessions=store.sessions,
        scopes=build_scopes(settings, store),
        grounds=grounds,
        endings=Endings(
            ledger=store.ledger,
            people=store.people,
            sources=sources,
            sender=sender,
            watcher=watcher,
            deliveries=deliveries,
            clock=world.clock,
            tokens=world.tokens,
            zone=settings.display.timezone,
        ),
        limits=TurnLimits(),
    )


def build_reviews(
    store: Store, turns: Turns, standing: Standing, worker: WorkerId, wakes: Wakes, paces: Paces
) -> Reviews:
    """The sweep over owed questions whose turns had read and did not answer: it ends them as turns do (V1)."""
    reviewing = Reviewing(
        store=store.reviews,
        sessions=store.sessions,
        grounds=turns.grounds,
        endings=turns.endings,
        limits=TurnLimits(),
    )
    return Reviews(
        worker=worker,
        conversations=store.conversations,
        store=store.reviews,
        standing=standing,
        reviewing=reviewing,
        questions=wakes.questions,
        every=paces.takeover,
    )


def app_of(settings: Settings) -> AppId:
    """The configured app; every id is one of it."""
    return AppId(settings.lark.app_id or "")


def build_limits(settings: Settings) -> Limits:
    """How many questions may be open (A6)."""
    limits = settings.limits
    return Limits(limits.open_per_asker, limits.open_per_conversation)


async def settle_authorities(
    settings: Settings, store: Store, directory: Directory
) -> tuple[Authorities, TenantKey | None]:
    """Make owner, tenant and names what the configuration says; and the tenant that is pinned then.

    A tenant that the configuration leaves open stays what it was, or nobody's until the platform names it.
    """
    app, owner, tenant = app_of(settings), settings.owner.open_id, settings.lark.tenant_key
    await store.owners.follow(app, None if owner is None else OpenId(owner))
    if tenant is not None:
        await store.owners.pin_tenant(app, TenantKey(tenant), configured=True)
    await store.people.sync(app, settings.names)
    return Authorities(app, store.owners, directory), await store.owners.tenant(app)


def revealed(secret: SecretStr | None) -> str:
    """A secret in the clear, for who needs it; empty where there is none."""
    return "" if secret is None else secret.get_secret_value()


def webhook_settings(settings: Settings) -> WebhookSettings:
    """What the webhook proves its events by."""
    return WebhookSettings(
        app_id=app_of(settings),
        encrypt_keys=tuple(key.get_secret_value() for key in settings.lark.encrypt_keys),
        verification_tokens=tuple(
            token.get_secret_value() for token in settings.lark.verification_tokens
        ),
        freshness=settings.lark.event_max_age,
    )


def build_metrics(refusals: Refusals) -> Metrics:
    """Counters of the webhook; other parts add theirs."""
    metrics = Metrics()
    metrics.labelled(
        MetricType.COUNTER,
        "steward_webhook_refused_total",
        "Requests turned away, by reason.",
        "reason",
        lambda: {reason.value: count for reason, count in refusals.counts.items()},
    )
    return metrics
