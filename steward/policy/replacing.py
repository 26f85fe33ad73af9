"""What stands in place of a claim that its rows do not support: the rows themselves, as code writes them (R5, R6)."""

from dataclasses import replace

from steward.model.answer import ClaimKind
from steward.policy.basis import Basis
from steward.policy.drafts import Draft
from steward.policy.quotes import rows_of
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
