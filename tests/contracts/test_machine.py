"""The machine document: a profile changes by a plan of what is stored, once, and only its own namespace. P1, P8."""

import asyncio
import json
from typing import Any

import pytest
from sqlalchemy import Connection

from steward.errors import StoreError
from steward.model.command import ApplyProfile
from steward.model.effect import ByOperator, Changed, Done, EffectOutcome, Repeated
from steward.model.machine import Applied, PlanAction, PlanStatus, ProfilePlan
from steward.model.profile import (
    ABSENT,
    CorruptProfile,
    NothingStored,
    RuntimeProfile,
    StoredProfile,
)
from steward.policy import profile
from steward.store import Store, machine
from steward.store.records import machine_configuration
from steward.testing.world import EPOCH
from tests.contracts.given import rows
from tests.contracts.test_concurrency import PATIENCE, Paused

RESTRICTED, TRUSTED = RuntimeProfile.RESTRICTED, RuntimeProfile.TRUSTED_OWNER
SIBLING = {"schema_version": "web_v0", "theme": ["暗", 1.5, None]}


async def planned(store: Store, desired: RuntimeProfile) -> ProfilePlan:
    return profile.plan(
        await store.machine.document(), desired, await store.machine.last_transaction()
    )


async def apply(store: Store, plan: ProfilePlan) -> EffectOutcome:
    effect = ApplyProfile(plan.desired, plan.plan_revision)
    return await store.effects.commit(ByOperator(), effect, audit=[], reply=[])


async def changed(store: Store, desired: RuntimeProfile) -> Applied:
    done = await apply(store, await planned(store, desired))
    assert isinstance(done, Done)
    assert done.applied is not None
    return done.applied


async def put(store: Store, body: bytes) -> None:
    """Bytes as another program, or a disk's fault, left them."""
    values = {"id": 1, "body": body, "updated_at": EPOCH}
    await store.database.write(
        lambda connection: connection.execute(machine_configuration.insert(), values).rowcount
    )


def document(**namespaces: object) -> bytes:
    whole: dict[str, Any] = {"schema_version": "machine_configuration_v0", "namespaces": namespaces}
    return json.dumps(whole, ensure_ascii=False).encode()


async def transactions(store: Store) -> list[tuple[bytes | None, bytes]]:
    found = await rows(store, "SELECT before, after FROM machine_transaction ORDER BY id")
    return [(None if old is None else bytes(old), bytes(new)) for old, new in found]


async def stored(store: Store) -> object:
    return profile.stored_of(await store.machine.document())


@pytest.mark.requirement("P1")
async def test_nothing_is_stored_until_something_is_applied(store: Store) -> None:
    assert await store.machine.document() is None
    assert await store.machine.last_transaction() is None
    await planned(store, TRUSTED)
    assert await stored(store) == NothingStored()
    assert await transactions(store) == []


@pytest.mark.requirement("P1", "P8")
async def test_an_applied_plan_is_stored_and_its_receipt_tells_what_was_read_back(
    store: Store,
) -> None:
    plan = await planned(store, TRUSTED)
    assert plan.action is PlanAction.CREATE
    done = await apply(store, plan)
    receipt = await store.machine.receipt(plan.plan_revision)
    assert receipt is not None
    assert done == Done(
        applied=Applied(receipt, superseded=False, present_revision=plan.desired_revision)
    )
    assert (receipt.prior_revision, receipt.applied_revision) == (ABSENT, plan.desired_revision)
    assert receipt.readback_verified
    assert await store.machine.last_transaction() == receipt.receipt_revision
    assert await stored(store) == StoredProfile(TRUSTED, plan.desired_revision)


@pytest.mark.requirement("P8")
async def test_of_plans_that_are_applied_at_once_exactly_one_is_followed(store: Store) -> None:
    plans = [await planned(store, desired) for desired in (TRUSTED, RESTRICTED) * 4]
    async with asyncio.timeout(10):
        outcomes = await asyncio.gather(*(apply(store, plan) for plan in plans))
    (won,) = [one.applied for one in outcomes if isinstance(one, Done)]
    assert won is not None
    assert len(await transactions(store)) == 1
    for plan, outcome in zip(plans, outcomes, strict=True):
        match outcome:
            case Changed(present_revision):
                assert plan.desired_revision != won.present_revision == present_revision
            case Repeated(applied):
                assert applied == Applied(won.receipt, True, won.present_revision)
    assert len(outcomes) == 8


@pytest.mark.requirement("P8")
async def test_an_apply_waits_for_another_and_is_stale_then(store: Store) -> None:
    first, late = await planned(store, RESTRICTED), await planned(store, TRUSTED)

    def winning(connection: Connection) -> object:
        return machine.apply(connection, first.desired, first.plan_revision, EPOCH)

    async with Paused(store, winning):
        applying = asyncio.ensure_future(apply(store, late))
        done, _ = await asyncio.wait([applying], timeout=PATIENCE)
        assert not done
    assert await applying == Changed(first.desired_revision)
    assert await stored(store) == StoredProfile(RESTRICTED, first.desired_revision)


@pytest.mark.requirement("P8")
async def test_a_plan_that_was_never_made_here_changes_nothing(store: Store) -> None:
    await changed(store, RESTRICTED)
    before = await transactions(store)
    present = profile.stored_of(await store.machine.document()).revision
    effect = ApplyProfile(TRUSTED, "sha256:" + "0" * 64)
    outcome = await store.effects.commit(ByOperator(), effect, audit=[], reply=[])
    assert outcome == Changed(present)
    assert await transactions(store) == before


