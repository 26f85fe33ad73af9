"""What a person may and may not read in an answer, written from the contracts alone. W1, W2, W4, W5, R9.

Nothing here asks the program: it judges the lines of a message as they stand in the chat.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from steward.model.reading import ContextCode, CoverageStatus, GateCode, SourceCode
from steward.model.turn import Language, TurnCode

QUESTIONS = [
    (Language.ZH, "支付网关进展如何？"),
    (Language.EN, "How is the payment gateway going?"),
    (Language.ZH, "现在整体情况怎么样？"),
    (Language.EN, "How is everything going?"),
]
IDS = ["zh-goal", "en-goal", "zh-all", "en-all"]
"""A goal named and none, in both languages; its answer is in the question's."""

LINES_BEFORE_FOLD = 6
FOLD = "▸"
CODES: tuple[type[StrEnum], ...] = (GateCode, SourceCode, ContextCode, TurnCode, CoverageStatus)
PLAIN_WORDS = {"read", "partial", "unreadable", "stopped", "withdrawn", "interrupted", "stale"}
"""Values of those enums that are English words, and would be no leak in a sentence."""

ABSENT = {Language.ZH: "没有记录", Language.EN: "nothing is recorded"}
UNREAD = {Language.ZH: "未读到证据", Language.EN: "o evidence"}
LISTS = {
    "todos": {Language.ZH: "待办", Language.EN: "todos"},
    "deliveries": {Language.ZH: "交付", Language.EN: "deliveries"},
    "handoffs": {Language.ZH: "交接", Language.EN: "handoffs"},
}
WINDOW = {
    Language.ZH: r"\d{4}-\d\d-\d\d 至 \d{4}-\d\d-\d\d|截至 \d{4}-\d\d-\d\d",
    Language.EN: r"\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d|as of \d{4}-\d\d-\d\d",
}


@dataclass(frozen=True, slots=True)
class Words:
    """What an answer about a gap must hold, in one language: the reason in few words, and the next step."""

    reason: str
    action: str


def absent(lines: Sequence[str], language: Language) -> frozenset[str]:
    """The lists of which the answer says that nothing is recorded."""
    said = [line for line in lines if ABSENT[language] in line]
    return frozenset(
        name for name, words in LISTS.items() if any(words[language] in line for line in said)
    )


def broken(
    lines: Sequence[str], language: Language, *, source: str, folded: bool = True
) -> Iterator[str]:
    """Every promise that any answer breaks, whatever was read. `folded` False: a plain text, which cannot fold."""
    text = "\n".join(lines)
    if "没有进展" in text or "no progress" in text.lower():
        yield "it speaks of no progress"
    for leaked in _codes(text):
        yield f"it shows the code {leaked}"
    if re.search(r"\.ya?ml|\.md\b|/tmp|evidence/|Traceback|\{\w*\}", text):
        yield "it shows a path, a file or something unfilled"
    for line in lines:
        if ABSENT[language] in line and not (source in line and re.search(WINDOW[language], line)):
            yield f"an absence without its source and window: {line}"
    if _foreign(text, language):
        yield "it is not in the language of the question"
    if folded:
        yield from _before_fold(lines)
    sentences = [line.strip("• ") for line in lines if len(line) > 12]
    if len(set(sentences)) < len(sentences):
        yield "a line is said twice"


def _codes(text: str) -> Iterator[str]:
    words = set(re.findall(r"[A-Za-z]+(?:_[A-Za-z]+)*", text))
    for codes in CODES:
        yield from (code.value for code in codes if code.value in words - PLAIN_WORDS)


def _foreign(text: str, language: Language) -> bool:
    if language is Language.EN:
        return re.search("[\u4e00-\u9fff]", text) is not None
    return re.search(r"\b(?:the|of|is|was|read|evidence|and|to)\b", text, re.IGNORECASE) is not None


def _before_fold(lines: Sequence[str]) -> Iterator[str]:
    """Phone first: the fold begins early."""
    fold = next((at for at, line in enumerate(lines) if line.startswith(FOLD)), len(lines))
    if fold > LINES_BEFORE_FOLD:
        yield f"{fold} lines before the fold"
