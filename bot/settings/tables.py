"""The tables of the configuration, one class each: every key with its default, unit and reason.

This page is the reference. config/steward.toml is printed from it (example.py), the reader knows no other key
(load.py), and what the keys mean together is judged in rules.py.
"""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr
from pydantic.fields import FieldInfo

from bot.settings.values import (
    AppIdText,
    AudienceKey,
    ChatIdText,
    ClockTime,
    Day,
    Doc,
    Duration,
    LocalPath,
    OpenIdText,
    Secret,
    StoreUrl,
    WeekDays,
    Words,
    Zone,
)
from steward.model.json import Json


class Table(BaseModel):
    """Frozen, closed, defaults checked like given values; an error never shows what was given."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_default=True, hide_input_in_errors=True
    )


def table_of(field: FieldInfo) -> type[BaseModel] | None:
    """The table that a field is, or None for a single setting."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _built(*kinds: str) -> BeforeValidator:
    """Refuse what the design names and this version has not: a start that half works misleads."""

    def check(value: object) -> object:
        if value not in kinds:
            raise ValueError(f"must be {' or '.join(kinds)}: this version has no other")
        return value

    return BeforeValidator(check)


Port = Annotated[int, Field(ge=0, le=65535)]
EndpointKind = Annotated[Literal["reporter"], _built("reporter")]
Transport = Annotated[Literal["webhook"], _built("webhook")]
_SECRET = "secret; better as *_file or as an environment variable"  # noqa: S105 -- a description of one


class Server(Table):
    """The two listeners. Only the first may ever face the platform."""

    host: Annotated[
        str,
        Doc("address", "where the webhook listens; loopback until a TLS proxy stands before it"),
    ] = "127.0.0.1"
    port: Annotated[
        Port, Doc("TCP port, 0 = any free one", "POST /lark/events and GET /healthz")
    ] = 8070
    admin_host: Annotated[
        str, Doc("address", "readiness and metrics are the operator's, so they stay on loopback")
    ] = "127.0.0.1"
    admin_port: Annotated[Port, Doc("TCP port, 0 = any free one", "/readyz and /metrics")] = 8071
    admin_token_file: Annotated[
        LocalPath, Doc("path", "the admin listener's token; made at the first start, mode 0600")
    ] = Path("var/admin.token")


class Limits(Table):
    """How many questions may be open at once. One more is refused in sight; owed ones do not count (A6)."""

    open_per_asker: Annotated[
        Annotated[int, Field(ge=1, le=1000)],
        Doc("questions", "one person cannot keep a conversation busy alone"),
    ] = 3
    open_per_conversation: Annotated[
        Annotated[int, Field(ge=1, le=10_000)],
        Doc("questions", "beyond this a reader waits longer than an answer is worth"),
    ] = 20


class Lark(Table):
    """The app on Lark / Feishu, as its developer console shows it."""

    app_id: Annotated[
        AppIdText | None, Doc("cli_…", "which app we are; every id is one of this app")
    ] = None
    app_secret: Annotated[Secret, Doc(_SECRET, "fetches the token that sends messages")] = None
    app_secret_file: Annotated[
        LocalPath | None, Doc("path", "a file that holds app_secret alone")
    ] = None
    encrypt_key: Annotated[Secret, Doc(_SECRET, "decrypts events and verifies their signature")] = (
        None
    )
    encrypt_key_file: Annotated[LocalPath | None, Doc("path", "a file that holds encrypt_key")] = (
        None
    )
    encrypt_key_next: Annotated[
        Secret, Doc(_SECRET, "accepted too while the key is rotated, so that no event is lost")
    ] = None
    encrypt_key_next_file: Annotated[
        LocalPath | None, Doc("path", "a file that holds encrypt_key_next")
    ] = None
    verification_token: Annotated[Secret, Doc(_SECRET, "proves that an event is meant for us")] = (
        None
    )
    verification_token_file: Annotated[
        LocalPath | None, Doc("path", "a file that holds verification_token")
    ] = None
    verification_token_next: Annotated[
        Secret, Doc(_SECRET, "accepted too while the token is rotated")
    ] = None
    verification_token_next_file: Annotated[
        LocalPath | None, Doc("path", "a file that holds verification_token_next")
    ] = None
    domain: Annotated[
        str,
        Doc(
            "URL",
            "https://open.feishu.cn or https://open.larksuite.com; loopback goes with simulated",
        ),
    ] = "https://open.feishu.cn"
    transport: Annotated[Transport, Doc("webhook", "how events reach us")] = "webhook"
    tenant_key: Annotated[
        str | None,
        Doc(
            "text",
            "our tenant; without it, the first one that the platform names is pinned for good",
        ),
    ] = None
    event_max_age: Annotated[
        Duration,
        Doc(
            "duration", "an older event is refused; the platform's own retries end within this time"
        ),
    ] = timedelta(hours=8)
    processes: Annotated[
        int,
        Field(ge=1, le=20),
        Doc(
            "count",
            "how many processes send for this app; each keeps within its share of the platform's limits",
        ),
    ] = 1
    simulated: Annotated[
        bool,
        Doc("true or false", "only with a loopback domain, app ids cli_sim_… and secrets sim_…"),
    ] = False

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret that is set, in the clear: for the filter that keeps them out of the log."""
        found = (self.app_secret, *self.encrypt_keys, *self.verification_tokens)
        return tuple(secret.get_secret_value() for secret in found if secret is not None)

    @property
    def encrypt_keys(self) -> tuple[SecretStr, ...]:
        """The keys in force, the present one first."""
        return _present(self.encrypt_key, self.encrypt_key_next)

    @property
    def verification_tokens(self) -> tuple[SecretStr, ...]:
        """The tokens in force, the present one first."""
        return _present(self.verification_token, self.verification_token_next)


def _present(*secrets: SecretStr | None) -> tuple[SecretStr, ...]:
    return tuple(secret for secret in secrets if secret is not None)


class Owner(Table):
    """The one person who may approve. Nobody is the owner until this is set.

    `steward owner` shows who is in force: somebody who left the tenant is the owner no more, whatever stands here.
    """

    open_id: Annotated[
        OpenIdText | None,
        Doc(
            "ou_…",
            "the owner's open_id for this app; a name would prove nothing, and another id makes the profile restricted",
        ),
    ] = None


class Access(Table):
    """Which audiences may ask at all. Without a grant an audience reads nothing."""

    groups: Annotated[
        Literal["granted", "nobody"], Doc("granted or nobody", "groups that hold a grant")
    ] = "granted"
    members_private: Annotated[
        Literal["granted", "nobody"],
        Doc(
            "granted or nobody",
            "members of the tenant in a private chat, by the grant of `members`",
        ),
    ] = "nobody"


class Store(Table):
    """Where questions, answers and messages are kept."""

    url: Annotated[
        StoreUrl, Doc("URL", "sqlite:///FILE for one process, postgresql://… for several")
    ] = SecretStr("sqlite:///var/steward.db")
    url_file: Annotated[
        LocalPath | None, Doc("path", "a file that holds url, where it has a password")
    ] = None


class OwnerEndpoint(Table):
    """Who answers the owner's private questions; without it, the same as for everyone."""

    kind: Annotated[
        EndpointKind | None, Doc("reporter", "the owner's answers may come from elsewhere")
    ] = None


