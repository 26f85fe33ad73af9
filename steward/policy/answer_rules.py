"""From a judged candidate to what may be shown: rules over claims, one after the other. Contract E.

Above: the turn. Below: the turn's readings, as `Basis` asks them. Each rule is a pure function that keeps, rewrites
or drops one claim; a further rule is one more entry of RULES. No endpoint's word decides about absence, about a
count, or about what was not read.

What no rule here sees is a false sentence that cites a row and holds nothing that can be checked ("Sign was cancelled");
the row's own title and state stand beside it in the evidence.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime, tzinfo

from steward.model.answer import (
    Answer,
    AnswerClaim,
    Choice,
    Citation,
    Claim,
    ClaimKind,
    Judged,
)
from steward.model.audience import Scope
from steward.model.ids import CitationId, SourceId
from steward.model.reading import Coverage, CoverageStatus, Reading, View
from steward.model.turn import Language
from steward.policy.absence import absence, subject
from steward.policy.basis import Basis, anything_read, basis_of, evidence, unread
from steward.policy.codes import codes
from steward.policy.counting import counts
from steward.policy.drafts import Doubt, Draft, Dropped, DropReason, Rule
from steward.policy.gaps import failures_met, gaps
from steward.policy.hidden import hidden_absence, totals
from steward.policy.judge import MAX_BYTES
from steward.policy.markup import markup
from steward.policy.names import names
from steward.policy.notes import noted
from steward.policy.numbers import numbers
from steward.policy.replacing import echoed
from steward.policy.wording import moment
from steward.reading.text import clean
from steward.texts import answers

MOST_CHARS = 1_200
"""The longest claim: as long as the longest bounded field (T2), and three times the longest line of a row."""


def settle(
    judged: Judged,
    *,
    language: Language,
    scope: Scope,
    titles: Mapping[SourceId, str],
    readings: Sequence[Reading],
    coverage: Coverage,
    zone: tzinfo,
    now: datetime,
    question: str = "",
    asker_names: tuple[str, ...] = (),
) -> Answer:
    """The answer that a candidate comes to. `coverage` is the footer's: scope joined with readings (E0).

    `question` and `asker_names` are what code's own words may name beside what was read.
    """
    basis = basis_of(
        readings,
        language=language,
        scope=scope,
        titles=titles,
        coverage=coverage,
        zone=zone,
        now=now,
        question=question,
        asker_names=asker_names,
        topic=judged.topic,
    )
    kept, dropped = _weighed(judged.claims, basis)
    if not anything_read(readings):
        kept = [draft for draft in kept if draft.doubt is None]
    citations = _citations(kept, basis)
    claims = tuple(_claims(kept, citations, basis))
    windows = [r for r in readings if r.query and r.query.view is View.DELIVERIES]
    return Answer(
        language=language,
        classification=judged.classification,
        headline=claims[0].text if claims else _nothing(basis),
        claims=claims,
        citations=tuple(citations.values()),
        coverage=coverage,
        failures=failures_met(readings),
        goal_titles=basis.goal_titles,
        dropped=dropped,
        window_start=windows[0].window_start if windows else None,
        window_end=windows[0].window_end if windows else None,
        topic=judged.topic,
        choices=tuple(
            Choice(goal, basis.goal_titles[goal])
            for goal in judged.choices
            if goal in basis.goal_titles
        ),
        scope_revision=scope.revision,
    )


def weigh(claim: Claim, basis: Basis, shown: Set[CitationId]) -> Draft | Dropped:
    """One claim through all rules. `shown`: the citations of the claims accepted before it."""
    draft = Draft(claim, claim.text, claim.cites)
    for rule in RULES:
        outcome = rule(draft, basis, shown)
        if isinstance(outcome, Dropped):
            return outcome
        draft = outcome
    return draft


def legible(draft: Draft, _basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """One visible line, whole: what nobody can see is taken out; what is too long for a sentence is left out whole."""
    text = clean(draft.text, MAX_BYTES)
    if not text:
        return Dropped(DropReason.BLANK)
    return replace(draft, text=text) if len(text) <= MOST_CHARS else Dropped(DropReason.TOO_LONG)


def cited(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """E2: every citation is a row of this turn's readings; facts and advice have at least one."""
    if not basis.cited.keys() >= set(draft.cites):
        return Dropped(DropReason.UNKNOWN_CITATION)
    if not draft.cites and draft.claim.kind in {ClaimKind.FACT, ClaimKind.ADVICE}:
        return Dropped(DropReason.UNCITED)
    return draft