@pytest.mark.requirement("P8")
async def test_a_plan_is_of_its_own_profile_alone(store: Store) -> None:
    plan = await planned(store, RESTRICTED)
    effect = ApplyProfile(TRUSTED, plan.plan_revision)
    outcome = await store.effects.commit(ByOperator(), effect, audit=[], reply=[])
    assert outcome == Changed(ABSENT)
    assert await stored(store) == NothingStored()


@pytest.mark.requirement("P8")
async def test_a_plan_applied_before_gives_its_receipt_and_the_present_revision(
    store: Store,
) -> None:
    plan = await planned(store, TRUSTED)
    await apply(store, plan)
    back = await changed(store, RESTRICTED)
    before = await transactions(store)
    receipt = await store.machine.receipt(plan.plan_revision)
    assert receipt is not None
    again = await apply(store, plan)
    assert again == Repeated(
        applied=Applied(receipt, superseded=True, present_revision=back.present_revision)
    )
    assert await transactions(store) == before
    assert await stored(store) == StoredProfile(RESTRICTED, back.present_revision)


@pytest.mark.requirement("P8")
async def test_the_same_step_taken_again_is_another_plan(store: Store) -> None:
    receipts = [await changed(store, desired) for desired in (RESTRICTED, TRUSTED) * 3]
    assert len({one.receipt.transaction_id for one in receipts}) == 6
    assert len({one.receipt.receipt_revision for one in receipts}) == 6
    assert len({one.present_revision for one in receipts}) == 2


@pytest.mark.requirement("P8")
async def test_a_plan_that_changes_nothing_leaves_the_bytes_as_they_are(store: Store) -> None:
    odd = document(manager_runtime=_value(TRUSTED)).replace(b":", b" : ")
    await put(store, odd)
    plan = await planned(store, TRUSTED)
    assert (plan.action, plan.writes_required) == (PlanAction.NONE, False)
    assert isinstance(await apply(store, plan), Done)
    assert await store.machine.document() == odd


@pytest.mark.requirement("P8")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\x00{",
        b"[]",
        document(manager_runtime={"schema_version": "manager_runtime_profile_v0"}),
        document(manager_runtime={"runtime_profile": "root"}),
    ],
)
async def test_corrupt_bytes_are_repaired_and_kept(store: Store, body: bytes) -> None:
    await put(store, body)
    plan = await planned(store, RESTRICTED)
    assert (plan.status, plan.action) == (PlanStatus.CONFIGURATION_INVALID, PlanAction.REPAIR)
    assert await store.machine.document() == body
    done = await apply(store, plan)
    assert isinstance(done, Done)
    assert done.applied is not None
    assert done.applied.receipt.prior_revision.startswith("unavailable:")
    ((old, new),) = await transactions(store)
    assert old == body
    assert new == await store.machine.document()
    assert await stored(store) == StoredProfile(RESTRICTED, plan.desired_revision)


@pytest.mark.requirement("P2")
@pytest.mark.parametrize("body", ["nonsense", "", 5, 1.5])
async def test_what_was_written_by_hand_and_is_no_bytes_is_corrupt(
    store: Store, body: object
) -> None:
    if store.database.url.get_backend_name() != "sqlite":
        return  # its column holds nothing but bytes
    await store.database.write(
        lambda connection: (
            connection.exec_driver_sql(
                "INSERT INTO machine_configuration (id, body, updated_at) VALUES (1, ?, 0)", (body,)
            ).rowcount
        )
    )
    assert isinstance(await stored(store), CorruptProfile)
    done = await changed(store, RESTRICTED)
    assert done.receipt.prior_revision.startswith("unavailable:")
    assert isinstance(await stored(store), StoredProfile)


@pytest.mark.requirement("P1", "P8")
@pytest.mark.parametrize("sibling", [SIBLING, {}, [], "broken", None, {"runtime_profile": "x"}])
async def test_another_namespace_is_kept_and_changes_nothing(store: Store, sibling: object) -> None:
    alone = profile.plan(None, TRUSTED, None)
    await put(store, document(web=sibling))
    plan = await planned(store, TRUSTED)
    assert plan == alone
    await apply(store, plan)
    raw = await store.machine.document()
    assert raw is not None
    assert json.loads(raw)["namespaces"] == {"web": sibling, "manager_runtime": _value(TRUSTED)}
    assert await stored(store) == StoredProfile(TRUSTED, plan.desired_revision)


@pytest.mark.requirement("P8", "P9")
async def test_a_receipt_that_cannot_be_read_keeps_nobody_from_going_back(store: Store) -> None:
    plan = await planned(store, TRUSTED)
    await apply(store, plan)
    await store.database.write(
        lambda connection: (
            connection.exec_driver_sql("UPDATE machine_transaction SET receipt = '{}'").rowcount
        )
    )
    assert await store.machine.receipt(plan.plan_revision) is None
    assert isinstance(await apply(store, plan), Changed)
    await changed(store, RESTRICTED)
    assert await stored(store) == StoredProfile(RESTRICTED, profile.revision(RESTRICTED))


@pytest.mark.requirement("P8")
async def test_an_apply_that_does_not_read_back_writes_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = await planned(store, TRUSTED)
    monkeypatch.setattr(profile, "applied", lambda _raw, _desired: document(manager_runtime={}))
    with pytest.raises(StoreError, match="does not read back"):
        await apply(store, plan)
    assert await store.machine.document() is None
    assert await transactions(store) == []


def _value(of: RuntimeProfile) -> dict[str, str]:
    return {"schema_version": "manager_runtime_profile_v0", "runtime_profile": of.value}
