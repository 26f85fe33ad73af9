"""The `steward` command: exit 0 done, 1 failed with a typed reason, 2 wrong usage.

Each command is a module of this package; what a command needs is imported when it runs, so that `--help` is quick.
"""

from bot.cli.commands import app


def main() -> None:
    """Run the command line of this process."""
    app()
