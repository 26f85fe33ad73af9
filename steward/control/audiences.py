"""Who will see the answer to a message: facts looked up, the owner's claim proven. Contracts A1, P7.

Above: intake. Below: authorities, the directory, and the policies that decide. A look-up that failed is a value, and no
audience. Whatever claims to be the owner's private message is taken for it only where the platform has that message:
also in the owner's own chat, since an answer follows the message that it replies to.
"""

from dataclasses import dataclass

from steward.control.authorities import Authorities
from steward.control.chatbook import Chatbook
from steward.model.audience import (
    Audience,
    AudienceKind,
    ChatFacts,
    DirectoryFailure,
    Ignored,
    IgnoreReason,
)
from steward.model.events import ChatType, Message
from steward.model.ids import TenantKey
from steward.model.owner import OwnerRecord
from steward.policy.boundary import audience_of
from steward.policy.proof import Proof, as_kept, is_private, proof_of
from steward.ports.directory import Directory


@dataclass(frozen=True, slots=True)
class Seen:
    """A message before its audience. `message`: the owner's has the words that the platform has.

    `claimed`: as its event says. An owner's command that changes state is proven by that one, word for word.
    """

    message: Message
    audience: Audience
    claimed: Message


@dataclass(frozen=True, slots=True)
class Audiences:
    """Of one app. Every method raises StoreUnavailableError where the records cannot be read."""

    authorities: Authorities
    directory: Directory
    chatbook: Chatbook

    async def of(self, message: Message) -> Seen | DirectoryFailure | Ignored:
        """The audience of a reply to `message`, or why there is none: not now, or not at all."""
        authority = await self.authorities.now()
        if isinstance(authority, DirectoryFailure):
            return authority
        facts: ChatFacts | None = None
        if message.chat_type is ChatType.GROUP:
            found = await self.directory.chat(message.conversation)
            if isinstance(found, DirectoryFailure):
                return found
            await self.chatbook.seen(found)
            facts = found
        audience = audience_of(message, facts, tenant=authority.tenant, owner=authority.owner)
        if audience.kind is not AudienceKind.OWNER_PRIVATE:
            return Seen(message, audience, claimed=message)
        owner = await self.authorities.owner()
        if owner is None or owner.open_id != message.sender.open_id:
            return DirectoryFailure(retry=True, reason="owner_changed")
        return await self._owners(message, audience, owner, authority.tenant)

    async def _owners(
        self, message: Message, audience: Audience, owner: OwnerRecord, tenant: TenantKey
    ) -> Seen | DirectoryFailure | Ignored:
        copy = await self.directory.message(message.ref)
        if isinstance(copy, DirectoryFailure):
            return copy
        if copy is None or proof_of(message, copy) is Proof.CONTRADICTED:
            return Ignored(IgnoreReason.NOT_PROVEN)
        if owner.private_chat != audience.chat_id:
            facts = await self.directory.chat(message.conversation)
            if isinstance(facts, DirectoryFailure):
                return facts
            if not is_private(facts, tenant):
                return Ignored(IgnoreReason.NOT_PROVEN)
            await self.authorities.owners.prove_chat(owner, audience.chat_id)
        return Seen(as_kept(message, copy), audience, claimed=message)
