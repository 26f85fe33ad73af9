"""Whether an interrupted answer may be reviewed: each precondition with its own refusal, in one order. Contract V. Pure.

Above: control's reviews, which asks twice: before it reserves the review and between that and the call. What costs
nothing to know is looked at first; the endpoint is asked last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from steward.model.ids import AttemptToken
from steward.model.profile import EffectiveProfile, Readback, RuntimeProfile, Sandbox
from steward.model.reading import Reading
from steward.model.review import EndpointEnd, ReviewCase, ReviewRefusal, ReviewState
from steward.model.turn import Execution, Observed, QuestionStatus, TurnCode
from steward.policy.hosting import without_proof
from steward.policy.sessions import six_fields
from steward.policy.turn_codes import ENDINGS

SHORT_FOR: Mapping[TurnCode, timedelta] = {
    TurnCode.OVERLOADED: timedelta(minutes=2),
    TurnCode.PROVIDER_RATE_LIMITED: timedelta(minutes=5),
    TurnCode.QUOTA_EXHAUSTED: timedelta(hours=1),
}
"""How long an endpoint that ended so is not asked for a review, unless a turn came to a result there since.

A question has one review alone: it is not spent on an endpoint that has just refused everything.
"""


@dataclass(frozen=True, slots=True)
class RouteFacts:
    """Who would answer the question now, and before whom.

    `scope_revision` None: the audience is not what it was. `unclear`: nobody can say at the moment. `endpoint` is the
    name of the one that is configured now.
    """

    endpoint: str
    harmless: bool
    profile: EffectiveProfile
    scope_revision: str | None
    unclear: bool = False


@dataclass(frozen=True, slots=True)
class ReviewFacts:
    """Everything that a review is judged by, looked up afresh. `mine`: the reservation that is this review's own.

    `seen`: what the endpoint said of the turn, twice, with a pause between; None: nothing.
    """

    case: ReviewCase
    route: RouteFacts
    now: datetime
    mine: AttemptToken | None = None
    seen: tuple[Observed | None, Observed | None] = (None, None)


def refused(facts: ReviewFacts) -> ReviewRefusal | None:
    """Why there is no review now; None: there may be one."""
    return barred(facts) or unfit(facts.seen)


def barred(facts: ReviewFacts) -> ReviewRefusal | None:
    """The same, as far as it can be known without the endpoint."""
    return _taken(facts) or _past(facts.case) or _elsewhere(facts)


def unfit(seen: tuple[Observed | None, Observed | None]) -> ReviewRefusal | None:
    """Whether the turn, as the endpoint shows it, is one that a review may speak for."""
    before, now = seen
    if before is None or now is None:
        return ReviewRefusal.NOT_OBSERVED
    if not now.closed or not before.closed:
        return ReviewRefusal.NOT_CLOSED
    if before != now:
        return ReviewRefusal.STILL_MOVING
    if now.execution is Execution.FOREIGN:
        return ReviewRefusal.FOREIGN_EXECUTION
    if now.execution is Execution.MISSING:
        return ReviewRefusal.EXECUTION_MISSING
    if now.stopped:
        return ReviewRefusal.STOPPED
    if now.final is not None:
        return ReviewRefusal.FINAL_ANSWER
    if not all(call.known for call in now.calls):
        return ReviewRefusal.UNKNOWN_CALL
    if not all(call.completed for call in now.calls):
        return ReviewRefusal.INCOMPLETE_CALL
    return ReviewRefusal.NO_TERMINAL_ERROR if now.error is None else None


def legible(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """The readings that gave something: a refused read is no evidence, but still counts in the coverage."""
    return tuple(reading for reading in readings if reading.refused is None)


def seated(profile: EffectiveProfile) -> EffectiveProfile:
    """What a review runs under: the profile in force, without its host tools (V3)."""
    return without_proof(profile) if profile.trusted else profile


def confined(readback: Readback) -> bool:
    """Whether a process was really started restricted and read-only, and with nothing but evidence (V3)."""
    profile = readback.profile
    restricted = profile.runtime_profile is RuntimeProfile.RESTRICTED
    return restricted and profile.sandbox is Sandbox.READ_ONLY and not profile.trusted


def _taken(facts: ReviewFacts) -> ReviewRefusal | None:
    """Whether the question still waits, and its one review is free, or ours."""
    case = facts.case
    status = case.question.status
    if status is QuestionStatus.WITHDRAWN:
        return ReviewRefusal.WITHDRAWN
    mine = facts.mine is not None and case.reserved_by == facts.mine
    if status is not (QuestionStatus.REVIEWING if mine else QuestionStatus.OWED):
        return ReviewRefusal.NOT_OWED
    free = {ReviewState.UNUSED, ReviewState.RELEASED}
    if not mine and case.state not in free:
        return ReviewRefusal.ALREADY_REVIEWED
    return None


def _past(case: ReviewCase) -> ReviewRefusal | None:
    """The turn that failed, and what is left of it."""
    turn = case.turn
    if turn is None or turn.failure is None:
        return ReviewRefusal.NEVER_CALLED
    if case.input_hash != case.words_hash:
        return ReviewRefusal.INPUT_CHANGED
    if case.hidden:
        return ReviewRefusal.FORGOTTEN
    if not ENDINGS[turn.failure.code].review:
        return ReviewRefusal.CANNOT_HELP
    if turn.candidate is not None:
        return ReviewRefusal.ANSWER_KEPT
    return None if case.read else ReviewRefusal.NOTHING_READ


def _elsewhere(facts: ReviewFacts) -> ReviewRefusal | None:
    """Route, audience, grants, queue and capacity, as they are now."""
    route, turn = facts.route, facts.case.turn
    if turn is None or route.endpoint != turn.endpoint:
        return ReviewRefusal.ROUTE_CHANGED
    if route.harmless:
        return ReviewRefusal.HARMLESS_ENDPOINT
    if route.unclear:
        return ReviewRefusal.AUDIENCE_UNCLEAR
    if route.scope_revision is None:
        return ReviewRefusal.AUDIENCE_CHANGED
    if route.scope_revision != turn.scope_revision:
        return ReviewRefusal.SCOPE_CHANGED
    if not _same_profile(route.profile, turn.readback.profile):
        return ReviewRefusal.PROFILE_CHANGED
    if (
        facts.case.busy and facts.mine is None
    ):  # what comes while we hold the conversation waits for us
        return ReviewRefusal.CONVERSATION_BUSY
    return ReviewRefusal.NO_CAPACITY if _short(facts.case.last_end, facts.now) else None


def _same_profile(held: EffectiveProfile, begun: EffectiveProfile) -> bool:
    """A turn whose message could not be proven ran without host tools, under what is stored all the same (P7)."""
    fields = six_fields(begun)
    return six_fields(held) == fields or (held.trusted and six_fields(seated(held)) == fields)


def _short(end: EndpointEnd | None, now: datetime) -> bool:
    if end is None or end.code is None:
        return False
    return now < end.at + SHORT_FOR.get(end.code, timedelta())
