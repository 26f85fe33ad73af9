"""A stand-in for LoopX's command line: pages in its shape over plain files, with its ways of keeping quiet.

Run as a program: `python cli.py HOME --registry R --format json COMMAND …`. HOME holds `goals.json` (the registry),
`todos/GOAL.json` and `index/GOAL.jsonl`, which tests write and damage. As the real one it skips lines that it cannot
read, says `ok` where it read nothing, and ends with 1 beside a refusal. Without the switch that keeps the real one
from sending statistics it ends with 9.
"""

import argparse
import hashlib
import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

MOST_CHARACTERS = 24_000


def said(answer: dict) -> int:
    print(json.dumps(answer, separators=(",", ":")))  # noqa: T201 - it is a program
    return 0 if answer["ok"] else 1


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    made.add_argument("--registry", required=True)
    made.add_argument("--format", choices=["json"], required=True)
    commands = made.add_subparsers(dest="command", required=True)
    portfolio = commands.add_parser("goal-portfolio")
    portfolio.add_argument("--manager-view", choices=["portfolio", "todos", "deliveries"])
    portfolio.add_argument("--offset", type=int, default=0)
    portfolio.add_argument("--limit", type=int, default=8)
    portfolio.add_argument("--days", type=int, default=1)
    portfolio.add_argument("--include-stopped", action="store_true")
    portfolio.add_argument("--goal-id")
    history = commands.add_parser("history")
    history.add_argument("what", nargs="?", choices=["inspect-index-duplicates"])
    history.add_argument("--goal-id", required=True)
    history.add_argument("--limit", type=int)
    return made


