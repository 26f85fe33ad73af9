"""From a message to outbox rows: the top rung planned, lower rungs kept beside it, uuids derived. Contract D4."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from steward.model.answer import Outgoing
from steward.model.delivery import Guard, NewPart, Part, Place, PlannedPart
from steward.model.ids import ConversationId, MessageRef, QuestionId
from steward.model.turn import NewQuestion, Question
from steward.ports.sender import Sender


@dataclass(frozen=True, slots=True)
class Subject:
    """What a message answers: its key in the outbox, and where it goes.

    `key` names the asker's message, not a row of ours: a uuid made from it stays right after a restore. A question
    that was asked again by a choice has that button's nonce in it.
    """

    key: str
    attempt: int
    place: Place
    question: QuestionId | None = None

    @classmethod
    def of(cls, question: Question) -> "Subject":
        """The subject of everything that is said about a stored question."""
        choice = "" if question.choice is None else f":choice:{question.choice}"
        return cls(
            key=f"message:{question.message.message_id}{choice}",
            attempt=question.attempt,
            place=place_of(question),
            question=question.id,
        )


def answering(conversation: ConversationId, message: MessageRef | None) -> Place:
    """A reply to `message`, in the topic that the conversation is, if it is one."""
    return Place(conversation, message, conversation.thread_id is not None)


def place_of(question: Question | NewQuestion) -> Place:
    """A reply to the asking message, in its thread where it has one."""
    return Place(question.conversation, question.message, question.in_thread)


def guarding(question: Question, scope_revision: str) -> Guard:
    """What holds for whatever is shown of evidence that was read for this question, under this scope."""
    return Guard(question.audience, question.asker, scope_revision)


def parts_of(
    sender: Sender, outgoing: Outgoing, subject: Subject, guard: Guard | None = None
) -> list[NewPart]:
    """The rows that one commit writes: every part of the top rung, i/N fixed.

    Lower rungs hang on a top rung of one part alone: parts of a split message never step down one by one. `guard`:
    wherever the message shows anything of evidence (A3).
    """
    rungs = [
        [_stamped(part, outgoing, subject) for part in rung]
        for rung in sender.plan(outgoing, subject.place)
    ]
    top, lower = rungs[0], rungs[1:]
    kept = tuple(tuple(rung) for rung in lower) if len(top) == 1 else ()
    return [
        NewPart(
            subject=subject.key,
            attempt=subject.attempt,
            kind=outgoing.kind,
            question=subject.question,
            place=subject.place,
            part=part,
            lower=kept,
            guard=guard,
        )
        for part in top
    ]


def _stamped(part: PlannedPart, outgoing: Outgoing, subject: Subject) -> Part:
    identity: Sequence[str | int] = (
        subject.place.conversation.app_id,
        subject.place.conversation.chat_id,
        subject.key,
        subject.attempt,
        outgoing.kind,
        part.rung,
        part.number,
    )
    return _keyed(part, identity)


def repeat_of(marked: PlannedPart, first: Part) -> Part:
    """The part that is sent once more: its key follows from the first one's, which the platform has forgotten (D4)."""
    return _keyed(marked, (first.uuid, marked.rung))


def _keyed(part: PlannedPart, identity: Sequence[str | int]) -> Part:
    digest = hashlib.sha256("\0".join(map(str, identity)).encode()).hexdigest()
    return Part(part.rung, part.number, part.of, part.body, uuid=digest[:40])
