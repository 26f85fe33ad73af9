"""Grants are read afresh; where they cannot be read nobody is asked, and the reader is told."""

from collections.abc import AsyncIterator

import pytest

from steward.control.scopes import Scopes
from steward.model.audience import Audience, AudienceKind, Scope
from steward.model.ids import ChatId
from steward.model.reading import ContextCode, ReadFailure
from steward.policy.scope import Access
from steward.store import Store, open_store
from steward.testing.world import FakeClock
from tests.steward.control.workshop import PLANS, TEAM, TEAM_GRANT

GROUP = Audience(AudienceKind.GROUP, TEAM)


@pytest.fixture
async def store(clock: FakeClock) -> AsyncIterator[Store]:
    async with await open_store("sqlite://", clock) as opened:
        yield opened


@pytest.mark.requirement("A2")
async def test_a_revocation_counts_from_its_commit_on(store: Store) -> None:
    scopes = Scopes(store.grants, (PLANS,), Access(groups=True, members_private=False))
    await store.grants.sync([TEAM_GRANT])
    before = await scopes.of(GROUP)
    await store.grants.sync([])
    after = await scopes.of(GROUP)
    assert isinstance(before, Scope)
    assert isinstance(after, Scope)
    assert (before.sources, after.sources) == ((PLANS,), ())
    assert before.revision != after.revision


@pytest.mark.requirement("R12")
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (AudienceKind.OWNER_PRIVATE, ContextCode.REGISTRY_UNAVAILABLE),
        (AudienceKind.GROUP, ContextCode.EXTERNAL_AUTHORIZATION_UNAVAILABLE),
    ],
)
async def test_grants_that_cannot_be_read_are_a_typed_failure_and_no_scope(
    store: Store, kind: AudienceKind, code: ContextCode
) -> None:
    scopes = Scopes(store.grants, (PLANS,), Access(groups=True, members_private=False))
    await store.aclose()
    assert await scopes.of(Audience(kind, ChatId("oc_1"))) == ReadFailure(code)
