"""E3 and E7 for claims of every kind: an absence that hides in a fact, and an "all" that an open row contradicts.

Both end in the same place. "All todos are done" says that no todo is open; so a total becomes the absence of its
contrary, and `absence` writes the sentence of either, drops it against a row, or says what is not established.
"""

from collections.abc import Mapping, Set
from dataclasses import replace

from steward.model.answer import ClaimKind, ClaimScope
from steward.model.ids import CitationId
from steward.model.reading import Row, RowStatus, View
from steward.policy.basis import Basis
from steward.policy.detector import Reach, Said, absent, clauses, total
from steward.policy.drafts import Draft, Dropped, DropReason
from steward.policy.inferring import listed_in, scope_of
from steward.policy.numerals import figures
from steward.policy.quotes import folded, rows_of, without_quotes
from steward.policy.scoping import UNFINISHED
from steward.policy.wording import title_of

_STATUSES: Mapping[View, tuple[RowStatus, ...]] = {
    View.TODOS: (*UNFINISHED, RowStatus.DONE),
    View.HANDOFFS: (RowStatus.OPEN, RowStatus.ACCEPTED, RowStatus.RETURNED, RowStatus.DONE),
    View.PORTFOLIO: (RowStatus.ACTIVE, RowStatus.STOPPED, RowStatus.DONE),
}
_FINISHED = frozenset({RowStatus.DONE, RowStatus.DELIVERED, RowStatus.ACCEPTED})
_SATISFIED: Mapping[Said, frozenset[RowStatus]] = {
    Said.FINISHED: _FINISHED,
    Said.FINE: _FINISHED | {RowStatus.OPEN, RowStatus.DOING, RowStatus.ACTIVE},
    Said.BLOCKED: frozenset({RowStatus.BLOCKED}),
    Said.DOING: frozenset({RowStatus.DOING}),
    Said.OPEN: frozenset(UNFINISHED),
}


def totals(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """E7: what is said of all is judged, clause by clause, as the absence of its contrary."""
    if not draft.worded:
        return draft
    words = _named(draft, basis)
    for clause in clauses(words):
        found = total(clause)
        if found is None or _holds_of_cited(*found, clause, draft, basis):
            continue
        scope = listed_in(draft, clause, basis)
        satisfied = _SATISFIED[found[1]]
        contrary = tuple(one for one in _STATUSES[scope.view] if one not in satisfied)
        return _as_absence(draft, replace(scope, statuses=contrary))
    return draft


def _named(draft: Draft, basis: Basis) -> str:
    """The claim's own words, with ◇ for the name of the goal that its rows are of."""
    words = without_quotes(draft, basis)
    for goal in {row.goal for row in rows_of(draft, basis)}:
        title = folded(basis.goal_titles.get(goal, goal))
        words = words.replace(title, "◇").replace(f"{title[:1].lower()}{title[1:]}", "◇")
    return words


def _holds_of_cited(reach: Reach, said: Said, clause: str, draft: Draft, basis: Basis) -> bool:
    """Whether a claim says it of its own rows alone: each is in that state, and named or counted ("both of them")."""
    rows = rows_of(draft, basis)
    if not rows or any(row.status not in _SATISFIED[said] for row in rows):
        return False
    if reach is Reach.WHOLE:
        return {row.view for row in rows} == {View.PORTFOLIO}
    return reach is Reach.EACH and (_counted(clause, len(rows)) or _all_named(rows, draft.text))


def _counted(clause: str, number: int) -> bool:
    """ "两项都", "both": the clause says of how many it speaks, and they are the rows cited."""
    if "both" in clause.casefold():
        return number == 2
    return number > 1 and any(one.value == number for one in figures(clause).numbers)


def _all_named(rows: list[Row], text: str) -> bool:
    return all(title_of(row).casefold() in text.casefold() for row in rows)


def hidden_absence(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """E3: a claim of any kind that says something is absent is judged as an absence, or left out without a scope."""
    if not draft.worded:
        return draft
    counted = draft.claim.kind is ClaimKind.COUNT
    rows = rows_of(draft, basis)
    unfinished = bool(rows) and all(row.status in UNFINISHED for row in rows)
    for clause in clauses(without_quotes(draft, basis)):
        if absent(clause, unfinished=unfinished, zeros=not counted):
            scope = scope_of(draft, clause, basis)
            return Dropped(DropReason.NO_SCOPE) if scope is None else _as_absence(draft, scope)
    return draft


def _as_absence(draft: Draft, scope: ClaimScope) -> Draft:
    return replace(draft, claim=replace(draft.claim, kind=ClaimKind.ABSENCE, scope=scope))
