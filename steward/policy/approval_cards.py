"""What the owner reads before and after an approval, and what others read about it. Contracts A2, A4, P8. Pure.

Above: control's approvals and arrivals. Below: texts. Titles, names and ids of goals are other people's text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from steward.model.answer import Outgoing, OutgoingClaim, OutgoingKind
from steward.model.approval import ApprovalRefusal
from steward.model.audience import ChatFacts, DirectoryFailure, Grant, KnownChat, Members
from steward.model.command import GrantChange, RevokeGrants
from steward.model.ids import OpenId, SourceId, TenantKey
from steward.model.turn import Language
from steward.policy.requesting import MEMBERS_KEY, NAME_CHARS, OWNER_KEY, Refusal
from steward.policy.wording import TITLE_CHARS, listed
from steward.reading.text import clean
from steward.texts import approvals as texts
from steward.texts.catalogue import Text

MOST_LISTED = 12
"""Chats, sources or goals that one line names; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Whom:
    """Whom a grant is for, with what the platform says of it now; `facts` None: it is no chat, or it says nothing."""

    key: str
    facts: ChatFacts | None = None
    members: Members | DirectoryFailure | None = None

    @property
    def external(self) -> bool:
        return self.key.startswith("external:")


@dataclass(frozen=True, slots=True)
class Preview:
    """What a change of grants does. `closed`: the configuration keeps this kind of audience shut all the same."""

    whom: Whom
    change: GrantChange
    before: tuple[Grant, ...]
    after: tuple[Grant, ...]
    needed: bool
    closed: bool = False
    unread: tuple[SourceId, ...] = ()
    again: bool = False


def preview(shown: Preview, language: Language, tenant: TenantKey) -> Outgoing:
    """The card before an apply: who reads, what now, what then."""
    revoking = isinstance(shown.change, RevokeGrants)
    headline = texts.REVOKE_PREVIEW if revoking else texts.GRANT_PREVIEW
    if shown.again:
        headline = texts.PREVIEW_AGAIN
    key = shown.whom.key
    lines = [whom_line(shown.whom, language)]
    if not revoking:
        lines.append(_readers(shown.whom, language, tenant))
    if not shown.needed:
        headline = texts.SAME
        lines.append(texts.BEFORE.format(language, grants=granted(key, shown.before, language)))
    else:
        lines.append(texts.BEFORE.format(language, grants=granted(key, shown.before, language)))
        lines.append(texts.AFTER.format(language, grants=granted(key, shown.after, language)))
    if shown.closed:
        lines.append(texts.CLOSED.of(language))
    if shown.unread:
        names = listed(shown.unread, language)
        lines.append(texts.GOALS_UNCHECKED.format(language, sources=names))
    return _notice(language, headline.of(language), *lines)


def applied(
    change: GrantChange, whom: Whom, grants: Sequence[Grant], language: Language
) -> Outgoing:
    """The readback after an apply."""
    headline = texts.REVOKED if isinstance(change, RevokeGrants) else texts.GRANTED
    now = texts.NOW.format(language, grants=granted(whom.key, grants, language))
    return _notice(language, headline.of(language), whom_line(whom, language), now)


def whom_line(whom: Whom, language: Language) -> str:
    """Whom a grant is for, in one line; a title is somebody's text."""
    if whom.key == OWNER_KEY:
        return texts.WHOM_OWNER.of(language)
    if whom.key == MEMBERS_KEY:
        return texts.WHOM_MEMBERS.of(language)
    text = texts.WHOM_EXTERNAL if whom.external else texts.WHOM_GROUP
    title = "" if whom.facts is None else clean(whom.facts.title, TITLE_CHARS)
    chat = whom.key.partition(":")[2]
    return text.format(language, title=title or texts.UNTITLED.of(language), id=chat)


def _readers(whom: Whom, language: Language, tenant: TenantKey) -> str:
    """Empty where the audience is no chat."""
    match whom.members:
        case None:
            return ""
        case DirectoryFailure():
            return texts.READERS_UNKNOWN.of(language)
        case members:
            text = texts.READERS if members.complete else texts.READERS_AT_LEAST
            foreign = sum(one.tenant_key not in {None, tenant} for one in members.people)
            return text.format(language, count=len(members.people), foreign=foreign)


def granted(key: str, grants: Sequence[Grant], language: Language) -> str:
    """Grants in words. The owner without any reads everything (A2)."""
    if not grants:
        return (texts.EVERYTHING if key == OWNER_KEY else texts.NOTHING).of(language)
    return texts.BETWEEN.of(language).join(_grant(one, language) for one in grants)


