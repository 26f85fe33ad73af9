"""What a turn does with its conversation's session: go on, begin anew, forget. Contracts S1, S2, S3. Pure.

Above: control's turns. Facts come in as values: the session as stored, and what the turn is about to start with.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from steward.model.audience import AudienceKind
from steward.model.profile import EffectiveProfile, RuntimeProfile
from steward.model.session import Exchange, Opening, Session, SessionStart, SixFields
from steward.reading.text import clean

MOST_EXCHANGES = 10
MOST_CHARS = 8_000
"""Of visible history, all its lines together."""

LINE_CHARS = 1_000
"""Of one line of it."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """What the turn starts with, by what holds at this moment."""

    profile: EffectiveProfile
    endpoint: str
    prompt_revision: str
    scope_revision: str
    audience: AudienceKind


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """`resume`: the upstream thread to go on with; None: a new one is started. `retire`: the one to close before."""

    start: SessionStart
    resume: str | None = None
    retire: str | None = None


def planned(session: Session | None, fresh: Fresh) -> SessionPlan:
    """How the turn's thread is opened.

    A thread remembers what it was told: where the past is to be forgotten, the thread goes with it. Another namespace of
    the machine document is in none of the fields, so its change rotates nothing (S2).
    """
    if session is None:
        return SessionPlan(SessionStart(Opening.FIRST, forget=False, audience=fresh.audience))
    forget = _forgets(session, fresh)
    # Hidden since, by `/new` or by a change of grants (S3).
    opening = Opening.ROTATE if forget or session.hidden else _opening(session, fresh)
    start = SessionStart(opening, forget=forget, audience=fresh.audience)
    if opening is Opening.ROTATE:
        return SessionPlan(start, retire=session.upstream)
    return SessionPlan(start, resume=session.upstream)


def six_fields(profile: EffectiveProfile) -> SixFields:
    """The fields that a session keeps of a profile (S1)."""
    return SixFields(
        profile=profile.runtime_profile,
        configuration_revision=profile.configuration_revision,
        status=profile.status,
        sandbox=profile.sandbox,
        standing_grant=profile.standing_grant,
        tool_classes=profile.tool_classes,
    )


def history_lines(exchanges: Sequence[Exchange]) -> tuple[str, ...]:
    """Visible history for a new thread, oldest first: every line framed by who said it, the newest exchanges kept.

    Within MOST_EXCHANGES and MOST_CHARS; an exchange is handed over whole or not at all.
    """
    kept: list[tuple[str, ...]] = []
    left = MOST_CHARS
    for exchange in reversed(exchanges[-MOST_EXCHANGES:]):
        lines = tuple(_framed(exchange))
        left -= sum(len(line) + 1 for line in lines)
        if left < 0:
            break
        kept.append(lines)
    return tuple(line for lines in reversed(kept) for line in lines)


def _opening(session: Session, fresh: Fresh) -> Opening:
    stored = (*_values(session.fields), session.endpoint, session.prompt_revision)
    wanted = (*_values(six_fields(fresh.profile)), fresh.endpoint, fresh.prompt_revision)
    if stored == wanted:
        return Opening.RESUME
    restricted = fresh.profile.runtime_profile is RuntimeProfile.RESTRICTED
    agrees = all(old in {None, new} for old, new in zip(stored, wanted, strict=True))
    if _from_before(session) and restricted and agrees:
        return Opening.FILL_IN
    return Opening.ROTATE


def _forgets(session: Session, fresh: Fresh) -> bool:
    """Another scope or audience than the last turn's; what is unknown is another, but in a session from before."""
    pairs = (
        (session.audience, fresh.audience),
        (session.scope_revision, fresh.scope_revision),
    )
    before = _from_before(session)
    return any(old != new and not (before and old is None) for old, new in pairs)


def _from_before(session: Session) -> bool:
    """Whether it was stored before these fields were (S2)."""
    return None in _values(session.fields)


def _values(six: SixFields) -> tuple[object, ...]:
    return tuple(getattr(six, one.name) for one in fields(six))


def _framed(exchange: Exchange) -> Iterator[str]:
    for line in exchange.question.splitlines():
        if shown := clean(line, LINE_CHARS):
            yield f"asked> {shown}"
    for line in exchange.answer.splitlines():
        if shown := clean(line, LINE_CHARS):
            yield f"answered> {shown}"
