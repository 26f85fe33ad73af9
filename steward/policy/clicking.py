"""May this person press this button, here and now? Contract A5. Pure.

Above: control's presses. Facts come in as values: what is stored of the button, who pressed where, and what the
chat and the permissions are at this moment. The answers of a stranger tell him nothing about the button.
"""

from dataclasses import replace
from datetime import datetime

from steward.model.action import ASKING_AGAIN, ONCE, Action, ActionKind, ClickRefusal, Offer
from steward.model.answer import Answer
from steward.model.audience import AudienceKind, Scope
from steward.model.events import Click
from steward.model.owner import Authority
from steward.model.reading import View
from steward.model.turn import NewQuestion, QuestionStatus

_SETTLED = frozenset({QuestionStatus.SETTLED, QuestionStatus.ANSWERED})
OPERABLE = frozenset({AudienceKind.OWNER_PRIVATE, AudienceKind.MEMBER_PRIVATE, AudienceKind.GROUP})
"""Where buttons are pressed at all: in an external chat nobody operates (A5)."""

LOOKS = 10
LOOK_AGAIN_SECONDS = 0.15
"""A card may be pressed before its sending was reported to us, and two may press at once: both end in moments."""


def refused(
    offer: Offer | None, click: Click, authority: Authority, now: datetime
) -> ClickRefusal | None:
    """Why a press does nothing, by what is stored; None: it may take effect where the chat and the scope allow it.

    First whose press it is, then where, then whether it is still time for it.
    """
    if offer is None:
        return ClickRefusal.UNKNOWN
    return (
        _stranger(click, authority)
        or _misplaced(offer, click)
        or _forbidden(offer, click, authority)
        or _over(offer, now)
    )


def _stranger(click: Click, authority: Authority) -> ClickRefusal | None:
    operator = click.operator
    if operator.open_id is None or operator.tenant_key != authority.tenant:
        return ClickRefusal.NOT_PERMITTED
    return None


def _misplaced(offer: Offer, click: Click) -> ClickRefusal | None:
    """A card can be forwarded and its value copied: the button works on our own message, in its own chat."""
    action, where = offer.action, click.conversation
    if where is None or click.message is None:
        return ClickRefusal.FOREIGN_CARD
    apps = {action.conversation.app_id, where.app_id, click.message.app_id}
    if len(apps) > 1 or where.chat_id != action.chat:
        return ClickRefusal.FOREIGN_CARD
    if not offer.carried:
        return ClickRefusal.NOT_NOW if offer.sending else ClickRefusal.FOREIGN_CARD
    return None


def _forbidden(offer: Offer, click: Click, authority: Authority) -> ClickRefusal | None:
    """Operate, and choosing what a question meant: one's own questions; the owner on all of them."""
    operator, kind = click.operator.open_id, offer.question.audience.kind
    owns = authority.owner is not None and operator == authority.owner
    if kind not in OPERABLE or not (owns or operator == offer.question.asker):
        return ClickRefusal.NOT_PERMITTED
    if kind is AudienceKind.OWNER_PRIVATE and not owns:
        return ClickRefusal.NOT_PERMITTED
    return None


def _over(offer: Offer, now: datetime) -> ClickRefusal | None:
    action = offer.action
    status = offer.question.status
    if action.kind in ASKING_AGAIN:
        return _answerable(offer, now)
    if not offer.recalled and status is QuestionStatus.OWED:
        # It was settled, or it had no buttons: its answer was withheld since (A3).
        return ClickRefusal.AUTHORIZATION_CHANGED
    if offer.recalled or status not in _SETTLED:
        return ClickRefusal.WITHDRAWN
    if offer.pressed or (action.kind in ONCE and action.used_at is not None):
        return ClickRefusal.USED
    if now >= action.expires_at or (action.kind is ActionKind.CHOOSE and offer.forgotten):
        return ClickRefusal.EXPIRED
    return None


def _answerable(offer: Offer, now: datetime) -> ClickRefusal | None:
    """Only an owed question is asked again; one that is at work or settled has been, but not one in review."""
    action, status = offer.action, offer.question.status
    if offer.recalled or status is QuestionStatus.WITHDRAWN:
        return ClickRefusal.WITHDRAWN
    if offer.pressed or action.used_at is not None:
        return ClickRefusal.USED
    if status is QuestionStatus.REVIEWING:
        return ClickRefusal.NOT_NOW
    if status is not QuestionStatus.OWED:
        return ClickRefusal.USED
    if now >= action.expires_at or offer.forgotten:
        return ClickRefusal.EXPIRED
    return None


def readable(answer: Answer, scope: Scope) -> Answer | None:
    """The answer with only those citations that may be read now (A3); None where none is left.

    Where the scope is another one, what the answer says and how it names goals may rest on what is withdrawn: then
    it has no headline, and the titles are those of the goals that are cited themselves.
    """
    kept = tuple(
        citation
        for citation in answer.citations
        if scope.allows(citation.row.source, citation.row.goal)
    )
    if not kept:
        return None
    if scope.revision == answer.scope_revision:
        return replace(answer, citations=kept)
    titles = {one.row.goal: one.row.title for one in kept if one.row.view is View.PORTFOLIO}
    return replace(answer, citations=kept, headline="", goal_titles=titles)


def choosable(action: Action, scope: Scope) -> bool:
    """Whether rows of the chosen goal may be read now, in any source."""
    goal = action.goal
    return goal is not None and any(scope.allows(source, goal) for source in scope.sources)


def asked_again(offer: Offer, now: datetime) -> NewQuestion:
    """The same question of the same asker, about the chosen goal, asked at the moment of the press."""
    asked, action = offer.question, offer.action
    return NewQuestion(
        conversation=asked.conversation,
        message=asked.message,
        asker=asked.asker,
        audience=asked.audience,
        in_thread=asked.in_thread,
        text=asked.text,
        language=asked.language,
        asked_at=now,
        chosen=action.goal,
        choice=action.nonce,
    )
