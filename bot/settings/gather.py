"""Where settings come from: one TOML file, and over it the environment. Nothing is judged here.

The only place of the project that reads the process's environment.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from steward.errors import ConfigurationError, SettingsError

PREFIX = "STEWARD__"
CONFIG_VARIABLE = "STEWARD_CONFIG"
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SSL_CERT_FILE")
_CREDENTIAL = re.compile(
    r"(?:.*_)?(?:TOKEN|SECRET|PASSWORD|PASSWD|PAT|(?:API|ACCESS|SECRET|PRIVATE|AUTH)_KEY|CREDENTIALS)"
    r"|KUBECONFIG|SSH_AUTH_SOCK|DOCKER_AUTH_CONFIG|NETRC",
    re.IGNORECASE,
)
"""Names under which other systems' credentials stand by custom; which of them one is, nobody can tell by its name."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was written, merged, the environment over the file. `variables`: which keys a variable set, by path.

    `credentials`: the names of variables, none of ours, that look like another system's credential.
    """

    tables: Mapping[str, object]
    variables: Mapping[tuple[str, ...], str]
    folder: Path
    file: Path | None
    inherited: Mapping[str, str]
    credentials: tuple[str, ...]


def gather(path: Path | None, env: Mapping[str, str] | None) -> Gathered:
    """Read the file, `path` or the one that STEWARD_CONFIG names or none, and the variables with our prefix.

    Raises ConfigurationError where the file cannot be read or a variable's name is malformed.
    """
    environ = os.environ if env is None else env
    named = environ.get(CONFIG_VARIABLE)
    file = path or (Path(named) if named else None)
    variables = {
        tuple(name.removeprefix(PREFIX).lower().split("__")): name
        for name in sorted(environ)
        if name.startswith(PREFIX)
    }
    merged = _merged(file, _nested(variables, environ))
    return Gathered(
        tables=merged,
        variables=variables,
        folder=(file.parent if file else Path()).absolute(),
        file=file,
        inherited={name: environ[name] for name in _INHERITED if name in environ},
        credentials=tuple(
            name
            for name in sorted(environ)
            if environ[name] and not name.startswith(PREFIX) and _CREDENTIAL.fullmatch(name)
        ),
    )


def _nested(
    variables: Mapping[tuple[str, ...], str], environ: Mapping[str, str]
) -> dict[str, object]:
    root: dict[str, object] = {}
    problems = []
    for path, name in variables.items():
        if len(path) < 2 or not all(path) or not _put(root, path, environ[name]):
            repair = f"must be {PREFIX}TABLE__KEY, and no key of another variable may be its table"
            problems.append(SettingsError(name, repair))
    if problems:
        raise ConfigurationError(tuple(problems))
    return root


def _put(table: dict[str, object], path: tuple[str, ...], value: str) -> bool:
    """Set a value deep inside; False where a value stands in the way of a table, or a table of the value."""
    for part in path[:-1]:
        inner = table.setdefault(part, {})
        if not isinstance(inner, dict):
            return False
        table = inner
    return table.setdefault(path[-1], value) is value


def _merged(file: Path | None, variables: dict[str, object]) -> Mapping[str, object]:
    class Merged(BaseSettings):
        model_config = SettingsConfigDict(extra="allow", hide_input_in_errors=True)

        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            toml = () if file is None else (TomlConfigSettingsSource(settings_cls, file),)
            return (_Variables(settings_cls, variables), *toml)

    if file is not None and not file.is_file():
        raise ConfigurationError((SettingsError(str(file), "there is no such configuration file"),))
    try:
        return Merged().model_extra or {}
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError((SettingsError(str(file), f"no valid TOML: {error}"),)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            (SettingsError(str(file), "the configuration file cannot be read as UTF-8 text"),)
        ) from error


class _Variables(PydanticBaseSettingsSource):
    """Variables as nested tables. pydantic-settings' own source drops the names that it does not know."""

    def __init__(self, settings_cls: type[BaseSettings], tables: dict[str, object]) -> None:
        super().__init__(settings_cls)
        self._tables = tables

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return self._tables.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        return self._tables
