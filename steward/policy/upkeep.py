"""What is said by the clock, to whom and when: of an outage, and of what has been owed for long. Contracts W4, A4. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta, tzinfo

from steward.model.answer import Outgoing, OutgoingClaim, OutgoingKind
from steward.model.audience import Grant, KnownChat
from steward.model.ids import ChatId
from steward.model.owed import OwedQuestion
from steward.model.turn import Language
from steward.model.upkeep import BRIDGED, JobSlot
from steward.policy.command_answers import Reader, owed_line, say
from steward.policy.owner_answers import owed_in
from steward.policy.wording import moment, zone_name
from steward.texts import command_answers, upkeep

LONG_OWED = timedelta(hours=24)
REMINDED_AT = time(9)
"""By the wall clock of the display zone."""
MOST_LINES = 10

_NAMED = ("group:", "external:")
"""The grants that name one chat."""


def was_away(seen_at: datetime | None, now: datetime) -> bool:
    """Whether nobody served for longer than the platform sends its events again (W4)."""
    return seen_at is not None and now - seen_at > BRIDGED


def outage(seen_at: datetime) -> JobSlot:
    """An outage is told once, whoever notices its end."""
    return JobSlot("away", seen_at.isoformat())


def granted_chats(grants: Sequence[Grant], known: Sequence[KnownChat]) -> list[ChatId]:
    """The chats in which people may ask: each once, without those that we left, or whose grant is void (A2)."""
    seen = {chat.chat_id: chat for chat in known}
    named: dict[ChatId, None] = {}
    for grant in grants:
        chat = ChatId(grant.audience.partition(":")[2])
        if grant.audience.startswith(_NAMED) and _may_ask(grant, seen.get(chat)):
            named[chat] = None
    return list(named)


def _may_ask(grant: Grant, chat: KnownChat | None) -> bool:
    if chat is None:
        return True
    void = chat.external is True and grant.audience.startswith("group:")
    return chat.left_at is None and not void


def away(start: datetime, end: datetime, language: Language | None, zone: tzinfo) -> Outgoing:
    """From when to when; in both languages where nobody has asked anything yet."""
    values = {"start": moment(start, zone), "end": moment(end, zone), "zone": zone_name(zone)}
    first, *others = list(Language) if language is None else [language]
    return Outgoing(
        OutgoingKind.NOTICE,
        first,
        upkeep.AWAY.format(first, **values),
        claims=tuple(OutgoingClaim(upkeep.AWAY.format(other, **values)) for other in others),
    )


def reminder(now: datetime, zone: tzinfo) -> JobSlot | None:
    """Today's one message about what is owed; None: it is too early for it."""
    local = now.astimezone(zone)
    return None if local.time() < REMINDED_AT else JobSlot("owed", local.date().isoformat())


def aged(owed: Sequence[OwedQuestion], now: datetime) -> list[OwedQuestion]:
    """What was asked long ago."""
    return [one for one in owed if now - one.asked_at > LONG_OWED]


def fingerprint(owed: Sequence[OwedQuestion]) -> str:
    """The same for the same questions with the same reasons: that is told once."""
    lines = sorted(f"{one.id} {one.failure and one.failure.code}" for one in owed)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def ageing(
    reader: Reader, owed: Sequence[OwedQuestion], known: Mapping[ChatId, KnownChat]
) -> Outgoing:
    """Chat, age and reason of each; never a word of it (A4)."""
    language = reader.language
    lines = [
        owed_line(one, owed_in(one, known.get(one.conversation.chat_id)), reader)
        for one in owed[:MOST_LINES]
    ]
    if more := len(owed) - len(lines):
        lines.append(command_answers.MORE.format(language, count=more))
    lines.append(upkeep.AGEING_NEXT.of(language))
    one = len(owed) == 1
    headline = (
        upkeep.AGEING_ONE.of(language) if one else upkeep.AGEING.format(language, count=len(owed))
    )
    return say(reader, headline, lines)


def restored(language: Language) -> Outgoing:
    """To who asked what was unfinished in a backup: it may have been answered after it was taken (D4)."""
    return Outgoing(
        OutgoingKind.NOTICE,
        language,
        upkeep.RESTORED.of(language),
        claims=(OutgoingClaim(upkeep.RESTORED_ACTION.of(language)),),
    )
