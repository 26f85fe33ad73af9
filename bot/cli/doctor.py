"""`steward doctor`: configuration, secrets, store, sources, Lark; each finding with its repair.

It changes nothing: no migration, no recovery, no message.
"""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import timedelta
from pathlib import Path

from bot.cli.findings import Finding, Grade
from bot.cli.owner import LEFT, REINSTATE, state_of
from bot.cli.process import DONE, FAILED, configured, out, run_loop
from bot.cli.stored import opened_store
from bot.cli.upkept import upkept
from bot.host import credentials_in_reach, is_root
from bot.kinds import build_sources
from bot.lark.client import open_session
from bot.lark.directory import LarkDirectory
from bot.lark.errors import FailureClass
from bot.lark.sdk import load as load_sdk
from bot.parts import build_client, build_endpoints, build_profiles
from bot.settings import Settings, missing_secrets
from steward.control.registry import ConfiguredSource
from steward.errors import ConfigurationError, SchemaVersionError, StoreError, StoreLockedError
from steward.model.audience import AudienceKind, DirectoryFailure
from steward.model.profile import (
    EffectiveProfile,
    ProfileStatus,
    RuntimeProfile,
    Stored,
    StoredProfile,
)
from steward.model.reading import UNDATED, ReadFailure
from steward.model.turn import Language
from steward.reading.failures import label, next_action
from steward.store import Server, StoreLock, server_of, store_state
from steward.world import SystemClock

MOST_APART = 1.0
"""Seconds between the server's clock and ours that are no warning yet."""

_LATER = "try again in a minute; if it stays, look at the app in the developer console"
_REPAIRS: Mapping[str, str] = {
    FailureClass.UNREACHABLE: "check lark.domain, and that this machine reaches it",
    FailureClass.AMBIGUOUS: "check lark.domain, and that this machine reaches it",
    FailureClass.TOKEN: "check lark.app_id and lark.app_secret against the developer console",
    FailureClass.PERMISSION: "enable the bot ability, publish the app, and grant im:message scopes",
    FailureClass.APP_REFUSED: "enable the bot ability, publish the app, grant im:message scopes, and allow this address",
    FailureClass.QUOTA: "this month's calls are used up: raise the plan, or wait for the next month",
}


def run(config: Path | None, *, as_json: bool) -> int:
    """Print every finding; FAILED where one of them fails."""
    return run_loop(lambda: _doctor(config, as_json=as_json))


async def _doctor(config: Path | None, *, as_json: bool) -> int:
    try:
        settings = configured(config)
    except ConfigurationError as error:
        findings = [
            Finding("config", Grade.FAIL, problem.key, problem.repair) for problem in error.problems
        ]
    else:
        findings = [
            *_config(settings),
            *_secrets(settings),
            *await _stores(settings),
            *await upkept(settings),
            *await _profile(settings),
            *await _owner(settings),
            *[finding async for finding in _sources(settings)],
            *await _lark(settings),
        ]
    _print(findings, as_json=as_json)
    return FAILED if any(finding.grade is Grade.FAIL for finding in findings) else DONE


def _print(findings: Iterable[Finding], *, as_json: bool) -> None:
    if as_json:
        rows = [
            {"check": one.check, "grade": one.grade, "found": one.found, "repair": one.repair}
            for one in findings
        ]
        out.print_json(json.dumps(rows, ensure_ascii=False))
        return
    style = {Grade.OK: "green", Grade.WARN: "yellow", Grade.FAIL: "bold red"}
    for one in findings:
        out.print(f"{one.grade.value:>4}", style=style[one.grade], end="  ")
        out.print(f"{one.check}: {one.found}", markup=False)
        if one.repair is not None:
            out.print(f"      → {one.repair}", markup=False)


def _config(settings: Settings) -> list[Finding]:
    where = str(settings.file) if settings.file else "no file: defaults and variables"
    findings = [Finding("config", Grade.OK, where)]
    findings += [
        Finding("config", Grade.WARN, f"{fault.key} is disabled", fault.repair)
        for fault in settings.faults
    ]
    if settings.owner.open_id is None:
        findings.append(
            Finding("owner", Grade.WARN, "nobody is the owner", "set owner.open_id to your ou_… id")
        )
    if not settings.grants:
        findings.append(
            Finding(
                "grants",
                Grade.WARN,
                "no audience but the owner may read anything",
                "add a [grant.ID] with an audience, sources and goals",
            )
        )
    return findings


