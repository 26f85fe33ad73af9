"""Approvals as buttons: what one is bound to, and who may press it. Contracts A5, P7, P8. Pure.

Above: control's approvals and arrivals. Facts come in as values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from steward.model.action import ClickRefusal
from steward.model.answer import Outgoing, OutgoingButton
from steward.model.command import Approval, NewButton, StoredButton
from steward.model.events import Click
from steward.model.ids import ChatId
from steward.model.owner import Authority, OwnerRecord
from steward.texts import approvals as texts

APPROVAL_LIFE = timedelta(minutes=15)
"""How long an approval's button takes effect: what was previewed should still be what is approved."""


@dataclass(frozen=True, slots=True)
class Card:
    """A message and the approvals that its buttons stand for."""

    outgoing: Outgoing
    buttons: tuple[NewButton, ...] = ()


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes approval buttons for one owner and one card. `nonce` gives 128 unguessable bits at each call."""

    owner: OwnerRecord
    subject: str
    now: datetime
    nonce: Callable[[], str]

    def card(self, outgoing: Outgoing, offers: Sequence[tuple[str, Approval]]) -> Card:
        """`outgoing` with a button for each offer, bound to the owner, the card, and the quarter of an hour."""
        made = [(label, self._button(approval)) for label, approval in offers]
        shown = tuple(
            OutgoingButton(label, button.nonce, pressed_only=True) for label, button in made
        )
        with_buttons = Outgoing(
            kind=outgoing.kind,
            language=outgoing.language,
            headline=outgoing.headline,
            claims=outgoing.claims,
            details=outgoing.details,
            note=texts.LIFE.of(outgoing.language) if made else outgoing.note,
            buttons=shown,
        )
        return Card(with_buttons, tuple(button for _, button in made))

    def _button(self, approval: Approval) -> NewButton:
        return NewButton(
            nonce=self.nonce(),
            meaning=approval,
            subject=self.subject,
            expires_at=self.now + APPROVAL_LIFE,
            operator=self.owner.open_id,
            owner=self.owner.id,
        )


def unpressable(
    stored: StoredButton,
    click: Click,
    authority: Authority,
    owner: OwnerRecord | None,
    now: datetime,
) -> ClickRefusal | None:
    """Why this press approves nothing (A5, P7); None: it may. Whoever is not the owner learns nothing of the button."""
    button, operator = stored.button, click.operator
    entitled = (
        owner is not None
        and operator.open_id is not None
        and operator.open_id == button.operator == owner.open_id == authority.owner
        and operator.tenant_key == authority.tenant
        and button.owner == owner.id
    )
    if owner is None or not entitled:
        return ClickRefusal.UNKNOWN
    if click.message is None or click.conversation is None:
        return ClickRefusal.FOREIGN_CARD
    if {click.message.app_id, click.conversation.app_id} != {owner.app_id}:
        return ClickRefusal.FOREIGN_CARD
    if not stored.carried:
        return ClickRefusal.NOT_NOW if stored.sending else ClickRefusal.FOREIGN_CARD
    if click.conversation.chat_id not in own_chats(stored, owner):
        return ClickRefusal.FOREIGN_CARD
    if stored.used_at is not None or stored.pressed:
        return ClickRefusal.USED
    return ClickRefusal.EXPIRED if now >= button.expires_at else None


def own_chats(stored: StoredButton, owner: OwnerRecord) -> frozenset[ChatId]:
    """Where the card can stand: in the chat that it went to, or, addressed to the person, in their proven one."""
    to_person = str(stored.chat) == owner.open_id
    chat = owner.private_chat if to_person else stored.chat
    return frozenset() if chat is None else frozenset({chat})
