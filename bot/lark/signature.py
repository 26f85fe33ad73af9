"""Who sent this, and what does it say: the platform's signature and encryption, pure.

The signature is a plain SHA-256 over the raw body, the encryption AES-256-CBC without a code of its own: so
the signature is checked first, over the bytes as they came, and every failure to decrypt looks the same.
Signing and encrypting are not here; only the simulator does them, with code that shares nothing with this.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

from bot.lark.instants import instant

_BLOCK = 16


@dataclass(frozen=True, slots=True)
class Stamp:
    """The three signature headers, as they came."""

    timestamp: str
    nonce: str
    signature: str


class EncryptKey:
    """One of the app's encrypt keys. It never shows its text."""

    __slots__ = ("_aes", "_text")

    def __init__(self, text: str) -> None:
        self._text = text.encode()
        self._aes = algorithms.AES256(hashlib.sha256(self._text).digest())

    def signed(self, stamp: Stamp, body: bytes) -> bool:
        """Whether `stamp` was made with this key over exactly these bytes; takes the same time either way."""
        head = _bytes(stamp.timestamp) + _bytes(stamp.nonce) + self._text
        expected = hashlib.sha256(head + body).hexdigest()
        return hmac.compare_digest(expected.encode(), _bytes(stamp.signature))

    def decrypt(self, sealed: bytes) -> bytes | None:
        """The plain bytes of iv ‖ ciphertext; None for everything that this key does not open."""
        try:
            decryptor = Cipher(self._aes, modes.CBC(sealed[:_BLOCK])).decryptor()
            padded = decryptor.update(sealed[_BLOCK:]) + decryptor.finalize()
            unpadder = PKCS7(_BLOCK * 8).unpadder()
            return unpadder.update(padded) + unpadder.finalize()
        except ValueError:
            return None


def signer(keys: Sequence[EncryptKey], stamp: Stamp, body: bytes) -> EncryptKey | None:
    """The key that made this signature. During a rotation there are two; each is always tried."""
    matching = [key for key in keys if key.signed(stamp, body)]
    return matching[0] if matching else None


def known(tokens: Sequence[str], token: str | None) -> bool:
    """Whether `token` is one of the app's verification tokens; each is always compared, in constant time."""
    given = _bytes(token or "")
    matching = [hmac.compare_digest(each.encode(), given) for each in tokens]
    return any(matching) and bool(given)


def fresh(timestamp: str, now: datetime, window: timedelta) -> bool:
    """Whether the signed instant is within `window` of `now`, before or after; one that is no instant is not."""
    signed_at = instant(timestamp)
    return signed_at is not None and abs(now - signed_at) <= window


def _bytes(text: str) -> bytes:
    """Headers and JSON may hold lone surrogates; they match nothing, and must not raise."""
    return text.encode("utf-8", "surrogatepass")
