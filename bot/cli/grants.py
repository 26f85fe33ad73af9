"""`steward grants`: what is granted to whom, a preview of a change, and the change. Contracts A2, P8.

It works beside a running `serve`, which reads grants anew for every question. Whoever may run it may read the store's
file, so it is told everything. Nobody asks the platform here: a grant for `group:` counts for nothing in an external chat.
"""

import shlex
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.cli.audiences import parse_audience
from bot.cli.process import DONE, configured, out, plan_changed, print_json, run_loop
from bot.cli.stored import granted_store, opened_store
from bot.parts import build_scopes
from bot.settings import Settings
from bot.settings.values import AUDIENCE
from steward.errors import ContractError, SettingsError
from steward.model.audience import Grant, GrantOrigin, Scope
from steward.model.audit import OPERATOR, AuditAct, AuditRow
from steward.model.command import ApplyGrants, GrantChange, GrantPlan, RevokeGrants, SetGrant
from steward.model.effect import ByOperator, Changed, Done
from steward.model.ids import SourceId
from steward.model.json import Json
from steward.model.turn import Language
from steward.policy.approval_cards import granted
from steward.policy.requesting import Refusal, goals_of, sources_of
from steward.store import Store
from steward.texts.approvals import CLOSED

WAITS = "`steward serve` has not started with it yet"
TAKEN_BACK = "the owner took it back, which the configuration does not undo; `steward grants preview` grants anew"
UNASKED = "Nobody asked the platform: a group: grant counts in a chat of the tenant alone, an external: one in others."
FORMS = "must be owner, members, group: or external: and a chat id such as group:oc_…"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A change as it was written; `sources` and `goals` None: all of them."""

    audience: str
    sources: str | None
    goals: str | None
    revoke: bool

    def change(self, settings: Settings) -> GrantChange:
        """What it means under this configuration; raises SettingsError that names the argument."""
        if not AUDIENCE.fullmatch(self.audience):
            raise SettingsError("AUDIENCE", FORMS)
        if self.revoke:
            if self.sources or self.goals:
                raise SettingsError("--revoke", "takes everything from the audience: name it alone")
            return RevokeGrants(self.audience)
        known = tuple(map(SourceId, (*settings.sources, *settings.unusable)))
        sources = sources_of(self.sources, known)
        if isinstance(sources, Refusal):
            names = ", ".join(known) or "none"
            raise SettingsError("SOURCES", f"must be configured sources, or *: {names}")
        return SetGrant(self.audience, sources, goals_of([self.goals] if self.goals else []))

    def words(self) -> Sequence[str]:
        """The same change on a command line."""
        if self.revoke:
            return (self.audience, "--revoke")
        return (self.audience, self.sources or "*", self.goals or "*")


def list_all(config: Path | None, *, as_json: bool) -> int:
    """Print every grant in force, and what the configuration will grant once `serve` starts."""
    return run_loop(lambda: _list(configured(config), as_json=as_json))


def preview(wanted: Wanted, config: Path | None, *, as_json: bool) -> int:
    """Print what the change would do, and how to apply it; nothing is written."""
    return _with_store(
        config, lambda settings, store: _preview(wanted, config, settings, store, as_json), False
    )


def apply(wanted: Wanted, plan: str, config: Path | None, *, as_json: bool) -> int:
    """Apply a previewed plan; FAILED where it is stale."""
    return _with_store(
        config, lambda settings, store: _apply(wanted, plan, config, settings, store, as_json), True
    )


def _with_store(
    config: Path | None,
    work: Callable[[Settings, Store], Coroutine[None, None, int]],
    write: bool,
) -> int:
    async def main() -> int:
        settings = configured(config)
        async with opened_store(settings, write=write) as store:
            return await work(settings, store)

    return run_loop(main)


async def _list(settings: Settings, *, as_json: bool) -> int:
    async with opened_store(settings, write=False) as store:
        held = await store.grants.all()
    async with granted_store(settings) as store:
        coming = {one.name for one in await store.grants.all() if one.origin is GrantOrigin.CONFIG}
    stored = {one.name for one in held if one.origin is GrantOrigin.CONFIG}
    waiting = [one.name for one in settings.grants if one.name not in stored]
    if as_json:
        print_json({"grants": [_grant(one) for one in held], "not_in_force": list(waiting)})
        return DONE
    for one in held:
        what = granted(one.audience, [one], Language.EN)
        out.print(f"{one.audience}  {what}  [{one.origin}: {one.name}]", markup=False)
    if not held:
        out.print("no grant is in force; the owner reads every source in private", markup=False)
    for name in waiting:
        note = WAITS if name in coming else TAKEN_BACK
        out.print(f"{name}  not in force: {note}", style="yellow", markup=False)
    return DONE


async def _preview(
    wanted: Wanted, config: Path | None, settings: Settings, store: Store, as_json: bool
) -> int:
    plan = await store.grants.plan(wanted.change(settings))
    if as_json:
        print_json(_plan(plan))
        return DONE
    _print_change(plan)
    if plan.after and _scope(plan, settings, store).empty:
        out.print(CLOSED.of(Language.EN), markup=False)
    if plan.writes_required:
        words = ["steward", "grants", "apply", *wanted.words(), "--plan", plan.plan_revision]
        out.print(f"\nApply it: {shlex.join([*words, *_at(config)])}", markup=False)
    return DONE


async def _apply(
    wanted: Wanted, plan: str, config: Path | None, settings: Settings, store: Store, as_json: bool
) -> int:
    change = wanted.change(settings)
    act = AuditAct.REVOKED if isinstance(change, RevokeGrants) else AuditAct.GRANTED
    outcome = await store.effects.commit(
        ByOperator(),
        ApplyGrants(change, plan),
        audit=[AuditRow(act, OPERATOR, audience=change.audience, subject=plan)],
        reply=(),
    )
    match outcome:
        case Done(grants=set_) if set_ is not None:
            if as_json:
                grants = [_grant(one) for one in set_.grants]
                print_json({"audience": change.audience, "grants": grants})
            else:
                now = granted(change.audience, set_.grants, Language.EN)
                out.print(f"{change.audience} may now read: {now}", markup=False)
            return DONE
        case Changed():
            refused = AuditRow(
                AuditAct.REFUSED,
                OPERATOR,
                audience=change.audience,
                reason="plan_changed",
                subject=plan,
            )
            await store.audit.note(refused)
            present = await store.grants.plan(change)
            again = shlex.join(["steward", "grants", "preview", *wanted.words(), *_at(config)])
            return plan_changed(present.current_revision, again, as_json=as_json)
        case _:
            raise ContractError("an apply ends with the grants, or with a changed plan")


def _at(config: Path | None) -> Sequence[str]:
    return [] if config is None else ["--config", str(config)]


def _scope(plan: GrantPlan, settings: Settings, store: Store) -> Scope:
    """What the audience could read by this plan, under `[access]`."""
    audience = parse_audience(plan.change.audience)
    return build_scopes(settings, store).under(audience, plan.after)


def _print_change(plan: GrantPlan) -> None:
    audience = plan.change.audience
    if not plan.writes_required:
        out.print("nothing to change: it is so already", markup=False)
    out.print(f"{audience}", style="bold", markup=False)
    out.print(f"  now:  {granted(audience, plan.before, Language.EN)}", markup=False)
    out.print(f"  then: {granted(audience, plan.after, Language.EN)}", markup=False)
    if ":" in audience and plan.after:
        out.print(UNASKED, markup=False)


def _plan(plan: GrantPlan) -> Mapping[str, Json]:
    return {
        "audience": plan.change.audience,
        "before": [_grant(one) for one in plan.before],
        "after": [_grant(one) for one in plan.after],
        "current_revision": plan.current_revision,
        "plan_revision": plan.plan_revision,
        "writes_required": plan.writes_required,
    }


def _grant(grant: Grant) -> dict[str, Json]:
    return {
        "name": grant.name,
        "audience": grant.audience,
        "sources": list(grant.sources),
        "goals": ["*"] if grant.goals is None else list(grant.goals),
        "origin": grant.origin.value,
    }
