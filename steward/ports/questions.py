"""Questions as the operator lists them. Contract T7."""

from collections.abc import Sequence
from typing import Protocol

from steward.model.ids import AppId
from steward.model.owed import ListedQuestion, Listing


class Questions(Protocol):
    """Reading alone."""

    async def listed(
        self, app: AppId, which: Listing, *, most: int, words: bool = False
    ) -> Sequence[ListedQuestion]:
        """The newest first. `words`: with what was asked, for the operator's eyes alone (A4)."""
        ...
