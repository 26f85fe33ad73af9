"""Answers, failures and refusals → a message without a word of Lark. Contracts W1-W5, E0, E4.

Above: the turn and intake, which plan it with a sender. Below: texts. The conclusion comes first, then its rows, one
line of coverage, and everything else folded behind it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo

from steward.model.answer import (
    Answer,
    AnswerClaim,
    Citation,
    Outgoing,
    OutgoingButton,
    OutgoingClaim,
    OutgoingKind,
    OutgoingSource,
)
from steward.model.audience import DEFAULT_LIMITS, DeclineReason, Limits
from steward.model.reading import (
    Coverage,
    ReadFailure,
    Reading,
    RowStatus,
    View,
)
from steward.model.turn import Language, TurnCode, TurnFailure
from steward.policy.basis import goal_titles
from steward.policy.gaps import coverage_line, failures_met, gap_details
from steward.policy.turn_codes import ENDINGS
from steward.policy.wording import moment, row_line, zone_name
from steward.reading.failures import label
from steward.reading.text import clean
from steward.texts import answers, notices
from steward.texts import coverage as texts

LATE = timedelta(minutes=10)
"""An answer that comes later than this says when it was asked (W4)."""

MOST_DATED = 10
"""Of so many sources the details say how old they are; the rest is counted."""

MOST_HOST_NAMES, HOST_NAME_CHARS = 6, 40

_NOTHING_SHOWN = frozenset(
    {
        TurnCode.AUTHORIZATION_CHANGED,
        TurnCode.PROFILE_CHANGED,
        TurnCode.WITHDRAWN,
        TurnCode.STOPPED,
    }
)
"""After these nothing that was read may be shown (A3)."""


def present(
    answer: Answer,
    *,
    asked_at: datetime,
    now: datetime,
    zone: tzinfo,
    buttons: Sequence[OutgoingButton] = (),
    late: bool = False,
) -> Outgoing:
    """An answer as it is sent. The headline is not repeated among the claims.

    `late`: it comes after its question was told to be owed, and says when that was asked, however long ago. Where there
    is nothing to conclude, what was not read and what to do about it stand in the conclusions' place.
    """
    language = answer.language
    headline, rest = answer.headline, answer.claims
    if rest and rest[0].text == headline:
        headline, rest = _marked(rest[0]), rest[1:]
    claims = [OutgoingClaim(claim.text, claim.cites) for claim in rest]
    unread = gap_details(
        answer.coverage, language, failures=answer.failures, titles=answer.goal_titles
    )
    if not answer.claims:
        claims, unread = [OutgoingClaim(line) for line in unread], []
    return Outgoing(
        kind=OutgoingKind.ANSWER,
        language=language,
        headline=headline,
        claims=tuple(claims),
        coverage=coverage_line(answer.coverage, language, zone),
        details=(*unread, *_details(answer, now, zone)),
        sources=tuple(_source(citation, language, zone) for citation in answer.citations),
        note=_late(asked_at, now if not late else None, language, zone),
        buttons=tuple(buttons),
    )


def _marked(claim: AnswerClaim) -> str:
    """The headline is plain text, so its citation marks stand in it."""
    marks = "".join(f"[{number}]" for number in claim.cites)
    return f"{claim.text} {marks}".rstrip()


def _details(answer: Answer, now: datetime, zone: tzinfo) -> Iterator[str]:
    language = answer.language
    if answer.window_start is not None and answer.claims:
        end = answer.window_end or now
        yield texts.WINDOW.format(
            language,
            start=moment(answer.window_start, zone),
            end=moment(end, zone),
            zone=zone_name(zone),
        )
    dated = [(source.title, at) for source in answer.coverage.sources if (at := source.as_of)]
    for title, at in dated[:MOST_DATED]:
        yield texts.AS_OF.format(
            language, source=title, moment=moment(at, zone), zone=zone_name(zone)
        )
    if more := len(dated[MOST_DATED:]):
        yield texts.MORE_AS_OF.format(language, count=more)
    if answer.dropped:
        yield texts.DROPPED.format(language, count=answer.dropped)


def _source(citation: Citation, language: Language, zone: tzinfo) -> OutgoingSource:
    """One row of the evidence list: "title - owner - state since date (source)"."""
    row = row_line(citation.row, language, zone)
    values = {"row": row, "source": citation.source_title}
    if not citation.stale:
        text = texts.EVIDENCE.format(language, **values)
    elif citation.as_of is None:
        text = texts.EVIDENCE_UNDATED.format(language, **values)
    else:
        as_of = moment(citation.as_of, zone)
        text = texts.EVIDENCE_AGED.format(language, moment=as_of, **values)
    return OutgoingSource(citation.number, text, shown_link(citation.row.link))


def shown_link(link: str | None) -> str | None:
    """E4: http and https alone."""
    if link is None or not link.lower().startswith(("http://", "https://")):
        return None
    return link


def _late(asked_at: datetime, now: datetime | None, language: Language, zone: tzinfo) -> str | None:
    if now is not None and now - asked_at <= LATE:
        return None
    return texts.LATE.format(language, moment=moment(asked_at, zone), zone=zone_name(zone))


def supplementary(outgoing: Outgoing, asked_at: datetime, zone: tzinfo) -> Outgoing:
    """V5: the answer says that it follows a failure, and to which question it belongs; that says too that it is late."""
    language = outgoing.language
    note = texts.SUPPLEMENT.format(language, moment=moment(asked_at, zone), zone=zone_name(zone))
    return replace(outgoing, note=note)


def notice(
    failure: TurnFailure,
    *,
    language: Language,
    coverage: Coverage | None = None,
    readings: Sequence[Reading] = (),
    zone: tzinfo = UTC,
    host: Sequence[str] = (),
    buttons: Sequence[OutgoingButton] = (),
) -> Outgoing:
    """A failed question, as its asker is told (W3). `readings` are shown as what they are: no answer.

    `host`: the tools of the host that had been run to their end, by their upstream's names (T3).
    """
    failed = notices.FAILED[failure.code]
    lines = [] if failure.context is None else [_context(failure, language)]
    lines += _host_had_run(host, language)
    if ENDINGS[failure.code].owed:
        lines.append(notices.STAYS_OWED.of(language))
    lines.append(failed.action.of(language))
    if failure.code in _NOTHING_SHOWN:
        coverage, readings = None, ()
    read = list(_read(readings, language))
    details = [notices.WHAT_WAS_READ.of(language), *read] if read else []
    if coverage is not None:
        details += gap_details(
            coverage, language, failures=failures_met(readings), titles=goal_titles(readings)
        )
    return Outgoing(
        kind=OutgoingKind.NOTICE,
        language=language,
        headline=failed.what.of(language),
        claims=tuple(OutgoingClaim(line) for line in lines),
        coverage=None if coverage is None else coverage_line(coverage, language, zone),
        details=tuple(details),
        buttons=tuple(buttons),
    )


def repeats(language: Language, button: OutgoingButton) -> Outgoing:
    """T4: before it is asked again, what asking again may do a second time; only `button` asks."""
    said = notices.ASKING_AGAIN_REPEATS.of(language)
    return Outgoing(OutgoingKind.NOTICE, language, said, buttons=(button,))


def _host_had_run(names: Sequence[str], language: Language) -> list[str]:
    """At most one line; what the upstream calls its tools may be anything."""
    shown = list(dict.fromkeys(name for each in names if (name := clean(each, HOST_NAME_CHARS))))
    if not shown:
        return []
    comma = answers.LISTED.of(language)
    if len(shown) > MOST_HOST_NAMES:
        more = notices.HOST_MORE.format(language, count=len(shown))
        shown = [*shown[:MOST_HOST_NAMES], more]
    return [notices.HOST_HAD_RUN.format(language, what=comma.join(shown))]


def _context(failure: TurnFailure, language: Language) -> str:
    if failure.context is None:
        return ""
    reason = label(ReadFailure(failure.context), language)
    return notices.REASON.format(language, reason=reason)


def _read(readings: Sequence[Reading], language: Language) -> Iterator[str]:
    titles = goal_titles(readings)
    for reading in readings:
        query = reading.query
        tallies = list(_tallies(reading, language))
        if query is None or not tallies:
            continue
        subject = answers.VIEWS[query.view].of(language)
        if query.goal is not None:
            goal = answers.GOAL_NAME.format(language, goal=titles.get(query.goal, query.goal))
            subject = answers.SUBJECT_OF.format(language, whose=goal, what=subject)
        yield answers.TALLY_LINE.format(
            language, subject=subject, tallies=answers.COMMA.of(language).join(tallies)
        )


def _tallies(reading: Reading, language: Language) -> Iterator[str]:
    if reading.query is not None and reading.query.view is View.DELIVERIES:
        counts = {RowStatus.DELIVERED.value: sum(reading.counts.values())}
    else:
        counts = dict(reading.counts)
    for status, count in counts.items():
        if count and status in answers.STATUSES:
            label_of = answers.STATUSES[RowStatus(status)].of(language)
            yield answers.TALLY.format(language, status=label_of, count=count)


def decline(
    reason: DeclineReason, *, language: Language | None, limits: Limits = DEFAULT_LIMITS
) -> Outgoing:
    """A visible no: why, and who can change it. `limits` are those in force, where one of them is the reason.

    `language` None: no word of the reader's is known; then it is said in both.
    """
    declined = notices.DECLINED[reason]
    most = {"asker": limits.open_per_asker, "conversation": limits.open_per_conversation}

    def said(one: Language) -> Outgoing:
        return _said(declined.what.format(one, **most), declined.action.of(one), one)

    return _known_or_both(language, said)


def withheld(failure: TurnFailure, *, language: Language, evidence: bool) -> Outgoing:
    """What answers no question and may not be shown after all (A3).

    `evidence`: rows that were asked for behind an answer, which itself stands; else the reply to a command.
    """
    changed, unclear = (
        (notices.EVIDENCE_CHANGED, notices.EVIDENCE_UNCLEAR)
        if evidence
        else (notices.REPLY_CHANGED, notices.REPLY_UNCLEAR)
    )
    text = changed if failure.code is TurnCode.AUTHORIZATION_CHANGED else unclear
    return _said(text.what.of(language), text.action.of(language), language)


def unparsable_line(language: Language | None) -> Outgoing:
    """D3: one line for a message that could not be read; in both languages where nothing of it could."""
    what, action = notices.UNPARSABLE, notices.UNPARSABLE_ACTION
    return _known_or_both(language, lambda one: _said(what.of(one), action.of(one), one))


def _known_or_both(language: Language | None, said: Callable[[Language], Outgoing]) -> Outgoing:
    """One line in the reader's language, or in both where it is not known (W5)."""
    first, *others = map(said, Language if language is None else [language])
    return replace(first, headline=" ".join(one.headline for one in (first, *others)))


def _said(what: str, action: str, language: Language) -> Outgoing:
    """One line."""
    gap = "" if language is Language.ZH else " "
    return Outgoing(OutgoingKind.NOTICE, language, f"{what}{gap}{action}")
