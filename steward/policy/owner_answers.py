"""What only the owner in private is shown of chats, grants and the audit. Contract A4. Pure.

Above: control's commands. Codes are put into words, or left out (W2): the command line shows them as they are.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import tzinfo

from steward.model.answer import Outgoing, OutgoingClaim, OutgoingKind
from steward.model.audience import AudienceKind, Grant, KnownChat
from steward.model.audit import OPERATOR, STEWARD, AuditAct, AuditEntry, AuditRow
from steward.model.command import CommandName
from steward.model.ids import ChatId, SourceId
from steward.model.owed import OwedQuestion
from steward.model.turn import Language
from steward.policy.wording import NAME_CHARS, TITLE_CHARS, listed, moment
from steward.reading.text import clean
from steward.texts import command_answers as texts
from steward.texts.commands import COMMANDS

MOST_CHATS = 50

SHOWN_ACTS = tuple(act for act in AuditAct if act not in {AuditAct.DELIVERED, AuditAct.READ})
"""Those that somebody decided; what follows from each answer would hide them."""


@dataclass(frozen=True, slots=True)
class ChatName:
    """A chat as the owner is told of it. `external` None: nobody has said."""

    id: ChatId
    title: str | None
    external: bool | None
    private: bool = False

    def words(self, language: Language) -> str:
        """Title, id, and whether outsiders are in it."""
        nameless = texts.PRIVATE if self.private else texts.UNTITLED
        title = clean(self.title or "", TITLE_CHARS) or nameless.of(language)
        pieces = [texts.CHAT.format(language, title=title, id=self.id)]
        if self.external is not False:
            mark = texts.EXTERNAL if self.external else texts.MAYBE_EXTERNAL
            pieces.append(mark.of(language))
        return texts.PIECES.of(language).join(pieces)


def owed_in(one: OwedQuestion, chat: KnownChat | None) -> ChatName:
    """The chat of a question as its owner may know it: what was external then, or is now, is marked."""
    kind = one.audience.kind
    private = kind in {AudienceKind.OWNER_PRIVATE, AudienceKind.MEMBER_PRIVATE}
    external: bool | None = False if private else None if chat is None else chat.external
    if kind is AudienceKind.EXTERNAL:
        external = True
    title = None if chat is None else chat.title
    return ChatName(one.conversation.chat_id, title, external, private=private)


def chats(
    language: Language,
    known: Sequence[KnownChat],
    grants: Sequence[Grant],
    titles: Mapping[SourceId, str],
) -> Outgoing:
    """Every known chat with the grants that hold there; then audiences with a grant that are no known chat."""
    if not known and not grants:
        return _said(language, texts.NO_CHATS.of(language), ())
    lines = [_chat(one, grants, titles, language) for one in known[:MOST_CHATS]]
    if more := len(known) - len(lines):
        lines.append(texts.MORE.format(language, count=more))
    here = {key for one in known for key in _keys(one)}
    elsewhere = dict.fromkeys(one.audience for one in grants if one.audience not in here)
    ids = {one.chat_id for one in known}
    lines += [_elsewhere(audience, grants, ids, titles, language) for audience in elsewhere]
    return _said(language, texts.CHATS.format(language, count=len(known)), lines)


def _keys(chat: KnownChat) -> tuple[str, ...]:
    """The audiences that the chat may be; which of them counts follows from the platform's word at the time (A2)."""
    group, external = f"group:{chat.chat_id}", f"external:{chat.chat_id}"
    if chat.external is None:
        return (group, external)
    return (external,) if chat.external else (group,)


def _chat(
    chat: KnownChat, grants: Sequence[Grant], titles: Mapping[SourceId, str], language: Language
) -> str:
    pieces = [ChatName(chat.chat_id, chat.title, chat.external).words(language)]
    if chat.left_at is not None:
        pieces.append(texts.LEFT.of(language))
    pieces += _granted([one for one in grants if one.audience in _keys(chat)], titles, language)
    return texts.PIECES.of(language).join(pieces)


def _elsewhere(
    audience: str,
    grants: Sequence[Grant],
    known: Set[ChatId],
    titles: Mapping[SourceId, str],
    language: Language,
) -> str:
    named = texts.OTHER_AUDIENCES.get(audience)
    words = texts.ELSEWHERE.format(language, id=audience) if named is None else named.of(language)
    theirs = [one for one in grants if one.audience == audience]
    void = [texts.VOID.of(language)] if audience.partition(":")[2] in known else []
    return texts.PIECES.of(language).join([words, *_granted(theirs, titles, language), *void])


def _granted(
    grants: Sequence[Grant], titles: Mapping[SourceId, str], language: Language
) -> list[str]:
    opening = [grant for grant in grants if grant.sources]
    if not opening:
        return [texts.NOT_GRANTED.of(language)]
    return [
        texts.GRANTED.format(
            language,
            sources=listed(
                [clean(titles.get(source, source), NAME_CHARS) for source in grant.sources],
                language,
            ),
            goals=texts.ALL_GOALS.of(language)
            if grant.goals is None
            else texts.SOME_GOALS.format(language, count=len(grant.goals)),
        )
        for grant in opening
    ]


def audit(language: Language, zone: tzinfo, entries: Sequence[AuditEntry]) -> Outgoing:
    """Who did what, newest first."""
    if not entries:
        return _said(language, texts.NO_AUDIT.of(language), ())
    lines = [_entry(one, language, zone) for one in entries]
    headline = texts.AUDIT.format(language, count=len(lines))
    return _said(language, headline, [*lines, texts.NOT_IN_AUDIT.of(language)])


def _entry(entry: AuditEntry, language: Language, zone: tzinfo) -> str:
    row = entry.row
    act = texts.ACTS[row.act].of(language)
    command, about = _command(row)
    if command is not None:
        act = f"{act} {COMMANDS[command].shown.of(language)}"
    who = {OPERATOR: texts.BY_OPERATOR, STEWARD: texts.BY_STEWARD}.get(row.actor)
    line = texts.AUDIT_LINE.format(
        language,
        moment=moment(entry.at, zone),
        act=act,
        who=clean(row.actor, NAME_CHARS) if who is None else who.of(language),
    )
    pieces = [line]
    if about:
        pieces.append(texts.ABOUT.format(language, what=clean(about, TITLE_CHARS)))
    if row.chat is not None:
        pieces.append(texts.IN_CHAT.format(language, id=row.chat))
    return texts.PIECES.of(language).join(pieces)


def _command(row: AuditRow) -> tuple[CommandName | None, str | None]:
    """The command that a row tells of, and whom or what its act was about; ids and words of ours alone."""
    match row.act:
        case AuditAct.COMMAND | AuditAct.PRESSED:
            word, _, about = (row.subject or "").partition(" ")
            return next((one for one in CommandName if one == word), None), about
        case AuditAct.GRANTED | AuditAct.REVOKED:
            return None, row.audience
        case AuditAct.PROFILE_APPLIED:
            return None, row.reason
        case AuditAct.NAMES_APPROVED | AuditAct.OWNER_CHANGED:
            return None, row.subject
        case _:
            return None, None


def _said(language: Language, headline: str, lines: Sequence[str]) -> Outgoing:
    claims = tuple(OutgoingClaim(line) for line in lines)
    return Outgoing(OutgoingKind.NOTICE, language, headline, claims=claims)
