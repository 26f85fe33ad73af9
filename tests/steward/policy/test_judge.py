"""T1 and T2: one judge, which refuses whole and repairs nothing. The cases of seed 002, and their kin."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.model.answer import Claim, ClaimKind, ClaimScope, Judged, Note, NoteCode
from steward.model.ids import CitationId, GoalId, SourceId
from steward.model.json import Json
from steward.model.reading import RowStatus, View
from steward.model.topic import TopicPart
from steward.model.turn import TurnCode, TurnFailure
from steward.policy.judge import BOUNDS, GATE_CHARS, MAX_BYTES, judge

CLAIM: dict[str, Json] = {"text": "The refund flow is merged", "cites": ["E1-k3"], "kind": "fact"}
FACT = Claim("The refund flow is merged", (CitationId("E1-k3"),), ClaimKind.FACT)
OPTIONAL = [name for name in BOUNDS if name != "classification"]
NO_STRINGS: list[Json] = [False, True, 0, 1, 0.0, 2.5, [], ["x"], {}, {"text": "go on"}]


def candidate(**fields: Json) -> bytes:
    whole: dict[str, Json] = {"classification": "overview", "claims": [CLAIM]}
    return json.dumps(whole | fields, ensure_ascii=False).encode()


def claim(**fields: Json) -> bytes:
    return candidate(claims=[CLAIM | fields])


def scope(**fields: Json) -> bytes:
    return claim(kind="absence", scope={"view": "todos", **fields})


def accepted(raw: bytes) -> Judged:
    verdict = judge(raw)
    assert isinstance(verdict, Judged), verdict
    return verdict


def refused(detail: str) -> TurnFailure:
    return TurnFailure(TurnCode.RESULT_INVALID, detail=detail)


@pytest.mark.requirement("T1")
def test_a_well_formed_candidate_passes_whole_and_typed() -> None:
    raw = candidate(
        summary=" on its way ",
        next_action="Ask Wei",
        gate=" Lin approves the merge ",
        actions=[{"merge": 12}],
        claims=[
            CLAIM,
            {
                "text": "none",
                "cites": [],
                "kind": "absence",
                "scope": {
                    "view": "deliveries",
                    "goal": "payments",
                    "source": "plans",
                    "statuses": ["delivered"],
                    "since": "2026-11-23T00:00:00+08:00",
                    "until": "2026-11-30T00:00:00Z",
                },
            },
        ],
    )

    assert judge(raw) == Judged(
        classification="overview",
        summary="on its way",
        recommended_action="Ask Wei",
        next_action="Ask Wei",
        vision_unchanged_reason=None,
        gate="Lin approves the merge",
        actions=True,
        claims=(
            FACT,
            Claim(
                "none",
                (),
                ClaimKind.ABSENCE,
                ClaimScope(
                    View.DELIVERIES,
                    goal=GoalId("payments"),
                    source=SourceId("plans"),
                    statuses=(RowStatus.DELIVERED,),
                    since=datetime(2026, 11, 22, 16, tzinfo=UTC),
                    until=datetime(2026, 11, 30, tzinfo=UTC),
                ),
            ),
        ),
    )


@pytest.mark.requirement("T1", "T2")
def test_an_action_of_1417_characters_is_refused_with_the_restriction_at_its_end() -> None:
    restriction = " Do not merge before Lin has approved."
    action = "r" * (1417 - len(restriction)) + restriction

    assert judge(candidate(next_action=action)) == refused("next_action exceeds 1200 characters")


@pytest.mark.requirement("T2")
@pytest.mark.parametrize("character", ["x", "限", "😀", "\u0301", "\u200d"])
@pytest.mark.parametrize("name", BOUNDS)
def test_a_field_may_be_exactly_as_long_as_its_bound(name: str, character: str) -> None:
    longest = character * BOUNDS[name]

    assert getattr(accepted(candidate(**{name: longest})), name) == longest
    assert judge(candidate(**{name: longest + character})) == refused(
        f"{name} exceeds {BOUNDS[name]} characters"
    )


@pytest.mark.requirement("T2")
@pytest.mark.parametrize("name", BOUNDS)
def test_blanks_at_the_ends_do_not_count_towards_a_bound(name: str) -> None:
    longest = "x" * BOUNDS[name]

    assert getattr(accepted(candidate(**{name: f" \n{longest}\t "})), name) == longest


@pytest.mark.requirement("T1", "T2")
@pytest.mark.parametrize("value", NO_STRINGS, ids=repr)
@pytest.mark.parametrize("name", BOUNDS)
def test_a_value_that_is_no_string_is_refused_and_never_coerced(name: str, value: Json) -> None:
    assert judge(candidate(**{name: value})) == refused(f"{name} must be a string")


@pytest.mark.requirement("T1")
@pytest.mark.parametrize("name", OPTIONAL)
def test_null_and_no_key_are_both_absent(name: str) -> None:
    assert judge(candidate(**{name: None})) == judge(candidate())
    assert getattr(accepted(candidate()), name) is None


@pytest.mark.requirement("T1", "T2")
@pytest.mark.parametrize("value", NO_STRINGS, ids=repr)
def test_a_gate_is_judged_like_every_bounded_field(value: Json) -> None:
    longest = "限" * GATE_CHARS

    assert judge(candidate(gate=value)) == refused("gate must be a string")
    assert accepted(candidate(gate=longest)).gate == longest
    assert judge(candidate(gate=longest + "限")) == refused("gate exceeds 400 characters")
    assert accepted(candidate(gate=None)) == accepted(candidate())
    assert accepted(candidate()).gate is None


@pytest.mark.requirement("T1")
@pytest.mark.parametrize("value", [*NO_STRINGS, "", "merge", [{"merge": 12}]], ids=repr)
def test_whatever_stands_where_actions_are_counts_as_one(value: Json) -> None:
    assert accepted(candidate(actions=value)).actions is True


@pytest.mark.requirement("T1")
def test_null_and_no_key_are_no_actions() -> None:
    assert accepted(candidate(actions=None)) == accepted(candidate())
    assert accepted(candidate()).actions is False


@pytest.mark.requirement("T1", "T2")
@pytest.mark.parametrize("only", ["gate", "actions"])
def test_a_gate_or_an_action_is_no_answer(only: str) -> None:
    assert judge(candidate(claims=None, **{only: "approve"})) == refused("claims is missing")
    assert judge(candidate(claims=[], **{only: "approve"})) == refused("claims is missing")


@pytest.mark.requirement("T1")
def test_an_empty_string_is_a_value() -> None:
    assert accepted(candidate(summary="", recommended_action="  ")) == Judged(
        classification="overview",
        claims=(FACT,),
        summary="",
        recommended_action="",
        next_action="",
    )


@pytest.mark.requirement("T1")
@pytest.mark.parametrize(
    ("fields", "recommended", "following"),
    [
        ({"recommended_action": "a"}, "a", "a"),
        ({"next_action": "b"}, "b", "b"),
        ({"recommended_action": "a", "next_action": "b"}, "a", "b"),
        ({"recommended_action": "a", "next_action": None}, "a", None),
        ({"recommended_action": None, "next_action": "b"}, None, "b"),
        ({"recommended_action": "", "next_action": "b"}, "", "b"),
    ],
)
def test_an_alias_fills_only_a_key_that_is_not_there(
    fields: Mapping[str, Json], recommended: str | None, following: str | None
) -> None:
    verdict = accepted(candidate(**fields))

    assert (verdict.recommended_action, verdict.next_action) == (recommended, following)


@pytest.mark.requirement("T1")
@pytest.mark.parametrize("value", NO_STRINGS, ids=repr)
@pytest.mark.parametrize(
    ("bad", "well"),
    [("recommended_action", "next_action"), ("next_action", "recommended_action")],
)
def test_a_malformed_field_is_refused_even_where_its_alias_is_well(
    bad: str, well: str, value: Json
) -> None:
    assert judge(candidate(**{bad: value, well: "go on"})) == refused(f"{bad} must be a string")
    assert judge(candidate(**{bad: value})) == refused(f"{bad} must be a string")


@pytest.mark.requirement("T2")
@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        (candidate(classification=None), "classification is missing"),
        (candidate(classification=" \t\n"), "classification is missing"),
        (candidate(claims=None), "claims is missing"),
        (candidate(claims=[]), "claims is missing"),
        (b"{}", "classification is missing"),
        (b'{"classification": "overview"}', "claims is missing"),
        (claim(text="  "), "claims[0].text is missing"),
        (claim(text=None), "claims[0].text is missing"),
        (claim(cites=None), "claims[0].cites is missing"),
        (claim(kind=None), "claims[0].kind is missing"),
        (scope(view=None), "claims[0].scope.view is missing"),
    ],
)
def test_what_is_required_and_blank_is_missing(raw: bytes, detail: str) -> None:
    assert judge(raw) == refused(detail)


@pytest.mark.requirement("T1")
@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        (candidate(claims={}), "claims must be an array"),
        (candidate(claims=False), "claims must be an array"),
        (candidate(claims="x"), "claims must be an array"),
        (candidate(claims=["x"]), "claims[0] must be an object"),
        (candidate(claims=[CLAIM, None]), "claims[1] must be an object"),
        (
            claim(unless="approved"),
            "claims[0] holds a key other than cites, kind, note, scope, text",
        ),
        (claim(text=7), "claims[0].text must be a string"),
        (claim(cites="E1"), "claims[0].cites must be an array"),
        (claim(cites=["E1", 2]), "claims[0].cites[1] must be a string"),
        (claim(cites=[""]), "claims[0].cites[0] is missing"),
        (claim(kind=True), "claims[0].kind must be a string"),
        (claim(kind="FACT"), "claims[0].kind must be one of fact, count, absence, advice, note"),
        (claim(scope=[]), "claims[0].scope must be an object"),
        (claim(scope=""), "claims[0].scope must be an object"),
        (
            scope(days=7),
            "claims[0].scope holds a key other than dated, goal, having, since, source, statuses, until, view, who",
        ),
        (
            scope(view="issues"),
            "claims[0].scope.view must be one of sources, portfolio, todos, deliveries, handoffs",
        ),
        (scope(goal=0), "claims[0].scope.goal must be a string"),
        (scope(source=""), "claims[0].scope.source is missing"),
        (scope(statuses="open"), "claims[0].scope.statuses must be an array"),
        (scope(since=1), "claims[0].scope.since must be a string"),
        (
            scope(since="2026-11-23T00:00:00"),
            "claims[0].scope.since must be an ISO 8601 instant with an offset",
        ),
        (
            scope(until="last week"),
            "claims[0].scope.until must be an ISO 8601 instant with an offset",
        ),
        (
            scope(until="0001-01-01T00:00:00+14:00"),
            "claims[0].scope.until must be an ISO 8601 instant with an offset",
        ),
        (
            scope(since="2026-11-23T00:00:00Z", until="2026-11-23T08:00:00+08:00"),
            "claims[0].scope.until must be later than since",
        ),
    ],
)
def test_a_claim_of_another_shape_is_refused_by_the_name_of_its_field(
    raw: bytes, detail: str
) -> None:
    assert judge(raw) == refused(detail)


@pytest.mark.requirement("T1")
def test_a_note_is_a_code_with_what_its_words_name() -> None:
    raw = claim(
        kind="note",
        cites=[],
        note={"code": "taken_over", "name": "Wei", "parts": ["intent", "goals"], "source": "plans"},
    )

    judged = judge(raw)

    assert isinstance(judged, Judged)
    assert judged.claims[0].note == Note(
        NoteCode.TAKEN_OVER, "Wei", (TopicPart.INTENT, TopicPart.GOALS), SourceId("plans")
    )


@pytest.mark.requirement("T1")
@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        (claim(kind="note"), "claims[0].note must be there in a note, and in no other claim"),
        (
            claim(note={"code": "overview"}),
            "claims[0].note must be there in a note, and in no other claim",
        ),
        (claim(kind="note", note="overview"), "claims[0].note must be an object"),
        (claim(kind="note", note={}), "claims[0].note.code is missing"),
        (
            claim(kind="note", note={"code": "window", "text": "x"}),
            "claims[0].note holds a key other than code, name, parts, source",
        ),
        (
            claim(kind="note", note={"code": "window", "name": "x" * 81}),
            "claims[0].note.name exceeds 80 characters",
        ),
        (
            claim(kind="note", note={"code": "window", "parts": ["all"]}),
            "claims[0].note.parts[0] must be one of intent, goals, person, window",
        ),
        (scope(who="Wei"), "claims[0].scope.who must be an array"),
        (scope(who=[""]), "claims[0].scope.who[0] is missing"),
        (
            scope(having="title"),
            "claims[0].scope.having must be one of owner, target, due, updated, blocked_by, waiting_on",
        ),
        (scope(dated="created"), "claims[0].scope.dated must be one of due, updated"),
    ],
)
def test_a_note_or_a_narrow_scope_of_another_shape_is_refused(raw: bytes, detail: str) -> None:
    assert judge(raw) == refused(detail)


@pytest.mark.requirement("T2")
def test_a_candidate_is_measured_in_bytes_before_it_is_parsed() -> None:
    empty = candidate(extra="")
    longest = candidate(extra="x" * (MAX_BYTES - len(empty)))

    assert len(longest) == MAX_BYTES
    assert isinstance(judge(longest), Judged)
    assert judge(longest + b" ") == refused("the result exceeds 12000 bytes")
    assert judge(b"\xff" * (MAX_BYTES + 1)) == refused("the result exceeds 12000 bytes")
    assert judge(candidate(extra="限" * 4000)) == refused("the result exceeds 12000 bytes")


@pytest.mark.requirement("T1")
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"I could not find anything.",
        b"```json\n" + candidate() + b"\n```",
        candidate() + candidate(),
        candidate()[:-1],
        b"\xef\xbb\xbf" + candidate(),
        candidate().replace(b"overview", b"\xff\xfe"),
        candidate(classification="overview").decode().encode("utf-16"),
        b'{"classification": "a", "classification": "b", "claims": []}',
        candidate(extra={}).replace(b"{}", b'{"a": 1, "a": 2}'),
        candidate(extra=0).replace(b": 0", b": NaN"),
        candidate(extra=0).replace(b": 0", b": -Infinity"),
        candidate(extra=0).replace(b": 0", b": 1e999"),
        candidate(extra=0).replace(b": 0", b": " + b"9" * 5000),
        candidate().replace(b"overview", rb"\ud800"),
        candidate(extra=["x"]).replace(b'"x"', rb'"\udc00"'),
        b"[" * 11_000,
    ],
)
def test_what_is_no_plain_json_is_refused(raw: bytes) -> None:
    assert judge(raw) == refused("the result must be JSON in UTF-8, without repeated keys")


@pytest.mark.requirement("T1")
@pytest.mark.parametrize("raw", [b"[]", b"null", b"false", b'"overview"', b"0"])
def test_what_is_no_object_is_refused(raw: bytes) -> None:
    assert judge(raw) == refused("the result must be an object")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@pytest.mark.requirement("T1")
@given(fields=st.fixed_dictionaries(dict.fromkeys(BOUNDS, json_values)))
def test_every_field_arrives_as_it_was_written_or_the_candidate_is_refused(
    fields: dict[str, Json],
) -> None:
    try:
        raw = candidate(**fields)
    except UnicodeEncodeError:
        return
    verdict = judge(raw)

    strings = all(value is None or isinstance(value, str) for value in fields.values())
    named = isinstance(fields["classification"], str) and bool(fields["classification"].strip())
    assert isinstance(verdict, Judged) is (strings and named)
    if isinstance(verdict, Judged):
        assert {name: getattr(verdict, name) for name in BOUNDS} == {
            name: value.strip() if isinstance(value, str) else None
            for name, value in fields.items()
        }


@pytest.mark.requirement("T1")
@given(raw=st.binary(max_size=200))
def test_no_bytes_make_the_judge_fail(raw: bytes) -> None:
    assert isinstance(judge(raw), Judged | TurnFailure)
