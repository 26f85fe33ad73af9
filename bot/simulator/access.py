"""Who may call: tenant tokens as the platform issues them, and the scopes that the app was granted."""

from dataclasses import dataclass

from bot.simulator import refusals
from bot.simulator.model import SimulatedApp
from bot.simulator.refusals import Refusal
from steward.ports.world import Clock, Tokens

LIFETIME = 7200
"""Seconds that a token lives."""
RENEWABLE = 1800
"""A token with at least this many seconds left is handed out again; below it there is a second one beside it."""

SCOPES = frozenset(
    {
        "application:application:self_manage",
        "im:chat:readonly",
        "im:message",
        "im:message.group_msg",
        "tenant:tenant:readonly",
    }
)


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token and the whole seconds that it has left."""

    token: str
    expire: int


class Access:
    """Issues and checks. `scopes` may be changed at any time, as an administrator does."""

    def __init__(self, app: SimulatedApp, clock: Clock, tokens: Tokens) -> None:
        self._app = app
        self._clock = clock
        self._tokens = tokens
        self._until: dict[str, float] = {}
        self._invalid_status = 400
        self.scopes = set(SCOPES)

    def issue(self, app_id: str, app_secret: str) -> IssuedToken | Refusal:
        if app_id != self._app.app_id:
            return refusals.UNKNOWN_APP
        if app_secret != self._app.app_secret:
            return refusals.WRONG_SECRET
        now = self._clock.monotonic()
        self._until = {token: until for token, until in self._until.items() if until > now}
        for token, until in self._until.items():
            if until - now >= RENEWABLE:
                return IssuedToken(token, int(until - now))
        fresh = f"t-{self._tokens.new()}"
        self._until[fresh] = now + LIFETIME
        return IssuedToken(fresh, LIFETIME)

    def revoke(self, *, status: int = 400) -> None:
        """Every token dies early. The refusal that follows comes under `status`: 200, 400 and 401 were all seen."""
        self._until.clear()
        self._invalid_status = status

    def check(self, authorization: str | None) -> Refusal | None:
        """Judge the Authorization header of a call."""
        kind, _, token = (authorization or "").partition(" ")
        if kind != "Bearer" or not token:
            return refusals.NO_TOKEN
        if not token.startswith("t-"):
            return refusals.WRONG_TOKEN_KIND
        if self._until.get(token, 0.0) <= self._clock.monotonic():
            invalid = refusals.INVALID_TOKEN
            return Refusal(invalid.code, invalid.msg, status=self._invalid_status)
        return None

    def lacks(self, any_of: tuple[str, ...]) -> Refusal | None:
        """Refuse where none of these scopes was granted; an empty tuple asks for none."""
        if any_of and self.scopes.isdisjoint(any_of):
            return refusals.missing_scope(any_of)
        return None
