"""What a question seems to call a goal, a source or a person, where nothing that was read has that name. Pure.

Careful on purpose: to say "there is no goal called …" of an ordinary word would be noise. A name stands in quotation
marks, carries a number, or follows a word that names follow and is no word of the questions that we know.
"""

import re
from functools import cache

from steward.endpoints.reporter.common_words import CHINESE
from steward.endpoints.reporter.common_words import ENGLISH as COMMON
from steward.endpoints.reporter.examples_en import ENGLISH
from steward.endpoints.reporter.folding import ideographic, plain
from steward.endpoints.reporter.intents import GOAL, SOURCE, TIME, Intent
from steward.endpoints.reporter.rules import RULES_ZH
from steward.model.turn import Language

MOST_CHARS = 40

_QUOTED = re.compile(r"“([^”]+)”|\"([^\"]+)\"|「([^」]+)」|《([^》]+)》|『([^』]+)』")
_NUMBERED = re.compile(
    r"\b(?!pr\b|mr\b|todo|task|week|day|top\b|q\b|the\b|last\b|next\b|past\b)([a-z][a-z-]*\s?\d+(?:\.\d+)*)\b"
)
_SLOT = re.compile(
    r"\b(?:the|project|goal|on|for|of|about|with|how\s+is|how's|hows|owns?|runs?)\s+"
    r"((?:(?!(?:the|project|goal)\b)[a-z][a-z0-9_.-]*\s?){1,4})"
)
_WORD = re.compile(r"[a-z][a-z0-9_.'-]*")
_LATIN = re.compile(r"(?<![a-z0-9_.-])[a-z][a-z0-9_.-]*(?:\s\d+(?:\.\d+)*)?(?![a-z0-9_-])")
_RUN = re.compile(r"[\u4e00-\u9fff]{2,12}")
_CALLED = re.compile(
    r"(?:项目|目标)\s*([a-z0-9\u4e00-\u9fff]{2,12}?)(?=的|现在|目前|有|还|卡|被|谁|什么|怎|进|状|情|,|，|\s|$)"
)
_PERSON_ZH = re.compile(r"[小老阿][\u4e00-\u9fff](?![\u4e00-\u9fff]*(?:组|时候|板))")
_PERSON_EN = re.compile(
    r"\b(?:did|has|does|do|is|was|by|for|from|to|of|on|about)\s+([A-Z][a-z]{1,20})\b(?!\s+[A-Z])"
    r"|\b([A-Z][a-z]{1,20})'s\b"
)
_NO_PERSON = re.compile(r"小(?:时|结|组|事|心|计|伙|姐|型|程)|老(?:板|是|师|早)")

ABOUT_A_GOAL = frozenset(
    {
        Intent.PROGRESS,
        Intent.BLOCKED,
        Intent.REMAINING,
        Intent.OWNER,
        Intent.WHEN,
        Intent.RISK,
        Intent.DECISION,
    }
)
"""Questions that name a goal more often than not."""


def goal_named(masked: str, language: Language, intent: Intent) -> str | None:
    """What the question seems to call a goal, cut out of the masked plain text."""
    if quoted := _QUOTED.search(masked):
        return _kept(next(filter(None, quoted.groups())))
    if GOAL in masked:
        return None
    if numbered := _NUMBERED.search(masked):
        return _kept(numbered[1])
    if language is Language.ZH:
        return _named_in_chinese(masked, intent)
    return _named_in_english(masked) if intent in ABOUT_A_GOAL else None


def _named_in_english(masked: str) -> str | None:
    for match in _SLOT.finditer(masked):
        words: list[str] = []
        for word in _WORD.findall(match[1]):
            if _is_known(word) and words:
                break
            words.append(word)
        while words and _is_known(words[0]):
            words.pop(0)
        if words:
            return _kept(" ".join(words))
    return None


def _named_in_chinese(masked: str, intent: Intent) -> str | None:
    text = masked.replace(TIME, " ").replace(SOURCE, " ")
    called = _CALLED.search(text)
    if called is not None and _is_name(called[1]):
        return _kept(called[1])
    if intent not in ABOUT_A_GOAL:
        return None
    for match in _LATIN.finditer(text):
        if not _is_known(match[0]):
            return _kept(match[0])
    for _, rule in RULES_ZH:
        text = rule.sub(" ", text)
    run = _RUN.match(CHINESE.sub(" ", _PERSON_ZH.sub(" ", text)).strip())
    return None if run is None else _kept(run[0])


def _is_name(text: str) -> bool:
    """Whether there is more in a text than words of questions."""
    asks = any(rule.search(text) for _, rule in RULES_ZH)
    return not asks and len(CHINESE.sub("", text)) > 1


def _kept(name: str) -> str | None:
    name = name.strip(" .?!,'")
    return name if name and len(name) <= MOST_CHARS else None


def _is_known(word: str) -> bool:
    return word.rstrip(".'") in COMMON or word in _vocabulary()


@cache
def _vocabulary() -> frozenset[str]:
    """Every word of the English examples."""
    return frozenset(
        word for texts in ENGLISH.values() for text in texts for word in _WORD.findall(text)
    )


def words_of(masked: str, language: Language) -> list[str]:
    """Words of the question that may be a part of a goal's name, the longest first."""
    text = plain(masked)
    slots = [match[1] for match in _SLOT.finditer(text)] if language is Language.EN else [text]
    words = {word for slot in slots for word in _WORD.findall(slot) if len(word) > 3}
    words |= {run for run in _RUN.findall(CHINESE.sub(" ", text)) if all(map(ideographic, run))}
    return sorted(words, key=lambda word: (-len(word), word))


def person_named(question: str, language: Language) -> str | None:
    """A name of somebody, by the way it is written, where no row has it."""
    if language is Language.ZH:
        match = _PERSON_ZH.search(question)
        return None if match is None or _NO_PERSON.match(match[0]) else match[0]
    for match in _PERSON_EN.finditer(question):
        name: str = match[1] or match[2]
        if not _is_known(name.casefold()):
            return name
    return None


_SOURCE = re.compile(
    r"(飞书[\u4e00-\u9fff]{0,4}?(?:文档|表格|知识库|任务)|多维表格|文档|表格|知识库|仓库)"
    r"|((?:\b[a-z0-9]+\s)?\b(?:docs?|document|wiki|sheet|board|repo|repository|folder|tracker|base|table)\b"
    r"|\b(?:gitlab|github|gitea|jira|linear|notion|confluence)\b)"
)


def source_named(question: str) -> str | None:
    """What the question calls a source."""
    match = _SOURCE.search(plain(question))
    return None if match is None else _kept((match[1] or match[2]).removeprefix("the "))
