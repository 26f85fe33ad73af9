"""`steward restore`: a backup in the store's place, made safe before anybody serves it. Contracts D4, D5, P8, S3.

Nobody knows what happened between the backup and now. So nothing that was unfinished then is sent, run or allowed by
itself, and whoever may change something is shown for review.
"""

from dataclasses import asdict, dataclass
from pathlib import Path

from bot.cli.process import DONE, configured, out, print_json, run_loop
from bot.lark.client import open_session
from bot.lark.pacing import Pacing
from bot.lark.sdk import load as load_sdk
from bot.lark.sender import LarkSender
from bot.parts import app_of, build_client
from bot.settings import Settings
from steward.control.restoring import make_safe
from steward.errors import BackupError, SchemaVersionError
from steward.model.audience import Grant, GrantOrigin
from steward.model.json import Json
from steward.model.owner import OwnerRecord
from steward.model.upkeep import MadeSafe
from steward.store import SchemaState, Store, StoreLock, open_store, store_state
from steward.store.backup import put_in_place, stage, unstage
from steward.world import SystemClock


@dataclass(frozen=True, slots=True)
class Report:
    """What was done, and what is to be looked at. `replaced`: the store from before; None: there was none."""

    replaced: Path | None
    done: MadeSafe
    owner: OwnerRecord | None
    grants: list[Grant]


def run(file: Path, config: Path | None, *, as_json: bool) -> int:
    """Restore it; FAILED, with everything as it was, where a process serves the store or the file is no backup."""
    return run_loop(lambda: _restore(file, config, as_json=as_json))


async def _restore(file: Path, config: Path | None, *, as_json: bool) -> int:
    settings = configured(config)
    with StoreLock(settings.store.url.get_secret_value()):
        report = await restored(settings, file)
    if as_json:
        print_json(_document(report))
    else:
        for line in _lines(report):
            out.print(line, markup=False)
    return DONE


async def restored(settings: Settings, file: Path) -> Report:
    """Stage, upgrade, make safe, put in place: until the last step the present store is what it was.

    Under the store's lock. Raises BackupError, SchemaVersionError, StoreUnavailableError.
    """
    url, clock = settings.store.url.get_secret_value(), SystemClock()
    staged = stage(url, file)
    try:
        done, owner, grants = await _prepared(settings, staged)
        kept = put_in_place(url, staged, clock.now())
    finally:
        unstage(staged)
    return Report(kept, done, owner, grants)


async def _prepared(
    settings: Settings, staged: Path
) -> tuple[MadeSafe, OwnerRecord | None, list[Grant]]:
    """The staged store, of this program's schema and safe to be served."""
    url, clock = f"sqlite:///{staged}", SystemClock()
    try:
        if await store_state(url) in {None, SchemaState.EMPTY}:
            raise BackupError("the file holds no store")
    except SchemaVersionError as error:
        if "newer" in str(error):
            raise
        raise BackupError("the file is no backup of a steward's store") from error
    async with await open_store(url, clock) as store:
        done = await _made_safe(settings, store)
        return done, await store.owners.current(app_of(settings)), list(await store.grants.all())


async def _made_safe(settings: Settings, store: Store) -> MadeSafe:
    """Nothing is sent: the sender only plans the notices."""
    clock = SystemClock()
    async with open_session() as session:
        client = build_client(settings, clock, load_sdk(), session)
        return await make_safe(store.restored, LarkSender(client, Pacing(clock), clock))


def _document(report: Report) -> dict[str, Json]:
    owner = report.owner
    return {
        "replaced": None if report.replaced is None else str(report.replaced),
        **asdict(report.done),
        "owner": None if owner is None else owner.open_id,
        "grants": [
            {
                "audience": one.audience,
                "name": one.name,
                "sources": list(one.sources),
                "goals": None if one.goals is None else list(one.goals),
                "origin": one.origin.value,
            }
            for one in report.grants
        ],
    }


def _lines(report: Report) -> list[str]:
    done, owner = report.done, report.owner
    before = "there was none" if report.replaced is None else str(report.replaced)
    trust = "was trusted_owner; it is restricted now" if done.restricted else "is restricted"
    named = "nobody" if owner is None else f"{owner.open_id}, since {owner.since:%Y-%m-%d %H:%M %Z}"
    return [
        f"Restored. The store from before: {before}.",
        f"  the profile {trust}",
        f"  messages that may have been sent since the backup, to be looked for or marked: {done.doubtful}",
        f"  questions that were unfinished, owed now with a notice: {done.owed}",
        f"  messages that nobody had read, kept and not answered: {done.unread}",
        f"  buttons that are void: {done.void}",
        "Look these over before `steward serve`; what was revoked since the backup is in force again:",
        f"  owner: {named}",
        *(f"  grant: {_grant(one)}" for one in report.grants),
        *([] if report.grants else ["  grants: none"]),
    ]


def _grant(one: Grant) -> str:
    goals = "all goals" if one.goals is None else ", ".join(one.goals)
    by = "by the owner" if one.origin is GrantOrigin.OWNER else "by the configuration of then"
    return f"{one.audience} may read {', '.join(one.sources)} ({goals}), {by}"
