"""What stands in place of a claim that its rows do not support: the rows themselves, as code writes them (E5)."""

from collections.abc import Set
from dataclasses import replace

from steward.model.answer import ClaimKind
from steward.model.ids import CitationId
from steward.policy.basis import Basis
from steward.policy.drafts import Draft, Dropped
from steward.policy.quotes import folded, rows_of
from steward.policy.wording import row_line
from steward.texts import answers

MOST_ROWS = 3
"""So many rows of one claim are written out; the others stay cited."""


def by_rows(draft: Draft, basis: Basis) -> Draft:
    """The claim's cited rows in place of its words. A claim that cites nothing never comes here."""
    language = basis.language
    rows = list(dict.fromkeys(rows_of(draft, basis)))
    lines = [row_line(row, language, basis.zone) for row in rows[:MOST_ROWS]]
    if more := len(rows) - len(lines):
        lines.append(answers.MORE_ROWS.format(language, count=more))
    text = answers.NEXT.of(language).join(lines)
    claim = replace(draft.claim, kind=ClaimKind.FACT)
    return replace(draft, claim=claim, text=text, written=True)


def echoed(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """E5: a claim that only repeats text of a row it cites is written as that row, so that its words are seen as such.

    What somebody wrote into a title is then never the steward's own sentence, whatever it says or orders.
    """
    if not draft.worded:
        return draft
    said = _bare(draft.text)
    rows = rows_of(draft, basis)
    texts = [_bare(text) for row in rows for text in (row.title, row.blocked_by) if text]
    return by_rows(draft, basis) if said and any(said in text for text in texts) else draft


def _bare(text: str) -> str:
    """What a text says, without case, spaces and punctuation."""
    return "".join(filter(str.isalnum, folded(text).casefold()))
