"""placeholder"""

from collections.abc import Callable, Mapping
from enum import Enum

from bot.simulator import refusals
from bot.simulator.model import Person
from bot.simulator.refusals import Refusal
from steward.model.json import Json


class Fault(Enum):
    BAD_JSON = (200621, "parse card json err, please check whether the card json is correct")


def refused(fault: Fault, value: str = "") -> Refusal:
    code, reason = fault.value
    return refusals.card_refused(code, reason, value)


def judge(
    card: Mapping[str, Json], person_of: Callable[[str], Person | None]
) -> tuple[str, ...] | Refusal:
    return ()
