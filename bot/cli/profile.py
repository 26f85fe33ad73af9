"""`steward profile`: the runtime profile as stored and in force, a preview of its change, and the change. Contracts P3, P8, S4.

It works beside a running `serve`, which follows the store: it takes no lock, migrates nothing and recovers nothing. Whoever
may run it may read the store's file, so it is told everything.
"""

import shlex
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.cli.process import DONE, FAILED, configured, out, plan_changed, print_json, run_loop
from bot.cli.stored import opened_store
from bot.host import host_facts
from bot.parts import app_of, build_endpoints, build_profiles
from bot.settings import Settings
from steward.control.endpoints import Endpoints
from steward.control.profiles import Profiles
from steward.errors import ContractError
from steward.model.answer import Outgoing
from steward.model.audience import AudienceKind
from steward.model.audit import OPERATOR, AuditAct, AuditRow
from steward.model.command import ApplyProfile
from steward.model.effect import ByOperator, Changed, Done, Repeated
from steward.model.json import Json
from steward.model.machine import Applied
from steward.model.profile import CorruptProfile, EffectiveProfile, RuntimeProfile
from steward.model.turn import Language
from steward.policy import profile_card as card
from steward.policy import profile_fields as fields
from steward.store import Store

SHOWN: Mapping[str, AudienceKind] = {
    "owner_private": AudienceKind.OWNER_PRIVATE,
    "group": AudienceKind.GROUP,
}


@dataclass(frozen=True, slots=True)
class _At:
    """What every subcommand works with. `options` repeat how it was called, for a command that it prints."""

    settings: Settings
    store: Store
    profiles: Profiles
    endpoints: Endpoints
    options: str

    async def held(self, kind: AudienceKind) -> EffectiveProfile:
        """What holds before this audience, for the endpoint that answers it."""
        return await self.profiles.effective(kind, self.endpoints.of(kind).profiles)

    def command(self, *words: str) -> str:
        """The command line that does this next, here."""
        return shlex.join(["steward", "profile", *words]) + self.options


def show(config: Path | None, *, as_json: bool) -> int:
    """Print what is stored, what holds before the owner and before a group, and each session's six fields."""
    return _run(config, lambda at: _show(at, as_json=as_json), write=False)


def preview(desired: RuntimeProfile, config: Path | None, *, as_json: bool) -> int:
    """Print what an apply would do, and how to apply it; nothing is written."""
    return _run(config, lambda at: _preview(at, desired, as_json=as_json), write=False)


def apply(desired: RuntimeProfile, plan: str, config: Path | None, *, as_json: bool) -> int:
    """Apply a previewed plan; FAILED where it is stale, or was applied before and no longer stands."""
    return _run(config, lambda at: _apply(at, desired, plan, as_json=as_json), write=True)


def _run(
    config: Path | None, work: Callable[[_At], Coroutine[None, None, int]], *, write: bool
) -> int:
    async def main() -> int:
        async with _opened(config, write=write) as at:
            return await work(at)

    return run_loop(main)


@asynccontextmanager
async def _opened(config: Path | None, *, write: bool) -> AsyncIterator[_At]:
    """The configured store as it is, and what the subcommands ask of it."""
    settings = configured(config)
    async with opened_store(settings, write=write) as store:
        yield _At(
            settings=settings,
            store=store,
            profiles=build_profiles(settings, store),
            endpoints=build_endpoints(settings),
            options="" if config is None else f" --config {shlex.quote(str(config))}",
        )


async def _show(at: _At, *, as_json: bool) -> int:
    stored = await at.profiles.stored()
    held = {name: await at.held(kind) for name, kind in SHOWN.items()}
    sessions = await at.store.sessions.all()
    if as_json:
        print_json(
            {
                "stored": fields.stored(stored),
                "effective": {name: fields.effective(profile) for name, profile in held.items()},
                "sessions": [fields.session(one) for one in sessions],
            }
        )
        return DONE
    for line in _lines(card.state(stored, held["owner_private"], Language.EN)):
        out.print(line, markup=False)
    for name, profile in held.items():
        out.print(f"\n{name}", style="bold")
        _print_fields(fields.effective(profile))
    if isinstance(stored, CorruptProfile):
        out.print(f"\nMend it: {at.command('preview', 'restricted')}", markup=False)
    for session in sessions:
        out.print(f"\nsession {session.conversation}", style="bold", markup=False)
        _print_fields(fields.session(session))
    return DONE


async def _preview(at: _At, desired: RuntimeProfile, *, as_json: bool) -> int:
    plan = await at.profiles.preview(desired)
    facts = host_facts(at.settings, at.endpoints.of(AudienceKind.OWNER_PRIVATE).profiles)
    if as_json:
        lines = card.consequences(plan, facts, Language.EN)
        print_json({**fields.plan(plan), "consequences": list(lines)})
        return DONE
    for line in _lines(card.previewed(plan, facts, Language.EN)):
        out.print(line, markup=False)
    if plan.writes_required:
        words = ("apply", desired.value, "--plan", plan.plan_revision)
        out.print(f"\nApply it: {at.command(*words)}", markup=False)
    return DONE


async def _apply(at: _At, desired: RuntimeProfile, plan: str, *, as_json: bool) -> int:
    outcome = await at.store.effects.commit(
        ByOperator(app_of(at.settings)),
        ApplyProfile(desired, plan),
        audit=[AuditRow(AuditAct.PROFILE_APPLIED, OPERATOR, reason=desired.value, subject=plan)],
        reply=[],
    )
    match outcome:
        case Done(applied=Applied() as done):
            return _applied(at, done, desired, as_json=as_json)
        case Repeated(applied=Applied() as done):
            await _refused(at, "superseded", plan)
            return _applied(at, done, desired, as_json=as_json)
        case Changed():
            await _refused(at, "plan_changed", plan)
            present = await at.profiles.revision()
            return plan_changed(present, at.command("preview", desired.value), as_json=as_json)
        case _:
            raise ContractError("an apply ends with its receipt, or with a changed plan")


def _applied(at: _At, applied: Applied, desired: RuntimeProfile, *, as_json: bool) -> int:
    facts = host_facts(at.settings, at.endpoints.of(AudienceKind.OWNER_PRIVATE).profiles)
    stands = applied.present_revision == applied.receipt.applied_revision
    if as_json:
        print_json(fields.applied(applied))
    else:
        for line in _lines(card.readback(applied, desired, facts, Language.EN)):
            out.print(line, markup=False)
    return DONE if stands else FAILED


async def _refused(at: _At, reason: str, plan: str) -> None:
    await at.store.audit.note(AuditRow(AuditAct.REFUSED, OPERATOR, reason=reason, subject=plan))


def _print_fields(named: Mapping[str, Json]) -> None:
    for name, value in named.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        out.print(f"  {name}: {'–' if shown in {None, ''} else shown}", markup=False)


def _lines(message: Outgoing) -> Sequence[str]:
    return [message.headline, *(claim.text for claim in message.claims), *message.details]
