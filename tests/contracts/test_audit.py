"""The audit: who did what, before whom, in the commit of what was done; newest first, and never what was said. A4."""

from datetime import timedelta

from steward.model.audit import OPERATOR, STEWARD, AuditAct, AuditEntry, AuditRow
from steward.model.ids import ChatId
from steward.store import Store
from steward.testing.world import EPOCH, FakeClock

SECOND = timedelta(seconds=1)
WHOLE = AuditRow(
    AuditAct.GRANTED, OPERATOR, "group:oc_a", ChatId("oc_a"), "some_reason", "group:oc_a"
)


async def test_rows_are_read_newest_first_as_they_were_noted(
    store: Store, clock: FakeClock
) -> None:
    assert await store.audit.recent(most=5) == []
    await store.audit.note(WHOLE)
    clock.advance(SECOND)
    bare = AuditRow(AuditAct.OWNER_CHANGED, STEWARD)
    await store.audit.note(bare)
    assert await store.audit.recent(most=5) == [
        AuditEntry(2, EPOCH + SECOND, bare),
        AuditEntry(1, EPOCH, WHOLE),
    ]


async def test_pages_go_back_by_id_and_by_act(store: Store) -> None:
    acts = [AuditAct.READ, AuditAct.GRANTED, AuditAct.READ, AuditAct.REVOKED, AuditAct.READ]
    for act in acts:
        await store.audit.note(AuditRow(act, STEWARD))
    assert [entry.id for entry in await store.audit.recent(most=2)] == [5, 4]
    assert [entry.id for entry in await store.audit.recent(most=9, before=4)] == [3, 2, 1]
    both = await store.audit.recent(most=9, acts=[AuditAct.GRANTED, AuditAct.REVOKED])
    assert [entry.id for entry in both] == [4, 2]
    reads = await store.audit.recent(most=1, before=5, acts=[AuditAct.READ])
    assert [entry.id for entry in reads] == [3]
