"""The one judge of candidates: raw bytes → a typed candidate, or a refusal. Contracts T1, T2.

Above: the turn, which stored the candidate as it came. Below: nothing but JSON. A candidate is refused whole and
never shortened, coerced, defaulted or repaired: a bound cut into a text can take its last restriction with it.
"""

import json
from collections.abc import Collection
from datetime import datetime
from math import isinf

from steward.model.answer import (
    Claim,
    ClaimKind,
    ClaimScope,
    Dated,
    Judged,
    Note,
    NoteCode,
    RowField,
)
from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.reading import RowStatus, View
from steward.model.topic import Topic, TopicPart
from steward.model.turn import TurnCode, TurnFailure
from steward.reading.windows import EARLIEST, LATEST

MAX_BYTES = 12_000

BOUNDS = {
    "classification": 120,
    "summary": 400,
    "recommended_action": 1200,
    "next_action": 1200,
    "vision_unchanged_reason": 240,
}
"""The bounded fields in the order in which they are judged, each with its longest length in characters."""

GATE_CHARS = 400

ALIASES = {"recommended_action": "next_action", "next_action": "recommended_action"}

_CLAIM_KEYS = frozenset({"text", "cites", "kind", "scope", "note"})
_SCOPE_KEYS = frozenset(
    {"view", "statuses", "goal", "source", "since", "until", "who", "having", "dated"}
)
_NOTE_KEYS = frozenset({"code", "name", "parts", "source"})
_TOPIC_KEYS = frozenset({"intent", "goals", "person", "since", "until"})


class _RefusedError(Exception):
    """Leaves the parser from any depth; never leaves this module. Its text names fields, never values."""


def judge(raw: bytes) -> Judged | TurnFailure:
    """The candidate as it was meant, or why it is refused. `detail` names the field and its bound."""
    try:
        return _judged(_object(raw))
    except _RefusedError as refusal:
        return TurnFailure(TurnCode.RESULT_INVALID, detail=str(refusal))


