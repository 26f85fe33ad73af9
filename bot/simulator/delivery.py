"""What one delivery of an event came to."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came back. `status` is None where nothing did; `failure` then says how that looked from here."""

    status: int | None
    body: bytes
    seconds: float
    failure: Literal["", "connection", "timeout"] = ""

    @property
    def accepted(self) -> bool:
        return self.status == 200
