"""The buttons under an answer or a notice: goals that may have been meant, evidence, asking again. Contracts A5, T4.

Above: the turn, which stores the actions in the commit of the message. A button is offered only where somebody may
press it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from steward.model.action import ActionKind, NewAction
from steward.model.answer import Answer, OutgoingButton
from steward.model.audience import Audience
from steward.model.turn import Language, TurnFailure
from steward.policy.clicking import OPERABLE
from steward.policy.turn_codes import ENDINGS
from steward.policy.wording import TITLE_CHARS
from steward.reading.text import clean
from steward.texts import labels

BUTTON_LIFE = timedelta(hours=24)
"""How long a press takes effect. The platform keeps a card alive for 14 days, but evidence and permissions move on:
after a day to ask again is better than to dig in an old answer."""

AGAIN_LIFE = timedelta(days=7)
"""The same for asking again: it reads anew, under the permissions of that moment."""

MOST_CHOICES = 4
"""Beside the headline and the line of coverage, so many fit before the fold; further goals are named in the text."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A button and what it does."""

    action: NewAction
    button: OutgoingButton


def offered(
    answer: Answer, audience: Audience, now: datetime, nonce: Callable[[], str]
) -> tuple[Offered, ...]:
    """What the reader of this answer may press. `nonce` gives 128 unguessable bits at each call."""
    if audience.kind not in OPERABLE:
        return ()
    until = now + BUTTON_LIFE
    return (*_choices(answer, until, nonce), *_evidence(answer, until, nonce))


def offered_again(
    failure: TurnFailure,
    audience: Audience,
    language: Language,
    now: datetime,
    nonce: Callable[[], str],
) -> Offered | None:
    """What the reader of this notice may press: where asking again can help (T4)."""
    if audience.kind not in OPERABLE or not ENDINGS[failure.code].again:
        return None
    action = NewAction(nonce(), ActionKind.ASK_AGAIN, now + AGAIN_LIFE)
    return Offered(action, _asking(labels.ASK_AGAIN.of(language), action))


def offered_anyway(language: Language, now: datetime, nonce: Callable[[], str]) -> Offered:
    """What stands under the word about what asking again may repeat."""
    action = NewAction(nonce(), ActionKind.ASK_AGAIN_ANYWAY, now + BUTTON_LIFE)
    return Offered(action, _asking(labels.ASK_AGAIN_ANYWAY.of(language), action))


def _asking(label: str, action: NewAction) -> OutgoingButton:
    """Its label is no answer; without it, the question can be sent again as a message."""
    return OutgoingButton(label, action.nonce, pressed_only=True, spare=True)


def _choices(answer: Answer, until: datetime, nonce: Callable[[], str]) -> Iterator[Offered]:
    titles = Counter(choice.title for choice in answer.choices)
    for choice in answer.choices[:MOST_CHOICES]:
        label = clean(choice.title, TITLE_CHARS) or choice.goal
        if titles[choice.title] > 1:
            label = labels.CHOICE_NAMED.format(answer.language, title=label, id=choice.goal)
        action = NewAction(nonce(), ActionKind.CHOOSE, until, choice.goal)
        yield Offered(action, OutgoingButton(label, action.nonce))


def _evidence(answer: Answer, until: datetime, nonce: Callable[[], str]) -> Iterator[Offered]:
    if answer.citations:
        action = NewAction(nonce(), ActionKind.EVIDENCE, until)
        label = labels.SHOW_EVIDENCE.of(answer.language)
        yield Offered(action, OutgoingButton(label, action.nonce, folded=True))
