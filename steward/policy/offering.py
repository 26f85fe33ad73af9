"""The buttons under an answer: goals that may have been meant, and the rows behind its citations. Contract A5.

Above: the turn, which stores the actions in the commit of the answer. A button is offered only where somebody may
press it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from steward.model.action import ActionKind, NewAction
from steward.model.answer import Answer, OutgoingButton
from steward.model.audience import Audience
from steward.policy.clicking import OPERABLE
from steward.policy.wording import TITLE_CHARS
from steward.reading.text import clean
from steward.texts import labels

BUTTON_LIFE = timedelta(hours=24)
"""How long a press takes effect. The platform keeps a card alive for 14 days, but evidence and permissions move on:
after a day to ask again is better than to dig in an old answer."""

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
