"""The reporter's claims, and the candidate that carries them. What it hands over is judged like anyone's (T1)."""

from collections.abc import Sequence

import orjson

from steward.model.answer import Claim, ClaimKind, ClaimScope
from steward.model.ids import CitationId
from steward.model.json import Json
from steward.model.reading import Cited


def fact(text: str, rows: Sequence[Cited]) -> Claim:
    """What these rows say."""
    return Claim(text, tuple(cited.citation for cited in rows), ClaimKind.FACT)


def count(text: str, scope: ClaimScope) -> Claim:
    """Numbers over a scope; the answer rules compute them again."""
    return Claim(text, (), ClaimKind.COUNT, scope)


def absence(text: str, scope: ClaimScope) -> Claim:
    """Nothing was found in this scope. `text` is never shown: code writes the sentence (R3)."""
    return Claim(text, (), ClaimKind.ABSENCE, scope)


def dump(classification: str, claims: Sequence[Claim]) -> bytes:
    """The candidate as JSON in UTF-8."""
    return orjson.dumps(
        {"classification": classification, "claims": [_claim(claim) for claim in claims]}
    )


def _claim(claim: Claim) -> dict[str, Json]:
    cites: list[CitationId] = list(claim.cites)
    written: dict[str, Json] = {"text": claim.text, "cites": cites, "kind": claim.kind.value}
    if claim.scope is not None:
        written["scope"] = _scope(claim.scope)
    return written


def _scope(scope: ClaimScope) -> dict[str, Json]:
    fields: dict[str, Json] = {
        "view": scope.view.value,
        "statuses": [status.value for status in scope.statuses] or None,
        "goal": scope.goal,
        "source": scope.source,
        "since": None if scope.since is None else scope.since.isoformat(),
        "until": None if scope.until is None else scope.until.isoformat(),
    }
    return {name: value for name, value in fields.items() if value is not None}
