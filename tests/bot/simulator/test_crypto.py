"""Published vectors: what the platform itself would have sent."""

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from bot.simulator import crypto

KEY = "test key"
PLAIN = b'{"challenge":"ajls384kdjxxxx","token":"xxxxxx","type":"url_verification"}'
ENCRYPTED = (
    "AAECAwQFBgcICQoLDA0ODw9mLTIAZS9jAmGTQ1wAhHp7T0KSqa6xlIO2zHinxKSs1K4/7o0J6jqt9tlbOFlHae7/"
    "cvXLvNi4ZpCEt5KzcrL1tjJXRzgeOikjXBgef8ne"
)


def test_a_known_plaintext_encrypts_to_the_known_bytes() -> None:
    assert crypto.encrypt(PLAIN, KEY, bytes(range(16))) == ENCRYPTED


def test_a_known_body_has_the_known_signature() -> None:
    body = f'{{"encrypt":"{ENCRYPTED}"}}'.encode()
    assert (
        crypto.sign("1700000000", "nonce123", KEY, body)
        == "62a88f8fef2b7c2214cac9c2575c2fd361057cf952e939fbcf8b90b7a2bca10d"
    )


@pytest.mark.parametrize("length", [0, 15, 16, 17])
def test_padding_fills_the_last_block_and_never_nothing(length: int) -> None:
    raw = base64.b64decode(crypto.encrypt(b"x" * length, KEY, bytes(16)))
    key = hashlib.sha256(KEY.encode()).digest()
    decryptor = Cipher(algorithms.AES(key), modes.CBC(raw[:16])).decryptor()
    padded = decryptor.update(raw[16:]) + decryptor.finalize()
    missing = 16 - length % 16
    assert padded == b"x" * length + bytes([missing]) * missing
