"""What the store does by the clock: forgetting, tidying, and jobs that one process of several does. Contracts D6, D1, W4."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from steward.model.delivery import NewPart
from steward.model.ids import AppId, ChatId
from steward.model.turn import Language, Written
from steward.model.upkeep import Backlog, Horizon, JobSlot


class Upkeep(Protocol):
    """One method = one short transaction, so that nobody waits long for the writer."""

    async def forget(self, horizon: Horizon, *, most: int) -> int:
        """Empty the bodies and drop the readings of some questions that were answered long enough ago; how many (D6).

        Answers, candidates and sent messages hold evidence too, and go as well. What was withdrawn counts as answered
        when that was told; what is owed, or was never delivered, is kept. Ids, verdicts, codes and the audit stay.
        Commands, refusals and messages to the owner lose their words by the time at which they were done.
        """
        ...

    async def sweep(self, horizon: Horizon, *, most: int) -> int:
        """Delete some of the rows that nothing asks for any more: records, tombstones, audit, buttons, runs (D1)."""
        ...

    async def claim(self, job: JobSlot, detail: str | None = None) -> Written:
        """REPLAY: somebody has it. For jobs that do no harm when they are cut short and done again by the next slot."""
        ...

    async def tell(self, job: JobSlot, parts: Sequence[NewPart], detail: str) -> Written:
        """Claim the slot and write these parts in the same commit; REPLAY: told before, and nothing is written."""
        ...

    async def last_detail(self, name: str) -> str | None:
        """What the newest run of this job left as its detail."""
        ...

    async def seen(self, app: AppId) -> datetime | None:
        """When some process of this app last said that it serves."""
        ...

    async def note_seen(self, app: AppId) -> None:
        """It serves now."""
        ...

    async def chat_language(self, app: AppId, chat: ChatId) -> Language | None:
        """In which language the newest question was asked in this chat."""
        ...

    async def tidy(self) -> None:
        """Bring SQLite's log back to nothing where nobody uses the store; elsewhere nothing."""
        ...

    async def backlog(self, app: AppId) -> Backlog:
        """For `doctor`; changes nothing."""
        ...
