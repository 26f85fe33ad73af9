"""Row 6: a reporter's answer over 5 sources and 10,000 rows, warm and cold, and what the event loop feels of it.

Each pass is a process of its own that has read nothing yet. A stall is what a task waits that sleeps 5 ms again and again;
beside it stands the same of a second in which nothing happens, for the machine's own part.
"""

from pathlib import Path
from typing import Any

from tests.bench.answerer import GOALS, ROWS, SOURCES, WARM
from tests.bench.children import running
from tests.bench.figures import Bound, Figure, absolute, milliseconds, quantile, seconds

PASSES = 3
PROMPT = Bound(500, 500, at_least=False, unit="ms")
UNBLOCKED = Bound(50, 50, at_least=False, unit="ms")
OVER = f"{SOURCES} sources, {SOURCES * GOALS * ROWS:,} rows"


async def answering(folder: Path) -> tuple[list[Figure], dict[str, Any]]:
    """Each pass after the other; a figure is the median of the passes."""
    passes = []
    for number in range(PASSES):
        async with running("tests.bench.answerer", str(folder / f"answering{number}")) as child:
            passes.append(await child.heard())
    late = [quantile(one["warm_ms"], 0.95) for one in passes]
    middle = [quantile(one["warm_ms"], 0.5) for one in passes]
    figures = [
        absolute(f"6 answer p95 of {WARM}, warm, {OVER}", late, PROMPT, milliseconds),
        absolute("6 answer p50, warm", middle, None, milliseconds),
        absolute(
            "6 the first answer, cold", [one["cold_ms"] / 1000 for one in passes], None, seconds
        ),
    ]
    for name, bound in (("cold", UNBLOCKED), ("warm", UNBLOCKED), ("quiet", None)):
        worst = [one[f"{name}_stall_ms"] for one in passes]
        figures.append(absolute(f"6 longest stall of the loop, {name}", worst, bound, milliseconds))
    return figures, {"passes": passes}