def aged(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """E9: a claim that rests on an old reading says of when it is."""
    ages = [as_of for as_of in _old(draft, basis) if as_of is not None]
    if draft.doubt is not None or not ages:
        return draft
    as_of = moment(min(ages), basis.zone)
    return replace(draft, text=answers.AGED.format(basis.language, text=draft.text, moment=as_of))


def _old(draft: Draft, basis: Basis) -> Iterator[datetime | None]:
    for citation in draft.cites:
        if basis.cited[citation].stale:
            yield basis.cited[citation].as_of
    if draft.claim.kind is ClaimKind.COUNT and draft.claim.scope is not None:
        for pair in evidence(draft.claim.scope, basis).pairs:
            if pair.status is CoverageStatus.STALE:
                yield pair.as_of


RULES: tuple[Rule, ...] = (
    legible,
    cited,
    noted,
    markup,
    codes,
    echoed,
    totals,
    hidden_absence,
    absence,
    counts,
    numbers,
    names,
    aged,
)
"""In this order: what may not be shown at all, what is said of nothing or of all, numbers and names, ages.

What one of them has written is not judged by the next as if an endpoint had written it.
"""


def _weighed(claims: Sequence[Claim], basis: Basis) -> tuple[list[Draft], int]:
    """The claims that are kept, and how many were dropped. What stands there already is lost to nobody."""
    kept: list[Draft] = []
    dropped = 0
    shown: set[CitationId] = set()
    for claim in claims:
        outcome = weigh(claim, basis, shown)
        if isinstance(outcome, Dropped):
            dropped += 1
        elif not _repeats(outcome, kept):
            kept.append(outcome)
            shown.update(outcome.cites)
    return kept, dropped


def _repeats(draft: Draft, kept: Sequence[Draft]) -> bool:
    """Whether code would write what stands there already; a doubt is folded into its likes later."""
    return draft.written and draft.doubt is None and any(one.text == draft.text for one in kept)


def _citations(kept: Sequence[Draft], basis: Basis) -> dict[CitationId, Citation]:
    """Numbered from 1 in the order of first use."""
    used = dict.fromkeys(citation for draft in kept for citation in draft.cites)
    citations: dict[CitationId, Citation] = {}
    for number, citation in enumerate(used, start=1):
        source = basis.cited[citation]
        citations[citation] = Citation(
            number=number,
            id=citation,
            row=source.row,
            source_title=basis.title(source.row.source),
            as_of=source.as_of,
            stale=source.stale,
        )
    return citations


def _claims(
    kept: Sequence[Draft], citations: Mapping[CitationId, Citation], basis: Basis
) -> Iterator[AnswerClaim]:
    """Absences that the same gaps leave open are said in one sentence, where the first of them stood."""
    doubts: dict[str, list[Doubt]] = {}
    for draft in kept:
        if draft.doubt is not None:
            doubts.setdefault(_named(draft.doubt, basis), []).append(draft.doubt)
    for draft in kept:
        if draft.doubt is None:
            numbers = dict.fromkeys(citations[citation].number for citation in draft.cites)
            yield AnswerClaim(draft.text, draft.claim.kind, tuple(numbers))
        elif together := doubts.pop(named := _named(draft.doubt, basis), None):
            yield AnswerClaim(_not_established(together, named, basis), ClaimKind.ABSENCE, ())


def _named(doubt: Doubt, basis: Basis) -> str:
    """What leaves an absence open, in words."""
    named = gaps(doubt.gaps, basis.language, basis.zone)
    return named or answers.NOTHING_HOLDS.of(basis.language)


def _not_established(doubts: Sequence[Doubt], named: str, basis: Basis) -> str:
    language = basis.language
    whats: dict[str | None, dict[str, None]] = {}
    for doubt in doubts:
        whats.setdefault(doubt.whose, {})[doubt.what] = None
    subjects = answers.NEXT.of(language).join(
        subject(whose, what, language) for whose, what in whats.items()
    )
    return answers.NOT_ESTABLISHED.format(language, subjects=subjects, gaps=named)


def _nothing(basis: Basis) -> str:
    """The headline where no claim was accepted, or nothing was read at all."""
    language = basis.language
    if named := gaps(unread(basis.coverage), language, basis.zone):
        return answers.NO_EVIDENCE.format(language, gaps=named)
    if not basis.coverage.sources:
        return answers.NO_EVIDENCE.format(language, gaps=answers.NOTHING_HOLDS.of(language))
    return answers.NOTHING_SUPPORTED.of(language)
