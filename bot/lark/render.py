"""Other people's text made harmless for each place where the platform shows text. Pure.

Three places, three rules. Everywhere: one line, without characters that hide, reorder or smuggle. Where text is
plain to the platform (card `plain_text`, post `text`) and in text messages, tags, links and addresses that a
client might bring to life are broken with a zero-width space, which no entity could do there. In a markdown
element the platform's own table of entities is used, for a link's label alone.
"""

import re
import sys
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from steward.reading.text import clean, is_clean

BREAK = "\N{ZERO WIDTH SPACE}"

UNCUT = sys.maxsize
"""The limit of a conclusion: none."""

_ALIVE = re.compile(
    r"""
    (?<=<)                     # a tag, wherever its name stands: <at …>, </b>, or on the next line
    | (?<=\])(?=\()            # a link: [text](target)
    | (?<=:)(?=//)             # an address: https://
    | (?<=@)(?=_)              # a mention by placeholder: @_all
    | (?i:(?<=\bwww)(?=\.))    # an address without a scheme
    | (?i:(?<=\bmailto)(?=:)) | (?i:(?<=\btel)(?=:))
    """,
    re.VERBOSE,
)


def plain(text: str, limit: int = UNCUT) -> str:
    """For `plain_text`, post `text` and text messages: as it reads, but nothing in it comes to life."""
    return _ALIVE.sub(BREAK, clean(text, limit))


_ENTITIES = str.maketrans(
    {
        "&": "&#38;",
        "<": "&#60;",
        ">": "&#62;",
        "*": "&#42;",
        "_": "&#95;",
        "~": "&sim;",
        "`": "&#96;",
        "[": "&#91;",
        "]": "&#93;",
        "(": "&#40;",
        ")": "&#41;",
        "#": "&#35;",
        "!": "&#33;",
        ":": "&#58;",
        "-": "&#45;",
        "+": "&#43;",
        "/": "&#47;",
        "\\": "&#92;",
        '"': "&#34;",
        "'": "&#39;",
        "$": "&#36;",
    }
)
"""The platform's table for markdown elements; `&` is ours, so that an entity in the text stays text."""


def markdown(text: str) -> str:
    """For a markdown element: every character that could begin a tag, a link, an emoji or a style is an entity."""
    return clean(text, UNCUT).translate(_ENTITIES)


@dataclass(frozen=True, slots=True)
class Link:
    """A link that we made: the whole address, percent-encoded, and the host as people see it."""

    href: str
    host: str


_SAFE = "/:@%?&=+,#!.-"
"""What an address keeps beside letters and digits; brackets, quotes and `;` could end it early or begin a tag."""


def link(address: str | None) -> Link | None:
    """An evidence link that may be shown: http or https, a host in ASCII, no user name. None: no link."""
    if not address or not is_clean(address):
        return None
    try:
        parts = urlsplit(address)
        host, port = _host(parts), parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or host is None or "@" in parts.netloc:
        return None
    shown = host if port is None else f"{host}:{port}"
    tail = parts._replace(scheme="", netloc="", path=parts.path or "/").geturl()
    return Link(f"{parts.scheme}://{shown}{quote(tail, safe=_SAFE)}", shown)


_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")


def _host(parts: SplitResult) -> str | None:
    """In its ASCII form, so that one alphabet cannot pass for another."""
    name = parts.hostname
    if name is None:
        return None
    ascii_name = name if name.isascii() else name.encode("idna").decode("ascii")
    return ascii_name if _HOST.fullmatch(ascii_name) else None
