"""Misspelt keys: an unknown key that is nearly a known one is a slip, not a comment."""

from collections.abc import Iterable

NEAR = 2
"""Edits (insert, delete, replace) within which two keys are mistaken for each other."""


def misspelt(keys: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The keys that are not known but within NEAR edits of one that is."""
    candidates = tuple(known)
    return tuple(
        key
        for key in keys
        if key not in candidates and any(distance(key, word) <= NEAR for word in candidates)
    )


def distance(one: str, other: str) -> int:
    """Levenshtein's distance, or NEAR + 1 where the lengths alone rule a slip out."""
    if abs(len(one) - len(other)) > NEAR:
        return NEAR + 1
    previous = list(range(len(other) + 1))
    for row, left in enumerate(one, 1):
        current = [row]
        for column, right in enumerate(other, 1):
            replaced = previous[column - 1] + (left != right)
            current.append(min(replaced, previous[column] + 1, current[column - 1] + 1))
        previous = current
    return previous[-1]
