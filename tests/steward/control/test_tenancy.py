"""The tenant that is kept in memory: pinned once, and red where the platform disagrees. A1."""

from collections.abc import AsyncIterator

import pytest

from steward.control.authorities import Authorities
from steward.control.tenancy import Tenancy
from steward.model.audience import BotIdentity, DirectoryFailure
from steward.model.ids import AppId, OpenId, TenantKey
from steward.model.owner import Authority
from steward.store import Store, open_store
from steward.testing.directory import FakeDirectory
from steward.testing.world import FakeClock

APP = AppId("cli_sim_a")
OURS, OTHER = TenantKey("tenant_ours"), TenantKey("tenant_other")


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with await open_store("sqlite://", FakeClock()) as opened:
        yield opened


def named(tenant: TenantKey | None) -> FakeDirectory:
    return FakeDirectory(FakeClock(), BotIdentity(OpenId("ou_bot"), "Steward", tenant))


async def tenancy(store: Store, directory: FakeDirectory) -> Tenancy:
    authorities = Authorities(APP, store.owners, directory)
    return Tenancy(authorities, FakeClock(), await store.owners.tenant(APP))


@pytest.mark.requirement("A1")
async def test_the_platforms_first_word_is_pinned_and_known_from_then_on(store: Store) -> None:
    first = await tenancy(store, named(OURS))
    assert (first.ours(), first.red()) == (None, None)
    await first.look()
    assert (first.ours(), first.red()) == (OURS, None)
    assert (await tenancy(store, named(None))).ours() == OURS


@pytest.mark.requirement("A1")
async def test_a_platform_that_names_another_tenant_is_shown_and_not_followed(store: Store) -> None:
    await store.owners.pin_tenant(APP, OURS, configured=False)
    directory = named(OTHER)
    moved = await tenancy(store, directory)
    await moved.look()
    assert (moved.ours(), moved.red()) == (OURS, "tenant_mismatch")
    assert await Authorities(APP, store.owners, directory).now() == Authority(None, OURS)


@pytest.mark.requirement("A1")
async def test_a_platform_that_names_none_leaves_the_tenant_unknown_and_no_audience(
    store: Store,
) -> None:
    directory = named(None)
    unknown = await tenancy(store, directory)
    await unknown.look()
    assert (unknown.ours(), unknown.red()) == (None, None)
    failure = await Authorities(APP, store.owners, directory).now()
    assert failure == DirectoryFailure(retry=True, reason="tenant_unknown")


@pytest.mark.requirement("A1")
async def test_a_pinned_tenant_holds_while_the_platform_is_down(store: Store) -> None:
    await store.owners.pin_tenant(APP, OURS, configured=False)
    directory = named(OTHER)
    directory.failure = DirectoryFailure(retry=True, reason="unreachable")
    down = await tenancy(store, directory)
    await down.look()
    assert (down.ours(), down.red()) == (OURS, None)
