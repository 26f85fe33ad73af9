"""Requests that need the owner's approval, from their words to the card with its button. Contracts A2, A5, P7, P8. Pure.

Above: control's approvals and arrivals. Facts come in as values. An audience is named by id: two groups may bear one
title, and a grant to the wrong one cannot be taken back from who has read it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from steward.model.action import ClickRefusal
from steward.model.answer import Outgoing, OutgoingButton, OutgoingClaim, OutgoingKind
from steward.model.approval import ApprovalRefusal
from steward.model.audience import (
    AudienceKind,
    ChatFacts,
    DirectoryFailure,
    Grant,
    KnownChat,
    Members,
)
from steward.model.command import Approval, GrantChange, NewButton, RevokeGrants, StoredButton
from steward.model.events import Click
from steward.model.ids import ChatId, GoalId, OpenId, SourceId, TenantKey
from steward.model.owner import Authority, OwnerRecord
from steward.model.turn import Language
from steward.policy.boundary import group_kind
from steward.policy.wording import TITLE_CHARS, listed
from steward.reading.text import clean
from steward.texts import approvals as texts
from steward.texts.catalogue import Text

APPROVAL_LIFE = timedelta(minutes=15)
"""How long an approval's button takes effect: what was previewed should still be what is approved."""

MOST_NAMES = 5
NAME_CHARS = 40
MOST_LISTED = 12
"""Chats, sources or goals that a refusal names; the rest is counted."""

_CHAT_ID = re.compile(r"oc_[A-Za-z0-9_-]{1,100}")

OWNER_KEY, MEMBERS_KEY = "owner", "members"


# ---------------------------------------------------------------- what was asked


@dataclass(frozen=True, slots=True)
class Refusal:
    """A typed no. `name`: the word that was wrong; `choices`: what there is instead."""

    why: ApprovalRefusal
    name: str = ""
    choices: tuple[str, ...] = ()
    chats: tuple[KnownChat, ...] = ()


def target_of(word: str | None, known: Sequence[KnownChat]) -> str | Refusal:
    """Whom a grant is for: `owner`, `members`, or a chat's id, whole or as the beginning of exactly one known id.

    Which kind of chat it is the platform must still say. A title gives the ids to choose from, and nothing more.
    """
    if not word:
        return Refusal(ApprovalRefusal.AUDIENCE_MISSING)
    if word in {OWNER_KEY, MEMBERS_KEY}:
        return word
    if is_chat(word):
        return _chat(word, known)
    titled = tuple(one for one in known if _folded(one.title) == _folded(word))
    if titled:
        return Refusal(ApprovalRefusal.AUDIENCE_BY_TITLE, chats=titled)
    return Refusal(ApprovalRefusal.AUDIENCE_UNKNOWN)


def is_chat(target: str) -> bool:
    """Whether a target is a chat's id."""
    return target.startswith("oc_")


def _chat(word: str, known: Sequence[KnownChat]) -> str | Refusal:
    """An id that nobody knows yet is one that the platform may know."""
    begin_so = tuple(one for one in known if one.chat_id.startswith(word))
    exact = any(one.chat_id == word for one in begin_so)
    if exact or not begin_so:
        return word if _CHAT_ID.fullmatch(word) else Refusal(ApprovalRefusal.AUDIENCE_UNKNOWN)
    if len(begin_so) > 1:
        return Refusal(ApprovalRefusal.AUDIENCE_AMBIGUOUS, chats=begin_so)
    return begin_so[0].chat_id


def _folded(title: str) -> str:
    return clean(title).casefold()


def key_of(facts: ChatFacts, tenant: TenantKey) -> str | Refusal:
    """The chat as a grant names it now. External where the platform says so, and where it is of another tenant."""
    match group_kind(facts, tenant, foreign=False):
        case AudienceKind.GROUP:
            return f"group:{facts.chat_id}"
        case AudienceKind.EXTERNAL:
            return f"external:{facts.chat_id}"
        case _:
            return Refusal(ApprovalRefusal.CHAT_UNCLEAR)


def revocable(chat: str, held: Sequence[Grant], key: str | None) -> str:
    """The key to revoke: the chat's own now, if any grant stands under it, else the one that holds grants.

    `key` None: the platform tells nothing of the chat any more. To revoke never depends on the platform.
    """
    keys = [*([key] if key else []), f"external:{chat}", f"group:{chat}"]
    return next((one for one in keys if any(grant.audience == one for grant in held)), keys[-1])


def sources_of(word: str | None, configured: Sequence[SourceId]) -> tuple[SourceId, ...] | Refusal:
    """The named sources, in the configured order; nothing or `*` is all of them."""
    if not configured:
        return Refusal(ApprovalRefusal.NO_SOURCE)
    names = _names(word)
    if names is None:
        return tuple(configured)
    wrong = next((name for name in names if name not in configured), None)
    if wrong is not None:
        return Refusal(ApprovalRefusal.SOURCE_UNKNOWN, wrong, tuple(configured))
    return tuple(source for source in configured if source in names)


