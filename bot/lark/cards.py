"""A sheet as a card, JSON 2.0: conclusions first, phone first, evidence and gaps folded. Pure.

A button carries its nonce and nothing else; a card with buttons cannot be forwarded. Buttons stand one below the
other, as wide as the card: a phone has no room for two titles side by side.
Text stands in `plain_text` alone, so nothing in it can become a mention, a link or a picture. The one markdown
element is a link that we made. The platform refuses properties that it does not know; add none unread.
"""

from collections.abc import Sequence

from bot.lark.render import Link, markdown
from bot.lark.sheet import SUMMARY_CHARS, Sheet, SourceLine
from steward.model.answer import OutgoingButton, OutgoingKind
from steward.model.json import Json
from steward.texts.labels import DETAILS, FOLD, FOLD_MORE, SOURCES

LINES_BEFORE_FOLD = 6


def card(sheet: Sheet) -> dict[str, Json]:
    """The card's document. A short headline is its title, a long one its first line, whole."""
    titled = len(sheet.headline) <= SUMMARY_CHARS
    config: dict[str, Json] = {"update_multi": True, "summary": {"content": sheet.summary}}
    if sheet.choices or sheet.folded_buttons:
        config["enable_forward"] = False
    document: dict[str, Json] = {"schema": "2.0", "config": config}
    if titled:
        document["header"] = {"title": _text(sheet.headline)}
    elements: list[Json]
    top = [] if titled else [_block(sheet.headline, size="heading")]
    if sheet.note:
        top.append(aside(sheet.note))
    bottom = [aside(sheet.coverage)] if sheet.coverage else []
    if sheet.kind is OutgoingKind.EVIDENCE:
        elements = [*top, *map(_block, sheet.details), *_rows(sheet)]
    else:
        choices, shown = sheet.choices, sheet.claims
        if sheet.kind is OutgoingKind.ANSWER:
            room = LINES_BEFORE_FOLD - len(top) - len(bottom) - titled
            choices = sheet.choices[:room]
            shown = sheet.claims[: room - len(choices)]
        elements = [
            *top,
            *map(_block, shown),
            *map(_button, choices),
            *bottom,
            *_fold(sheet, sheet.claims[len(shown) :], sheet.choices[len(choices) :]),
        ]
    document["body"] = {"elements": elements or [_block(sheet.headline)]}
    return document


def _fold(sheet: Sheet, claims: Sequence[str], choices: Sequence[OutgoingButton]) -> list[Json]:
    elements: list[Json] = [*map(_button, choices)]
    if claims:
        elements.append(_block("\n".join(claims)))
    if sheet.details:
        elements.append(_heading(sheet.label(DETAILS)))
        elements.append(_block("\n".join(sheet.details)))
    if sheet.sources or sheet.unlisted:
        elements.append(_heading(sheet.label(SOURCES)))
        elements.extend(_rows(sheet))
    elements.extend(map(_button, sheet.folded_buttons))
    if not elements:
        return []
    title = sheet.label(FOLD_MORE, count=len(claims)) if claims else sheet.label(FOLD)
    return [
        {
            "tag": "collapsible_panel",
            "expanded": False,
            "header": {"title": _text(title)},
            "elements": elements,
        }
    ]


def _rows(sheet: Sheet) -> list[Json]:
    elements: list[Json] = []
    for source in sheet.sources:
        elements.extend(_row(source))
    elements.extend(_block(line, colour="grey") for line in sheet.more_sources)
    return elements


def _row(source: SourceLine) -> list[Json]:
    row = _block("\n".join([source.text, *source.fields]))
    return [row] if source.link is None else [row, _link(source.link)]


def _button(button: OutgoingButton) -> dict[str, Json]:
    return {
        "tag": "button",
        "text": _text(button.label),
        "width": "fill",
        "behaviors": [{"type": "callback", "value": {"nonce": button.nonce}}],
    }


def _text(content: str) -> dict[str, Json]:
    return {"tag": "plain_text", "content": content}


def _block(content: str, *, size: str = "normal", colour: str | None = None) -> dict[str, Json]:
    text = _text(content) | {"text_size": size}
    if colour is not None:
        text["text_color"] = colour
    return {"tag": "div", "text": text}


def aside(content: str) -> dict[str, Json]:
    """A small grey line: of the message, and no part of what it says."""
    return _block(content, size="notation", colour="grey")


def _heading(content: str) -> dict[str, Json]:
    return _block(content, size="notation", colour="grey")


def _link(link: Link) -> dict[str, Json]:
    return {"tag": "markdown", "content": f"[{markdown(link.host)}]({link.href})"}
