"""May this person press this command button, here and now? Contract A5. Pure; what the chat and the scope are is asked after it."""

from datetime import datetime

from steward.model.action import ClickRefusal
from steward.model.command import StoredButton
from steward.model.events import Click
from steward.model.owner import Authority
from steward.model.spoken import CommandSubject
from steward.policy.clicking import OPERABLE


def refused(
    stored: StoredButton,
    subject: CommandSubject,
    click: Click,
    authority: Authority,
    now: datetime,
) -> ClickRefusal | None:
    """Why a press on a plain command does nothing, by what is stored; None: it may take effect where it may be asked.

    First whose press it is, then where, then whether it is still time for it.
    """
    operator = click.operator
    if operator.open_id is None or operator.tenant_key != authority.tenant:
        return ClickRefusal.NOT_PERMITTED
    misplaced = _misplaced(stored, subject, click)
    if misplaced is not None:
        return misplaced
    bound = stored.button.operator
    if subject.kind not in OPERABLE or bound not in {None, operator.open_id}:
        return ClickRefusal.NOT_PERMITTED
    if stored.pressed:
        return ClickRefusal.USED
    return ClickRefusal.EXPIRED if now >= stored.button.expires_at else None


def _misplaced(stored: StoredButton, subject: CommandSubject, click: Click) -> ClickRefusal | None:
    """A card can be forwarded and its value copied: the button works on our own message, in its own chat."""
    where, on = click.conversation, click.message
    if where is None or on is None:
        return ClickRefusal.FOREIGN_CARD
    apps = {subject.conversation.app_id, where.app_id, on.app_id}
    chats = {subject.conversation.chat_id, where.chat_id, stored.chat}
    if len(apps) > 1 or len(chats) > 1:
        return ClickRefusal.FOREIGN_CARD
    if not stored.carried:
        return ClickRefusal.NOT_NOW if stored.sending else ClickRefusal.FOREIGN_CARD
    return None