def goals_of(words: Sequence[str]) -> tuple[GoalId, ...] | None:
    """The named goals, each once; nothing or `*` is every goal."""
    names = _names(",".join(words))
    return None if names is None else tuple(GoalId(name) for name in names)


def unknown_goal(
    goals: Sequence[GoalId], there_are: Sequence[GoalId], *, whole: bool
) -> Refusal | None:
    """A goal that no named source has. Where a source could not be read (`whole` False), nobody can say so."""
    wrong = next((goal for goal in goals if goal not in there_are), None)
    if wrong is None or not whole:
        return None
    return Refusal(ApprovalRefusal.GOAL_UNKNOWN, wrong, tuple(there_are))


def _names(word: str | None) -> tuple[str, ...] | None:
    names = tuple(dict.fromkeys(filter(None, (word or "").split(","))))
    return None if not names or names == ("*",) else names


def claimed_names(words: Sequence[str]) -> tuple[str, ...] | Refusal:
    """One to five names that can be seen whole: what the owner approves is what is stored."""
    names = tuple(dict.fromkeys(filter(None, (clean(word) for word in words))))
    if not 0 < len(names) <= MOST_NAMES or any(len(name) > NAME_CHARS for name in names):
        return Refusal(ApprovalRefusal.NAMES_UNUSABLE)
    return names


# ---------------------------------------------------------------- who may


def unpressable(
    stored: StoredButton,
    click: Click,
    authority: Authority,
    owner: OwnerRecord | None,
    now: datetime,
) -> ClickRefusal | None:
    """Why this press approves nothing (A5, P7); None: it may. Whoever is not the owner learns nothing of the button."""
    button, operator = stored.button, click.operator
    entitled = (
        owner is not None
        and operator.open_id is not None
        and operator.open_id == button.operator == owner.open_id == authority.owner
        and operator.tenant_key == authority.tenant
        and button.owner == owner.id
    )
    if owner is None or not entitled:
        return ClickRefusal.UNKNOWN
    if click.message is None or click.conversation is None:
        return ClickRefusal.FOREIGN_CARD
    if {click.message.app_id, click.conversation.app_id} != {owner.app_id}:
        return ClickRefusal.FOREIGN_CARD
    if not stored.carried:
        return ClickRefusal.NOT_NOW if stored.sending else ClickRefusal.FOREIGN_CARD
    if click.conversation.chat_id not in own_chats(stored, owner):
        return ClickRefusal.FOREIGN_CARD
    if stored.used_at is not None or stored.pressed:
        return ClickRefusal.USED
    return ClickRefusal.EXPIRED if now >= button.expires_at else None


def own_chats(stored: StoredButton, owner: OwnerRecord) -> frozenset[ChatId]:
    """Where the card can stand: in the chat that it went to, or, addressed to the person, in their proven one."""
    to_person = str(stored.chat) == owner.open_id
    chat = owner.private_chat if to_person else stored.chat
    return frozenset() if chat is None else frozenset({chat})


# ---------------------------------------------------------------- what is shown


@dataclass(frozen=True, slots=True)
class Card:
    """A message and the approvals that its buttons stand for."""

    outgoing: Outgoing
    buttons: tuple[NewButton, ...] = ()


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes approval buttons for one owner and one card. `nonce` gives 128 unguessable bits at each call."""

    owner: OwnerRecord
    subject: str
    now: datetime
    nonce: Callable[[], str]

    def card(self, outgoing: Outgoing, offers: Sequence[tuple[str, Approval]]) -> Card:
        """`outgoing` with a button for each offer, bound to the owner, the card, and the quarter of an hour."""
        made = [(label, self._button(approval)) for label, approval in offers]
        shown = tuple(
            OutgoingButton(label, button.nonce, pressed_only=True) for label, button in made
        )
        with_buttons = Outgoing(
            kind=outgoing.kind,
            language=outgoing.language,
            headline=outgoing.headline,
            claims=outgoing.claims,
            details=outgoing.details,
            note=texts.LIFE.of(outgoing.language) if made else outgoing.note,
            buttons=shown,
        )
        return Card(with_buttons, tuple(button for _, button in made))

    def _button(self, approval: Approval) -> NewButton:
        return NewButton(
            nonce=self.nonce(),
            meaning=approval,
            subject=self.subject,
            expires_at=self.now + APPROVAL_LIFE,
            operator=self.owner.open_id,
            owner=self.owner.id,
        )


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
    lines = [whom_line(shown.whom, language), _readers(shown.whom, language, tenant)]
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


def names_claim(person: OpenId, names: Sequence[str], language: Language) -> Outgoing:
    """What the owner decides on."""
    return _notice(
        language,
        texts.NAMES_CLAIM.of(language),
        texts.NAMES_WHO.format(language, id=person),
        texts.NAMES_WHICH.format(language, names=listed(names, language)),
        texts.NAMES_EFFECT.of(language),
    )


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
