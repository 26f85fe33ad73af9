"""A sheet as a card, JSON 2.0: conclusions first, phone first, evidence and gaps folded. Pure.

Text stands in `plain_text` alone, so nothing in it can become a mention, a link or a picture. The one markdown
element is a link that we made. The platform refuses properties that it does not know; add none unread.
"""

from collections.abc import Sequence

from bot.lark.render import Link, markdown
from bot.lark.sheet import SUMMARY_CHARS, Sheet
from steward.model.json import Json
from steward.texts.labels import DETAILS, FOLD, FOLD_MORE, SOURCES

LINES_BEFORE_FOLD = 6


def card(sheet: Sheet) -> dict[str, Json]:
    """The card's document. A short headline is its title, a long one its first line, whole."""
    titled = len(sheet.headline) <= SUMMARY_CHARS
    document: dict[str, Json] = {
        "schema": "2.0",
        "config": {"update_multi": True, "summary": {"content": sheet.summary}},
    }
    if titled:
        document["header"] = {"title": _text(sheet.headline)}
    top = [] if titled else [_block(sheet.headline, size="heading")]
    if sheet.note:
        top.append(_block(sheet.note, size="notation", colour="grey"))
    bottom = [_block(sheet.coverage, size="notation", colour="grey")] if sheet.coverage else []
    room = LINES_BEFORE_FOLD - len(top) - len(bottom) - titled
    shown, folded = sheet.claims[:room], sheet.claims[room:]
    claims = [_block(claim) for claim in shown]
    elements: list[Json] = [*top, *claims, *bottom, *_fold(sheet, folded)]
    document["body"] = {"elements": elements or [_block(sheet.headline)]}
    return document


def _fold(sheet: Sheet, claims: Sequence[str]) -> list[Json]:
    elements: list[Json] = []
    if claims:
        elements.append(_block("\n".join(claims)))
    if sheet.details:
        elements.append(_heading(sheet.label(DETAILS)))
        elements.append(_block("\n".join(sheet.details)))
    if sheet.sources or sheet.unlisted:
        elements.append(_heading(sheet.label(SOURCES)))
        for source in sheet.sources:
            elements.append(_block(source.text))
            if source.link is not None:
                elements.append(_link(source.link))
        elements.extend(_block(line, colour="grey") for line in sheet.more_sources)
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


def _text(content: str) -> dict[str, Json]:
    return {"tag": "plain_text", "content": content}


def _block(content: str, *, size: str = "normal", colour: str | None = None) -> dict[str, Json]:
    text = _text(content) | {"text_size": size}
    if colour is not None:
        text["text_color"] = colour
    return {"tag": "div", "text": text}


def _heading(content: str) -> dict[str, Json]:
    return _block(content, size="notation", colour="grey")


def _link(link: Link) -> dict[str, Json]:
    return {"tag": "markdown", "content": f"[{markdown(link.host)}]({link.href})"}
