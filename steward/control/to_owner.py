"""What is said to the owner without being asked: where it goes, and in which language. Contracts W3, W5.

Above: arrivals, approvals, undelivered, upkeep. Below: the owner's record and the ledger.
"""

from steward.model.delivery import Place
from steward.model.ids import ConversationId
from steward.model.owner import OwnerRecord
from steward.model.turn import Language
from steward.ports.ledger import Ledger


def private_place(owner: OwnerRecord) -> Place:
    """The owner's private chat, where it is known; else whichever the platform finds or opens."""
    return Place.to_person(owner.app_id, owner.open_id, owner.private_chat)


async def private_language(ledger: Ledger, owner: OwnerRecord) -> Language:
    """In which the owner last asked in private."""
    if owner.private_chat is None:
        return Language.EN
    private = ConversationId(owner.app_id, owner.private_chat)
    return await ledger.last_language(private, owner.open_id) or Language.EN
