"""Other people's text, made safe to show and to hand to a model. Every untrusted field passes here, once.

Removed: control, format (bidi, zero-width, tags), surrogate and private-use characters, variation selectors
and blank letters: all that a reader cannot see and a model can. Line breaks become spaces.
"""

import re
import unicodedata
from dataclasses import replace

from steward.model.reading import Row

FIELD_LIMIT = 400
"""Characters of one field, the mark of a cut included."""

CUT = "…"

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""What `str.isprintable` lets through although nobody sees it. It refuses Cc, Cf, Cs, Co, Zl and Zp by itself."""

_SPACES = re.compile(r"\s+")


def clean(text: str, limit: int = FIELD_LIMIT) -> str:
    """One visible line of at most `limit` characters; a cut is marked."""
    if not text.isprintable() or _UNSEEN.search(text):
        text = _visible(text)
    text = text.strip()
    return text if len(text) <= limit else text[: limit - len(CUT)].rstrip() + CUT


def is_clean(text: str) -> bool:
    """Whether an id may be used as it stands: nothing unseen, nothing to trim, not empty."""
    return bool(text) and clean(text) == text


def clean_row(row: Row) -> Row:
    """The row with all of its free text cleaned; the same object where nothing had to change."""
    texts = (
        row.id,
        row.title,
        row.owner,
        row.to,
        row.priority,
        row.blocked_by,
        row.waiting_on,
        row.link,
        row.raw_status,
        *row.aliases,
    )
    if all(text is None or clean(text) == text for text in texts):
        return row
    return replace(
        row,
        id=clean(row.id),
        title=clean(row.title),
        owner=_maybe(row.owner),
        to=_maybe(row.to),
        priority=_maybe(row.priority),
        blocked_by=_maybe(row.blocked_by),
        waiting_on=_maybe(row.waiting_on),
        link=_link(row.link),
        raw_status=_maybe(row.raw_status),
        aliases=tuple(filter(None, map(clean, row.aliases))),
    )


def _visible(text: str) -> str:
    kept = "".join(
        character
        for character in _SPACES.sub(" ", text)
        if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co"}
    )
    return _SPACES.sub(" ", _UNSEEN.sub("", kept))


def _maybe(text: str | None) -> str | None:
    return (clean(text) or None) if text is not None else None


def _link(link: str | None) -> str | None:
    """A link is whole or absent: a shortened one leads elsewhere."""
    return link if link is not None and is_clean(link) else None
