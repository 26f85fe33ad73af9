"""How people's `@` becomes a placeholder and an entry, when they write."""

from collections.abc import Sequence

from bot.simulator.model import Mentioned, Person


def named(people: Sequence[Person]) -> tuple[Mentioned, ...]:
    """The entries, numbered from 1."""
    return tuple(
        Mentioned(f"@_user_{number}", one.open_id, one.name, one.tenant_key, one.app_id is not None)
        for number, one in enumerate(people, start=1)
    )


def with_placeholders(text: str, entries: Sequence[Mentioned], *, everyone: bool) -> str:
    """`@Name` becomes its key, longest names first, so that `@Li` leaves `@Lin` alone.

    Whoever is not in the text is put before it.
    """
    missing = set()
    for one in sorted(entries, key=lambda one: len(one.name), reverse=True):
        if f"@{one.name}" in text:
            text = text.replace(f"@{one.name}", one.key)
        else:
            missing.add(one.key)
    first = [one.key for one in entries if one.key in missing]
    return " ".join([*(["@_all"] if everyone else []), *first, *([text] if text else [])])
