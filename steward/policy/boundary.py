"""Facts of a message and its chat → the audience that will see the answer. Contract A1.

The one place that decides an audience. Unknown means refused; nothing a person can write, name or configure
widens it, and the owner in a group is a member there.
"""

from steward.model.audience import Audience, AudienceKind, ChatFacts, ChatMode
from steward.model.events import ChatType, Message
from steward.model.ids import OpenId, TenantKey
from steward.model.owner import Authority


def audience_of(
    message: Message, facts: ChatFacts | None, *, tenant: TenantKey, owner: OpenId | None
) -> Audience:
    """The audience of a reply to `message`. `facts` are needed for every chat but a private one.

    `tenant` is the app's own, `owner` the configured open_id for this app id.
    """
    return Audience(_kind(message, facts, tenant, owner), message.conversation.chat_id)


def _kind(
    message: Message, facts: ChatFacts | None, tenant: TenantKey, owner: OpenId | None
) -> AudienceKind:
    sender = message.sender
    if sender.open_id is None or sender.tenant_key is None:
        return AudienceKind.UNKNOWN
    foreign = sender.tenant_key != tenant
    match message.chat_type:
        case ChatType.P2P:
            if foreign or (facts is not None and facts.external):
                return AudienceKind.EXTERNAL
            if owner is not None and sender.open_id == owner:
                return AudienceKind.OWNER_PRIVATE
            return AudienceKind.MEMBER_PRIVATE
        case ChatType.GROUP:
            return group_kind(facts, tenant, foreign=foreign)
        case ChatType.UNKNOWN:
            return AudienceKind.UNKNOWN


def group_kind(facts: ChatFacts | None, tenant: TenantKey, *, foreign: bool) -> AudienceKind:
    """The audience of a group chat. `foreign`: whoever acts there is known to be of another tenant."""
    if facts is None or facts.external is None:
        return AudienceKind.UNKNOWN
    if facts.mode not in {ChatMode.GROUP, ChatMode.TOPIC}:
        return AudienceKind.UNKNOWN
    if facts.external or foreign or facts.tenant_key not in {None, tenant}:
        return AudienceKind.EXTERNAL
    return AudienceKind.GROUP


def holds(audience: Audience, asker: OpenId, facts: ChatFacts | None, authority: Authority) -> bool:
    """Whether an audience still is what it was when `asker` was judged before it (A3).

    `facts`: the chat now, for a group or an external chat. A chat that became external, or ceased to be, is another
    audience; so is a private one whose person became the owner, or is the owner no more.
    """
    match audience.kind:
        case AudienceKind.OWNER_PRIVATE:
            return authority.owner is not None and asker == authority.owner
        case AudienceKind.MEMBER_PRIVATE:
            return asker != authority.owner
        case AudienceKind.GROUP:
            return group_kind(facts, authority.tenant, foreign=False) is AudienceKind.GROUP
        case AudienceKind.EXTERNAL:
            return facts is not None and _is_external(facts, authority.tenant)
        case AudienceKind.UNKNOWN:
            return False


def _is_external(facts: ChatFacts, tenant: TenantKey) -> bool:
    """A private chat with somebody of another tenant is external as well: its mode is no group's."""
    if facts.external is None or facts.mode is ChatMode.UNKNOWN:
        return False
    return facts.external or facts.tenant_key not in {None, tenant}
