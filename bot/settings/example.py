"""Prints the configuration file that documents itself: every key, its default, unit and reason. Pure.

config/steward.toml is this text; a test compares the two. No secret has a default, so none is in it.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from bot.settings.tables import ENTRIES, Fixed, table_of
from bot.settings.values import Doc, written_duration

_HEAD = """\
# The steward's configuration, printed from bot/settings/tables.py. Values are the defaults; a line with "#" and no
# space is switched off: it has no default, or needs an id of yours. Each key is also a variable,
# STEWARD__TABLE__KEY, which wins over the file; a list in a variable is JSON. Relative paths count from the folder
# of this file. `--config FILE` or STEWARD_CONFIG names the file to use. An unknown key stops the start and is
# named; in a source, grant, person, sprint or digest an error disables that entry alone.
"""
_IDS = {"source": "plans", "grant": "team", "person": "lin", "sprint": "s12", "digest": "friday"}
_ACTIVE = "source"
"""The one entry that holds without an id of the platform: the example evidence beside the file."""


def example_toml() -> str:
    """The text of config/steward.toml."""
    blocks = [_HEAD]
    for name, field in Fixed.model_fields.items():
        blocks += _table(name, table_of(field))
    for name, model in ENTRIES.items():
        blocks.append(_block(f"{name}.{_IDS[name]}", model, off=name != _ACTIVE))
    return "\n".join(blocks)


def _table(name: str, model: type[BaseModel] | None) -> Iterator[str]:
    if model is not None:
        yield _block(name, model)
        for key, field in model.model_fields.items():
            yield from _table(f"{name}.{key}", table_of(field))


def _block(name: str, model: type[BaseModel], *, off: bool = False) -> str:
    lines = [f"# {(model.__doc__ or '').splitlines()[0]}", f"{'#' if off else ''}[{name}]"]
    for key, field in model.model_fields.items():
        for doc in field.metadata:
            if isinstance(doc, Doc):
                lines += [f"# {doc.why} ({doc.unit})", _assignment(key, field, doc, off=off)]
    return "\n".join(lines) + "\n"


def _assignment(key: str, field: FieldInfo, doc: Doc, *, off: bool) -> str:
    if doc.sample is not None:
        written = doc.sample if doc.sample.startswith("[") else _quoted(doc.sample)
        return f"{'#' if off else ''}{key} = {written}"
    if field.default is None:
        return f"#{key} ="
    return f"{key} = {_written(field.default)}"


def _written(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case timedelta():
            return _quoted(written_duration(value))
        case SecretStr():
            return _quoted(value.get_secret_value())
        case ZoneInfo():
            return _quoted(value.key)
        case str() | Path():
            return _quoted(str(value))
        case _:
            raise TypeError(type(value))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
