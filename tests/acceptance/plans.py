"""The plans that most houses read: one goal with a blocked todo, in a folder, granted to the team."""

from pathlib import Path

from tests.acceptance.house import TEAM

GOAL = """\
goal: {id: payments, title: Payments gateway, aliases: [支付网关], status: active, owner: Lin}
todos:
  - {id: t1, title: Callback signature, status: blocked, owner: Wei, blocked_by: no test account}
deliveries: []
handoffs: []
"""
SOURCES = """
[source.plans]
kind = "folder"
path = "evidence"
title = "Plans"
"""
GRANTS = f"""
[grant.team]
audience = "group:{TEAM}"
sources = ["plans"]
goals = ["*"]
"""


def laid(folder: Path, **goals: str) -> Path:
    """The files that SOURCES reads, each goal under its name; `folder` itself, for `open_house`."""
    evidence = folder / "evidence"
    evidence.mkdir()
    for name, goal in (goals or {"payments": GOAL}).items():
        (evidence / f"{name}.yaml").write_text(goal, encoding="utf-8")
    return folder
