"""Turns what a validation found into problems that name their key, their origin and their repair. Pure.

The text of a problem never quotes a value: a secret in the wrong place would be printed.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel, ValidationError

from bot.settings.tables import ENTRIES, Fixed, table_of
from steward.errors import SettingsError

KeyPath = tuple[str, ...]


def known_keys(table: type[BaseModel] = Fixed, at: KeyPath = ()) -> Iterator[KeyPath]:
    """Every key of a table and of the tables in it."""
    for name, field in table.model_fields.items():
        inner = table_of(field)
        if inner is not None:
            yield from known_keys(inner, (*at, name))
        else:
            yield (*at, name)


def explain(
    error: ValidationError,
    table: type[BaseModel],
    at: KeyPath,
    variables: Mapping[KeyPath, str],
) -> tuple[SettingsError, ...]:
    """The problems of one validated table that stands at `at`; `variables` says which keys the environment set."""
    valid = list(known_keys(table, at))
    problems: list[SettingsError] = []
    for detail in error.errors(include_url=False, include_context=False, include_input=False):
        path = (*at, *map(str, detail["loc"]))
        if detail["type"] == "extra_forbidden":
            problems += _unknown(path, valid, variables)
        else:
            problems.append(problem(path, _repair(detail["type"], detail["msg"]), variables))
    return tuple(problems)


def problem(path: KeyPath, repair: str, variables: Mapping[KeyPath, str]) -> SettingsError:
    """A problem of one key; says which variable set it, where one did."""
    prefixes = (path[:length] for length in range(len(path), 0, -1))
    variable = next((variables[prefix] for prefix in prefixes if prefix in variables), None)
    origin = "" if variable is None else f" (set by {variable})"
    return SettingsError(".".join(path), repair + origin)


def _unknown(
    path: KeyPath, valid: list[KeyPath], variables: Mapping[KeyPath, str]
) -> Iterator[SettingsError]:
    """One problem for each variable below an unknown table, or one for the key in the file."""
    below = [key for key in variables if key[: len(path)] == path]
    for key in below or [path]:
        yield problem(key, f"is no setting; {_nearest(key, valid)}", variables)


def _nearest(path: KeyPath, valid: list[KeyPath]) -> str:
    """The key that was meant, most likely: of the same table where that exists, else of the nearest table."""
    tables = sorted({key[0] for key in valid} | ENTRIES.keys())
    siblings = [key[-1] for key in valid if key[:-1] == path[:-1]]
    if siblings:
        meant = [(*path[:-1], name) for name in _close(path[-1], siblings)]
    else:
        meant = [(name, *path[1:]) for name in _close(path[0], tables, 0.65)]
        if not meant or (len(path) > 1 and meant[0][0] not in ENTRIES):
            meant = [tuple(key.split(".")) for key in _close(".".join(path), map(".".join, valid))]
    if meant:
        return f"the nearest is {'.'.join(meant[0])}"
    return f"there are: {', '.join(siblings or tables)}"


def _close(word: str, words: Iterable[str], cutoff: float = 0.5) -> list[str]:
    return difflib.get_close_matches(word, list(words), n=1, cutoff=cutoff)


def _repair(kind: str, message: str) -> str:
    if kind == "missing":
        return "is required"
    if kind == "too_short":
        return "must name at least one"
    return message.removeprefix("Value error, ").replace("Input should be", "must be")
