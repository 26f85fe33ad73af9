"""E5: who is named in a claim is named by one of its cited rows; else its rows stand in its place.

Known names are the people of the rows that this turn read. A name that no row has cannot be told from any other word
and passes; so does a nickname. Where nothing is cited, the claim is left out.
"""

import re
from collections.abc import Iterator, Set

from steward.model.ids import CitationId
from steward.policy.basis import Basis
from steward.policy.drafts import Draft, Dropped, DropReason
from steward.policy.quotes import folded, rows_of, without_rows, words_of
from steward.policy.replacing import by_rows

_NOBODY = re.compile(
    r"无人(?:负责|认领)|没有?(?:人负责|负责人|人认领)|\b(?:no owner|unowned|unassigned|without an owner)\b",
    re.IGNORECASE,
)


def names(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """E5: keep a claim that names its rows' own people, or those whom its scope is narrowed to, or nobody."""
    if not draft.worded:
        return draft
    text = folded(without_rows(draft, basis))
    rows = rows_of(draft, basis)
    scope = draft.claim.scope
    narrowed = () if scope is None else scope.who
    own = folded(" ".join((*words_of(rows, basis), *narrowed)))
    unowned = _NOBODY.search(text) and any(row.owner for row in rows)
    if not unowned and all(_stands(name, own) for name in _named(text, basis)):
        return draft
    return by_rows(draft, basis) if draft.cites else Dropped(DropReason.NAME_DIFFERS)


def _named(text: str, basis: Basis) -> Iterator[str]:
    """The known names in a text, the longest first: "Wei Lin" is not "Wei"."""
    for name in map(folded, basis.people):
        if name in text and (found := _whole(name).search(text)):
            yield name
            text = text.replace(found[0], " ")


def _stands(name: str, own: str) -> bool:
    return _whole(name).search(own) is not None


def _whole(name: str) -> re.Pattern[str]:
    """The name not inside a longer word. One Chinese character alone stands in too many words to be a name."""
    if len(name) == 1 and not name.isascii():
        return re.compile(r"(?!)")
    before = r"(?<![A-Za-z0-9_])" if name[:1].isascii() else ""
    after = r"(?![A-Za-z0-9_])" if name[-1:].isascii() else ""
    return re.compile(f"{before}{re.escape(name)}{after}")
