"""`make bench`: the measurements, each with its control in the same run, as a table and as JSON.

Rows that take minutes by themselves run only when they are asked for: `--only NAME`, or `--all`. Nothing here is a test: figures depend on the machine and on what else it does. A missed first goal is said, and
the exit is 0 all the same; `--strict` is for who wants it otherwise.
"""

import argparse
import asyncio
import json
import platform
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from tests.bench.acknowledging import throughput, waiting
from tests.bench.answering import answering
from tests.bench.children import ROOT
from tests.bench.crowded import crowded
from tests.bench.disk import flushing
from tests.bench.figures import Figure, document, table
from tests.bench.gating import gating
from tests.bench.parsing import parsing
from tests.bench.processes import processes
from tests.bench.reacting import reacting
from tests.bench.soaking import soaking
from tests.bench.starting import starting

Row = Callable[[Path], Awaitable[tuple[list[Figure], dict[str, Any]]]]

ROWS: dict[str, Row] = {
    "throughput": throughput,
    "waiting": waiting,
    "parsing": parsing,
    "starting": lambda folder: starting(folder / "starting"),
    "reacting": lambda folder: reacting(folder / "reacting"),
    "answering": answering,
    "gating": gating,
}

HEAVY: dict[str, Row] = {"crowded": crowded, "soaking": soaking, "processes": processes}


def main() -> int:
    """Measure what was asked for; without the heavy rows it takes some seven minutes."""
    options = _options()
    console = Console(width=None if sys.stdout.isatty() else 160)
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="bench-") as folder:
        figures, raw = asyncio.run(
            _measured(
                Path(folder), options.only or [*ROWS, *(HEAVY if options.all else ())], console
            )
        )
    console.print(table(figures))
    if options.json:
        report = document(figures, _machine(), raw)
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if options.strict and any(one.verdict == "missed" for one in figures) else 0


async def _measured(
    folder: Path, names: list[str], console: Console
) -> tuple[list[Figure], dict[str, Any]]:
    figures: list[Figure] = []
    raw: dict[str, Any] = {}
    for name in names:
        console.print(f"measuring: {name}", style="dim")
        probed, raw[f"disk_before_{name}"] = flushing(folder)
        found, raw[name] = await (ROWS | HEAVY)[name](folder)
        figures += [*probed, *found]
    return figures, raw


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--json", type=Path, help="write every pass and figure to this file")
    parser.add_argument(
        "--only", action="append", choices=[*ROWS, *HEAVY], help="this one alone; may be repeated"
    )
    parser.add_argument("--all", action="store_true", help=f"also {', '.join(HEAVY)}")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a first goal is missed")
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "var" / "bench",
        help="where stores are made: on the disk that is to be measured",
    )
    return parser.parse_args()


def _machine() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
    }


if __name__ == "__main__":
    sys.exit(main())
