"""What the contracts allow to be said of one YAML file of evidence, decided by another reader of YAML. R8-R10, W1.

It knows the documented form of a file and not one line of the program that reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

ZONE = ZoneInfo("Asia/Shanghai")
DAYS_BACK = 7
KEYS = {
    "todos": {"id", "title", "status", "owner", "due", "blocked_by", "updated"},
    "deliveries": {"id", "title", "by", "at"},
    "handoffs": {"request_id", "title", "from", "to", "status", "at"},
}
STATUSES = {
    "todos": {"open", "doing", "blocked", "done"},
    "handoffs": {"open", "accepted", "returned", "done"},
}
TIMES = {"due", "updated", "at"}


@dataclass(frozen=True, slots=True)
class Allowed:
    """`readable`: the goal can be told. `absent`: the lists that may be called empty. `whole`: no gap at all."""

    readable: bool
    absent: frozenset[str] = frozenset()
    whole: bool = False


def allowed(text: str, now: datetime, *, being_written: bool) -> Allowed:
    """What may be said of a file with this text, alone in its folder."""
    document = loaded(text)
    if document is None:
        return Allowed(readable=False)
    sound = [name for name in KEYS if is_sound(name, document.get(name))]
    if being_written:
        return Allowed(readable=True)
    return Allowed(
        readable=True,
        absent=frozenset(name for name in sound if holds_none(name, document[name], now)),
        whole=len(sound) == len(KEYS),
    )


def loaded(text: str) -> Mapping[str, object] | None:
    """The document, where it names its goal."""
    try:
        document = YAML(typ="safe", pure=True).load(text)
    except YAMLError:
        return None
    goal = document.get("goal") if isinstance(document, dict) else None
    named = isinstance(goal, dict) and goal.get("id") and goal.get("title")
    return document if named else None


def is_sound(name: str, records: object) -> bool:
    """A list is there, and every record in it is one."""
    return isinstance(records, list) and all(is_record(name, record) for record in records)


def is_record(name: str, record: object) -> bool:
    if not isinstance(record, dict) or not set(record) <= KEYS[name]:
        return False
    if not all(isinstance(record[key], date) for key in TIMES & set(record) if record[key]):
        return False
    status = record.get("status")
    if status is not None and status not in STATUSES[name]:
        return False
    match name:
        case "handoffs":
            return len(str(record.get("request_id", ""))) == 64
        case "deliveries":
            return record.get("at") is not None and bool(record.get("id") or record.get("title"))
        case _:
            return bool(record.get("id") or record.get("title"))


def holds_none(name: str, records: object, now: datetime) -> bool:
    """None of what an overview looks for: blocked todos, deliveries of a week, open handoffs."""
    assert isinstance(records, list)
    match name:
        case "todos":
            return all(record.get("status") != "blocked" for record in records)
        case "handoffs":
            return all((record.get("status") or "open") != "open" for record in records)
        case _:
            first = (now.astimezone(ZONE) - timedelta(days=DAYS_BACK)).date()
            return all(record["at"].date() < first for record in records)
