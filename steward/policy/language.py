"""Which language a question is answered in. Contract W5."""

from steward.model.turn import Language

_IDEOGRAPHS = (
    (0x3005, 0x3007),  # repetition and closing marks and zero, written among ideographs
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def language_of(text: str) -> Language:
    """Chinese where one Chinese character stands in the question, English otherwise: "PR #42 合了吗" is Chinese."""
    return Language.ZH if any(_ideograph(ord(character)) for character in text) else Language.EN


def _ideograph(point: int) -> bool:
    return any(first <= point <= last for first, last in _IDEOGRAPHS)
