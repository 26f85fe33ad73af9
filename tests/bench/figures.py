"""What was measured, against which bound, and how it reads: a table for people, JSON for programs. Pure.

A bound is design's: a target, and a first goal that already counts. Where nothing is promised of a figure, it is
there to be read beside the others. Ratios carry their spread: the machine is shared, its disk flips between phases.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table


@dataclass(frozen=True, slots=True)
class Bound:
    """`target` and `goal` in the figure's own unit; `at_least`: more is better."""

    target: float
    goal: float
    at_least: bool
    unit: str = "x"

    def verdict(self, value: float) -> str:
        """How far `value` gets."""
        for word, limit in (("target", self.target), ("goal", self.goal)):
            if value >= limit if self.at_least else value <= limit:
                return word
        return "missed"

    def shown(self, limit: float) -> str:
        return f"{'>=' if self.at_least else '<='} {limit:g} {self.unit}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line. `value` is what a bound judges: the ratio where there is a control, else the figure itself."""

    name: str
    text: str
    value: float | None = None
    spread: tuple[float, float] | None = None
    bound: Bound | None = None

    @property
    def verdict(self) -> str:
        if self.bound is None or self.value is None:
            return "-"
        return self.bound.verdict(self.value)


def against(
    name: str,
    ours: Sequence[float],
    control: Sequence[float],
    bound: Bound | None,
    say: Callable[[float], str],
) -> Figure:
    """The ratio of two medians, with the spread of the passes' own ratios; passes were run in turn."""
    ratios = [one / other for one, other in zip(ours, control, strict=True)]
    text = f"{say(statistics.median(ours))}  /  {say(statistics.median(control))}"
    value = statistics.median(ours) / statistics.median(control)
    return Figure(name, text, value, (min(ratios), max(ratios)), bound)


def absolute(
    name: str, values: Sequence[float], bound: Bound | None, say: Callable[[float], str]
) -> Figure:
    """The median of some values, judged as it is."""
    return Figure(
        name, say(statistics.median(values)), statistics.median(values), _span(values), bound
    )


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def table(figures: Sequence[Figure]) -> Table:
    """The figures as people read them."""
    shown = Table(box=None, pad_edge=False)
    for heading in (
        "what",
        "ours / control",
        "judged",
        "spread",
        "target",
        "first goal",
        "verdict",
    ):
        shown.add_column(heading, overflow="fold")
    for one in figures:
        unit = one.bound.unit if one.bound else "x" if " / " in one.text else ""
        shown.add_row(
            one.name,
            one.text,
            "" if one.value is None else f"{one.value:.2f} {unit}",
            "" if one.spread is None else f"{one.spread[0]:.2f} - {one.spread[1]:.2f}",
            one.bound.shown(one.bound.target) if one.bound else "",
            one.bound.shown(one.bound.goal) if one.bound else "",
            one.verdict,
        )
    return shown


def document(
    figures: Sequence[Figure], machine: Mapping[str, str], raw: Mapping[str, Any]
) -> dict[str, Any]:
    """The same for a program, with every single pass in `raw`."""
    lines = [asdict(one) | {"verdict": one.verdict} for one in figures]
    return {"schema_version": "steward_bench_v0", "machine": machine, "figures": lines, "raw": raw}


def per_second(value: float) -> str:
    return f"{value:,.0f}/s"


def milliseconds(value: float) -> str:
    return f"{value:.1f} ms"


def microseconds(value: float) -> str:
    return f"{value:.1f} us"


def seconds(value: float) -> str:
    return f"{value:.2f} s"


def mebibytes(value: float) -> str:
    return f"{value:.0f} MiB"


def _span(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)
