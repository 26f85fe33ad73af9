"""The platform's documents. The one module that knows the JSON field names of what comes in.

Every field is read by itself: one of an unexpected type counts as absent, so that a drift in a field nobody needs
cannot lose a question. What is not one JSON object cannot be read at all. Above: verification, envelopes and
events, which see these models alone.
"""

import json
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    OnErrorOmit,
    StrictBool,
    StringConstraints,
)
from pydantic_core import CoreSchema, core_schema

MALFORMED = "\N{REPLACEMENT CHARACTER}"
"""Stands for a thread id that is there and is none: the message must not fall into the chat's main session."""


class _Or:
    """An annotation: a value of the wrong shape becomes `default` instead of an error."""

    def __init__(self, default: object = None) -> None:
        self._default = default

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_default_schema(
            handler(source), default=self._default, on_error="default"
        )


Id: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.@:=-]{1,200}$")]
"""An identifier of the platform: it may stand in a key, a path of ours or a URL as it is."""

MaybeId: TypeAlias = Annotated[Id | None, _Or()]
MaybeText: TypeAlias = Annotated[str | None, _Or()]
MaybeBool: TypeAlias = Annotated[StrictBool | None, _Or()]
MaybeThread: TypeAlias = Annotated[Id | Literal[""] | None, _Or(MALFORMED)]
Whatever: TypeAlias = object


def _at(*path: str) -> Any:
    return Field(default=None, validation_alias=AliasPath(*path))


def _first_at(*paths: tuple[str, ...]) -> Any:
    aliases = [AliasPath(*path) for path in paths]
    return Field(default=None, validation_alias=AliasChoices(*aliases))


class Payload(BaseModel):
    """A flat view of a nested document: only what is used here, each field with its path."""

    model_config = ConfigDict(frozen=True, extra="ignore")


PayloadT = TypeVar("PayloadT", bound=Payload)


def read(model: type[PayloadT], raw: bytes) -> PayloadT | None:
    """`raw` as `model`; None where it is not one JSON object.

    The fast parser refuses lone surrogates, broken UTF-8 and deep nesting, all of which the platform may pass on
    from a user's text: then the slow one reads what can be read, with "?" for what is no character.
    """
    try:
        return model.model_validate_json(raw)
    except ValueError:
        return _read_slowly(model, raw)


def _read_slowly(model: type[PayloadT], raw: bytes) -> PayloadT | None:
    try:
        document = json.loads(raw.decode("utf-8", "replace"))
        clean = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
        return model.model_validate(json.loads(clean))
    except (ValueError, RecursionError):
        return None


class Outer(Payload):
    """A request's body before anything is proven; `encrypted` is what the base64 under `encrypt` holds."""

    model_config = ConfigDict(val_json_bytes="base64")

    encrypted: Annotated[bytes | None, _Or()] = _at("encrypt")


def outer(body: bytes) -> Outer | None:
    """The body as it came from the network: no second chance for what the fast parser refuses."""
    try:
        return Outer.model_validate_json(body)
    except ValueError:
        return None


class Opening(Payload):
    """What acknowledging needs: is it a challenge, is it ours, where does it belong. Both schemas in one view."""

    kind: MaybeText = _at("type")
    challenge: MaybeText = _at("challenge")
    schema_version: Whatever = _at("schema")
    header_token: MaybeText = _at("header", "token")
    header_event_id: MaybeId = _at("header", "event_id")
    header_event_type: MaybeText = _at("header", "event_type")
    header_app_id: MaybeText = _at("header", "app_id")
    header_tenant_key: MaybeId = _at("header", "tenant_key")
    header_create_time: MaybeText = _at("header", "create_time")
    body_token: MaybeText = _at("token")
    body_uuid: MaybeId = _at("uuid")
    body_ts: MaybeText = _at("ts")
    event_inner_type: MaybeText = _at("event", "type")
    event_app_id: MaybeText = _at("event", "app_id")
    event_tenant_key: MaybeId = _at("event", "tenant_key")
    message_id: MaybeId = _at("event", "message", "message_id")
    thread_id: MaybeThread = _at("event", "message", "thread_id")
    chat_id: MaybeId = _first_at(
        ("event", "message", "chat_id"), ("event", "context", "open_chat_id"), ("event", "chat_id")
    )

    @property
    def is_challenge(self) -> bool:
        """The platform asks whether this address is ours."""
        return self.kind == "url_verification"

    @property
    def _modern(self) -> bool:
        return self.schema_version is not None

    @property
    def token(self) -> str | None:
        """The verification token; modern events carry it in the header."""
        return self.header_token if self._modern else self.body_token

    @property
    def event_id(self) -> str | None:
        """The key of uniqueness, where the event names one."""
        return self.header_event_id if self._modern else self.body_uuid

    @property
    def event_type(self) -> str | None:
        """Such as `im.message.receive_v1`."""
        return self.header_event_type if self._modern else self.event_inner_type

    @property
    def app_id(self) -> str | None:
        """The app that this event was made for."""
        return self.header_app_id if self._modern else self.event_app_id

    @property
    def tenant_key(self) -> str | None:
        """The app's tenant, also where an outside person acts."""
        return self.header_tenant_key if self._modern else self.event_tenant_key

    @property
    def created(self) -> str | None:
        """When the platform made the event, digits of some unit."""
        return self.header_create_time if self._modern else self.body_ts


