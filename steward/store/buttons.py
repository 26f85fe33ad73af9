"""Command buttons as rows: written with the message that carries them, loaded with all that a press is judged by. A5."""

import logging
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from steward.errors import ContractError, StoreError
from steward.model.command import Command, NewButton, StoredButton
from steward.model.delivery import NewPart
from steward.model.events import Click
from steward.model.ids import ChatId
from steward.store.actions import is_pressed
from steward.store.codec import MEANING
from steward.store.parts import carrier
from steward.store.recording import storable_key
from steward.store.schema import command_button, outbox

logger = logging.getLogger(__name__)


def add_buttons(
    connection: Connection, buttons: Sequence[NewButton], reply: Sequence[NewPart]
) -> None:
    """Write what the buttons of these parts stand for; each belongs to the chat that its message goes to.

    Raises ContractError for an approval that is nobody's, and where no part carries the button.
    """
    chats = {part.subject: part.place.conversation.chat_id for part in reply}
    for button in buttons:
        bound = button.operator is not None and button.owner is not None
        if button.subject not in chats or (is_approval(button) and not bound):
            raise ContractError("a button needs its message, and an approval its owner")
        connection.execute(
            command_button.insert(),
            {
                "nonce": button.nonce,
                "meaning": MEANING.dump(button.meaning),
                "subject": button.subject,
                "chat_id": chats[button.subject],
                "operator": button.operator,
                "owner_id": button.owner,
                "expires_at": button.expires_at,
            },
        )


def is_approval(button: NewButton) -> bool:
    """Whether it takes effect once at all, and for its owner alone (P8)."""
    return not isinstance(button.meaning, Command)


def button_of(connection: Connection, pressed: Click, *, lock: bool = False) -> StoredButton | None:
    """The button of this nonce; where `lock`, held against every other press until the commit.

    One whose meaning cannot be read means nothing: it is no button.
    """
    if pressed.nonce is None:
        return None
    query = select(command_button).where(command_button.c.nonce == storable_key(pressed.nonce))
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    button = None if row is None else _button(row)
    if row is None or button is None:
        return None
    carried, sending = carrier(connection, pressed, outbox.c.subject == button.subject)
    return StoredButton(
        button=button,
        chat=ChatId(row.chat_id),
        carried=carried,
        sending=sending,
        pressed=is_pressed(connection, pressed),
        used_at=row.used_at,
    )


def _button(row: Row[Any]) -> NewButton | None:
    try:
        meaning = MEANING.load(row.meaning)
    except StoreError:
        logger.warning("command button row %d is corrupt and means nothing", row.id)
        return None
    return NewButton(
        nonce=row.nonce,
        meaning=meaning,
        subject=row.subject,
        expires_at=row.expires_at,
        operator=row.operator,
        owner=row.owner_id,
    )
