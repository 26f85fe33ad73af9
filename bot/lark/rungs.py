"""The forms that a message may take, best first: card, post, text. Contract D4. Pure.

Each part's body is the content as it will stand on the wire, measured on the request that will carry it. What is
too large for a card or a post leaves that rung out; text is split and always fits.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import orjson

from bot.lark.calls import MsgType
from bot.lark.cards import card
from bot.lark.sheet import BULLET, Sheet, SourceLine, most_sources, sheet
from steward.model.answer import Outgoing, OutgoingKind
from steward.model.delivery import PlannedPart
from steward.model.json import Json
from steward.model.turn import Language
from steward.texts.labels import CHOICES, DETAILS, PART, SOURCES, UNPRESSABLE

MSG_TYPES: dict[str, MsgType] = {"card": "interactive", "post": "post", "text": "text"}
"""A rung's name in the outbox and the platform's name of its form."""

CARD_BYTES = 28_000
"""Of a request with a card or a post; the platform refuses 30 KB and counts tags of its own into them."""
CARD_ROWS = 60
"""Rows in full, each with its link, of which a card's 200 elements have room."""
TEXT_CHARS = 4_000
"""Of one text message: what a person reads at a time. Far below the platform's 150 KB in any script."""
MARKER_CHARS = 16

Measure: TypeAlias = Callable[[MsgType, str], int]
"""Bytes of the whole request that would carry this content."""


def rungs(message: Outgoing, measure: Measure) -> list[list[PlannedPart]]:
    """Every rung that fits, best first. A bare sentence or two are a text from the start."""
    whole = sheet(message)
    if whole.bare:
        return [_text_rung(whole)]
    single = [_fitted("card", card, message, measure), _fitted("post", _post, message, measure)]
    return [*filter(None, single), _text_rung(whole)]


def _fitted(
    rung: str, render: Callable[[Sheet], dict[str, Json]], message: Outgoing, measure: Measure
) -> list[PlannedPart]:
    """The fullest rendering that fits: rows of evidence give way, conclusions and details do not.

    Where the rows are what was asked for, nothing gives way: a lower rung has room for all.
    """
    fitting: bytes | None = None
    least, most = 0, most_sources(message)
    if message.kind is OutgoingKind.EVIDENCE:
        least = most
        if rung == "card" and most > CARD_ROWS:
            return []
    listed = most
    while least <= most:
        content = orjson.dumps(render(sheet(message, listed)))
        if measure(MSG_TYPES[rung], content.decode()) <= CARD_BYTES:
            fitting, least = content, listed + 1
        else:
            most = listed - 1
        listed = (least + most) // 2
    return [] if fitting is None else [PlannedPart(rung, 1, 1, fitting)]


def _post(page: Sheet) -> dict[str, Json]:
    """Plain nodes alone, under the reader's language; no `md` node, which would parse what it is given."""
    lines = [page.note, *page.claims, *_choices(page), page.coverage, *_tail(page)]
    paragraphs: list[Json] = [[_node(line)] for line in lines if line]
    for source in page.sources:
        nodes: list[Json] = [_node(source.text)]
        if source.link is not None:
            nodes.append(_node(" "))
            nodes.append({"tag": "a", "text": source.link.host, "href": source.link.href})
        paragraphs.append(nodes)
        paragraphs.extend([_node(line)] for line in source.fields)
    paragraphs.extend([_node(line)] for line in page.more_sources)
    locale = "zh_cn" if page.language is Language.ZH else "en_us"
    return {locale: {"title": page.headline, "content": paragraphs}}


def _node(text: str) -> dict[str, Json]:
    return {"tag": "text", "text": text}


def _choices(page: Sheet) -> Iterator[str]:
    """What the reader may answer with, where no button can be pressed."""
    needed = [button for button in page.choices if not button.spare]
    spoken = [button for button in needed if not button.pressed_only]
    if spoken:
        yield page.label(CHOICES)
        yield from (f"{BULLET}{button.label}" for button in spoken)
    if len(spoken) < len(needed):
        yield page.label(UNPRESSABLE)


def _tail(page: Sheet) -> Iterator[str]:
    """What stands between the coverage line and the rows of evidence; where those are the message, nothing names them."""
    if page.kind is OutgoingKind.EVIDENCE:
        yield from page.details
        return
    if page.details:
        yield page.label(DETAILS)
        yield from page.details
    if page.sources or page.unlisted:
        yield page.label(SOURCES)


def text_of(message: Outgoing) -> str:
    """The whole message as one text, for where nothing limits it."""
    return "\n".join(_lines(sheet(message)))


def _text_rung(page: Sheet) -> list[PlannedPart]:
    texts = _split(_lines(page), TEXT_CHARS - MARKER_CHARS)
    if len(texts) > 1:
        texts = [
            f"{page.label(PART, number=number, of=len(texts))}\n{text}"
            for number, text in enumerate(texts, start=1)
        ]
    return [
        PlannedPart("text", number, len(texts), orjson.dumps({"text": text}))
        for number, text in enumerate(texts, start=1)
    ]


def _lines(page: Sheet) -> list[str]:
    lines = [
        page.headline,
        page.note,
        *page.claims,
        *_choices(page),
        page.coverage,
        *_tail(page),
        *(line for source in page.sources for line in _source_lines(source)),
        *page.more_sources,
    ]
    return [line for line in lines if line]


def _source_lines(source: SourceLine) -> Iterator[str]:
    yield f"{source.text} {source.link.href}" if source.link else source.text
    yield from source.fields


def _split(lines: Sequence[str], room: int) -> list[str]:
    """Pack lines into texts of at most `room` characters; a longer line goes on in the next text."""
    texts: list[str] = []
    current = ""
    for line in lines:
        for piece in _pieces(line, room):
            if current and len(current) + 1 + len(piece) > room:
                texts.append(current)
                current = piece
            else:
                current = f"{current}\n{piece}" if current else piece
    return [*texts, current]


def _pieces(line: str, room: int) -> Iterator[str]:
    """Cut at a space where one is near."""
    while len(line) > room:
        space = line.rfind(" ", room - 80, room)
        end = space if space > 0 else room
        yield line[:end]
        line = line[end:].lstrip(" ")
    yield line
