"""The processes that serve one store: who of them lives, and what they tell each other. Contracts D5, D7."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from steward.model.hint import Hint
from steward.model.ids import WorkerId


class Peers(Protocol):
    """Safety rests on leases and fences, never on this: it only makes the others quicker."""

    def joined(self, worker: WorkerId) -> AbstractAsyncContextManager[None]:
        """Until the block ends, or the process, others see that this worker lives; before it claims anything.

        Raises StoreUnavailableError.
        """
        ...

    async def listen(self, heard: Callable[[Hint], None]) -> None:
        """Hand over each hint of a commit, of this process or another, until cancelled; inside `joined`.

        A connection that was lost is made again, and then every hint is handed over once: some were missed.
        """
        ...
