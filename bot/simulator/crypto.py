"""Signing and encrypting of deliveries, written apart from the bot's own verification.

The two share nothing, so that a mistake in one cannot hide behind the same mistake in the other.
"""

import base64
import hashlib

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

BLOCK_BITS = 128
IV_BYTES = 16


def encrypt(plain: bytes, encrypt_key: str, iv: bytes) -> str:
    """AES-256-CBC under the key's SHA-256, PKCS7; base64 of the 16-byte IV and the ciphertext."""
    padder = padding.PKCS7(BLOCK_BITS).padder()
    padded = padder.update(plain) + padder.finalize()
    key = hashlib.sha256(encrypt_key.encode()).digest()
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return base64.b64encode(iv + encryptor.update(padded) + encryptor.finalize()).decode()


def sign(timestamp: str, nonce: str, encrypt_key: str, body: bytes) -> str:
    """The hex SHA-256 over timestamp, nonce, key and the raw body that goes over the wire."""
    return hashlib.sha256(f"{timestamp}{nonce}{encrypt_key}".encode() + body).hexdigest()
