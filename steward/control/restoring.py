"""A restored store made safe: every asker of what was unfinished is told so. Contracts D4, W3.

Above: the command line, which alone restores. Below: the store, which writes it all in one commit.
"""

from steward.control.parts import Subject, parts_of
from steward.model.upkeep import MadeSafe
from steward.policy.upkeep import restored
from steward.ports.restored import Restored
from steward.ports.sender import Sender


async def make_safe(store: Restored, sender: Sender) -> MadeSafe:
    """Of a store that nobody serves; the notices go out when somebody does."""
    notices = {
        asked.id: parts_of(sender, restored(asked.language), Subject.of(asked))
        for asked in await store.unfinished()
    }
    return await store.make_safe(notices)
