"""Nothing happens at import, and what is heavy is not imported before it is used.

Each check runs in a process of its own: this one has everything loaded already.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
QUIET = """
import importlib, logging, os, signal, sys, threading

def world():
    return {
        "environment": dict(os.environ),
        "working directory": os.getcwd(),
        "log handlers": list(logging.getLogger().handlers),
        "threads": threading.active_count(),
        "SIGTERM": signal.getsignal(signal.SIGTERM),
    }

before = world()
for module in sys.argv[1:]:
    importlib.import_module(module)
    for name, value in world().items():
        assert value == before[name], f"{module} changes the {name}"
"""
LOADED = "import importlib, sys; importlib.import_module(sys.argv[1]); print(*sys.modules)"


def modules(package: str) -> list[str]:
    """Every module of a package but the migrations, which are scripts that Alembic runs."""
    paths = sorted(path.relative_to(ROOT) for path in (ROOT / package).rglob("*.py"))
    return [
        ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        for path in paths
        if "migrations" not in path.parts
    ]


def run(program: str, *names: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *names],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=15,
        check=False,
    )


@pytest.mark.parametrize("package", ["steward", "bot"])
def test_a_module_does_nothing_when_it_is_imported(package: str) -> None:
    done = run(QUIET, *modules(package))

    assert done.stderr == ""
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("steward", {"lark_oapi", "sqlalchemy", "aiohttp", "pydantic", "ruamel"}),
        ("steward.control", {"lark_oapi", "sqlalchemy", "aiohttp"}),
        ("bot", {"lark_oapi", "sqlalchemy", "aiohttp"}),
        ("bot.settings", {"lark_oapi", "sqlalchemy", "aiohttp", "alembic"}),
        ("bot.cli", {"lark_oapi"}),
    ],
)
def test_what_is_heavy_waits_until_it_is_used(module: str, absent: set[str]) -> None:
    done = run(LOADED, module)

    assert done.returncode == 0, done.stderr
    assert absent & set(done.stdout.split()) == set()