def _secrets(settings: Settings) -> list[Finding]:
    missing = missing_secrets(settings.lark)
    if not missing:
        return [Finding("secrets", Grade.OK, "all four are set")]
    return [
        Finding("secrets", Grade.FAIL, f"{key} is missing", f"set {key} from the developer console")
        for key in missing
    ]


async def _stores(settings: Settings) -> list[Finding]:
    url = settings.store.url.get_secret_value()
    try:
        server = await server_of(url, SystemClock())
        state = await store_state(url)
        if server is not None:
            schema = Finding("store", Grade.OK, f"{state.value if state else 'empty'} schema")
            return [schema, *server_findings(server)]
        if state is None:
            return [Finding("store", Grade.OK, "not made yet: the first start makes it")]
        with StoreLock(url):
            return [Finding("store", Grade.OK, f"{state.value} schema, served by no process now")]
    except StoreLockedError:
        return [Finding("store", Grade.OK, "served by a running process")]
    except StoreError as error:
        return [Finding("store", Grade.FAIL, "cannot be used", str(error))]


def server_findings(server: Server) -> list[Finding]:
    """Of PostgreSQL: that it was reached, and what of it or of the way to it weakens a promise (D1, D7)."""
    apart = abs(server.ahead.total_seconds())
    served = {0: "no process", 1: "one process"}.get(
        server.processes, f"{server.processes} processes"
    )
    found = f"version {server.version}, served by {served} now, clocks {apart:.1f} s apart"
    findings = [Finding("postgresql", Grade.OK, found)]
    if apart > MOST_APART:
        which = "ahead of" if server.ahead > timedelta() else "behind"
        findings.append(
            Finding(
                "postgresql: clock",
                Grade.WARN,
                f"the server's clock is {apart:.1f} s {which} this machine's: "
                "processes would judge each other's leases wrongly",
                "keep the clocks of the server and of every machine that serves by NTP",
            )
        )
    if server.unasked:
        findings.append(
            Finding(
                "postgresql: session",
                Grade.WARN,
                f"does not have what it asked for: {', '.join(server.unasked)}",
                "connect directly, or through a pooler in session mode that passes the startup options on",
            )
        )
    if server.forgetful:
        findings.append(
            Finding(
                "postgresql: durability",
                Grade.WARN,
                f"off: {', '.join(server.forgetful)}; a loss of power may lose what was acknowledged",
                "turn it on in postgresql.conf",
            )
        )
    if server.encoding != "UTF8":
        findings.append(
            Finding(
                "postgresql: encoding",
                Grade.FAIL,
                f"the database is in {server.encoding or 'an unknown encoding'}, and not every text fits",
                "make a database with ENCODING 'UTF8'",
            )
        )
    return findings


async def _owner(settings: Settings) -> list[Finding]:
    """Whether the platform said that the configured owner left; a store that cannot be read has its own finding."""
    try:
        async with opened_store(settings, write=False) as store:
            state = await state_of(settings, store)
    except StoreError:
        return []
    return [Finding("owner", Grade.FAIL, LEFT, REINSTATE)] if state.left else []


async def _profile(settings: Settings) -> list[Finding]:
    """What may do more than read, and which limits hold it on this machine (P3, P6)."""
    try:
        async with opened_store(settings, write=False) as store:
            profiles, owner = build_profiles(settings, store), AudienceKind.OWNER_PRIVATE
            stored = await profiles.stored()
            held = await profiles.effective(owner, build_endpoints(settings).of(owner).profiles)
    except StoreError as error:
        grade = Grade.WARN if isinstance(error, SchemaVersionError) else Grade.FAIL
        return [Finding("profile", grade, "cannot be read", str(error))]
    return [_held(stored, held), *_host_tools(settings, stored)]


