"""Owner and tenant: who the owner is changes by configuration and platform alone, and takes the machine with it. P9, A2."""

import asyncio

import pytest
from sqlalchemy import text

from steward.model.audience import IgnoreReason
from steward.model.audit import OPERATOR, STEWARD
from steward.model.effect import Changed
from steward.model.events import EventKind, Lane
from steward.model.ids import AppId, ChatId, InboxId, OpenId, TenantKey
from steward.model.owner import OwnerEnd, OwnerRecord
from steward.model.profile import NothingStored, RuntimeProfile, StoredProfile
from steward.model.turn import Written
from steward.policy import profile
from steward.store import Store
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import APP, envelope, recorded, rows
from tests.contracts.test_machine import RESTRICTED, TRUSTED, apply, changed, planned, put, stored

ANNA, BEN = OpenId("ou_anna"), OpenId("ou_ben")
HERE = ChatId("oc_private")
TENANT = TenantKey("tenant")
OTHER_APP = AppId("cli_other")


async def owned(store: Store, who: OpenId = ANNA) -> OwnerRecord:
    found = await store.owners.follow(APP, who)
    assert found is not None
    return found


async def trusted(store: Store) -> None:
    await changed(store, TRUSTED)


async def leaving(store: Store, name: object = "left") -> InboxId:
    event = envelope(name, chat=None, kind=EventKind.PERSON_DELETED, lane=Lane.NOW)
    (item,) = await recorded(store, event)
    return item


async def audited(store: Store) -> list[tuple[str, str | None, str | None]]:
    """Actor, reason and subject of every change of owner."""
    found = await rows(
        store, "SELECT actor, reason, subject FROM audit WHERE act = 'owner_changed' ORDER BY id"
    )
    return [(actor, reason, subject) for actor, reason, subject in found]


async def judged(store: Store, item: InboxId) -> list[tuple[object, ...]]:
    query = "SELECT verdict, reason, closed_at IS NOT NULL FROM inbox WHERE id = :item"
    found = await rows(store, query, item=item)
    return [(verdict, reason, bool(closed)) for verdict, reason, closed in found]


def is_restricted(found: object) -> bool:
    return isinstance(found, StoredProfile) and found.profile is RESTRICTED


@pytest.mark.requirement("A2")
async def test_nobody_is_the_owner_until_the_configuration_names_one(store: Store) -> None:
    assert await store.owners.current(APP) is None
    assert await store.owners.follow(APP, None) is None
    assert await audited(store) == []
    first = await owned(store)
    assert first == OwnerRecord(first.id, APP, ANNA, EPOCH, private_chat=None)
    assert await store.owners.current(APP) == first
    assert await store.owners.current(OTHER_APP) is None


@pytest.mark.requirement("P9")
async def test_the_same_owner_is_no_change(store: Store, clock: FakeClock) -> None:
    first = await owned(store)
    await trusted(store)
    assert await owned(store) == first
    assert not is_restricted(await stored(store))
    assert len(await audited(store)) == 1


@pytest.mark.requirement("P9")
async def test_the_first_owner_takes_over_no_trust_from_before(store: Store) -> None:
    await trusted(store)
    await owned(store)
    assert is_restricted(await stored(store))
    assert await audited(store) == [(STEWARD, None, ANNA)]


@pytest.mark.requirement("P9")
async def test_another_owner_is_a_new_record_with_restricted_and_an_audit_row(store: Store) -> None:
    first = await owned(store)
    await trusted(store)
    second = await owned(store, BEN)
    assert second.id != first.id
    assert await store.owners.current(APP) == second
    assert is_restricted(await stored(store))
    assert (await audited(store))[1:] == [(STEWARD, OwnerEnd.REPLACED, BEN)]
    assert (await owned(store, ANNA)).id not in {first.id, second.id}


@pytest.mark.requirement("P9")
async def test_a_configuration_that_names_nobody_ends_the_owner(store: Store) -> None:
    await owned(store)
    await trusted(store)
    assert await store.owners.follow(APP, None) is None
    assert await store.owners.current(APP) is None
    assert is_restricted(await stored(store))
    assert (await audited(store))[1:] == [(STEWARD, OwnerEnd.UNCONFIGURED, "nobody")]
    assert await store.owners.follow(APP, None) is None
    assert len(await audited(store)) == 2


@pytest.mark.requirement("P9")
async def test_a_change_of_owner_leaves_what_is_restricted_already(store: Store) -> None:
    await owned(store)
    assert await stored(store) == NothingStored()
    await put(store, b"\xffbroken")
    await owned(store, BEN)
    assert await store.machine.document() == b"\xffbroken"
    assert await rows(store, "SELECT 1 FROM machine_transaction") == []


@pytest.mark.requirement("P8", "P9")
async def test_a_plan_from_before_a_change_of_owner_is_stale(store: Store) -> None:
    await owned(store)
    await trusted(store)
    plan = await planned(store, TRUSTED)
    await owned(store, BEN)
    assert await apply(store, plan) == Changed(profile.revision(RESTRICTED))
    assert is_restricted(await stored(store))


