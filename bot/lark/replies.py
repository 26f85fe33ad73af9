"""What the platform answers, as far as we read it. The one place that knows the field names of answers.

A field that may be missing is optional here and judged by who reads it; unknown fields are nothing to us.
"""

from pydantic import BaseModel, ConfigDict, Field, OnErrorOmit


class Reply(BaseModel):
    """An answer with code 0; as it stands, one of which nothing is needed."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TokenReply(Reply):
    """A tenant token and the whole seconds that it has left."""

    tenant_access_token: str = Field(pattern=r"^[!-~]+$")
    expire: int


class _Bot(Reply):
    open_id: str = Field(min_length=1)
    app_name: str = ""


class BotReply(Reply):
    """Ourselves. The answer has no `data`."""

    bot: _Bot


class _Tenant(Reply):
    tenant_key: str = Field(min_length=1)


class _TenantData(Reply):
    tenant: _Tenant


class TenantReply(Reply):
    data: _TenantData


class _Sent(Reply):
    message_id: str = Field(min_length=1)


class SentReply(Reply):
    """The message that was made, or that the same uuid had made before."""

    data: _Sent


class _Chat(Reply):
    chat_mode: str = ""
    external: bool | None = None
    tenant_key: str | None = None
    name: str = ""


class ChatReply(Reply):
    data: _Chat


class _Member(Reply):
    member_id: str = Field(min_length=1)
    tenant_key: str | None = None


class _MembersPage(Reply):
    items: tuple[_Member, ...] = ()
    has_more: bool = False
    page_token: str | None = None


class MembersReply(Reply):
    """A page of a chat's people; one that cannot be read makes the page unreadable: a list is whole or says so."""

    data: _MembersPage = _MembersPage()


class ListedSender(Reply):
    id: str = ""
    id_type: str = ""
    sender_type: str = ""


class ListedBody(Reply):
    content: str = ""


class ListedMessage(Reply):
    """A message of a list. `create_time` is in milliseconds."""

    message_id: str
    chat_id: str | None = None
    deleted: bool = False
    msg_type: str = ""
    create_time: int = 0
    parent_id: str | None = None
    root_id: str | None = None
    thread_id: str | None = None
    sender: ListedSender = ListedSender()
    body: ListedBody = ListedBody()


class _Page(Reply):
    items: tuple[OnErrorOmit[ListedMessage], ...] = ()
    has_more: bool = False
    page_token: str | None = None


class MessagesReply(Reply):
    data: _Page = _Page()
