"""The one statement by which a recorded event gets its verdict, and only its first one."""

from datetime import datetime

from sqlalchemy import Connection, update

from steward.model.events import Verdict
from steward.model.ids import InboxId
from steward.store.schema import inbox


def judge(
    connection: Connection,
    item: InboxId,
    verdict: Verdict,
    *,
    reason: str | None = None,
    closed: bool = False,
    now: datetime,
) -> bool:
    """False where the row has a verdict already. `closed`: nothing is due to its sender (W3).

    An event that is ignored keeps its ids and the reason, and no word (D6).
    """
    forgotten = {"body": b""} if verdict is Verdict.IGNORED else {}
    done = connection.execute(
        update(inbox)
        .where(inbox.c.id == item, inbox.c.verdict.is_(None))
        .values(
            verdict=verdict,
            reason=reason,
            judged_at=now,
            closed_at=now if closed else None,
            lease_owner=None,
            lease_until=None,
            **forgotten,
        )
    )
    return done.rowcount == 1
