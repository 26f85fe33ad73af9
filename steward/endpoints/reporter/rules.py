"""What a question wants, by the words that say so: the first intent that fits decides.

The order matters: a request to act is one whatever else it names, and the more special question stands before the more
general one. The words are in `rules_zh` and `rules_en`.
"""

import re
from collections.abc import Mapping

from steward.endpoints.reporter.intents import Intent
from steward.endpoints.reporter.rules_en import ENGLISH
from steward.endpoints.reporter.rules_zh import CHINESE

ORDER = (
    Intent.ACT,
    Intent.TODO_DETAIL,
    Intent.JUDGE,
    Intent.CI,
    Intent.REVIEWS,
    Intent.PR,
    Intent.COVERAGE,
    Intent.SOURCE_READ,
    Intent.UNCLAIMED,
    Intent.HANDOFF,
    Intent.COMPARE,
    Intent.DECISION,
    Intent.NOTHING,
    Intent.STALE,
    Intent.FIRST,
    Intent.MINE,
    Intent.RISK,
    Intent.OVERDUE,
    Intent.WAITING,
    Intent.BLOCKED,
    Intent.WHEN,
    Intent.REMAINING,
    Intent.DUE,
    Intent.OWNER,
    Intent.SUMMARY,
    Intent.PROJECTS,
    Intent.COMMITS,
    Intent.DELIVERED,
    Intent.CHANGES,
    Intent.PROGRESS,
)


def _compiled(
    words: Mapping[Intent, tuple[str, ...]],
) -> tuple[tuple[Intent, re.Pattern[str]], ...]:
    return tuple((intent, re.compile("|".join(words[intent]))) for intent in ORDER)


RULES_ZH = _compiled(CHINESE)
RULES_EN = _compiled(ENGLISH)
