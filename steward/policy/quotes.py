"""Which words of a claim are its cited rows' own: what code would write of them, and what is quoted from them.

Rules about an endpoint's wording set these words aside: a title that says "no progress" is not a claim of it. Titles
are other people's text, so a claim that is a title and no more stays a claim: only the line that code writes of a
row (title - owner - state), a quotation in marks, a stated reason, and a title with its row's own state are set aside.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from steward.model.answer import ClaimKind
from steward.model.reading import Row, View
from steward.policy.basis import Basis
from steward.policy.drafts import Draft
from steward.policy.wording import row_line, title_of
from steward.reading.text import clean
from steward.texts import answers

ASIDE = " \N{WHITE SQUARE} "
"""Stands where words were set aside, so that what was around them does not grow together."""

_QUOTED = re.compile(r"“([^”]+)”|「([^」]+)」|『([^』]+)』|《([^》]+)》|\"([^\"]+)\"")
_BECAUSE = (
    r"(?:原因是?|受阻|卡在|因为?|由于|reason(?: is)?|because(?: of)?|due to|since|blocked(?: by| on)?)"
    r"\s*[:：,，(（]?\s*(?:there (?:is|are) )?"
)
_COPULA = r"\s*(?:is|are|was|were|has been|:|：|-|,|，|仍|已|现在|正在|目前|还在|处于)?\s*(?:still|currently|now)?\s*"


def folded(text: str) -> str:
    """Compatibility forms set aside: full-width letters and digits read as their plain ones."""
    return unicodedata.normalize("NFKC", text)


def rows_of(draft: Draft, basis: Basis) -> list[Row]:
    """The rows that a claim cites."""
    return [basis.cited[citation].row for citation in draft.cites]


def words_of(rows: Iterable[Row], basis: Basis) -> Iterator[str]:
    """Every text of these rows, and what their goals and sources are called."""
    for row in rows:
        yield from (row.id, row.title, row.goal, row.source, basis.title(row.source))
        yield basis.goal_titles.get(row.goal, "")
        yield from row.aliases
        yield row.raw_status or ""
        optional = (row.owner, row.to, row.priority, row.blocked_by, row.waiting_on, row.link)
        yield from (text for text in optional if text)


def without_rows(draft: Draft, basis: Basis) -> str:
    """The claim's text without the lines that code writes of its rows, and without its goal as a subject."""
    text = draft.text
    rows = rows_of(draft, basis)
    for row in rows:
        line = row_line(row, basis.language, basis.zone)
        goal = basis.goal_titles.get(row.goal, row.goal)
        text = text.replace(answers.OF_GOAL.format(basis.language, goal=goal, row=line), ASIDE)
        text = text.replace(line, ASIDE)
    ends = "[:：,，]" if draft.claim.kind is ClaimKind.COUNT else "[:：]"
    for title in _subjects(draft, rows, basis):
        text = re.sub(rf"^\s*[“]?{re.escape(title)}[”]?(?=\s*{ends})", ASIDE, text)
    return text


def without_quotes(draft: Draft, basis: Basis) -> str:
    """The claim's own words alone, in compatibility form."""
    rows = rows_of(draft, basis)
    own = {folded(text).strip() for text in words_of(rows, basis)} - {""}
    text = folded(without_rows(draft, basis))
    text = _QUOTED.sub(lambda found: _unless(own, found), text)
    for row in rows:
        if row.blocked_by:
            reason = re.escape(folded(row.blocked_by).rstrip("。."))
            text = re.sub(rf"({_BECAUSE}){reason}", rf"\1{ASIDE}", text, flags=re.IGNORECASE)
        text = _without_title(text, row)
    return text


def _subjects(draft: Draft, rows: Sequence[Row], basis: Basis) -> Iterator[str]:
    yield from (title_of(row) for row in rows if row.view is View.PORTFOLIO)
    goals = {row.goal for row in rows}
    if draft.claim.scope is not None and draft.claim.scope.goal is not None:
        goals.add(draft.claim.scope.goal)
    for goal in goals:
        yield basis.goal_titles.get(goal, goal)
    if draft.claim.kind is ClaimKind.COUNT:
        for subject in (answers.ALL_GOALS, answers.ACTIVE_GOALS, answers.GOALS_READ):
            yield subject.of(basis.language)


def _unless(own: set[str], found: re.Match[str]) -> str:
    quoted = next(filter(None, found.groups()))
    return ASIDE if clean(quoted) in own else found[0]


def _without_title(text: str, row: Row) -> str:
    """A title is set aside where its row's own state follows it at once."""
    state = answers.STATUSES[row.status]
    states = f"{re.escape(state.zh)}|{re.escape(state.en)}"
    title = re.escape(folded(title_of(row)))
    return re.sub(rf"{title}(?={_COPULA}(?:{states}))", ASIDE, text, flags=re.IGNORECASE)
