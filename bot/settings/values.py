"""The types of single settings: how each is written, and the sentence that refuses it.

A refusal never quotes what was given: it may be a secret in the wrong place. Relative paths count from the
folder of the configuration file, which validation carries as its context.
"""

import json
import re
from dataclasses import dataclass
from datetime import date, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, SecretStr, ValidationInfo

ENTRY_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
AUDIENCE = re.compile(r"owner|members|(?:group|external):oc_[A-Za-z0-9_-]+")
_DURATION = re.compile(r"([0-9]{1,6})([smhd])")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgresql+psycopg://")


@dataclass(frozen=True, slots=True)
class Doc:
    """What the example configuration says of a setting: its unit or form, why it exists, and a sample value."""

    unit: str
    why: str
    sample: str | None = None


def duration(value: object) -> timedelta:
    """Read "90s", "15m", "8h" or "7d"; raises ValueError for anything else, zero too."""
    if isinstance(value, timedelta):
        return value
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None or int(match[1]) == 0:
        raise ValueError("must be a whole number above 0 with s, m, h or d behind it, such as 7d")
    return timedelta(seconds=int(match[1]) * _UNITS[match[2]])


def written_duration(span: timedelta) -> str:
    """The shortest way to write a whole number of seconds that `duration` reads back."""
    seconds = int(span.total_seconds())
    unit = next(name for name in ("d", "h", "m", "s") if seconds % _UNITS[name] == 0)
    return f"{seconds // _UNITS[unit]}{unit}"


def is_loopback(url: str) -> bool:
    """Whether an http(s) URL's host is this machine, by name or by address."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        local = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
    return local and parts.scheme in {"http", "https"}


def _zone(value: object) -> ZoneInfo:
    if isinstance(value, ZoneInfo):
        return value
    try:
        return ZoneInfo(str(value))
    except (OSError, ValueError, LookupError) as error:
        raise ValueError("must be an IANA time zone, such as Asia/Shanghai") from error


def _day(value: object) -> date:
    """A date of the file, or its text; TOML's date and time together is a mistake."""
    if type(value) is date:
        return value
    try:
        return date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError as error:
        raise ValueError("must be a date such as 2026-09-14") from error


def _listed(value: object) -> object:
    """A list in an environment variable is JSON; in the file it is a list already."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError(
            'must be a list, in an environment variable as JSON: ["a", "b"]'
        ) from error


def _absolute(value: Path, info: ValidationInfo) -> Path:
    return _folder(info) / value


def _folder(info: ValidationInfo) -> Path:
    folder = info.context
    return folder if isinstance(folder, Path) else Path()


def _secret_or_none(value: object) -> object:
    return None if value == "" else value


def _store_url(value: SecretStr, info: ValidationInfo) -> SecretStr:
    url = value.get_secret_value()
    if url.startswith(_POSTGRES):
        return value
    file = url.removeprefix(_SQLITE)
    if file == url or file in {"", ":memory:"}:
        raise ValueError("must be sqlite:///FILE or postgresql://USER@HOST/NAME")
    return SecretStr(f"{_SQLITE}{_folder(info) / file}")


def _matching(pattern: str, form: str) -> AfterValidator:
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if compiled.fullmatch(value) is None:
            raise ValueError(f"must be {form}")
        return value

    return AfterValidator(check)


Duration = Annotated[timedelta, BeforeValidator(duration)]
Zone = Annotated[ZoneInfo, BeforeValidator(_zone)]
Day = Annotated[date, BeforeValidator(_day)]
LocalPath = Annotated[Path, AfterValidator(_absolute)]
Secret = Annotated[SecretStr | None, BeforeValidator(_secret_or_none)]
StoreUrl = Annotated[SecretStr, AfterValidator(_store_url)]
Words = Annotated[tuple[str, ...], BeforeValidator(_listed)]
AppIdText = Annotated[str, _matching(r"cli_[A-Za-z0-9_]+", "an app id, cli_…")]
OpenIdText = Annotated[str, _matching(r"ou_[A-Za-z0-9_]+", "an open_id of this app, ou_…")]
ChatIdText = Annotated[str, _matching(r"oc_[A-Za-z0-9_-]+", "a chat id, oc_…")]
AudienceKey = Annotated[
    str, _matching(AUDIENCE.pattern, "owner, members, group:oc_… or external:oc_…")
]
ClockTime = Annotated[str, _matching(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]", "a time such as 17:30")]
WeekDays = Annotated[
    str,
    _matching(
        r"(?:mon|tue|wed|thu|fri|sat|sun)(?:[,-](?:mon|tue|wed|thu|fri|sat|sun))*",
        "days such as fri, mon-fri or tue,thu",
    ),
]
