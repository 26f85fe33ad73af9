"""Each precondition of a review, broken in turn: its own refusal, and always the first one of the order. V1, V2, V3."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

import pytest

from steward.model.audience import Audience, AudienceKind
from steward.model.ids import (
    AppId,
    AttemptToken,
    ChatId,
    ConversationId,
    InboxId,
    MessageRef,
    OpenId,
    QuestionId,
)
from steward.model.profile import (
    RESTRICTED_DEFAULT,
    EffectiveProfile,
    ProfileSource,
    Readback,
    RuntimeProfile,
    Sandbox,
    StandingGrant,
)
from steward.model.review import (
    EndpointEnd,
    InterruptedTurn,
    ReviewCase,
    ReviewRefusal,
    ReviewState,
)
from steward.model.turn import (
    Candidate,
    Execution,
    Language,
    Observed,
    ObservedCall,
    Question,
    QuestionStatus,
    TurnCode,
    TurnFailure,
)
from steward.policy.hosting import without_proof
from steward.policy.review import (
    SHORT_FOR,
    ReviewFacts,
    RouteFacts,
    barred,
    confined,
    refused,
    seated,
)
from steward.policy.turn_codes import ENDINGS
from steward.testing.world import EPOCH

MINE, OTHERS = AttemptToken("review-1"), AttemptToken("review-2")
CALL = ObservedCall("loopx_context_read", known=True, completed=True, host=False)
TRUSTED = replace(
    RESTRICTED_DEFAULT,
    runtime_profile=RuntimeProfile.TRUSTED_OWNER,
    source=ProfileSource.MACHINE_CONFIGURATION,
    standing_grant=StandingGrant.MACHINE_CONFIGURATION,
    sandbox=Sandbox.FULL_ACCESS,
    configuration_revision="sha256:1",
)
CHAT = ChatId("oc_team")

QUESTION = Question(
    id=QuestionId(1),
    inbox=InboxId(1),
    conversation=ConversationId(AppId("cli_sim_a"), CHAT),
    message=MessageRef(AppId("cli_sim_a"), "om_1"),
    asker=OpenId("ou_member"),
    audience=Audience(AudienceKind.GROUP, CHAT),
    in_thread=False,
    text="How is it going?",
    language=Language.EN,
    asked_at=EPOCH,
    status=QuestionStatus.OWED,
    attempt=1,
)
TURN = InterruptedTurn(
    attempt=AttemptToken("attempt-1"),
    endpoint="codex",
    upstream="thread-1",
    readback=Readback(RESTRICTED_DEFAULT, "prompt-1"),
    scope_revision="scope-1",
    started_at=EPOCH,
    failure=TurnFailure(TurnCode.TRANSPORT_LOST),
    candidate=None,
)
CASE = ReviewCase(
    question=QUESTION,
    input_hash="hash",
    words_hash="hash",
    turn=TURN,
    read=1,
    state=ReviewState.UNUSED,
    reserved_by=None,
    hidden=False,
    busy=False,
    last_end=EndpointEnd(TurnCode.TRANSPORT_LOST, EPOCH),
)
ROUTE = RouteFacts("codex", harmless=False, profile=RESTRICTED_DEFAULT, scope_revision="scope-1")
SEEN = Observed(closed=True, final=None, calls=(CALL, CALL), error=TurnCode.QUOTA_EXHAUSTED)
FACTS = ReviewFacts(CASE, ROUTE, EPOCH + timedelta(minutes=1), seen=(SEEN, SEEN))


def asked(facts: ReviewFacts, status: QuestionStatus) -> ReviewFacts:
    return case(facts, question=replace(facts.case.question, status=status))


def case(facts: ReviewFacts, **changes: object) -> ReviewFacts:
    return replace(facts, case=replace(facts.case, **changes))  # type: ignore[arg-type] # by name


def failed(facts: ReviewFacts, **changes: object) -> ReviewFacts:
    turn = facts.case.turn
    assert turn is not None
    return case(facts, turn=replace(turn, **changes))  # type: ignore[arg-type] # by name


def route(facts: ReviewFacts, **changes: object) -> ReviewFacts:
    return replace(facts, route=replace(facts.route, **changes))  # type: ignore[arg-type] # by name


def seen(facts: ReviewFacts, **changes: object) -> ReviewFacts:
    """The same at both looks."""
    now = facts.seen[1]
    assert now is not None
    shown = replace(now, **changes)  # type: ignore[arg-type] # by name
    return replace(facts, seen=(shown, shown))


def moved(facts: ReviewFacts) -> ReviewFacts:
    now = facts.seen[1]
    assert now is not None
    return replace(facts, seen=(replace(now, calls=(*now.calls, CALL)), now))


def with_call(facts: ReviewFacts, call: ObservedCall) -> ReviewFacts:
    now = facts.seen[1]
    assert now is not None
    return seen(facts, calls=(*now.calls, call))


Break = Callable[[ReviewFacts], ReviewFacts]

BREAKS: Mapping[ReviewRefusal, Break] = {
    ReviewRefusal.WITHDRAWN: lambda facts: asked(facts, QuestionStatus.WITHDRAWN),
    ReviewRefusal.NOT_OWED: lambda facts: asked(facts, QuestionStatus.QUEUED),
    ReviewRefusal.ALREADY_REVIEWED: lambda facts: case(facts, state=ReviewState.USED),
    ReviewRefusal.NEVER_CALLED: lambda facts: case(facts, turn=None),
    ReviewRefusal.INPUT_CHANGED: lambda facts: case(facts, words_hash="another"),
    ReviewRefusal.FORGOTTEN: lambda facts: case(facts, hidden=True),
    ReviewRefusal.CANNOT_HELP: lambda facts: failed(
        facts, failure=TurnFailure(TurnCode.RESULT_INVALID)
    ),
    ReviewRefusal.ANSWER_KEPT: lambda facts: failed(facts, candidate=Candidate(b"{}")),
    ReviewRefusal.NOTHING_READ: lambda facts: case(facts, read=0),
    ReviewRefusal.ROUTE_CHANGED: lambda facts: route(facts, endpoint="models"),
    ReviewRefusal.HARMLESS_ENDPOINT: lambda facts: route(facts, harmless=True),
    ReviewRefusal.AUDIENCE_UNCLEAR: lambda facts: route(facts, unclear=True),
    ReviewRefusal.AUDIENCE_CHANGED: lambda facts: route(facts, scope_revision=None),
    ReviewRefusal.SCOPE_CHANGED: lambda facts: route(facts, scope_revision="scope-2"),
    ReviewRefusal.PROFILE_CHANGED: lambda facts: route(facts, profile=TRUSTED),
    ReviewRefusal.CONVERSATION_BUSY: lambda facts: case(facts, busy=True),
    ReviewRefusal.NO_CAPACITY: lambda facts: case(
        facts, last_end=EndpointEnd(TurnCode.QUOTA_EXHAUSTED, EPOCH)
    ),
    ReviewRefusal.NOT_OBSERVED: lambda facts: replace(facts, seen=(facts.seen[0], None)),
    ReviewRefusal.NOT_CLOSED: lambda facts: seen(facts, closed=False),
    ReviewRefusal.STILL_MOVING: moved,
    ReviewRefusal.FOREIGN_EXECUTION: lambda facts: seen(facts, execution=Execution.FOREIGN),
    ReviewRefusal.EXECUTION_MISSING: lambda facts: seen(facts, execution=Execution.MISSING),
    ReviewRefusal.STOPPED: lambda facts: seen(facts, stopped=True),
    ReviewRefusal.FINAL_ANSWER: lambda facts: seen(facts, final=b"{}"),
    ReviewRefusal.UNKNOWN_CALL: lambda facts: with_call(facts, replace(CALL, known=False)),
    ReviewRefusal.INCOMPLETE_CALL: lambda facts: with_call(facts, replace(CALL, completed=False)),
    ReviewRefusal.NO_TERMINAL_ERROR: lambda facts: seen(facts, error=None),
}

ORDER = tuple(ReviewRefusal)


def test_every_refusal_has_its_precondition() -> None:
    assert tuple(BREAKS) == ORDER


@pytest.mark.requirement("V2")
def test_a_turn_that_keeps_every_precondition_may_be_reviewed() -> None:
    assert refused(FACTS) is None


@pytest.mark.requirement("V2")
@pytest.mark.parametrize("why", BREAKS)
def test_each_precondition_alone_refuses_by_its_own_name(why: ReviewRefusal) -> None:
    assert refused(BREAKS[why](FACTS)) is why


APART = {
    (ReviewRefusal.WITHDRAWN, ReviewRefusal.NOT_OWED),
    (ReviewRefusal.AUDIENCE_CHANGED, ReviewRefusal.SCOPE_CHANGED),
    *((ReviewRefusal.NEVER_CALLED, later) for later in ORDER),
}
"""Pairs that cannot be broken together: both say something else of the same field."""


@pytest.mark.requirement("V2")
@pytest.mark.parametrize(
    ("first", "second"), [pair for pair in combinations(ORDER, 2) if pair not in APART]
)
def test_of_two_broken_preconditions_the_earlier_one_is_named(
    first: ReviewRefusal, second: ReviewRefusal
) -> None:
    assert refused(BREAKS[first](BREAKS[second](FACTS))) is first


@pytest.mark.requirement("V2")
def test_what_costs_nothing_is_refused_before_the_endpoint_is_asked() -> None:
    unasked = replace(FACTS, seen=(None, None))
    asking = ORDER.index(ReviewRefusal.NOT_OBSERVED)

    assert barred(unasked) is None
    assert [barred(BREAKS[why](unasked)) for why in ORDER[:asking]] == list(ORDER[:asking])


@pytest.mark.requirement("V2")
def test_a_missing_execution_is_ours_inside_the_segment_that_we_began() -> None:
    assert refused(seen(FACTS, execution=Execution.MISSING_IN_SEGMENT)) is None


@pytest.mark.requirement("V2")
def test_a_turn_that_was_not_closed_at_the_first_look_is_not_closed() -> None:
    growing = replace(FACTS, seen=(replace(SEEN, closed=False), SEEN))

    assert refused(growing) is ReviewRefusal.NOT_CLOSED


@pytest.mark.requirement("V1")
@pytest.mark.parametrize("code", TurnCode)
def test_only_a_failure_that_a_review_can_help_is_reviewed(code: TurnCode) -> None:
    why = refused(failed(FACTS, failure=TurnFailure(code)))

    assert (why is None) is ENDINGS[code].review
    assert why in {None, ReviewRefusal.CANNOT_HELP}


@pytest.mark.requirement("V1")
def test_a_turn_that_ran_out_of_quota_after_its_reads_is_one_that_a_review_can_help() -> None:
    assert refused(failed(FACTS, failure=TurnFailure(TurnCode.QUOTA_EXHAUSTED))) is None


@pytest.mark.requirement("V1")
@pytest.mark.parametrize("state", ReviewState)
def test_a_released_review_is_free_once_more_and_no_other_is(state: ReviewState) -> None:
    free = {ReviewState.UNUSED, ReviewState.RELEASED}

    assert (refused(case(FACTS, state=state)) is None) is (state in free)


def reserved(by: AttemptToken) -> ReviewFacts:
    facts = replace(asked(FACTS, QuestionStatus.REVIEWING), mine=MINE)
    return case(facts, state=ReviewState.RESERVED, reserved_by=by)


@pytest.mark.requirement("V1")
def test_between_reservation_and_call_only_its_own_reservation_lets_it_pass() -> None:
    assert refused(reserved(MINE)) is None
    assert refused(reserved(OTHERS)) is ReviewRefusal.NOT_OWED
    assert refused(asked(reserved(MINE), QuestionStatus.OWED)) is ReviewRefusal.NOT_OWED
    assert refused(asked(reserved(MINE), QuestionStatus.WITHDRAWN)) is ReviewRefusal.WITHDRAWN


@pytest.mark.requirement("V5")
def test_a_question_that_comes_after_the_reservation_waits_and_stops_nothing() -> None:
    assert refused(case(reserved(MINE), busy=True)) is None


@pytest.mark.requirement("V2")
@pytest.mark.parametrize("code", SHORT_FOR)
def test_an_endpoint_that_refused_everything_is_asked_again_after_a_while(code: TurnCode) -> None:
    short = case(FACTS, last_end=EndpointEnd(code, EPOCH))
    until = EPOCH + SHORT_FOR[code]

    assert refused(replace(short, now=until - timedelta(seconds=1))) is ReviewRefusal.NO_CAPACITY
    assert refused(replace(short, now=until)) is None


@pytest.mark.requirement("V2")
def test_a_result_that_came_since_shows_that_there_is_capacity_again() -> None:
    assert refused(case(FACTS, last_end=EndpointEnd(None, EPOCH))) is None


@pytest.mark.requirement("V3")
def test_a_review_sits_without_host_tools_under_what_is_stored() -> None:
    assert seated(RESTRICTED_DEFAULT) == RESTRICTED_DEFAULT
    assert seated(TRUSTED) == without_proof(TRUSTED)
    assert seated(TRUSTED).configuration_revision == TRUSTED.configuration_revision


@pytest.mark.requirement("V3")
@pytest.mark.parametrize(
    ("profile", "may"),
    [
        (RESTRICTED_DEFAULT, True),
        (TRUSTED, False),
        (replace(RESTRICTED_DEFAULT, sandbox=Sandbox.FULL_ACCESS), False),
        (replace(RESTRICTED_DEFAULT, runtime_profile=None), False),
    ],
)
def test_only_a_restricted_and_read_only_process_may_review(
    profile: EffectiveProfile, may: bool
) -> None:
    assert confined(Readback(profile, "prompt-1")) is may


@pytest.mark.requirement("V2", "P7")
def test_a_turn_whose_message_was_not_proven_is_reviewed_under_the_same_stored_profile() -> None:
    unproven = failed(FACTS, readback=Readback(without_proof(TRUSTED), "prompt-1"))

    assert refused(route(unproven, profile=TRUSTED)) is None
    assert refused(unproven) is ReviewRefusal.PROFILE_CHANGED
