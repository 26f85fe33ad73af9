"""Grants become a scope: denied by default, a union of products."""

import pytest

from steward.model.audience import Audience, AudienceKind, Grant, GrantOrigin
from steward.model.ids import ChatId, GoalId, SourceId
from steward.policy.scope import Access, scope_of

PLANS, CODE = SourceId("plans"), SourceId("code")
A, B = GoalId("a"), GoalId("b")
OPEN = Access(groups=True, members_private=True)
SHUT = Access(groups=False, members_private=False)


def grant(
    sources: tuple[SourceId, ...], goals: tuple[GoalId, ...] | None, name: str = "team"
) -> Grant:
    return Grant(name, "group:oc_1", sources, goals, GrantOrigin.CONFIG)


def audience(kind: AudienceKind) -> Audience:
    return Audience(kind, ChatId("oc_1"))


@pytest.mark.requirement("A2")
@pytest.mark.parametrize("kind", [k for k in AudienceKind if k is not AudienceKind.OWNER_PRIVATE])
def test_nothing_granted_is_nothing_to_read(kind: AudienceKind) -> None:
    assert scope_of(audience(kind), [], [PLANS], OPEN).empty


@pytest.mark.requirement("A2")
def test_the_owner_reads_every_source_unless_a_grant_narrows_it() -> None:
    owner = audience(AudienceKind.OWNER_PRIVATE)
    assert scope_of(owner, [], [PLANS, CODE], SHUT).sources == (PLANS, CODE)
    narrowed = scope_of(owner, [grant((CODE,), None)], [PLANS, CODE], SHUT)
    assert narrowed.sources == (CODE,)
    assert not narrowed.allows(PLANS, A)


@pytest.mark.requirement("A2")
def test_two_grants_are_a_union_of_products_and_never_a_product_of_unions() -> None:
    scope = scope_of(
        audience(AudienceKind.GROUP),
        [grant((PLANS,), (A,)), grant((CODE,), (B,), "second")],
        [PLANS, CODE],
        OPEN,
    )
    assert [(s, g) for s in (PLANS, CODE) for g in (A, B) if scope.allows(s, g)] == [
        (PLANS, A),
        (CODE, B),
    ]


@pytest.mark.requirement("A2")
@pytest.mark.parametrize(
    "kind", [AudienceKind.GROUP, AudienceKind.EXTERNAL, AudienceKind.MEMBER_PRIVATE]
)
def test_access_shut_in_the_configuration_voids_every_grant(kind: AudienceKind) -> None:
    assert scope_of(audience(kind), [grant((PLANS,), None)], [PLANS], SHUT).empty


@pytest.mark.requirement("A2")
def test_an_unknown_audience_has_no_scope_even_where_a_grant_names_it() -> None:
    assert scope_of(audience(AudienceKind.UNKNOWN), [grant((PLANS,), None)], [PLANS], OPEN).empty


@pytest.mark.requirement("A2")
def test_a_source_that_is_no_longer_configured_is_in_no_scope() -> None:
    scope = scope_of(audience(AudienceKind.GROUP), [grant((PLANS, CODE), None)], [CODE], OPEN)
    assert scope.sources == (CODE,)
    assert not scope.allows(PLANS, A)


@pytest.mark.requirement("A3")
def test_the_revision_changes_with_every_difference_in_what_may_be_read() -> None:
    group = audience(AudienceKind.GROUP)
    variants = [
        scope_of(group, grants, [PLANS, CODE], OPEN).revision
        for grants in (
            [],
            [grant((PLANS,), None)],
            [grant((PLANS,), (A,))],
            [grant((PLANS,), (A, B))],
            [grant((PLANS, CODE), (A, B))],
        )
    ]
    assert len(set(variants)) == len(variants)
    again = scope_of(group, [grant((PLANS,), (B, A), "other")], [PLANS, CODE], OPEN)
    assert again.revision == variants[3]


@pytest.mark.requirement("A2")
def test_a_grant_of_some_goals_stands_beside_one_of_all_of_them() -> None:
    group = audience(AudienceKind.GROUP)
    both = [grant((PLANS,), None, "config"), grant((PLANS,), (A,), "owner's")]
    scopes = [scope_of(group, grants, [PLANS], OPEN) for grants in (both, both[::-1], both[:1])]

    assert all(scope.allows(PLANS, B) for scope in scopes)
    assert scopes[0].revision == scopes[1].revision != scopes[2].revision
