"""E3, for counts: every number of a counting claim is one that code computes from the same readings.

A number that cannot be recomputed, such as one written in words, drops its claim; nobody guesses what was meant.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Set

from steward.model.answer import ClaimKind, ClaimScope
from steward.model.ids import CitationId
from steward.model.reading import RowStatus
from steward.policy.basis import Basis, Evidence, evidence
from steward.policy.drafts import Draft, Dropped, DropReason
from steward.policy.scoping import within_scope
from steward.policy.wording import day
from steward.texts import answers

_NUMERAL = re.compile(r"(?<![A-Za-z_])\d[0-9A-Za-z_.:,/%-]*")
_TRAILING = ".:,/-"
_IN_WORDS = re.compile(
    r"[零〇一二两三四五六七八九十百千万几]+\s*[项个条件次份]|[没无]|为零"
    r"|\b(?:no|none|nothing|nobody|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|dozens?|several|half)\b",
    re.IGNORECASE,
)


def counts(draft: Draft, basis: Basis, shown: Set[CitationId]) -> Draft | Dropped:
    """Keep a count only where each of its numbers is the readings' own."""
    claim = draft.claim
    if claim.kind is not ClaimKind.COUNT or draft.doubt is not None or draft.written:
        return draft
    if claim.scope is None:
        agrees = bool(draft.cites) and _agrees(draft.text, {str(len(draft.cites))})
        return draft if agrees else Dropped(DropReason.COUNT_DIFFERS)
    found = evidence(claim.scope, basis)
    if found.counts is None or found.total is None:
        return Dropped(DropReason.NOT_COMPUTABLE)
    text = _without_goal(draft.text, claim.scope, basis)
    allowed = _allowed(claim.scope, found, basis, draft.cites, shown)
    if _agrees(text, allowed) and statuses_agree(text, found.counts, complete=found.complete):
        return draft
    return Dropped(DropReason.COUNT_DIFFERS)


def _without_goal(text: str, scope: ClaimScope, basis: Basis) -> str:
    """A goal may be called "Release 2"; its name, once, is no count. Nor is that of a person."""
    name = None if scope.goal is None else basis.goal_titles.get(scope.goal, scope.goal)
    for one in (name, *scope.who):
        text = text.replace(one, " ", 1) if one else text
    return text


def _allowed(
    scope: ClaimScope,
    found: Evidence,
    basis: Basis,
    cites: Collection[CitationId],
    shown: Set[CitationId],
) -> set[str]:
    """The whole, each status, the rows cited, what earlier claims left out, and the window's days."""
    total, known = found.total or 0, found.counts or {}
    numbers = {total, total - _inside(shown, scope, basis), *known.values()}
    if cites and _inside(cites, scope, basis) == len(cites):
        numbers.add(len(cites))
    numbers.discard(0)
    if found.complete:
        numbers.add(0)
    end = scope.until or basis.now
    dates = {day(end, basis.zone).isoformat(), day(end - end.resolution, basis.zone).isoformat()}
    if found.since is not None:
        first, last = day(found.since, basis.zone), day(end, basis.zone)
        numbers.add((last - first).days)
        dates.add(first.isoformat())
    return {str(number) for number in numbers} | dates


def _inside(cites: Iterable[CitationId], scope: ClaimScope, basis: Basis) -> int:
    rows = [basis.cited[citation].row for citation in cites]
    return sum(1 for _ in within_scope(rows, scope, basis.zone))


def _agrees(text: str, allowed: Set[str]) -> bool:
    """Whether the text has numerals, all of them allowed, and no number in words."""
    numerals = list(_numerals(text))
    return bool(numerals) and set(numerals) <= allowed and _IN_WORDS.search(text) is None


def _numerals(text: str) -> Iterator[str]:
    for match in _NUMERAL.finditer(unicodedata.normalize("NFKC", text)):
        numeral = match[0].rstrip(_TRAILING)
        yield (numeral.lstrip("0") or "0") if numeral.isdecimal() else numeral


def statuses_agree(text: str, known: Mapping[RowStatus, int], *, complete: bool) -> bool:
    """A number that stands with a status is that status's own count."""
    for status, label in answers.STATUSES.items():
        en, zh = re.escape(label.en), re.escape(label.zh)
        pattern = (
            rf"(?<![0-9-])([0-9]+)\s+{en}\b"
            rf"|{zh}\s*([0-9]+)"
            rf"|(?<![0-9-])([0-9]+)\s*[项个条件]\s*{zh}"
        )
        for match in re.finditer(pattern, text, re.IGNORECASE):
            stated = int(next(filter(None, match.groups())))
            if stated != known.get(status, 0) or (stated == 0 and not complete):
                return False
    return True
