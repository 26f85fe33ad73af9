"""`steward owner`: who the configuration names, who is in force, and how the last change came about. Contracts P7, P9.

It works beside a running `serve`, which asks the store anew for every event. `--reinstate` is the operator's word against
the platform's: a configuration alone never brings back somebody who left the tenant.
"""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.cli.process import DONE, FAILED, configured, err, out, print_json, run_loop
from bot.cli.stored import opened_store
from bot.parts import app_of
from bot.settings import Settings
from steward.model.audit import AuditAct, AuditEntry
from steward.model.ids import OpenId
from steward.model.json import Json
from steward.model.owner import OwnerEnd, OwnerRecord
from steward.store import Store

LEFT = "the platform said that the configured owner left the tenant"
REINSTATE = "name another owner.open_id, or run `steward owner --reinstate` if that is wrong"


@dataclass(frozen=True, slots=True)
class OwnerState:
    """What is known of the owner. `ended_by`, `ended_at`: how the last owner ended, where nobody is in force."""

    configured: OpenId | None
    in_force: OwnerRecord | None
    ended_by: str | None
    ended_at: datetime | None

    @property
    def left(self) -> bool:
        """Nobody is the owner, because the platform said so."""
        return self.configured is not None and self.ended_by == OwnerEnd.DELETED.value


def run(config: Path | None, *, reinstate: bool, as_json: bool) -> int:
    """Print the owner's state; with `reinstate`, first make the configured person the owner again."""
    return run_loop(lambda: _owner(config, reinstate=reinstate, as_json=as_json))


async def state_of(settings: Settings, store: Store) -> OwnerState:
    """Read, not changed. Raises StoreUnavailableError."""
    app, person = app_of(settings), settings.owner.open_id
    record = await store.owners.current(app)
    last: AuditEntry | None = None
    if record is None:
        changes = await store.audit.recent(most=1, acts=(AuditAct.OWNER_CHANGED,))
        last = changes[0] if changes else None
    return OwnerState(
        configured=None if person is None else OpenId(person),
        in_force=record,
        ended_by=None if last is None else last.row.reason,
        ended_at=None if last is None else last.at,
    )


async def _owner(config: Path | None, *, reinstate: bool, as_json: bool) -> int:
    settings = configured(config)
    person = settings.owner.open_id
    if reinstate and person is None:
        err.print("There is nobody to reinstate: set owner.open_id first.", style="bold red")
        return FAILED
    async with opened_store(settings, write=reinstate) as store:
        if reinstate and person is not None:
            await store.owners.reinstate(app_of(settings), OpenId(person))
        state = await state_of(settings, store)
    if as_json:
        print_json(_document(state))
    else:
        for line in _lines(state):
            out.print(line, markup=False)
    return DONE


def _document(state: OwnerState) -> dict[str, Json]:
    record = state.in_force
    return {
        "configured": state.configured,
        "in_force": None if record is None else record.open_id,
        "since": None if record is None else record.since.isoformat(),
        "private_chat_known": record is not None and record.private_chat is not None,
        "ended_by": state.ended_by,
        "ended_at": None if state.ended_at is None else state.ended_at.isoformat(),
    }


def _lines(state: OwnerState) -> list[str]:
    record = state.in_force
    lines = [f"configured: {state.configured or 'nobody'}"]
    if record is None:
        lines.append("in force: nobody")
    else:
        known = (
            "known" if record.private_chat is not None else "not yet: it is learnt from a message"
        )
        lines += [
            f"in force: {record.open_id}, since {record.since:%Y-%m-%d %H:%M %Z}",
            f"private chat: {known}",
        ]
    if state.ended_at is not None:
        lines.append(f"last change: {state.ended_by}, {state.ended_at:%Y-%m-%d %H:%M %Z}")
    if state.left:
        lines.append(f"{LEFT}: {REINSTATE}")
    elif (None if record is None else record.open_id) != state.configured:
        lines.append("the configured owner takes effect when `steward serve` starts")
    return lines