def _held(stored: Stored, held: EffectiveProfile) -> Finding:
    match held.status:
        case ProfileStatus.CONFIGURATION_INVALID:
            found = "what is stored cannot be read, so everything is restricted"
            return Finding("profile", Grade.WARN, found, "run `steward profile preview restricted`")
        case ProfileStatus.ENDPOINT_UNSUPPORTED:
            found = "trusted_owner, which the endpoint cannot hold: the owner's questions are owed"
            repair = "Select the Codex endpoint or change the manager runtime to restricted"
            return Finding("profile", Grade.WARN, found, repair)
        case ProfileStatus.SIMULATED_RESTRICTED:
            found = "trusted_owner; the platform is simulated, so everything is restricted"
        case _ if held.trusted:
            found = "trusted_owner, in the owner's private chat alone"
        case _:
            found = (
                "restricted" if isinstance(stored, StoredProfile) else "restricted: none is stored"
            )
    return Finding("profile", Grade.OK, found)


def _host_tools(settings: Settings, stored: Stored) -> list[Finding]:
    """P6's limits that rest on this machine. Without trusted_owner nothing is wrong yet where one does not hold."""
    wanted = isinstance(stored, StoredProfile) and stored.profile is RuntimeProfile.TRUSTED_OWNER
    grade = Grade.WARN if wanted else Grade.OK
    user = "this service's own user" + (", who is root" if is_root() else "")
    within = credentials_in_reach(settings)
    return [
        Finding(
            "host tools: user",
            grade,
            f"a process with host tools has no user of its own; it would run as {user}",
            "run the service as a user who may change nothing but its own directory"
            if wanted
            else None,
        ),
        Finding(
            "host tools: credentials",
            grade if within else Grade.OK,
            f"within reach: {', '.join(within)}" if within else "none was found within reach",
            "unset these variables, and keep these files under another user"
            if within and wanted
            else None,
        ),
    ]


async def _sources(settings: Settings) -> AsyncIterator[Finding]:
    sources, faults = build_sources(settings, SystemClock())
    try:
        for fault in faults:
            yield Finding(f"source {fault.source}", Grade.FAIL, "cannot be built", str(fault.error))
        for entry in sources:
            if entry.source is not None:
                yield await _source(entry)
        if not sources.ids:
            yield Finding(
                "sources", Grade.WARN, "none is configured", "add a [source.ID] with kind and path"
            )
    finally:
        await sources.aclose()


async def _source(entry: ConfiguredSource) -> Finding:
    name = f"source {entry.id}"
    if entry.source is None:
        return Finding(name, Grade.FAIL, *_reason(entry.failure))
    health = await entry.source.probe()
    if isinstance(health, ReadFailure):
        return Finding(name, Grade.FAIL, *_reason(health))
    age = SystemClock().now() - health.as_of
    if age > entry.max_age:
        old = "of unknown age" if health.as_of == UNDATED else f"{age.days} days old"
        return Finding(
            name,
            Grade.WARN,
            f"{health.goals} goals, newest content {old}",
            f"refresh the source, or raise source.{entry.id}.max_age",
        )
    return Finding(name, Grade.OK, f"{health.goals} goals, as of {health.as_of:%Y-%m-%d %H:%M %Z}")


def _reason(failure: ReadFailure) -> tuple[str, str]:
    return label(failure, Language.EN), next_action(failure)


async def _lark(settings: Settings) -> list[Finding]:
    if missing_secrets(settings.lark):
        return [Finding("lark", Grade.WARN, "not asked", "set the missing secrets first")]
    sdk = load_sdk()
    findings = []
    if sdk.fell_back:
        findings.append(
            Finding(
                "lark-oapi",
                Grade.WARN,
                "its narrow import failed; the ordinary one costs 168 MiB",
                "install the version that the lock file names",
            )
        )
    clock = SystemClock()
    async with open_session() as session:
        client = build_client(settings, clock, sdk, session)
        me = await LarkDirectory(client, clock).me()
    if isinstance(me, DirectoryFailure):
        return [*findings, Finding("lark", Grade.FAIL, me.reason, _REPAIRS.get(me.reason, _LATER))]
    if me.tenant_key is None and settings.lark.tenant_key is None:
        findings.append(
            Finding(
                "tenant",
                Grade.FAIL,
                "the platform does not say which tenant this app belongs to",
                "set lark.tenant_key, or grant the app the scope tenant:tenant:readonly",
            )
        )
    return [*findings, Finding("lark", Grade.OK, f"this app's bot is {me.open_id}")]
