"""What identifies a question's input and a turn (T4, V2), the same in every process."""

import hashlib

from steward.model.ids import MessageRef


def input_hash(text: str) -> str:
    """Of the stored words: a review compares it with what it finds (V2)."""
    return hashlib.sha256(text.encode()).hexdigest()


def turn_key(message: MessageRef, text: str, attempt: int, choice: str | None = None) -> str:
    """Of app, message id, content and attempt: "ask again" is another turn, a redelivery is not (T4).

    `choice`: the nonce of the button by which a goal was chosen, which makes it another question.
    """
    parts = [message.app_id, message.message_id, text, str(attempt)]
    if choice is not None:
        parts.append(choice)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
