"""Is this request the platform's, and for us? One pure decision over headers and raw bytes.

The order matters. A challenge carries no signature, so it is looked for first, and its verification token decides. Of
everything else the signature over the raw bytes is proven before anything that the sender wrote is believed: only
an authentic request can be called stale, wrong of token, app or tenant. Above: webhook.py, which answers every
refusal alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

from bot.lark.payloads import Opening, outer, read
from bot.lark.signature import EncryptKey, Stamp, fresh, known, signer
from steward.model.ids import AppId, TenantKey


class Refusal(StrEnum):
    """Why a request was turned away. For our log and counters; the sender is never told."""

    TOO_LARGE = "too_large"
    TOO_SLOW = "too_slow"
    NOT_JSON = "not_json"
    PLAIN_EVENT = "plain_event"
    SIGNATURE_MISSING = "signature_missing"
    SIGNATURE_WRONG = "signature_wrong"
    STALE = "stale"
    UNDECRYPTABLE = "undecryptable"
    TOKEN = "token"  # noqa: S105  # the name of a reason, no secret
    APP = "app"
    TENANT = "tenant"


@dataclass(frozen=True, slots=True)
class Challenge:
    """The platform asks whether this address is ours; `text` goes back as it came."""

    text: str


@dataclass(frozen=True, slots=True)
class Verified:
    """An authentic, fresh event of our app and tenant, in plain bytes."""

    plain: bytes
    opening: Opening


Verdict: TypeAlias = Challenge | Verified | Refusal


class Verifier:
    """The app's secrets, ready for use. `keys` and `tokens` each hold the current one and, in a rotation, the next."""

    def __init__(
        self, app_id: AppId, keys: Sequence[str], tokens: Sequence[str], freshness: timedelta
    ) -> None:
        self._app_id = app_id
        self._keys = tuple(EncryptKey(key) for key in keys)
        self._tokens = tuple(tokens)
        self._freshness = freshness

    def verdict(
        self, headers: Mapping[str, str], body: bytes, now: datetime, tenant: TenantKey | None
    ) -> Verdict:
        """Judge one request; `headers` by lower-case name. `tenant` None: not known yet, so not compared."""
        if not _is_json(headers):
            return Refusal.NOT_JSON
        stamp = _stamp(headers)
        key = signer(self._keys, stamp, body) if stamp else None
        document = outer(body)
        if document is None:
            return Refusal.NOT_JSON
        if document.encrypted is None:
            return self._plain(body)
        if stamp is None or key is None:
            missing = Refusal.SIGNATURE_MISSING if stamp is None else Refusal.SIGNATURE_WRONG
            return self._unsigned(document.encrypted, missing)
        return self._signed(stamp, key, document.encrypted, now, tenant)

    def _plain(self, body: bytes) -> Verdict:
        """With an encrypt key a challenge alone may come plain, signed or not."""
        opening = read(Opening, body)
        if opening is None or not opening.is_challenge:
            return Refusal.PLAIN_EVENT
        return self._challenge(opening)

    def _unsigned(self, encrypted: bytes, otherwise: Refusal) -> Verdict:
        for key in self._keys:
            plain = key.decrypt(encrypted)
            opening = read(Opening, plain) if plain is not None else None
            if opening is not None and opening.is_challenge:
                return self._challenge(opening)
        return otherwise

    def _signed(
        self,
        stamp: Stamp,
        key: EncryptKey,
        encrypted: bytes,
        now: datetime,
        tenant: TenantKey | None,
    ) -> Verdict:
        plain = key.decrypt(encrypted)
        opening = read(Opening, plain) if plain is not None else None
        if plain is None or opening is None:
            return Refusal.UNDECRYPTABLE
        if opening.is_challenge:
            return self._challenge(opening)
        if not fresh(stamp.timestamp, now, self._freshness):
            return Refusal.STALE
        return self._ours(opening, tenant) or Verified(plain, opening)

    def _challenge(self, opening: Opening) -> Challenge | Refusal:
        if not known(self._tokens, opening.token):
            return Refusal.TOKEN
        return Refusal.NOT_JSON if opening.challenge is None else Challenge(opening.challenge)

    def _ours(self, opening: Opening, tenant: TenantKey | None) -> Refusal | None:
        """An outside person's event still names the app's own tenant, so a missing or other one is refused."""
        if not known(self._tokens, opening.token):
            return Refusal.TOKEN
        if opening.app_id != self._app_id:
            return Refusal.APP
        if tenant is not None and opening.tenant_key != tenant:
            return Refusal.TENANT
        return None


def _is_json(headers: Mapping[str, str]) -> bool:
    """JSON as it is: the signature is over raw bytes, so no content coding either."""
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    return media_type == "application/json" and not headers.get("content-encoding")


def _stamp(headers: Mapping[str, str]) -> Stamp | None:
    timestamp = headers.get("x-lark-request-timestamp")
    nonce = headers.get("x-lark-request-nonce")
    signature = headers.get("x-lark-signature")
    if not timestamp or nonce is None or not signature:
        return None
    return Stamp(timestamp, nonce, signature)
