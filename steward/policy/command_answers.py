"""What a command is answered with. Contracts A4, P3, W1, W5. Pure: values in, a message out.

Above: control's commands. Nothing here decides who may see it: `policy.permitting` does, before anything is looked up.
Titles of sources and chats are other people's words: they are cleaned, and one line each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from steward.model.answer import Outgoing, OutgoingButton, OutgoingClaim, OutgoingKind
from steward.model.audience import AudienceKind
from steward.model.command import CommandName
from steward.model.ids import OpenId
from steward.model.owed import OwedQuestion, QuestionCounts
from steward.model.profile import (
    CorruptProfile,
    EffectiveProfile,
    NothingStored,
    RuntimeProfile,
    Stored,
)
from steward.model.reading import CoverageStatus, PairCoverage
from steward.model.turn import Language
from steward.policy.owner_answers import ChatName
from steward.policy.wording import NAME_CHARS, listed, moment, zone_name
from steward.reading.failures import label, next_action
from steward.reading.text import clean
from steward.texts import command_answers as texts
from steward.texts.catalogue import Text
from steward.texts.commands import COMMANDS
from steward.texts.profile import REPAIR

MOST_OWED = 20


@dataclass(frozen=True, slots=True)
class Reader:
    """In which language somebody reads, by which clock."""

    language: Language
    now: datetime
    zone: tzinfo

    def moment(self, at: datetime) -> str:
        """An instant, to the minute."""
        return moment(at, self.zone)


@dataclass(frozen=True, slots=True)
class SourceState:
    """One source as it was found now; `last_read`: when it last answered, as far as this process knows."""

    title: str
    found: PairCoverage
    last_read: datetime | None


@dataclass(frozen=True, slots=True)
class OwnersView:
    """What /status adds before the owner in private."""

    stored: Stored
    effective: EffectiveProfile
    endpoint: str
    everywhere: QuestionCounts


def say(
    reader: Reader,
    headline: str,
    lines: Sequence[str] = (),
    buttons: Sequence[OutgoingButton] = (),
) -> Outgoing:
    """A reply to a command."""
    return Outgoing(
        OutgoingKind.NOTICE,
        reader.language,
        headline,
        claims=tuple(OutgoingClaim(line) for line in lines),
        buttons=tuple(buttons),
    )


def unknown(reader: Reader) -> Outgoing:
    """The same for whatever is no command here: nobody learns that it is one elsewhere (A4)."""
    return _sentences(reader, texts.UNKNOWN.of(reader.language), texts.UNKNOWN_ACTION)


def not_here(reader: Reader) -> Outgoing:
    """In a chat with outsiders nobody operates (A5)."""
    return say(reader, texts.NOT_HERE.of(reader.language))


def not_done(language: Language) -> Outgoing:
    """A command that could not be carried out, because the platform did not say who reads along."""
    gap = "" if language is Language.ZH else " "
    words = gap.join([texts.NOT_DONE.of(language), texts.NOT_DONE_ACTION.of(language)])
    return Outgoing(OutgoingKind.NOTICE, language, words)


def help_card(
    reader: Reader,
    kind: AudienceKind,
    commands: Sequence[CommandName],
    buttons: Sequence[OutgoingButton],
) -> Outgoing:
    """What can be asked, and the commands that are allowed here."""
    language = reader.language
    lines = [texts.EXAMPLES.of(language)]
    lines += [texts.ITEM.format(language, text=one.of(language)) for one in texts.EXAMPLE]
    lines.append(texts.HELP_EVIDENCE.of(language))
    if kind in {AudienceKind.GROUP, AudienceKind.EXTERNAL}:
        lines.append(texts.HELP_MENTION.of(language))
    lines.append(texts.COMMANDS_HERE.of(language))
    lines += [command_line(name, language) for name in commands]
    return say(reader, texts.HELP.of(language), lines, buttons)


def command_line(name: CommandName, language: Language) -> str:
    """A command as it is written, and what it is for."""
    text = COMMANDS[name]
    usage = "" if text.usage is None else text.usage.of(language)
    return texts.COMMAND_LINE.format(
        language, command=text.shown.of(language) + usage, purpose=text.purpose.of(language)
    )


def status(
    reader: Reader,
    here: QuestionCounts,
    sources: Sequence[SourceState],
    owners: OwnersView | None,
    buttons: Sequence[OutgoingButton] = (),
) -> Outgoing:
    """This chat alone; `owners` before the owner in private."""
    language = reader.language
    headline = texts.IDLE.of(language)
    if here.running or here.queued:
        headline = texts.BUSY.format(language, running=here.running, queued=here.queued)
    lines = [texts.TODAY.format(language, asked=here.asked, answered=here.answered)]
    if here.owed:
        lines.append(texts.OWED_HERE.format(language, count=here.owed))
    lines.append((texts.READABLE_HERE if sources else texts.NO_SOURCES).of(language))
    lines += [
        texts.ITEM.format(language, text=_titled(one, _state(one, reader), reader))
        for one in sources
    ]
    lines += _owners(reader, owners) if owners else [_session(RuntimeProfile.RESTRICTED, language)]
    return say(reader, headline, lines, buttons)


def _session(profile: RuntimeProfile, language: Language) -> str:
    return texts.SESSION.format(language, profile=texts.PROFILES[profile].of(language))


def _owners(reader: Reader, owners: OwnersView) -> Iterator[str]:
    language, effective = reader.language, owners.effective
    if effective.runtime_profile is None:
        yield texts.SESSION.format(language, profile=texts.UNSUPPORTED.of(language))
    else:
        line = _session(effective.runtime_profile, language)
        why = texts.WHY.get(effective.status)
        yield (
            line if why is None else line + texts.BECAUSE.format(language, reason=why.of(language))
        )
    yield texts.STORED.format(language, profile=_stored(owners.stored, language))
    if isinstance(owners.stored, CorruptProfile):
        yield REPAIR.of(language)
    yield texts.ENDPOINT.format(language, endpoint=clean(owners.endpoint, NAME_CHARS))
    all_of = owners.everywhere
    yield texts.EVERYWHERE.format(
        language, running=all_of.running, queued=all_of.queued, owed=all_of.owed
    )


def _stored(stored: Stored, language: Language) -> str:
    match stored:
        case NothingStored():
            return texts.NOTHING_STORED.of(language)
        case CorruptProfile():
            return texts.UNREADABLE_STORED.of(language)
        case _:
            return texts.PROFILES[stored.profile].of(language)


def sources(
    reader: Reader, states: Sequence[SourceState], buttons: Sequence[OutgoingButton] = ()
) -> Outgoing:
    """Each source of the scope: state, last success, reason and next step."""
    language = reader.language
    if not states:
        return say(reader, texts.NO_SOURCES.of(language))
    read = sum(one.found.status is not CoverageStatus.UNREADABLE for one in states)
    lines = [_titled(one, _with_next_step(one, reader), reader) for one in states]
    lines.append(texts.ZONE.format(language, zone=zone_name(reader.zone)))
    headline = texts.SOURCES.format(language, count=len(states), read=read)
    return say(reader, headline, lines, buttons)


def _titled(one: SourceState, what: str, reader: Reader) -> str:
    return texts.LINE.format(reader.language, title=clean(one.title, NAME_CHARS), what=what)


def _state(one: SourceState, reader: Reader) -> str:
    language, found = reader.language, one.found
    at = None if found.as_of is None else reader.moment(found.as_of)
    if found.failure is not None:
        return texts.UNREADABLE.format(language, reason=label(found.failure, language))
    if found.status is CoverageStatus.STALE:
        return texts.STALE.format(language, moment=at) if at else texts.STALE_UNDATED.of(language)
    return texts.READABLE_AS_OF.format(language, moment=at) if at else texts.READABLE.of(language)


def _with_next_step(one: SourceState, reader: Reader) -> str:
    language, failure = reader.language, one.found.failure
    state = _state(one, reader)
    if failure is None:
        stale = one.found.status is CoverageStatus.STALE
        action = texts.STALE_ACTION.of(language) if stale else None
    else:
        last = texts.NEVER_READ.of(language)
        if one.last_read is not None:
            last = texts.LAST_READ.format(language, moment=reader.moment(one.last_read))
        state = texts.THEN.of(language).join([state, last])
        action = next_action(failure, language)
    if action is None:
        return state
    return texts.NEXT_STEP.format(language, state=state, action=action)


def whoami(
    reader: Reader, person: OpenId, kind: AudienceKind, names: Sequence[str], *, ours: bool
) -> Outgoing:
    """The asker's own identity, and nobody else's."""
    language = reader.language
    lines = [(texts.OUR_TENANT if ours else texts.OTHER_TENANT).of(language)]
    if kind in texts.PLACES:
        lines.append(texts.PLACES[kind].of(language))
    if names:
        shown = listed([clean(name, NAME_CHARS) for name in names], language)
        lines.append(texts.NAMES.format(language, names=shown))
    elif kind is AudienceKind.EXTERNAL:
        lines.append(texts.NO_NAMES.of(language))
    else:
        iam = COMMANDS[CommandName.IAM].shown.of(language)
        how = texts.HOW_TO_NAME.format(language, command=iam)
        lines.append(texts.THEN.of(language).join([texts.NO_NAMES.of(language), how]))
    return say(reader, texts.WHO.format(language, id=person), lines)


def renewed(reader: Reader) -> Outgoing:
    """/new."""
    return say(reader, texts.RENEWED.of(reader.language))


def stopped(reader: Reader, count: int) -> Outgoing:
    """/stop: how many questions were open when it was said."""
    if not count:
        return say(reader, texts.NOTHING_TO_STOP.of(reader.language))
    headline = texts.STOPPED.format(reader.language, count=count)
    return _sentences(reader, headline, texts.STOPPED_NOTE)


def owed(
    reader: Reader,
    questions: Sequence[OwedQuestion],
    count: int,
    chats: Sequence[ChatName | None],
) -> Outgoing:
    """Where, when and why, never in whose words (A4). `chats`: of each question, where the reader is not in it."""
    language = reader.language
    if not questions:
        return say(reader, texts.NOTHING_OWED.of(language))
    lines = [
        owed_line(one, chat, reader)
        for one, chat in zip(questions[:MOST_OWED], chats, strict=False)
    ]
    if more := count - len(lines):
        lines.append(texts.MORE.format(language, count=more))
    lines.append(texts.OWED_NEXT.of(language))
    return say(reader, texts.OWED.format(language, count=count), lines)


def owed_line(one: OwedQuestion, chat: ChatName | None, reader: Reader) -> str:
    """Where, since when, and why one question is owed."""
    language = reader.language
    pieces = [] if chat is None else [chat.words(language)]
    pieces.append(
        texts.OWED_LINE.format(
            language,
            asked=reader.moment(one.asked_at),
            age=age(reader.now - one.asked_at, language),
        )
    )
    if one.failure is None:
        pieces.append(texts.UNDELIVERED.of(language))
    else:
        reason = texts.OWED_REASONS.get(one.failure.code, texts.OTHER_REASON)
        pieces.append(reason.of(language))
    return texts.PIECES.of(language).join(pieces)


def age(passed: timedelta, language: Language) -> str:
    """Whole minutes, hours or days, rounded down; at least a minute."""
    minutes = max(int(passed.total_seconds()) // 60, 1)
    if minutes < 60:
        return texts.MINUTES.format(language, count=minutes)
    if minutes < 48 * 60:
        return texts.HOURS.format(language, count=minutes // 60)
    return texts.DAYS.format(language, count=minutes // (24 * 60))


def _sentences(reader: Reader, first: str, second: Text) -> Outgoing:
    gap = "" if reader.language is Language.ZH else " "
    return say(reader, f"{first}{gap}{second.of(reader.language)}")
