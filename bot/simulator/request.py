"""A call of the app as the rules see it: parsed once, at the server's edge."""

from collections.abc import Mapping
from dataclasses import dataclass

from steward.model.json import Json


@dataclass(frozen=True, slots=True)
class Request:
    """`path` holds the ids in the path, `query` the query's, `body` the JSON object."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Mapping[str, Json]

    def text(self, name: str) -> str:
        """A string of the body; empty where it is missing or no string."""
        value = self.body.get(name)
        return value if isinstance(value, str) else ""

    def flag(self, name: str) -> bool:
        return self.body.get(name) is True

    def size(self, name: str, default: int, most: int) -> int | None:
        """A page size between 1 and `most`; None where it is not."""
        given = self.query.get(name)
        if given is None or given == "":
            return default
        if not given.isdecimal() or not 1 <= int(given) <= most:
            return None
        return int(given)

    def offset(self) -> int | None:
        """Where the page token says to go on; None where it is not one of ours."""
        token = self.query.get("page_token", "")
        if not token:
            return 0
        number = token.removeprefix("sim_page_")
        return int(number) if number != token and number.isdecimal() else None


def page_token(offset: int) -> str:
    return f"sim_page_{offset}"
