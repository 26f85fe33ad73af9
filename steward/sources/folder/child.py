"""The program that parses evidence apart from the steward: see parser. Run as a module, never imported.

It ends with its input: whoever started it is gone, or needs it no more. It gives way to every other process.
"""

import os
import sys

from steward.sources.folder.parser import answer, receive, send

NICENESS = 5


def main() -> None:
    """Answer one question after the other."""
    os.nice(NICENESS)
    while (question := receive(sys.stdin.buffer)) is not None:
        send(sys.stdout.buffer, answer(question))


if __name__ == "__main__":
    main()
