"""The platform's side of an event, for tests: encrypts and signs with code that the service does not have."""

import base64
import hashlib
import json
from datetime import datetime

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

IV = bytes(range(16))
NONCE = "nonce123"


def encrypted(plain: bytes, key: str) -> bytes:
    """The body `{"encrypt": …}`."""
    pad = 16 - len(plain) % 16
    encryptor = Cipher(AES(hashlib.sha256(key.encode()).digest()), CBC(IV)).encryptor()
    sealed = IV + encryptor.update(plain + bytes([pad]) * pad) + encryptor.finalize()
    return json.dumps({"encrypt": base64.b64encode(sealed).decode()}).encode()


def signed(body: bytes, key: str, at: datetime, nonce: str = NONCE) -> dict[str, str]:
    """The headers of one delivery, signed at `at`."""
    timestamp = str(int(at.timestamp()))
    signature = hashlib.sha256(f"{timestamp}{nonce}{key}".encode() + body).hexdigest()
    return {
        "Content-Type": "application/json; charset=utf-8",
        "X-Lark-Request-Timestamp": timestamp,
        "X-Lark-Request-Nonce": nonce,
        "X-Lark-Signature": signature,
    }
