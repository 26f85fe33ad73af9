"""A text in the form in which names are compared: case, width and separators set aside, places kept. Pure.

"Release-2", "RELEASE 2" and "release2" are one name; "Release 2.1" is another: a number is matched whole.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass


def plain(text: str) -> str:
    """Compatibility forms and case set aside; every place in a question counts in this form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` holds what counts of a plain text; `places` where each of its characters stands there.

    `breaks` are the places in `text` where a separator was.
    """

    text: str
    places: tuple[int, ...]
    breaks: frozenset[int]

    def find(self, name: str) -> Iterator[tuple[int, int]]:
        """Every place of a name, [start, end) in the plain text. One Chinese character alone is no name."""
        wanted = fold(name).text
        if not wanted or (len(wanted) == 1 and ideographic(wanted)):
            return
        start = self.text.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            if self._bounded(start) and self._bounded(end):
                yield self.places[start], self.places[end - 1] + 1
            start = self.text.find(wanted, start + 1)

    def _bounded(self, place: int) -> bool:
        """Whether a name may begin or end here: not inside a word or a number."""
        if place in {0, len(self.text)}:
            return True
        before, after = self.text[place - 1], self.text[place]
        if "." in (before, after) or (before.isdecimal() and after.isdecimal()):
            return False
        return place in self.breaks or not (_in_word(before) and _in_word(after))


def fold(text: str) -> Folded:
    """Between two digits a separator stays, as a space or, for a point, as itself: "2.1" and "2 1" are not "21"."""
    folded: list[str] = []
    places: list[int] = []
    breaks: set[int] = set()
    gap = ""
    for place, character in enumerate(plain(text)):
        if not _counts(character):
            gap = gap or character
            continue
        if gap and folded and folded[-1].isdecimal() and character.isdecimal():
            folded.append("." if gap == "." else " ")
            places.append(place)
        elif gap:
            breaks.add(len(folded))
        gap = ""
        folded.append(character)
        places.append(place)
    return Folded("".join(folded), tuple(places), frozenset(breaks))


def ideographic(character: str) -> bool:
    """A script that is written without spaces between words."""
    return unicodedata.east_asian_width(character) in {"W", "F"}


def _counts(character: str) -> bool:
    """Letters, digits and marks make a name; all else separates."""
    return unicodedata.category(character)[0] in "LNM"


def _in_word(character: str) -> bool:
    """Scripts that write words apart; Chinese and its neighbours do not."""
    return character.isalpha() and not ideographic(character)
