"""What the owner is told in private of messages that did not arrive, and of times in which none did. Contract W3. Pure.

A chat by its title and id, a time and a reason: never a word of what was asked or answered (A4).
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta, tzinfo

from steward.model.answer import Outgoing, OutgoingClaim, OutgoingKind
from steward.model.audience import KnownChat
from steward.model.delivery import LostMessage
from steward.model.ids import ChatId
from steward.model.turn import Language
from steward.policy.breaker import Silence
from steward.policy.owner_answers import ChatName
from steward.policy.wording import moment, zone_name
from steward.texts import undelivered as texts

EVERY = timedelta(minutes=10)
"""The owner is told at most this often."""
LISTED = 20
"""Of so many at a time."""

_LINES = {
    OutgoingKind.ANSWER: texts.ANSWER,
    OutgoingKind.NOTICE: texts.NOTICE,
    OutgoingKind.EVIDENCE: texts.EVIDENCE,
}


def undelivered(
    lost: Sequence[LostMessage],
    chats: Mapping[ChatId, KnownChat],
    language: Language,
    zone: tzinfo,
) -> Outgoing:
    """One message for several that were lost."""
    count = len(lost)
    headline = (
        texts.LOST_ONE.of(language) if count == 1 else texts.LOST.format(language, count=count)
    )
    lines = [_line(one, chats.get(one.chat), language, zone) for one in lost]
    return Outgoing(
        kind=OutgoingKind.NOTICE,
        language=language,
        headline=headline,
        claims=tuple(map(OutgoingClaim, [*lines, texts.ASK_AGAIN.of(language)])),
    )


def silent(was: Silence, language: Language, zone: tzinfo) -> Outgoing:
    """One line, from when to when and why."""
    reason = texts.SILENCES.get(was.reason, texts.SILENCE_OTHER)
    return Outgoing(
        kind=OutgoingKind.NOTICE,
        language=language,
        headline=texts.SILENCE.format(
            language,
            start=moment(was.start, zone),
            end=moment(was.end, zone),
            zone=zone_name(zone),
            reason=reason.of(language),
        ),
    )


def _line(one: LostMessage, chat: KnownChat | None, language: Language, zone: tzinfo) -> str:
    failure = texts.REASONS_ALIKE.get(one.failure, one.failure)
    values = {
        "place": _place(one, chat, language),
        "reason": texts.REASONS.get(failure, texts.OTHER_REASON).of(language),
    }
    if one.asked_at is None:
        return texts.REPLY.format(language, **values)
    return _LINES[one.kind].format(language, asked=moment(one.asked_at, zone), **values)


def _place(one: LostMessage, known: KnownChat | None, language: Language) -> str:
    if one.private:
        return ChatName(one.chat, None, external=False, private=True).words(language)
    if known is None:
        return ChatName(one.chat, None, external=None).words(language)
    return ChatName(one.chat, known.title, known.external).words(language)
