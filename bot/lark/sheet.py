"""An outgoing message with every text made harmless, and nothing decided yet about its form. Pure.

Between `Outgoing`, whose words are untrusted, and cards.py and rungs.py, which only lay these lines out.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.lark.render import Link, link, plain
from steward.model.answer import (
    Outgoing,
    OutgoingButton,
    OutgoingClaim,
    OutgoingKind,
    OutgoingSource,
)
from steward.model.turn import Language
from steward.texts.catalogue import Text
from steward.texts.labels import ANSWER, EVIDENCE, MORE_SOURCES, NOTICE

FIELD_CHARS = 400
"""A row of evidence is cut here, visibly. A conclusion is never cut."""
MOST_SOURCES = 30
"""Rows of evidence that a message lists; the rest is counted."""
BUTTON_CHARS = 60
"""A longer label is cut, visibly: it is a goal's title, and the title stands whole in the text."""
BULLET = "• "
SUMMARY_CHARS = 40
"""A longer headline is no preview."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One row of evidence: its line with its number, the link that may be shown, and its other fields, a line each."""

    text: str
    link: Link | None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """Lines in the order in which they are read. Claims end with their [n], an answer's begin with a bullet."""

    kind: OutgoingKind
    language: Language
    headline: str
    note: str | None
    claims: tuple[str, ...]
    coverage: str | None
    details: tuple[str, ...]
    sources: tuple[SourceLine, ...]
    unlisted: int
    choices: tuple[OutgoingButton, ...]
    folded_buttons: tuple[OutgoingButton, ...]

    @property
    def bare(self) -> bool:
        """One or two sentences with nothing behind them: they need no card."""
        more = self.coverage or self.details or self.sources or self.choices
        return len(self.claims) <= 1 and not (more or self.folded_buttons)

    @property
    def summary(self) -> str:
        """The one-line preview: the headline, or code's count line where that is too long."""
        if len(self.headline) <= SUMMARY_CHARS:
            return self.headline
        return self.coverage or _name(self.kind).of(self.language)

    @property
    def more_sources(self) -> tuple[str, ...]:
        """The line that counts what is not listed, if anything is not."""
        return (self.label(MORE_SOURCES, count=self.unlisted),) if self.unlisted else ()

    def label(self, text: Text, **values: int) -> str:
        """A label in the reader's language."""
        return text.format(self.language, **values)


def most_sources(message: Outgoing) -> int:
    """How many rows of evidence a message lists at most: all of them where they are what was asked for."""
    if message.kind is OutgoingKind.EVIDENCE:
        return len(message.sources)
    return min(len(message.sources), MOST_SOURCES)


def sheet(message: Outgoing, most: int | None = None) -> Sheet:
    """Make a message harmless. Only rows of evidence are cut: what code says of a gap is whole or it misleads."""
    listed = message.sources[: most_sources(message) if most is None else most]
    buttons = [(one.folded, _button(one)) for one in message.buttons]
    bullet = BULLET if message.kind is OutgoingKind.ANSWER else ""
    return Sheet(
        kind=message.kind,
        language=message.language,
        headline=plain(message.headline) or _name(message.kind).of(message.language),
        note=plain(message.note or "") or None,
        claims=_lines(_claim(claim, bullet) for claim in message.claims),
        coverage=plain(message.coverage or "") or None,
        details=_lines(plain(line) for line in message.details),
        sources=tuple(map(_source, listed)),
        unlisted=len(message.sources) - len(listed),
        choices=tuple(button for folded, button in buttons if not folded),
        folded_buttons=tuple(button for folded, button in buttons if folded),
    )


def _source(one: OutgoingSource) -> SourceLine:
    """What a row holds was bounded by the gate, field by field; only its one line is cut here."""
    fields = _lines(plain(line) for line in one.fields)
    return SourceLine(f"[{one.number}] {plain(one.text, FIELD_CHARS)}", link(one.link), fields)


def _button(one: OutgoingButton) -> OutgoingButton:
    return replace(one, label=plain(one.label, BUTTON_CHARS) or BULLET.strip())


def _claim(claim: OutgoingClaim, bullet: str) -> str:
    words = plain(claim.text)
    numbers = "".join(f"[{number}]" for number in claim.cites)
    return f"{bullet}{words} {numbers}".rstrip() if words else ""


def _lines(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(line for line in lines if line)


def _name(kind: OutgoingKind) -> Text:
    match kind:
        case OutgoingKind.ANSWER:
            return ANSWER
        case OutgoingKind.NOTICE:
            return NOTICE
        case OutgoingKind.EVIDENCE:
            return EVIDENCE
