"""Text → tree: in the source's worker thread where it is short, in a child process where it would take long.

Above: the loader. Below: the two readers of text. A thread that parses for seconds has the interpreter, and the event
loop waits for it at each of its own steps; a child has an interpreter of its own. It is given text and gives back plain
JSON, lives as long as one look at the folder, and gets nothing of our environment.
"""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

import steward
from steward.sources.folder.markdown import markdown_tree
from steward.sources.folder.yaml_text import MalformedError, Node, tree

logger = logging.getLogger(__name__)

SHORT_BYTES = 16 * 1024
"""As much of one look is parsed here: about a tenth of a second, with breaths in it."""

_BREATH_SECONDS = 0.0005
_LENGTH_BYTES = 8
_MALFORMED = b"null malformed"
_ROOT = Path(steward.__file__).parents[1]
_CHILD = (sys.executable, "-E", "-s", "-m", "steward.sources.folder.child")


def parsed(name: str, text: str, stopped: Callable[[], bool]) -> Node:
    """The tree of a file, read as its name says. Raises MalformedError."""
    return (markdown_tree if name.lower().endswith(".md") else tree)(text, stopped)


def answer(question: bytes) -> bytes:
    """The child's side: a file's name and its text → its tree, or that it is malformed."""
    name, _, text = question.partition(b"\n")
    try:
        found = parsed(name.decode("utf-8", "surrogateescape"), text.decode(), lambda: False)
    except MalformedError:
        return _MALFORMED
    return json.dumps(found).encode()


def send(pipe: IO[bytes], message: bytes) -> None:
    """One message, with its length before it."""
    pipe.write(len(message).to_bytes(_LENGTH_BYTES, "big") + message)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes | None:
    """The next message; None where the other side has ended."""
    head = pipe.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    size = int.from_bytes(head, "big")
    message = pipe.read(size)
    return message if len(message) == size else None


class Parser:
    """One loader's. `stop` may be called from any thread, the rest from the worker's alone."""

    def __init__(self, short_bytes: int = SHORT_BYTES) -> None:
        self._short_bytes = short_bytes
        self._here = 0
        self._closing = threading.Event()
        self._child: _Child | None = None

    def parse(self, name: str, text: str) -> Node:
        """The tree of a file. Raises MalformedError, also where nobody waits for the result any more."""
        self._here += len(text)
        if self._here <= self._short_bytes:
            return parsed(name, text, self._breathe)
        answered = self._asked(f"{name}\n{text}".encode("utf-8", "surrogateescape"))
        if self._closing.is_set() or answered == _MALFORMED:
            raise MalformedError
        if answered is None:
            logger.warning("a process that parses evidence was lost; its file is parsed here")
            return parsed(name, text, self._breathe)
        found: Node = json.loads(answered)
        return found

    def rest(self) -> None:
        """One look is over, and its child with it."""
        self._here = 0
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def stop(self) -> None:
        """Give up what is being parsed."""
        self._closing.set()
        child = self._child
        if child is not None:
            child.kill()

    def _breathe(self) -> bool:
        """Let the event loop have the interpreter for a moment; True: nobody waits for this parse any more."""
        return self._closing.wait(_BREATH_SECONDS)

    def _asked(self, question: bytes) -> bytes | None:
        """The child's answer; None where there is none to be had from it."""
        try:
            if self._child is None:
                self._child = _Child()
            if self._closing.is_set():
                return None  # `stop` may have come before there was a child to kill
            return self._child.ask(question)
        except OSError:
            return None


class _Child:
    """A running child and its pipes. Raises OSError where it cannot be started, or is gone."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
            _CHILD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            env={"PATH": os.defpath},
            start_new_session=True,
        )

    def ask(self, question: bytes) -> bytes | None:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return None
        send(stdin, question)
        return receive(stdout)

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        """It has nothing to finish: kill it, and close what led to it."""
        self._process.kill()
        with suppress(BrokenPipeError):
            self._process.communicate()
