"""Grants: what the file says is granted, what left it is not, and a corrupt row grants nothing. Contract A2."""

import pytest
from sqlalchemy import text

from steward.control.scopes import Scopes
from steward.model.audience import Audience, AudienceKind, Grant, GrantOrigin, Scope
from steward.model.command import ApplyGrants, RevokeGrants
from steward.model.effect import ByOperator, Done
from steward.model.ids import ChatId, GoalId, SourceId
from steward.policy.scope import Access
from steward.store import Store
from tests.contracts.given import rows


def grant(name: str, audience: str = "group:oc_a", *goals: str) -> Grant:
    return Grant(
        name=name,
        audience=audience,
        sources=(SourceId("plans"), SourceId("实验室")),
        goals=tuple(GoalId(goal) for goal in goals) if goals else None,
        origin=GrantOrigin.CONFIG,
    )


async def execute(store: Store, statement: str) -> None:
    await store.database.write(lambda connection: connection.execute(text(statement)).rowcount)


@pytest.mark.requirement("A2")
async def test_nothing_is_granted_by_default(store: Store) -> None:
    assert await store.grants.of("owner") == []


@pytest.mark.requirement("A2")
async def test_an_audience_has_exactly_its_own_grants_by_name(store: Store) -> None:
    some, whole = grant("b", "group:oc_a", "payments"), grant("a")
    await store.grants.sync([some, whole, grant("c", "group:oc_b"), grant("d", "members")])
    assert await store.grants.of("group:oc_a") == [whole, some]
    assert await store.grants.of("external:oc_a") == []
    assert await store.grants.of("group:oc_") == []


@pytest.mark.requirement("A2")
async def test_what_left_the_file_is_revoked_and_what_comes_back_is_granted(store: Store) -> None:
    await store.grants.sync([grant("a"), grant("b")])
    await store.grants.sync([grant("b")])
    assert await store.grants.of("group:oc_a") == [grant("b")]
    await store.grants.sync([])
    assert await store.grants.of("group:oc_a") == []
    await store.grants.sync([grant("a")])
    assert await store.grants.of("group:oc_a") == [grant("a")]


@pytest.mark.requirement("A2")
async def test_a_changed_grant_is_what_the_file_says_now(store: Store) -> None:
    await store.grants.sync([grant("a")])
    await store.grants.sync([grant("a", "owner", "payments")])
    assert await store.grants.of("group:oc_a") == []
    assert await store.grants.of("owner") == [grant("a", "owner", "payments")]
    assert await rows(store, 'SELECT count(*) FROM "grant"') == [(1,)]


@pytest.mark.requirement("A2")
async def test_an_owners_revocation_is_not_undone_by_the_file(store: Store) -> None:
    await store.grants.sync([grant("a")])
    await execute(store, "UPDATE \"grant\" SET revoked_at = 1, revoked_by = 'owner'")
    await store.grants.sync([grant("a")])
    assert await store.grants.of("group:oc_a") == []


@pytest.mark.requirement("A2")
@pytest.mark.parametrize("goals", [(), ("payments",)])
async def test_a_revoked_row_that_is_only_called_otherwise_stays_revoked(
    store: Store, goals: tuple[str, ...]
) -> None:
    await store.grants.sync([grant("a", "group:oc_a", *goals)])
    await execute(store, "UPDATE \"grant\" SET revoked_at = 1, revoked_by = 'owner'")
    for names in (("b",), ("b", "c"), ("a", "c"), ()):
        await store.grants.sync([grant(name, "group:oc_a", *goals) for name in names])
        assert await store.grants.of("group:oc_a") == []
    other, elsewhere = grant("d", "group:oc_a", "search"), grant("e", "group:oc_b", *goals)
    await store.grants.sync([grant("f", "group:oc_a", *goals), other, elsewhere])
    assert await store.grants.of("group:oc_a") == [other]
    assert await store.grants.of("group:oc_b") == [elsewhere]


@pytest.mark.requirement("A2")
async def test_the_owners_rows_stay_when_the_file_changes(store: Store) -> None:
    await store.grants.sync([grant("a")])
    await execute(store, "UPDATE \"grant\" SET origin = 'owner'")
    await store.grants.sync([])
    (kept,) = await store.grants.of("group:oc_a")
    assert kept.origin is GrantOrigin.OWNER


@pytest.mark.requirement("A2")
@pytest.mark.parametrize(
    ("column", "value"),
    [("sources", "plans"), ("sources", "{}"), ("goals", "[1]"), ("goals", '"payments"')],
)
async def test_a_corrupt_grant_grants_nothing(store: Store, column: str, value: str) -> None:
    await store.grants.sync([grant("a"), grant("b")])
    await spoil(store, "a", column, value)
    spoilt, sound = await store.grants.of("group:oc_a")
    assert (spoilt.name, spoilt.sources) == ("a", ())
    assert sound == grant("b")


@pytest.mark.requirement("A2")
@pytest.mark.parametrize(
    ("column", "value"), [("sources", "plans"), ("goals", "nonsense"), ("goals", "{}")]
)
async def test_a_corrupt_grant_of_the_owners_narrows_to_nothing_until_it_is_mended(
    store: Store, column: str, value: str
) -> None:
    scopes = Scopes(store.grants, (SourceId("plans"), SourceId("board")), Access(True, True))
    owners = Audience(AudienceKind.OWNER_PRIVATE, ChatId("oc_home"))
    await store.grants.sync([grant("mine", "owner")])
    await spoil(store, "mine", column, value)
    scope = await scopes.of(owners)
    assert isinstance(scope, Scope)
    assert scope.empty
    plan = await store.grants.plan(RevokeGrants("owner"))
    assert plan.writes_required
    effect = ApplyGrants(RevokeGrants("owner"), plan.plan_revision)
    done = await store.effects.commit(ByOperator(), effect, audit=[], reply=[])
    assert isinstance(done, Done)
    assert await store.grants.of("owner") == []


async def spoil(store: Store, name: str, column: str, value: str) -> None:
    await execute(store, f"UPDATE \"grant\" SET {column} = '{value}' WHERE name = '{name}'")  # noqa: S608 - our own words
