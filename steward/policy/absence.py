"""E3: absence and zero are written by code, and only where coverage is complete for them. Contracts W1, R9."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from datetime import tzinfo

from steward.model.answer import ClaimKind, ClaimScope, Dated
from steward.model.ids import CitationId
from steward.model.reading import RowStatus, View
from steward.model.turn import Language
from steward.policy.basis import Basis, Evidence, evidence, gaps_of, is_known_name, unread
from steward.policy.drafts import Doubt, Draft, Dropped, DropReason
from steward.policy.scoping import UNFINISHED
from steward.policy.wording import day, listed, moment, window
from steward.texts import answers


def absence(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """Write the sentence of an absence, or of a count of zero, from what was read of its scope."""
    claim = draft.claim
    if claim.kind not in {ClaimKind.ABSENCE, ClaimKind.COUNT}:
        return draft
    if claim.scope is None:
        return draft if claim.kind is ClaimKind.COUNT else _unscoped(draft, basis)
    found = evidence(claim.scope, basis)
    if found.total:
        contradicted = claim.kind is ClaimKind.ABSENCE
        return Dropped(DropReason.CONTRADICTED) if contradicted else draft
    if not all(is_known_name(name, basis) for name in claim.scope.who):
        return Dropped(DropReason.UNKNOWN_NAME)
    if found.complete and found.total is not None:
        return replace(draft, text=_nothing(claim.scope, found, basis), cites=(), written=True)
    gaps = gaps_of(found.pairs, basis)
    if gaps or not found.pairs:
        doubt = Doubt(
            _whose(claim.scope, basis), _what(claim.scope, basis.language, basis.zone), gaps
        )
        return replace(draft, cites=(), doubt=doubt, written=True)
    return Dropped(DropReason.NOT_COMPUTABLE)


def _unscoped(draft: Draft, basis: Basis) -> Draft | Dropped:
    """Without a scope nothing can be established; what is unread is said all the same."""
    gaps = unread(basis.coverage)
    if not gaps:
        return Dropped(DropReason.NOT_COMPUTABLE)
    doubt = Doubt(None, answers.UNSCOPED.of(basis.language), gaps)
    return replace(draft, cites=(), doubt=doubt, written=True)


def _nothing(scope: ClaimScope, found: Evidence, basis: Basis) -> str:
    """ "In <sources read>, <window>, nothing is recorded" (W1)."""
    language = basis.language
    read = dict.fromkeys(pair.source for pair in found.pairs)
    nobody = replace(scope, who=())
    values = {
        "subject": subject(_whose(scope, basis), [_what(nobody, language, basis.zone)], language),
        "sources": listed([basis.title(source) for source in read], language),
    }
    when = _when(scope, found, basis)
    if scope.who:
        names = listed(scope.who, language)
        when = when or answers.UP_TO.format(language, moment=moment(basis.now, basis.zone))
        return answers.NO_ROW_NAMES.format(language, window=when, names=names, **values)
    if when is None:
        return answers.NOTHING_AT_ALL.format(language, **values)
    return answers.NOTHING_RECORDED.format(language, window=when, **values)


def _when(scope: ClaimScope, found: Evidence, basis: Basis) -> str | None:
    """The window of what happens at an instant; of todos and goals, the time of the oldest reading."""
    language, zone = basis.language, basis.zone
    if scope.view in {View.DELIVERIES, View.HANDOFFS}:
        if found.since is not None:
            return window(found.since, scope.until or basis.now, language, zone)
        if scope.until is not None:
            return answers.BEFORE.format(language, date=day(scope.until, zone).isoformat())
    ages = [pair.as_of for pair in found.pairs if pair.as_of is not None]
    return answers.UP_TO.format(language, moment=moment(min(ages), zone)) if ages else None


def subject(whose: str | None, whats: Iterable[str], language: Language) -> str:
    """What absences are about: a goal or all of them, and what of it."""
    listing = listed(whats, language)
    if whose is None:
        return listing
    return answers.SUBJECT_OF.format(language, whose=whose, what=listing)


def _whose(scope: ClaimScope, basis: Basis) -> str | None:
    """The goal by its title; where none is named, that all are meant, which goals say of themselves."""
    if scope.goal is not None:
        title = basis.goal_titles.get(scope.goal, scope.goal)
        return answers.GOAL_NAME.format(basis.language, goal=title)
    if scope.view is View.PORTFOLIO:
        return None
    every = answers.ACTIVE_GOALS if scope.view is View.TODOS else answers.ALL_GOALS
    return every.of(basis.language)


def _what(scope: ClaimScope, language: Language, zone: tzinfo) -> str:
    """The view with its statuses and due days."""
    if scope.view is View.PORTFOLIO and scope.goal is None and not (scope.statuses or scope.having):
        return answers.ACTIVE_GOALS.of(language)
    named = answers.VIEWS[scope.view] if scope.having is None else answers.HAVING[scope.having]
    what = named.of(language)
    if scope.statuses:
        status = _in_status(scope.statuses, language)
        what = answers.IN_STATUS.format(language, what=what, status=status)
    if scope.view is View.TODOS:
        what = _in_days(what, scope, language, zone)
    if scope.who:
        what = answers.NAMING.format(language, what=what, names=listed(scope.who, language))
    if scope.view is View.PORTFOLIO and scope.goal is None:
        return what[:1].upper() + what[1:]
    return what


def _in_status(statuses: Sequence[RowStatus], language: Language) -> str:
    if set(statuses) == set(UNFINISHED):
        return answers.UNFINISHED.of(language)
    names = [answers.STATUSES[status].of(language) for status in statuses]
    return answers.STATUS_OR.of(language).join(names)


def _in_days(what: str, scope: ClaimScope, language: Language, zone: tzinfo) -> str:
    within, before, since = answers.TODO_DAYS[scope.dated is Dated.UPDATED]
    if scope.since is not None and scope.until is not None:
        days = window(scope.since, scope.until, language, zone)
        return within.format(language, what=what, window=days)
    if scope.until is not None:
        return before.format(language, what=what, date=day(scope.until, zone).isoformat())
    if scope.since is not None:
        return since.format(language, what=what, date=day(scope.since, zone).isoformat())
    return what
