import json
from base64 import b64decode
from datetime import UTC, datetime, timedelta

import pytest

from bot.lark.instants import instant
from bot.lark.signature import EncryptKey, Stamp, fresh, known, signer
from tests.bot.lark.sealing import encrypted

KEY = EncryptKey("test key")
BODY = (
    b'{"encrypt":"AAECAwQFBgcICQoLDA0ODw9mLTIAZS9jAmGTQ1wAhHp7T0KSqa6xlIO2zHinxKSs1K4/7o0J6jqt9tlb'
    b'OFlHae7/cvXLvNi4ZpCEt5KzcrL1tjJXRzgeOikjXBgef8ne"}'
)
STAMP = Stamp(
    "1700000000", "nonce123", "62a88f8fef2b7c2214cac9c2575c2fd361057cf952e939fbcf8b90b7a2bca10d"
)
NOW = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)


def _sealed(body: bytes) -> bytes:
    return b64decode(json.loads(body)["encrypt"])


def test_the_platforms_own_example_is_decrypted() -> None:
    assert KEY.decrypt(b64decode("P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=")) == b"hello world"


def test_the_golden_challenge_is_signed_and_decrypts() -> None:
    assert KEY.signed(STAMP, BODY)
    assert KEY.decrypt(_sealed(BODY)) == (
        b'{"challenge":"ajls384kdjxxxx","token":"xxxxxx","type":"url_verification"}'
    )


@pytest.mark.parametrize(
    "stamp",
    [
        Stamp("1700000001", STAMP.nonce, STAMP.signature),
        Stamp(STAMP.timestamp, "nonce124", STAMP.signature),
        Stamp(STAMP.timestamp, STAMP.nonce, STAMP.signature[:-1] + "e"),
        Stamp(STAMP.timestamp, STAMP.nonce, ""),
        Stamp(STAMP.timestamp, STAMP.nonce, "é\udcff"),
        Stamp("\udcff", STAMP.nonce, STAMP.signature),
    ],
)
def test_a_signature_over_anything_else_is_refused(stamp: Stamp) -> None:
    assert not KEY.signed(stamp, BODY)


def test_one_changed_byte_of_the_body_breaks_the_signature() -> None:
    assert not any(
        KEY.signed(STAMP, BODY[:at] + bytes([BODY[at] ^ 1]) + BODY[at + 1 :])
        for at in range(len(BODY))
    )


def test_the_signature_is_over_the_raw_bytes_not_over_the_same_json() -> None:
    assert not KEY.signed(STAMP, json.dumps(json.loads(BODY)).encode())


def test_during_a_rotation_either_key_signs_and_the_signing_one_is_told() -> None:
    other = EncryptKey("another key")
    assert signer([other, KEY], STAMP, BODY) is KEY
    assert signer([KEY, other], STAMP, BODY) is KEY
    assert signer([other], STAMP, BODY) is None


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 4096])
def test_what_was_encrypted_comes_back(length: int) -> None:
    assert KEY.decrypt(_sealed(encrypted(b"x" * length, "test key"))) == b"x" * length


@pytest.mark.parametrize(
    "sealed",
    [
        b"",
        b"short",
        bytes(16),
        bytes(31),
        bytes(32),
        _sealed(BODY)[:-1],
        _sealed(BODY)[:-16] + bytes(16),
    ],
)
def test_what_the_key_does_not_open_fails_the_same_way(sealed: bytes) -> None:
    assert KEY.decrypt(sealed) is None


def test_a_key_does_not_show_itself() -> None:
    assert "test key" not in repr(KEY)


def test_every_current_token_is_known_and_nothing_blank_is() -> None:
    tokens = ("current", "next")
    assert [known(tokens, each) for each in ("current", "next", "other", "", None, "é\udcff")] == [
        True, True, False, False, False, False,
    ]  # fmt: skip
    assert not known(("",), "")


@pytest.mark.parametrize(
    ("timestamp", "is_fresh"),
    [
        (str(int(NOW.timestamp())), True),
        (str(int(NOW.timestamp()) * 1000), True),
        (str(int(NOW.timestamp()) - 3600), True),
        (str(int(NOW.timestamp()) - 3601), False),
        (str(int(NOW.timestamp()) + 3601), False),
        ("yesterday", False),
        ("-1", False),
        ("", False),
    ],
)
def test_freshness_is_a_window_around_now(timestamp: str, is_fresh: bool) -> None:
    assert fresh(timestamp, NOW, timedelta(hours=1)) is is_fresh


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1608725989", datetime(2020, 12, 23, 12, 19, 49, tzinfo=UTC)),
        ("1608725989000", datetime(2020, 12, 23, 12, 19, 49, tzinfo=UTC)),
        ("1608725989123", datetime(2020, 12, 23, 12, 19, 49, 123000, tzinfo=UTC)),
        ("1603977298000000", datetime(2020, 10, 29, 13, 14, 58, tzinfo=UTC)),
        ("1603977298654321", datetime(2020, 10, 29, 13, 14, 58, 654321, tzinfo=UTC)),
        ("1502199207.7171419", datetime(2017, 8, 8, 13, 33, 27, tzinfo=UTC)),
        ("9" * 17, datetime(5138, 11, 16, 9, 46, 40, tzinfo=UTC)),
        ("9" * 18, None),
        ("9" * 5000, None),
        ("0", None),
        ("", None),
        (None, None),
        ("-5", None),
        ("1e9", None),
        ("\uff11\uff16", None),
        ("½", None),
    ],
)
def test_an_instants_unit_is_told_by_its_magnitude(
    text: str | None, expected: datetime | None
) -> None:
    assert instant(text) == expected