class Endpoint(Table):
    """What forms an answer from evidence."""

    kind: Annotated[
        EndpointKind, Doc("reporter", "computes answers from evidence, without a model")
    ] = "reporter"
    owner: OwnerEndpoint = OwnerEndpoint()


class Display(Table):
    """How times are shown, and where a day begins."""

    timezone: Annotated[
        Zone, Doc("IANA name", '"today" and "due" are days of this zone, for every reader alike')
    ] = ZoneInfo("Asia/Shanghai")


class Source(BaseModel):
    """Evidence to read. Keys beyond these are options of the kind, which checks them when it is built."""

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)

    kind: Annotated[str, Field(min_length=1), Doc("name", "how it is read", "folder")]
    path: Annotated[LocalPath | None, Doc("path", "where it lies", "evidence")] = None
    title: Annotated[str, Doc("text", "how answers name it; the id where it is empty", "Plans")] = (
        ""
    )
    max_age: Annotated[
        Duration,
        Doc("duration", "older than this, it is shown as stale and completes no absence", "7d"),
    ] = timedelta(hours=24)

    @property
    def options(self) -> Mapping[str, Json]:
        """What the kind is built from: `path`, absolute, where it was given, and the kind's own keys."""
        path: dict[str, Json] = {} if self.path is None else {"path": str(self.path)}
        return path | (self.model_extra or {})


class GrantEntry(Table):
    """One audience may read these sources × these goals. Nothing is merged across entries (A2)."""

    audience: Annotated[
        AudienceKey,
        Doc(
            "owner, members, group:oc_… or external:oc_…",
            "who will see the answers",
            "group:oc_team",
        ),
    ]
    sources: Annotated[
        Annotated[Words, Field(min_length=1)], Doc("source ids", "what may be read", '["plans"]')
    ]
    goals: Annotated[
        Annotated[Words, Field(min_length=1)],
        Doc('goal ids, or ["*"] for all', "which goals of these sources", '["*"]'),
    ]


class Person(Table):
    """The names by which evidence knows somebody. It grants nothing and decides no audience."""

    open_id: Annotated[OpenIdText, Doc("ou_…", "who asks", "ou_lin")]
    names: Annotated[
        Annotated[Words, Field(min_length=1)],
        Doc("names", 'answers "my" questions', '["Lin", "小林"]'),
    ]


class Sprint(Table):
    """A span of days that questions may call by name: "what was delivered in sprint 12"."""

    names: Annotated[
        Annotated[Words, Field(min_length=1)],
        Doc("names", "what questions call it", '["sprint 12", "第 12 迭代"]'),
    ]
    start: Annotated[Day, Doc("date", "its first day, in display.timezone", "2026-11-16")]
    end: Annotated[Day, Doc("date", "its last day", "2026-11-29")]


class Digest(Table):
    """A summary at a fixed time. This version reads it and sends none."""

    chat: Annotated[
        ChatIdText, Doc("oc_…", "where it is sent, under that chat's grants", "oc_team")
    ]
    at: Annotated[ClockTime, Doc("HH:MM in display.timezone", "when it is sent", "17:30")]
    days: Annotated[WeekDays, Doc("days", "on which days", "fri")]


class Fixed(Table):
    """The tables whose errors stop the start. Entries keyed by id are read one by one beside them."""

    server: Server
    limits: Limits
    lark: Lark
    owner: Owner
    access: Access
    store: Store
    endpoint: Endpoint
    display: Display


ENTRIES: Mapping[str, type[BaseModel]] = {
    "source": Source,
    "grant": GrantEntry,
    "person": Person,
    "sprint": Sprint,
    "digest": Digest,
}
"""The tables keyed by id: an error in one entry disables that entry alone."""
