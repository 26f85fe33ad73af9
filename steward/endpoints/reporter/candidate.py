"""The reporter's claims, and the candidate that carries them. What it hands over is judged like anyone's (T1)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

import orjson

from steward.model.answer import Claim, ClaimKind, ClaimScope, Dated, Note, NoteCode
from steward.model.ids import GoalId, SourceId
from steward.model.json import Json
from steward.model.reading import Cited
from steward.model.topic import Topic, TopicPart

_UNSEEN = "-"
"""The text of a claim that code words: it has to be there, and is never shown."""


def fact(text: str, rows: Sequence[Cited]) -> Claim:
    """What these rows say."""
    return Claim(text, tuple(cited.citation for cited in rows), ClaimKind.FACT)


def advice(text: str, rows: Sequence[Cited]) -> Claim:
    """An order of these rows."""
    return Claim(text, tuple(cited.citation for cited in rows), ClaimKind.ADVICE)


def count(text: str, scope: ClaimScope) -> Claim:
    """Numbers over a scope; the answer rules compute them again, and word zero as an absence."""
    return Claim(text, (), ClaimKind.COUNT, scope)


def absence(text: str, scope: ClaimScope) -> Claim:
    """Nothing was found in this scope. `text` is never shown: code writes the sentence (E3)."""
    return Claim(text, (), ClaimKind.ABSENCE, scope)


def note(
    code: NoteCode,
    *,
    name: str | None = None,
    parts: Sequence[TopicPart] = (),
    source: SourceId | None = None,
) -> Claim:
    """What the answer says of itself, in code's words."""
    return Claim(_UNSEEN, (), ClaimKind.NOTE, note=Note(code, name, tuple(parts), source))


def dump(
    classification: str,
    claims: Sequence[Claim],
    *,
    topic: Topic | None = None,
    choices: Sequence[GoalId] = (),
) -> bytes:
    """The candidate as JSON in UTF-8."""
    written: dict[str, Json] = {
        "classification": classification,
        "claims": [_claim(claim) for claim in claims],
    }
    if topic is not None:
        written["topic"] = _present(
            {
                "intent": topic.intent,
                "goals": list(topic.goals),
                "person": topic.person,
                "since": _instant(topic.since),
                "until": _instant(topic.until),
            }
        )
    if choices:
        written["choices"] = list(choices)
    return orjson.dumps(written)


def _claim(claim: Claim) -> dict[str, Json]:
    cites: list[Json] = list(claim.cites)
    written: dict[str, Json] = {"text": claim.text, "cites": cites, "kind": claim.kind.value}
    if claim.scope is not None:
        written["scope"] = _scope(claim.scope)
    if claim.note is not None:
        written["note"] = _note(claim.note)
    return written


def _scope(scope: ClaimScope) -> dict[str, Json]:
    return _present(
        {
            "view": scope.view.value,
            "statuses": _values(scope.statuses),
            "goal": scope.goal,
            "source": scope.source,
            "since": _instant(scope.since),
            "until": _instant(scope.until),
            "who": list(scope.who),
            "having": None if scope.having is None else scope.having.value,
            "dated": None if scope.dated is Dated.DUE else scope.dated.value,
        }
    )


def _note(noted: Note) -> dict[str, Json]:
    return _present(
        {
            "code": noted.code.value,
            "name": noted.name,
            "parts": _values(noted.parts),
            "source": noted.source,
        }
    )


def _values(members: Sequence[StrEnum]) -> list[Json]:
    return [member.value for member in members]


def _instant(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _present(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Without what is not there; a list of nothing is not there either."""
    return {name: value for name, value in fields.items() if value not in (None, [])}
