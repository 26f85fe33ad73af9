"""Single words: all that a probe may name a reason, a metric or a label by. No sentence, no id, no secret is one."""

import re

_WORD = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)


def is_word(text: str) -> bool:
    """Whether a text is a single word."""
    return _WORD.fullmatch(text) is not None
