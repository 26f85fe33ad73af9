"""What the words of a request for an approval mean, or why they mean nothing. Contracts A2, A4. Pure.

Above: control's granting and approvals, and the command line. An audience is named by id: two groups may bear one title,
and a grant to the wrong one cannot be taken back from who has read it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from steward.model.approval import ApprovalRefusal
from steward.model.audience import AudienceKind, ChatFacts, Grant, KnownChat
from steward.model.audit import AuditEntry
from steward.model.ids import GoalId, OpenId, SourceId, TenantKey
from steward.policy.boundary import group_kind
from steward.reading.text import clean

MOST_NAMES = 5
NAME_CHARS = 40

CLAIMS_WITHIN = timedelta(hours=1)
MOST_CLAIMS_EACH, MOST_CLAIMS = 3, 20
"""Within that time, of one person and of all: each brings the owner a card, whom nobody may bury in cards."""

_CHAT_ID = re.compile(r"oc_[A-Za-z0-9_-]{1,100}")
_KIND = re.compile(r"^(?:group|external):(?=oc_)")
_BETWEEN = re.compile(r"[,，、;；]")
"""With the marks that Chinese input methods write."""

OWNER_KEY, MEMBERS_KEY = "owner", "members"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A typed no. `name`: the word that was wrong; `choices`: what there is instead."""

    why: ApprovalRefusal
    name: str = ""
    choices: tuple[str, ...] = ()
    chats: tuple[KnownChat, ...] = ()


def target_of(word: str | None, known: Sequence[KnownChat]) -> str | Refusal:
    """Whom a grant is for: `owner`, `members`, or a chat's id, whole or as the beginning of exactly one known id.

    Which kind of chat it is the platform must still say, also where the word says one, as in "group:oc_…". A title gives
    the ids to choose from, and nothing more.
    """
    if not word:
        return Refusal(ApprovalRefusal.AUDIENCE_MISSING)
    word = _KIND.sub("", word)
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
    goals: Sequence[GoalId],
    there_are: Sequence[GoalId],
    *,
    whole: bool,
    sources: Sequence[SourceId] = (),
) -> Refusal | None:
    """A goal that no named source has. Where a source could not be read (`whole` False), nobody can say so.

    `sources`: the configured ones, for whoever wrote a second source as a word of its own.
    """
    wrong = next((goal for goal in goals if goal not in there_are), None)
    if wrong is None or not whole:
        return None
    if str(wrong) in sources:
        return Refusal(ApprovalRefusal.SOURCE_AS_GOAL, wrong)
    return Refusal(ApprovalRefusal.GOAL_UNKNOWN, wrong, tuple(there_are))


def _names(word: str | None) -> tuple[str, ...] | None:
    names = tuple(dict.fromkeys(filter(None, _BETWEEN.split(word or ""))))
    return None if not names or names == ("*",) else names


def claimed_names(words: Sequence[str]) -> tuple[str, ...] | Refusal:
    """One to five names that can be seen whole: what the owner approves is what is stored."""
    names = tuple(dict.fromkeys(filter(None, (clean(word) for word in words))))
    if not 0 < len(names) <= MOST_NAMES or any(len(name) > NAME_CHARS for name in names):
        return Refusal(ApprovalRefusal.NAMES_UNUSABLE)
    return names


def claimed_often(claims: Sequence[AuditEntry], person: OpenId, now: datetime) -> Refusal | None:
    """One claim too many, of this person or of all. `claims`: at least the newest MOST_CLAIMS there were."""
    lately = [entry for entry in claims if now - entry.at < CLAIMS_WITHIN]
    own = sum(entry.row.actor == person for entry in lately)
    if own < MOST_CLAIMS_EACH and len(lately) < MOST_CLAIMS:
        return None
    return Refusal(ApprovalRefusal.CLAIMED_OFTEN)