def _grant(grant: Grant, language: Language) -> str:
    sources = _some(grant.sources, language) or texts.NOTHING.of(language)
    if grant.goals is None:
        return texts.GRANT_ALL.format(language, sources=sources)
    goals = _some(grant.goals, language) or texts.NOTHING.of(language)
    return texts.GRANT_GOALS.format(language, sources=sources, goals=goals)


def _some(names: Sequence[str], language: Language) -> str:
    shown = listed((clean(name, TITLE_CHARS) for name in names[:MOST_LISTED]), language)
    more = len(names) - MOST_LISTED
    return shown if more <= 0 else shown + texts.MORE.format(language, count=more)


def refusal(no: Refusal, language: Language) -> Outgoing:
    """A typed no, and what there is instead."""
    said = texts.REFUSED[no.why].format(language, name=clean(no.name, NAME_CHARS))
    lines: list[str] = []
    if no.chats:
        lines.append(texts.CHOOSE_ID.of(language))
        lines.extend(_known(chat, language) for chat in no.chats[:MOST_LISTED])
    elif no.why in {ApprovalRefusal.AUDIENCE_MISSING, ApprovalRefusal.AUDIENCE_UNKNOWN}:
        lines.append(texts.CHATS_NEXT.of(language))
    elif no.why is ApprovalRefusal.SOURCE_UNKNOWN:
        lines.append(texts.SOURCES_ARE.format(language, sources=_some(no.choices, language)))
    elif no.why is ApprovalRefusal.GOAL_UNKNOWN:
        goals = _some(no.choices, language) or texts.NOTHING.of(language)
        lines.append(texts.GOALS_ARE.format(language, goals=goals))
    elif no.why is ApprovalRefusal.PROFILE_UNKNOWN:
        lines.append(texts.PROFILES_ARE.of(language))
    return _notice(language, said, *lines)


def _known(chat: KnownChat, language: Language) -> str:
    text: Text = texts.KNOWN_CHAT if chat.external is False else texts.KNOWN_EXTERNAL
    title = clean(chat.title, TITLE_CHARS) or texts.UNTITLED.of(language)
    return text.format(language, id=chat.chat_id, title=title)


def names_claim(
    person: OpenId,
    names: Sequence[str],
    language: Language,
    *,
    held: Sequence[str] = (),
    others: Sequence[OpenId] = (),
) -> Outgoing:
    """What the owner decides on. `held`: what the person is called now; `others`: who is called so besides."""
    lines = [
        texts.NAMES_WHO.format(language, id=person),
        texts.NAMES_WHICH.format(language, names=listed(names, language)),
    ]
    if held:
        now = listed([clean(name, NAME_CHARS) for name in held], language)
        lines.append(texts.NAMES_HELD.format(language, names=now))
    if others:
        lines.append(texts.NAMES_TAKEN.format(language, ids=_some(others, language)))
    lines.append(texts.NAMES_EFFECT.of(language))
    return _notice(language, texts.NAMES_CLAIM.of(language), *lines)


def names_asked(names: Sequence[str], language: Language) -> Outgoing:
    """What the claimer is told at once."""
    asked = texts.NAMES_ASKED.format(language, names=listed(names, language))
    return _notice(language, asked, texts.NAMES_ASKED_NEXT.of(language))


def names_yours(names: Sequence[str], language: Language) -> Outgoing:
    """What the claimer is told once the owner has approved."""
    return _notice(language, texts.NAMES_YOURS.format(language, names=listed(names, language)))


def names_approved(person: OpenId, names: Sequence[str], language: Language) -> Outgoing:
    """The owner's readback."""
    said = texts.NAMES_APPROVED.format(language, names=listed(names, language))
    return _notice(language, said, texts.NAMES_WHO.format(language, id=person))


def arrived(
    whom: Whom,
    grants: Sequence[Grant],
    language: Language,
    *,
    by_owner: bool,
    sources: Sequence[SourceId],
) -> Outgoing:
    """What the owner is told of a group that the bot was added to."""
    headline = texts.ADDED_BY_YOU if by_owner else texts.ADDED
    lines = [whom_line(whom, language)]
    if grants:
        held = granted(whom.key, grants, language)
        lines.append(texts.ADDED_GRANTED.format(language, grants=held))
    elif not sources:
        lines.append(texts.ADDED_NO_SOURCE.of(language))
    else:
        chat = whom.key.partition(":")[2]
        lines += [
            texts.ADDED_UNGRANTED.of(language),
            texts.GRANT_BY_WORDS.format(language, id=chat),
        ]
    return _notice(language, headline.of(language), *lines)


def _notice(language: Language, headline: str, *lines: str) -> Outgoing:
    claims = tuple(OutgoingClaim(line) for line in lines if line)
    return Outgoing(OutgoingKind.NOTICE, language, headline, claims)