def _object(raw: bytes) -> dict[str, object]:
    if len(raw) > MAX_BYTES:
        raise _RefusedError(f"the result exceeds {MAX_BYTES} bytes")
    try:
        parsed: object = json.loads(
            raw.decode(),
            object_pairs_hook=_once,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
        json.dumps(parsed, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        raise _RefusedError("the result must be JSON in UTF-8, without repeated keys") from error
    if not isinstance(parsed, dict):
        raise _RefusedError("the result must be an object")
    return parsed


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    parsed = dict(pairs)
    if len(parsed) != len(pairs):
        raise ValueError("repeated key")
    return parsed


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _finite(text: str) -> float:
    if isinf(number := float(text)):
        raise ValueError("beyond any number")
    return number


def _judged(parsed: dict[str, object]) -> Judged:
    fields = {name: _bounded(parsed.get(name), name, bound) for name, bound in BOUNDS.items()}
    for name, alias in ALIASES.items():
        if name not in parsed:
            fields[name] = fields[alias]
    return Judged(
        classification=_required(fields["classification"], "classification"),
        claims=_claims(parsed.get("claims")),
        summary=fields["summary"],
        recommended_action=fields["recommended_action"],
        next_action=fields["next_action"],
        vision_unchanged_reason=fields["vision_unchanged_reason"],
        topic=_topic(parsed.get("topic")),
        choices=_goals(parsed.get("choices"), "choices"),
        gate=_bounded(parsed.get("gate"), "gate", GATE_CHARS),
        actions=parsed.get("actions") is not None,
    )


def _bounded(value: object, name: str, bound: int) -> str | None:
    text = _text(value, name)
    if text is not None and len(text) > bound:
        raise _RefusedError(f"{name} exceeds {bound} characters")
    return text


def _text(value: object, name: str) -> str | None:
    """Stripped at both ends, and that is all. None is absent; every other type is a value, and refused."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise _RefusedError(f"{name} must be a string")
    return value.strip()


def _required(text: str | None, name: str) -> str:
    if not text:
        raise _RefusedError(f"{name} is missing")
    return text


def _claims(value: object) -> tuple[Claim, ...]:
    claims = _array(value, "claims")
    if not claims:
        raise _RefusedError("claims is missing")
    return tuple(_claim(claim, f"claims[{index}]") for index, claim in enumerate(claims))


def _array(value: object, name: str) -> list[object]:
    if value is None:
        raise _RefusedError(f"{name} is missing")
    if not isinstance(value, list):
        raise _RefusedError(f"{name} must be an array")
    return value


def _claim(value: object, name: str) -> Claim:
    claim = _closed(value, name, _CLAIM_KEYS)
    cites = _array(claim.get("cites"), f"{name}.cites")
    scope, note = claim.get("scope"), claim.get("note")
    kind = ClaimKind(_one_of(claim.get("kind"), f"{name}.kind", list(ClaimKind)))
    if (kind is ClaimKind.NOTE) is (note is None):
        raise _RefusedError(f"{name}.note must be there in a note, and in no other claim")
    return Claim(
        text=_required(_text(claim.get("text"), f"{name}.text"), f"{name}.text"),
        cites=tuple(
            CitationId(_named(cite, f"{name}.cites[{index}]")) for index, cite in enumerate(cites)
        ),
        kind=kind,
        scope=None if scope is None else _scope(scope, f"{name}.scope"),
        note=None if note is None else _note(note, f"{name}.note"),
    )


def _note(value: object, name: str) -> Note:
    note = _closed(value, name, _NOTE_KEYS)
    source = note.get("source")
    parts = note.get("parts")
    return Note(
        code=NoteCode(_one_of(note.get("code"), f"{name}.code", list(NoteCode))),
        name=_bounded(note.get("name"), f"{name}.name", 80),
        parts=()
        if parts is None
        else tuple(
            TopicPart(_one_of(part, f"{name}.parts[{index}]", list(TopicPart)))
            for index, part in enumerate(_array(parts, f"{name}.parts"))
        ),
        source=None if source is None else SourceId(_named(source, f"{name}.source")),
    )


def _scope(value: object, name: str) -> ClaimScope:
    scope = _closed(value, name, _SCOPE_KEYS)
    statuses = scope.get("statuses")
    since = _instant(scope.get("since"), f"{name}.since")
    until = _instant(scope.get("until"), f"{name}.until")
    if since is not None and until is not None and since >= until:
        raise _RefusedError(f"{name}.until must be later than since")
    goal, source = scope.get("goal"), scope.get("source")
    having, dated = scope.get("having"), scope.get("dated")
    return ClaimScope(
        view=View(_one_of(scope.get("view"), f"{name}.view", list(View))),
        goal=None if goal is None else GoalId(_named(goal, f"{name}.goal")),
        source=None if source is None else SourceId(_named(source, f"{name}.source")),
        since=since,
        until=until,
        statuses=() if statuses is None else _statuses(statuses, f"{name}.statuses"),
        who=_names(scope.get("who"), f"{name}.who"),
        having=None
        if having is None
        else RowField(_one_of(having, f"{name}.having", list(RowField))),
        dated=Dated.DUE if dated is None else Dated(_one_of(dated, f"{name}.dated", list(Dated))),
    )


def _names(value: object, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(_named(one, f"{name}[{index}]") for index, one in enumerate(_array(value, name)))


def _topic(value: object) -> Topic | None:
    if value is None:
        return None
    topic = _closed(value, "topic", _TOPIC_KEYS)
    person = _text(topic.get("person"), "topic.person")
    return Topic(
        intent=_required(_bounded(topic.get("intent"), "topic.intent", 40), "topic.intent"),
        goals=_goals(topic.get("goals"), "topic.goals"),
        person=person or None,
        since=_instant(topic.get("since"), "topic.since"),
        until=_instant(topic.get("until"), "topic.until"),
    )


def _goals(value: object, name: str) -> tuple[GoalId, ...]:
    if value is None:
        return ()
    return tuple(
        GoalId(_named(goal, f"{name}[{index}]")) for index, goal in enumerate(_array(value, name))
    )


def _statuses(value: object, name: str) -> tuple[RowStatus, ...]:
    return tuple(
        RowStatus(_one_of(status, f"{name}[{index}]", list(RowStatus)))
        for index, status in enumerate(_array(value, name))
    )


def _closed(value: object, name: str, keys: Collection[str]) -> dict[str, object]:
    """An object of known keys alone: one that nobody reads could be a condition of the claim."""
    if not isinstance(value, dict):
        raise _RefusedError(f"{name} must be an object")
    if not value.keys() <= set(keys):
        raise _RefusedError(f"{name} holds a key other than {', '.join(sorted(keys))}")
    return value


def _named(value: object, name: str) -> str:
    return _required(_text(value, name), name)


def _one_of(value: object, name: str, allowed: Collection[str]) -> str:
    text = _named(value, name)
    if text not in allowed:
        raise _RefusedError(f"{name} must be one of {', '.join(allowed)}")
    return text


def _instant(value: object, name: str) -> datetime | None:
    text = _text(value, name)
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise _RefusedError(f"{name} must be an ISO 8601 instant with an offset") from error
    if instant.tzinfo is None or not EARLIEST <= instant <= LATEST:
        raise _RefusedError(f"{name} must be an ISO 8601 instant with an offset")
    return instant
