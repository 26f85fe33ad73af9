"""Options of a `[source.ID]` that are read one by one: each refusal names its key and what it must be.

Below the kinds whose options are a few lines of text. `timezone` comes from the configuration with every source.
"""

from collections.abc import Mapping

from steward.errors import SettingsError
from steward.model.ids import SourceId
from steward.model.json import Json


def known_options(
    source: SourceId, options: Mapping[str, Json], known: tuple[str, ...], kind: str
) -> None:
    """Refuse an option that nothing reads. Raises SettingsError."""
    for name in options:
        if name not in known:
            listed = ", ".join(one for one in known if one != "timezone")
            raise SettingsError(f"source.{source}.{name}", f"unknown option; {kind} has {listed}")


def text_option(source: SourceId, options: Mapping[str, Json], name: str) -> str | None:
    """One line of text, or None where it is left out. Raises SettingsError."""
    value = options.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise SettingsError(f"source.{source}.{name}", "must be one line of text")
    return value


def absolute(source: SourceId, name: str, path: str) -> str:
    """The path, which no working directory changes. Raises SettingsError."""
    if not path.startswith("/"):
        raise SettingsError(f"source.{source}.{name}", "must be an absolute path")
    return path
