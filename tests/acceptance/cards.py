"""A card in its chat, and presses on its buttons, as the client of a person makes and shows them."""

from dataclasses import dataclass

from bot.simulator.clicks import Pressed
from bot.simulator.model import Person, StoredMessage
from bot.simulator.transcript import as_read
from steward.model.json import Json
from tests.acceptance.house import PATIENCE, House, buttons


@dataclass(frozen=True, slots=True)
class Card:
    """A message with its buttons by label."""

    house: House
    message: StoredMessage

    @property
    def lines(self) -> list[str]:
        return as_read(self.message.msg_type, self.message.content)

    @property
    def buttons(self) -> dict[str, Json]:
        return buttons(self.message)

    async def press(self, label: str, person: Person, on: StoredMessage | None = None) -> Pressed:
        """What the client of whoever pressed shows."""
        pressed = self.house.platform.click(
            person, (on or self.message).message_id, self.buttons[label]
        )
        return await self.house.pusher.press(pressed)

    def following(self) -> list[StoredMessage]:
        """What the bot said in the chat after the card."""
        history = self.house.platform.messages(self.message.chat_id)
        after = history[history.index(self.message) + 1 :]
        return [one for one in after if one.sender_type == "app"]

    async def next(self, count: int = 1) -> list[str]:
        """The lines of the last of so many messages after the card."""
        await self.house.platform.changed(lambda _: len(self.following()) >= count, PATIENCE)
        last = self.following()[count - 1]
        return as_read(last.msg_type, last.content)


def told(pressed: Pressed) -> str | None:
    """The toast; the press itself was answered in time."""
    assert pressed.failure is None, pressed
    return pressed.toast
