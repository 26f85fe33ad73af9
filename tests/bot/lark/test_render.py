import html
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.lark.render import BREAK, Link, link, markdown, plain

NASTY = st.lists(
    st.sampled_from(
        [
            *("<", ">", "/", "at", " id=all", ' user_id="all"', "</at>", "person", "link", "b"),
            *("[", "]", "(", ")", "!", "http", "https", "://", ":", "//", "www", ".", "mailto:"),
            *("@", "_all", "_user_1", "&#60;", "&lt;", "&", ";", "*", "_", "~", "`", "\\", "#"),
            *(
                "\u200b",
                "\u202e",
                "\ufeff",
                "\x00",
                "\x07",
                "\n",
                "\r",
                "\t",
                "\ud800",
                "\U000e0041",
            ),
            *("\u3164", "\ufe00", "\u2066", "OK", "DONE", "用", "$", "img_v2_1", "tel:", "-", "+"),
        ]
    ),
    max_size=30,
).map("".join)
ANYTHING = st.one_of(NASTY, st.text(max_size=80), st.text(st.characters(), max_size=80))

LIVE = re.compile(
    r"</?\s?at\b|<[/!?\w]|\]\(|!\[[^\]]*\]\(|https?://|://|\bwww\.|@_|\bmailto:|\btel:",
    re.IGNORECASE,
)
"""What a client may bring to life in a text message or in plain text."""


@pytest.mark.requirement("R4")
@given(ANYTHING)
def test_no_text_becomes_a_mention_a_link_a_picture_or_a_tag(text: str) -> None:
    assert LIVE.search(plain(text)) is None


@given(ANYTHING)
def test_no_text_brings_what_a_reader_cannot_see(text: str) -> None:
    shown = plain(text).replace(BREAK, "")
    hidden = [c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}]
    assert hidden == []
    shown.encode()


@pytest.mark.requirement("R4")
@given(ANYTHING)
def test_markdown_keeps_no_character_that_begins_anything(text: str) -> None:
    shown = markdown(text)
    assert not set("<>*_~`[]()#!:-+/\\\"'$") & set(re.sub(r"&(#\d+|sim);", "", shown))
    assert "&" not in re.sub(r"&(#\d+|sim);", "", shown)


@given(ANYTHING)
def test_markdown_reads_as_the_text_did(text: str) -> None:
    as_shown = html.unescape(markdown(text)).replace("\u223c", "~")
    assert as_shown == plain(text).replace(BREAK, "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('<at user_id="all">x</at>', f'<{BREAK}at user_id="all">x<{BREAK}/at>'),
        ("[here](https://a.example)", f"[here]{BREAK}(https:{BREAK}//a.example)"),
        ("1 < 2, x<y", f"1 <{BREAK} 2, x<{BREAK}y"),
        ("two\nlines\tand \u202ehidden", "two lines and hidden"),
        ("支付网关 · 3/5 done - ok", "支付网关 · 3/5 done - ok"),
        ("lin@example.com", "lin@example.com"),
        ("@_all 16:30", f"@{BREAK}_all 16:30"),
        ("see www.example.com", f"see www{BREAK}.example.com"),
    ],
)
def test_ordinary_words_stay_as_they_are(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.requirement("R4")
@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://example.com/pr/12", Link("https://example.com/pr/12", "example.com")),
        ("HTTP://Example.COM", Link("http://example.com/", "example.com")),
        ("https://x.io:8443/a?b=c#d", Link("https://x.io:8443/a?b=c#d", "x.io:8443")),
        (
            "https://例子.测试/a",
            Link("https://xn--fsqu00a.xn--0zwm56d/a", "xn--fsqu00a.xn--0zwm56d"),
        ),
        ("https://x.io/(a)<at>;]", Link("https://x.io/%28a%29%3Cat%3E%3B%5D", "x.io")),
        ("https://x.io/a b", Link("https://x.io/a%20b", "x.io")),
        ("https://x.io/a%20b", Link("https://x.io/a%20b", "x.io")),
    ],
)
def test_an_evidence_link_shows_its_host(address: str, shown: Link) -> None:
    assert link(address) == shown


@pytest.mark.requirement("R4")
@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "//example.com/x",
        "example.com/x",
        "https:///x",
        "https://bank.example@evil.example/",
        "https://bank.example\\@evil.example/",
        "https://[::1]/",
        "https://x.io:99999/",
        "https://x\u200b.io/",
        "https://x.io/\u202etxt",
        "https://-x.io/",
        "https://x..io/",
        "https://x.io/\n",
        "https://x.io/" + "a" * 2000,
        "lark://client/x",
    ],
)
def test_any_other_address_is_no_link(address: str | None) -> None:
    assert link(address) is None


@given(st.one_of(ANYTHING, ANYTHING.map("https://example.com/".__add__)))
def test_a_link_cannot_leave_its_markdown(address: str) -> None:
    made = link(address)
    if made is not None:
        assert re.fullmatch(r"https?://[a-z0-9.:-]+/[\w/:@%?&=+,#!.~-]*", made.href, re.ASCII)