class MentionId(Payload):
    """An identity in an event; as an object, it holds one id per kind."""

    open_id: MaybeText = None


class MentionPayload(Payload):
    """One entry of a message's mentions. `id` is an object in events, a string in messages that were fetched."""

    key: str
    id: Annotated[MentionId | str | None, _Or()] = None
    name: Annotated[str, _Or("")] = ""


class MessagePayload(Payload):
    """`im.message.receive_v1`."""

    message_id: MaybeId = _at("event", "message", "message_id")
    chat_id: MaybeId = _at("event", "message", "chat_id")
    thread_id: MaybeThread = _at("event", "message", "thread_id")
    parent_id: MaybeId = _at("event", "message", "parent_id")
    chat_type: MaybeText = _at("event", "message", "chat_type")
    message_type: MaybeText = _at("event", "message", "message_type")
    content: MaybeText = _at("event", "message", "content")
    create_time: MaybeText = _at("event", "message", "create_time")
    mentions: Annotated[tuple[OnErrorOmit[MentionPayload], ...] | None, _Or()] = _at(
        "event", "message", "mentions"
    )
    sender_open_id: MaybeId = _at("event", "sender", "sender_id", "open_id")
    sender_type: MaybeText = _at("event", "sender", "sender_type")
    sender_tenant_key: MaybeId = _at("event", "sender", "tenant_key")


class RecallPayload(Payload):
    """`im.message.recalled_v1`; it does not say who had sent the message."""

    message_id: MaybeId = _at("event", "message_id")
    chat_id: MaybeId = _at("event", "chat_id")


class MemberPayload(Payload):
    """A person who came or went."""

    tenant_key: MaybeId = None


class ChatPayload(Payload):
    """`im.chat.…`: the events that make what we know of a chat stale."""

    event_type: MaybeText = _at("header", "event_type")
    chat_id: MaybeId = _at("event", "chat_id")
    external: MaybeBool = _at("event", "external")
    operator_open_id: MaybeId = _at("event", "operator_id", "open_id")
    operator_tenant_key: MaybeId = _at("event", "operator_tenant_key")
    users: Annotated[tuple[OnErrorOmit[MemberPayload], ...] | None, _Or()] = _at("event", "users")


class PersonPayload(Payload):
    """`contact.user.…`: somebody of the tenant's directory."""

    open_id: MaybeId = _at("event", "object", "open_id")


class FirstContactPayload(Payload):
    """`p2p_chat_create`, in the old schema only."""

    chat_id: MaybeId = _at("event", "chat_id")
    user_open_id: MaybeId = _at("event", "user", "open_id")
    operator_open_id: MaybeId = _at("event", "operator", "open_id")


class ClickPayload(Payload):
    """`card.action.trigger`. `value` is what our card carried, an object or a string of the platform's choosing."""

    message_id: MaybeId = _at("event", "context", "open_message_id")
    chat_id: MaybeId = _at("event", "context", "open_chat_id")
    operator_open_id: MaybeId = _at("event", "operator", "open_id")
    operator_tenant_key: MaybeId = _at("event", "operator", "tenant_key")
    nonce: MaybeId = _at("event", "action", "value", "nonce")
    text_value: MaybeText = _at("event", "action", "value")


class ActionValue(Payload):
    """A card's value that came back as a string of JSON."""

    nonce: MaybeId = None


class MenuPayload(Payload):
    """`application.bot.menu_v6`; it names no chat and no tenant of the operator."""

    key: MaybeText = _at("event", "event_key")
    operator_open_id: MaybeId = _at("event", "operator", "operator_id", "open_id")


class TextBody(Payload):
    """Content of a `text` message."""

    text: MaybeText = None


class PostNode(Payload):
    """One element of a rich post."""

    tag: str
    text: Annotated[str, _Or("")] = ""
    href: Annotated[str, _Or("")] = ""
    user_id: Annotated[str, _Or("")] = ""
    user_name: Annotated[str, _Or("")] = ""


PostLine: TypeAlias = Annotated[tuple[OnErrorOmit[PostNode], ...], _Or(())]


class PostBody(Payload):
    """Title and lines of a rich post."""

    title: Annotated[str, _Or("")] = ""
    content: Annotated[tuple[PostLine, ...] | None, _Or()] = None


class _LocalisedPost(PostBody):
    """A rich post under its locale, as it is sent; some clients hand it on like that."""

    zh_cn: Annotated[PostBody | None, _Or()] = None
    en_us: Annotated[PostBody | None, _Or()] = None
    ja_jp: Annotated[PostBody | None, _Or()] = None

    @property
    def bodies(self) -> tuple[PostBody | None, ...]:
        """Where the lines may be, best first."""
        return (self, self.zh_cn, self.en_us, self.ja_jp)


class _WrappedPost(_LocalisedPost):
    """The same once more under `post`."""

    post: Annotated[_LocalisedPost | None, _Or()] = None


def post(content: bytes) -> PostBody | None:
    """A rich post in any of its three shapes: bare, by locale, or by locale under `post`."""
    document = read(_WrappedPost, content)
    if document is None:
        return None
    bodies = document.bodies + (document.post.bodies if document.post else ())
    return next((body for body in bodies if body and body.content is not None), None)
