"""What settings mean together. Pure: settings in, problems out."""

from collections.abc import Collection, Iterator, Mapping

from bot.settings.tables import Digest, Fixed, GrantEntry, Lark, Person, Sprint
from bot.settings.values import is_loopback
from steward.errors import SettingsError

LIVE_DOMAINS = ("https://open.feishu.cn", "https://open.larksuite.com")
_SECRETS = (
    "app_secret",
    "encrypt_key",
    "encrypt_key_next",
    "verification_token",
    "verification_token_next",
)
_WEBHOOK_NEEDS = ("app_id", "app_secret", "encrypt_key", "verification_token")


def missing_secrets(lark: Lark) -> tuple[str, ...]:
    """The dotted keys without which webhook mode does not start, in the order of the configuration."""
    return tuple(f"lark.{name}" for name in _WEBHOOK_NEEDS if getattr(lark, name) is None)


def problems_of(fixed: Fixed) -> Iterator[SettingsError]:
    """What stops the start although every key is well by itself."""
    yield from _platform(fixed.lark)
    server = fixed.server
    if server.port == server.admin_port != 0 and server.host == server.admin_host:
        yield SettingsError("server.admin_port", "must differ from server.port")


def _platform(lark: Lark) -> Iterator[SettingsError]:
    """A simulated start can reach no real app, and a live one no simulator."""
    if lark.simulated:
        yield from _simulated(lark)
    else:
        yield from _live(lark)


def _simulated(lark: Lark) -> Iterator[SettingsError]:
    if not is_loopback(lark.domain):
        yield SettingsError("lark.domain", "must be on loopback where lark.simulated is true")
    if lark.app_id is not None and not lark.app_id.startswith("cli_sim_"):
        yield SettingsError("lark.app_id", "must begin with cli_sim_ where lark.simulated is true")
    for name, secret in _given_secrets(lark):
        if not secret.startswith("sim_"):
            yield SettingsError(name, "must begin with sim_ where lark.simulated is true")


def _live(lark: Lark) -> Iterator[SettingsError]:
    if lark.domain not in LIVE_DOMAINS:
        yield SettingsError(
            "lark.domain",
            f"must be {' or '.join(LIVE_DOMAINS)}; a loopback one needs lark.simulated = true",
        )
    if lark.app_id is not None and lark.app_id.startswith("cli_sim_"):
        yield SettingsError("lark.app_id", "names a simulated app: set lark.simulated = true")
    for name, secret in _given_secrets(lark):
        if secret.startswith("sim_"):
            yield SettingsError(name, "is a simulated secret: set lark.simulated = true")


def _given_secrets(lark: Lark) -> Iterator[tuple[str, str]]:
    for name in _SECRETS:
        secret = getattr(lark, name)
        if secret is not None:
            yield f"lark.{name}", secret.get_secret_value()


def grant_faults(
    grants: Mapping[str, GrantEntry], sources: Collection[str]
) -> Iterator[SettingsError]:
    """Grants that name a source which is not configured: what they mean is not certain, so they mean nothing."""
    for name, grant in grants.items():
        if not set(grant.sources) <= set(sources):
            listed = ", ".join(sorted(sources)) or "none"
            yield SettingsError(
                f"grant.{name}", f"its sources must each be a [source.ID]; there are: {listed}"
            )


def person_faults(people: Mapping[str, Person]) -> Iterator[SettingsError]:
    """Later entries of an open_id that an earlier one has: one person has one list of names."""
    first: dict[str, str] = {}
    for name, person in people.items():
        holder = first.setdefault(person.open_id, name)
        if holder != name:
            yield SettingsError(
                f"person.{name}", f"person.{holder} has this open_id: merge the two"
            )


def sprint_faults(sprints: Mapping[str, Sprint]) -> Iterator[SettingsError]:
    """A sprint that ends before it starts holds no day."""
    for name, sprint in sprints.items():
        if sprint.end < sprint.start:
            yield SettingsError(f"sprint.{name}.end", f"must not lie before sprint.{name}.start")


def digest_faults(digests: Mapping[str, Digest]) -> Iterator[SettingsError]:
    """Nobody may wait for a digest that will not come."""
    for name in digests:
        yield SettingsError(
            f"digest.{name}", "this version sends no digests: the entry does nothing"
        )
