"""The recursive JSON type: a candidate and a tool call are where untyped JSON may travel inward."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
