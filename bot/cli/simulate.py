"""`steward simulate FILE`: one event, signed and encrypted as the platform does, to a running simulated bot.

The file holds `{"chat": …, "from": …, "text": …}` for a message of somebody whom the simulated platform knows, or a
whole event document. A message is said on the platform first, so that it can be fetched there; `--forged` leaves
that out.
"""

from pathlib import Path

from bot.cli.process import run_loop


def run(file: Path, config: Path | None, *, forged: bool) -> int:
    """DONE where the bot acknowledged the event."""
    raise NotImplementedError
