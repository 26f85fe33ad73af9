"""What one process of a store tells the others in passing: where there may be something to do."""

from enum import StrEnum


class Hint(StrEnum):
    """Never a promise: whoever misses one finds the same at its next look. It names nobody and nothing."""

    INBOX_NOW = "inbox_now"
    INBOX_ORDERED = "inbox_ordered"
    QUESTIONS = "questions"
    DELIVERIES = "deliveries"