@pytest.mark.requirement("P9")
async def test_an_owner_who_left_the_tenant_is_none_and_does_not_come_back_by_configuration(
    store: Store,
) -> None:
    await owned(store)
    await trusted(store)
    item = await leaving(store)
    assert await store.owners.lose(item, APP, ANNA) is Written.DONE
    assert await judged(store, item) == [("ignored", IgnoreReason.APPLIED, True)]
    assert is_restricted(await stored(store))
    assert (await audited(store))[1:] == [(STEWARD, OwnerEnd.DELETED, "nobody")]
    assert await store.owners.follow(APP, ANNA) is None
    assert await store.owners.current(APP) is None
    await owned(store, BEN)
    assert await store.owners.follow(APP, ANNA) is None
    assert await store.owners.current(APP) is None


@pytest.mark.requirement("P9")
async def test_the_operator_brings_back_an_owner_whom_the_platform_lost(store: Store) -> None:
    first = await owned(store)
    await store.owners.lose(await leaving(store), APP, ANNA)
    await trusted(store)
    back = await store.owners.reinstate(APP, ANNA)
    assert (back.open_id, back.id != first.id) == (ANNA, True)
    assert is_restricted(await stored(store))
    assert (await audited(store))[-1] == (OPERATOR, "reinstated", ANNA)
    assert await store.owners.follow(APP, ANNA) == back
    assert await store.owners.reinstate(APP, ANNA) == back
    await owned(store, BEN)
    assert (await owned(store, ANNA)).open_id == ANNA


async def test_somebody_else_who_leaves_changes_nothing(store: Store) -> None:
    first = await owned(store)
    await trusted(store)
    item = await leaving(store)
    assert await store.owners.lose(item, APP, BEN) is Written.DONE
    assert await judged(store, item) == [("ignored", IgnoreReason.NO_ACTION, True)]
    assert await store.owners.current(APP) == first
    assert not is_restricted(await stored(store))


async def test_an_event_that_has_its_verdict_loses_nobody(store: Store) -> None:
    await owned(store)
    item = await leaving(store)
    assert await store.owners.lose(item, APP, BEN) is Written.DONE
    assert await store.owners.lose(item, APP, ANNA) is Written.LOST
    assert (await store.owners.current(APP)) is not None


@pytest.mark.requirement("P7")
async def test_a_private_chat_is_the_owners_who_proved_it(store: Store) -> None:
    first = await owned(store)
    await store.owners.prove_chat(first, HERE)
    present = await store.owners.current(APP)
    assert present is not None
    assert present.private_chat == HERE
    assert await owned(store) == present
    second = await owned(store, BEN)
    await store.owners.prove_chat(first, HERE)
    assert await store.owners.current(APP) == second
    assert second.private_chat is None


@pytest.mark.requirement("A2")
@pytest.mark.parametrize("spoilt", ["open_id = ''", "open_id = '  '", "since = 'then'"])
async def test_a_corrupt_record_is_no_owner_and_is_replaced(store: Store, spoilt: str) -> None:
    await owned(store)
    if "since" in spoilt and store.database.url.get_backend_name() != "sqlite":
        return  # its column holds nothing but numbers
    await store.database.write(
        lambda connection: connection.execute(text(f"UPDATE owner SET {spoilt}")).rowcount  # noqa: S608 - our own words
    )
    assert await store.owners.current(APP) is None
    await owned(store)
    assert await rows(store, "SELECT count(*) FROM owner WHERE ended_at IS NULL") == [(1,)]


@pytest.mark.requirement("P9")
async def test_of_owners_named_at_once_one_stands_and_each_change_is_told(store: Store) -> None:
    await trusted(store)
    async with asyncio.timeout(10):
        await asyncio.gather(*(store.owners.follow(APP, who) for who in (ANNA, BEN) * 4))
    ended = await rows(store, "SELECT open_id FROM owner WHERE ended_at IS NOT NULL")
    told = await audited(store)
    assert len(told) == len(ended) + 1
    present = await store.owners.current(APP)
    assert present is not None
    assert told[-1][2] == present.open_id
    assert is_restricted(await stored(store))


async def test_the_first_tenant_stays_unless_another_is_configured(store: Store) -> None:
    assert await store.owners.tenant(APP) is None
    pin = store.owners.pin_tenant
    assert await pin(APP, TENANT, configured=False) == TENANT
    assert await pin(APP, TenantKey("other"), configured=False) == TENANT
    assert await store.owners.tenant(APP) == TENANT
    assert await pin(APP, TenantKey("other"), configured=True) == "other"
    assert await store.owners.tenant(APP) == "other"
    assert await store.owners.tenant(OTHER_APP) is None
    told = await rows(store, "SELECT subject FROM audit WHERE act = 'tenant_pinned' ORDER BY id")
    assert told == [("tenant",), ("other",)]


@pytest.mark.requirement("P1")
async def test_restricted_after_a_change_of_owner_is_the_exact_stored_form(store: Store) -> None:
    await owned(store)
    await trusted(store)
    await owned(store, BEN)
    revision = profile.revision(RuntimeProfile.RESTRICTED)
    assert await stored(store) == StoredProfile(RESTRICTED, revision)
    assert await rows(store, "SELECT count(*) FROM machine_transaction") == [(2,)]


@pytest.mark.requirement("A1")
async def test_owner_and_tenant_are_read_together_as_each_is_alone(store: Store) -> None:
    assert await store.owners.in_force(APP) == (None, None)
    record = await owned(store)
    assert await store.owners.in_force(APP) == (record, None)
    tenant = await store.owners.pin_tenant(APP, TenantKey("tenant_ours"), configured=False)
    assert await store.owners.in_force(APP) == (record, tenant)
    await store.owners.follow(APP, None)
    assert await store.owners.in_force(APP) == (None, tenant)