class Loopx:
    def __init__(self, home: Path, now: datetime) -> None:
        self.home = home
        self.now = now

    def goals(self) -> list[dict]:
        return json.loads((self.home / "goals.json").read_text(encoding="utf-8"))

    def lines(self, goal: str) -> tuple[list[dict], int]:
        """The runs of an index, and how many lines it has; what is no JSON object is skipped."""
        raw, runs = 0, {}
        for line in (self.home / "index" / f"{goal}.jsonl").read_text("utf-8").splitlines():
            if not line.strip():
                continue
            raw += 1
            try:
                run = json.loads(line)
            except json.JSONDecodeError:
                continue
            if isinstance(run, dict):
                runs[run.get("json_path")] = run
        return list(runs.values()), raw

    def page(self, asked: argparse.Namespace) -> dict:
        try:
            goals = self.goals()
        except (OSError, ValueError):
            return {"ok": False, "view": asked.manager_view, "error": "goal_inventory_unavailable"}
        known = [goal["id"] for goal in goals if "id" in goal]
        if asked.manager_view == "portfolio":
            rows, matched, source = self.portfolio(goals, asked)
        elif asked.goal_id not in known:
            return {"ok": False, "error": "goal_outside_available_scope"}
        elif asked.manager_view == "todos":
            rows, matched, source = self.todos(asked)
        else:
            rows, matched, source = self.deliveries(asked)
        rows = rows[asked.offset : asked.offset + asked.limit]
        while len(rows) > 1 and len(json.dumps(rows)) > MOST_CHARACTERS:
            rows.pop()
        end = asked.offset + len(rows)
        return {
            "ok": True,
            "view": asked.manager_view,
            "goal_id": asked.goal_id,
            "source": {"observed_at": self.now.isoformat(), **source},
            "rows": rows,
            "offset": asked.offset,
            "included": len(rows),
            "matched": matched,
            "next_offset": end if matched is not None and rows and end < matched else None,
            "unknown": matched is None,
            "oversized_rows": [],
            "initial_snapshot_id": None,
            "source_id": "local",
            "source_host": "local",
        }

    def portfolio(self, goals: list[dict], asked: argparse.Namespace) -> tuple[list, int, dict]:
        shown = [goal for goal in goals if asked.include_stopped or goal["state"] != "stopped"]
        rows = [
            {
                "goal_id": goal["id"],
                "activation_state": goal["state"],
                "description": goal["title"],
                "quality": goal["quality"],
                "progress": "unknown",
                "source": {"kind": "core_status", "latest_recorded_at": goal["recorded"]},
                "goal_lifecycle": {"lifecycle_phase": goal["phase"]},
            }
            for goal in shown
        ]
        counted = {"discovered": len(rows), "omitted": 0, "invalid_registry_entries": 0}
        counted["complete"] = all(goal["quality"] == "verified" for goal in shown)
        return rows, len(rows), {"source": "goal_portfolio", "coverage": counted}

    def todos(self, asked: argparse.Namespace) -> tuple[list, int | None, dict]:
        try:
            text = (self.home / "todos" / f"{asked.goal_id}.json").read_text("utf-8")
            found = json.loads(text)
        except (OSError, ValueError):
            return [], None, {"status": "unavailable", "coverage": {"active": None, "included": 0}}
        active = [todo for todo in found if todo["status"] != "done"]
        rows = [{**todo, "goal_id": asked.goal_id} for todo in active]
        done = {"known": len(found) - len(active), "archive_read": False}
        revision = hashlib.sha256(text.encode()).hexdigest()
        return (
            rows,
            len(rows),
            {
                "status": "read",
                "source_revision": revision,
                "coverage": {"active": len(rows)},
                "completed_coverage": done,
            },
        )

    def deliveries(self, asked: argparse.Namespace) -> tuple[list, int | None, dict]:
        begins = (self.now - timedelta(days=asked.days)).replace(hour=0, minute=0, second=0)
        window = {"window_start": begins.isoformat(), "window_days": asked.days}
        path = self.home / "index" / f"{asked.goal_id}.jsonl"
        try:
            runs, raw = self.lines(asked.goal_id)
        except (OSError, ValueError):
            return [], None, {**window, "status": "unavailable", "coverage": {"matched": None}}
        rows, invalid = [], 0
        for run in runs:
            if run.get("delivery_outcome") != "outcome_progress":
                continue
            try:
                at = datetime.fromisoformat(run["generated_at"])
            except ValueError:
                invalid += 1
                continue
            if begins <= at <= self.now:
                rows.append(self.delivery(run, asked.goal_id))
        rows.sort(key=lambda row: row["recorded_at"], reverse=True)
        counted = {"index_records": raw, "matched": len(rows), "invalid_delivery_records": invalid}
        revision = hashlib.sha256(path.read_bytes()).hexdigest()
        return (
            rows,
            len(rows),
            {**window, "status": "read", "source_revision": revision, "coverage": counted},
        )

    def delivery(self, run: dict, goal: str) -> dict:
        reference = hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()
        return {
            "recorded_at": run["generated_at"],
            "goal_id": goal,
            "agent_id": run["agent_id"],
            "todo_id": "",
            "classification": run["classification"],
            "outcome": run["delivery_outcome"],
            "verification": "agent_reported_outcome",
            "source_ref": f"sha256:{reference}",
            "todo_title": None,
        }

    def history(self, asked: argparse.Namespace) -> dict:
        path = self.home / "index" / f"{asked.goal_id}.jsonl"
        if not path.exists():
            runs, raw = [], 0
        else:
            try:
                runs, raw = self.lines(asked.goal_id)
            except ValueError:
                return {"ok": False, "error": "history_unavailable"}
        if asked.what is not None:
            parsed = sum(_is_object(line) for line in path.read_text("utf-8").splitlines())
            repeated = parsed - len(runs)
            return {"ok": True, "raw_index_records": raw, "duplicate_row_count": repeated}
        index = {"index_exists": path.exists(), "raw_index_records": raw, "unique_runs": len(runs)}
        return {"ok": True, "goals": [{"id": asked.goal_id, "index_path": str(path), **index}]}


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except json.JSONDecodeError:
        return False


def main(home: Path, argv: list[str]) -> int:
    if os.environ.get("LOOPX_USAGE_PING") != "0":  # noqa: TID251 - a program reads its own
        return 9
    asked = parser().parse_args(argv)
    told = home / "now"
    real = datetime.now(UTC)  # noqa: TID251 - a program of its own
    now = datetime.fromisoformat(told.read_text("utf-8")) if told.exists() else real
    with (home / "calls").open("a", encoding="utf-8") as calls:
        calls.write(json.dumps(argv) + "\n")
    loopx = Loopx(home, now.astimezone(UTC))
    if asked.command == "history":
        return said(loopx.history(asked))
    return said({**loopx.page(asked), "schema_version": "manager_evidence_page_v1"})


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
