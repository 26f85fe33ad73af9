"""From the masked text of a question to its intent: the first rule that fits, else the nearest example, else unsure.

Nearness is the cosine of character n-grams weighed by how rare they are among the examples. Both a floor and a lead over
the second intent are asked for: a wrong answer is worse than an overview.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import log, sqrt

from steward.endpoints.reporter.examples_en import ENGLISH
from steward.endpoints.reporter.examples_zh import CHINESE
from steward.endpoints.reporter.intents import Intent
from steward.endpoints.reporter.rules import RULES_EN, RULES_ZH
from steward.model.turn import Language

FLOOR = 0.40
"""The least likeness at which an example decides."""

LEAD = 0.05
"""So much more like one intent than like any other it has to be."""

_RULES = {Language.ZH: RULES_ZH, Language.EN: RULES_EN}
_EXAMPLES = {Language.ZH: CHINESE, Language.EN: ENGLISH}
_LENGTHS = {Language.ZH: (1, 2, 3), Language.EN: (3, 4, 5)}
_SPACES = re.compile(r"[\s?？!！。.,，;；:：]+")


@dataclass(frozen=True, slots=True)
class Recognised:
    """`by_rule`: words of the question say so; else it was merely the nearest."""

    intent: Intent
    by_rule: bool


class Recogniser:
    """Holds the examples, weighed once."""

    def __init__(self) -> None:
        self._nearest = {language: _Nearest(language) for language in Language}

    def intent_of(self, masked: str, language: Language) -> Recognised | None:
        """What a masked question wants; None where nothing is near enough."""
        for intent, pattern in _RULES[language]:
            if pattern.search(masked):
                return Recognised(intent, by_rule=True)
        near = self._nearest[language].of(masked)
        return None if near is None else Recognised(near, by_rule=False)


class _Nearest:
    """The examples of one language as vectors."""

    def __init__(self, language: Language) -> None:
        self._lengths = _LENGTHS[language]
        counted = [
            (intent, Counter(self._grams(text)))
            for intent, texts in _EXAMPLES[language].items()
            for text in texts
        ]
        among = Counter(gram for _, grams in counted for gram in grams)
        self._rarity = {gram: log(1 + len(counted) / times) for gram, times in among.items()}
        self._unseen = log(1 + len(counted))
        self._vectors = [(intent, self._vector(grams)) for intent, grams in counted]

    def of(self, text: str) -> Intent | None:
        vector = self._vector(Counter(self._grams(text)))
        best: dict[Intent, float] = {}
        for intent, example in self._vectors:
            best[intent] = max(best.get(intent, 0.0), _cosine(vector, example))
        (first, score), (_, second) = sorted(best.items(), key=lambda item: -item[1])[:2]
        return first if score >= FLOOR and score - second >= LEAD else None

    def _grams(self, text: str) -> Iterator[str]:
        spaced = f" {_SPACES.sub(' ', text).strip()} "
        for length in self._lengths:
            for start in range(len(spaced) - length + 1):
                yield spaced[start : start + length]

    def _vector(self, grams: Mapping[str, int]) -> dict[str, float]:
        return _normed(
            {gram: count * self._rarity.get(gram, self._unseen) for gram, count in grams.items()}
        )


def _normed(vector: Mapping[str, float]) -> dict[str, float]:
    length = sqrt(_sum(weight * weight for weight in vector.values())) or 1.0
    return {gram: weight / length for gram, weight in vector.items()}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return _sum(weight * other[gram] for gram, weight in one.items() if gram in other)


def _sum(values: Iterable[float]) -> float:
    return float(sum(values))
