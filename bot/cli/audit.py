"""`steward audit`: who did what, before whom, and why it was or was not done; newest first. Contract A4.

Ids and codes alone: the audit holds no word of what anybody wrote.
"""

from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path

from bot.cli.process import DONE, configured, out, print_json, run_loop
from bot.cli.stored import opened_store
from steward.model.audit import AuditAct, AuditEntry
from steward.model.json import Json
from steward.reading.text import clean


def run(most: int, acts: Sequence[AuditAct], config: Path | None, *, as_json: bool) -> int:
    """Print the newest rows, of these acts or of all."""
    return run_loop(lambda: _audit(most, acts, config, as_json=as_json))


async def _audit(most: int, acts: Sequence[AuditAct], config: Path | None, *, as_json: bool) -> int:
    settings = configured(config)
    async with opened_store(settings, write=False) as store:
        entries = await store.audit.recent(most=most, acts=acts)
    zone = settings.display.timezone
    if as_json:
        document = {"audit": [_document(entry, zone) for entry in entries]}
        print_json(document)
        return DONE
    for entry in entries:
        out.print(_line(entry, zone), markup=False)
    if not entries:
        out.print("nothing is recorded", markup=False)
    return DONE


def _document(entry: AuditEntry, zone: tzinfo) -> dict[str, Json]:
    row = entry.row
    return {
        "id": entry.id,
        "at": entry.at.astimezone(zone).isoformat(timespec="seconds"),
        "act": row.act.value,
        "actor": row.actor,
        "audience": row.audience,
        "chat": row.chat,
        "reason": row.reason,
        "subject": row.subject,
    }


def _line(entry: AuditEntry, zone: tzinfo) -> str:
    """Columns two spaces apart: wide enough for a terminal, plain enough for a pipe."""
    row = entry.row
    at = entry.at.astimezone(zone).isoformat(" ", "seconds")
    cells = (at, row.act.value, row.actor, row.audience or row.chat, row.subject, row.reason)
    return "  ".join(clean(cell) if cell else "-" for cell in cells)
