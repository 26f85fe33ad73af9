"""Words → a command, something that only looks like one, or no command at all. Contract A4. Pure.

Above: intake, and the transport, which lets the urgent ones pass (`is_urgent`). Below: the table of names. What begins with
a slash and a letter never becomes a question, known or not: an endpoint is never asked to carry out a command.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import TypeGuard

from steward.model.command import Command, CommandName, UnknownCommand
from steward.model.turn import Language
from steward.policy.language import language_of
from steward.reading.text import clean
from steward.texts.commands import COMMANDS

SLASHES = "/\uff0f"
"""The second one is full-width, as Chinese input methods write it."""
WORD_CHARS = 40
"""So much is kept of a word that is no command."""

_URGENT = frozenset({CommandName.STOP, CommandName.NEW})
_ENDINGS = ".,!?;:。，！？；：…"
_ARGUMENT = re.compile(r"""\"([^"]*)\"|“([^”]*)”|'([^']*)'|「([^」]*)」|(\S+)""")
_MENTION = re.compile(r"^\s*@_user_\d+\s*")

_NAMES = {
    name.casefold(): command for command, text in COMMANDS.items() for name in (*text.zh, *text.en)
}


def command_of(text: str) -> Command | UnknownCommand | None:
    """What the words tell the steward itself; None where they are a question. Our own mention is gone from them.

    "/" alone, "//", "1/2" and a path within a sentence are ordinary words.
    """
    visible = _visible(text)
    if len(visible) < 2 or visible[0] not in SLASHES or not visible[1].isalpha():
        return None
    word, _, rest = visible[1:].partition(" ")
    name = _NAMES.get(unicodedata.normalize("NFKC", word).casefold().rstrip(_ENDINGS))
    if name is None:
        return UnknownCommand(clean(word, WORD_CHARS))
    return Command(name, tuple(_arguments(rest)))


def command_in(text: str) -> Command | UnknownCommand | None:
    """The same of a message's text as the platform gives it, with the placeholder of a mention before it."""
    if not any(slash in text for slash in SLASHES):
        return None
    return command_of(_MENTION.sub("", text))


def is_urgent(command: Command | UnknownCommand | None) -> TypeGuard[Command]:
    """Whether a message must not wait behind a question: it stops one, or turns away from what was said before."""
    return isinstance(command, Command) and command.name in _URGENT


def spoken(text: str) -> Language | None:
    """The language of a command's words; None for an English name alone, which a Chinese reader types as well (W5)."""
    return Language.ZH if language_of(text) is Language.ZH else None


def _visible(text: str) -> str:
    """One line without anything unseen, whole; ideographic blanks and line breaks are blanks."""
    if not any(slash in text for slash in SLASHES):
        return ""
    return " ".join(clean(text, max(len(text), 1)).split())


def _arguments(rest: str) -> Iterator[str]:
    for found in _ARGUMENT.finditer(rest):
        argument = next((group for group in found.groups() if group is not None), "").strip()
        if argument:
            yield argument
