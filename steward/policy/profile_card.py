"""The runtime profile as its owner is shown it: what holds, a preview, and what became of one. Contracts P3, P5, P6, P8. Pure.

Above: commands and approvals, which send it to the owner's private chat, and the command line. All of it is owner
material (A4): elsewhere a reader is told "restricted" and no more.
"""

from collections.abc import Iterator, Sequence

from steward.model.answer import Outgoing, OutgoingButton, OutgoingClaim, OutgoingKind
from steward.model.machine import Applied, PlanAction, ProfilePlan
from steward.model.profile import (
    CorruptProfile,
    EffectiveProfile,
    HostFacts,
    NothingStored,
    ProfileStatus,
    RuntimeProfile,
    Stored,
    StoredProfile,
)
from steward.model.turn import Language
from steward.texts import profile as texts
from steward.texts.catalogue import Text

REVISION_CHARS = 12
"""Of a revision's digest: enough to tell two apart."""


def state(stored: Stored, profile: EffectiveProfile, language: Language) -> Outgoing:
    """What is stored, what holds in the chat that asks, and how a fall-back is mended."""
    first, *rest = state_lines(stored, profile, language)
    return _card(first, rest, language)


def state_lines(stored: Stored, profile: EffectiveProfile, language: Language) -> tuple[str, ...]:
    """What holds, what is stored, why the two differ, the repair."""
    held = profile.runtime_profile
    name = (texts.NO_PROFILE if held is None else texts.NAMES[held]).of(language)
    lines = [
        texts.HOLDS.format(language, profile=name),
        texts.STORED.format(language, stored=_stored(stored, language)),
        texts.STATUSES[profile.status].of(language),
    ]
    if isinstance(stored, NothingStored):
        lines.pop()
    if profile.repair is not None:
        lines.append(texts.REPAIR.of(language))
    return tuple(lines)


def previewed(
    plan: ProfilePlan,
    facts: HostFacts,
    language: Language,
    buttons: Sequence[OutgoingButton] = (),
) -> Outgoing:
    """What an apply of `plan` would do."""
    text = texts.PREVIEW if plan.writes_required else texts.NOTHING_TO_DO
    headline = text.format(language, desired=_name(plan, language))
    return _card(
        headline, consequences(plan, facts, language), language, _of(plan, language), buttons
    )


def stale(
    fresh: ProfilePlan,
    facts: HostFacts,
    language: Language,
    buttons: Sequence[OutgoingButton] = (),
) -> Outgoing:
    """The plan was not one of what is stored now: nothing was done, and `fresh` is a new preview."""
    again = previewed(fresh, facts, language, buttons)
    lines = [again.headline, *(claim.text for claim in again.claims)]
    return _card(texts.STALE.of(language), lines, language, buttons=buttons)


def readback(
    applied: Applied, desired: RuntimeProfile, facts: HostFacts, language: Language
) -> Outgoing:
    """What an apply did, what keeps it from holding here, or that this plan was applied before."""
    if applied.superseded:
        return superseded(applied, language)
    read = texts.READ_BACK if applied.receipt.readback_verified else texts.UNVERIFIED
    headline = texts.APPLIED.format(language, desired=texts.NAMES[desired].of(language))
    lines = _read_back(read, desired, facts, language)
    return _card(headline, lines, language, _receipt(applied, language))


def done(plan: ProfilePlan, facts: HostFacts, language: Language) -> Outgoing:
    """The readback that stands in the commit of an apply, which is undone where it does not read back (P8)."""
    lines = _read_back(texts.READ_BACK, plan.desired, facts, language)
    headline = texts.APPLIED.format(language, desired=_name(plan, language))
    return _card(headline, lines, language, _of(plan, language))


def _read_back(
    read: Text, desired: RuntimeProfile, facts: HostFacts, language: Language
) -> list[str]:
    """What is set need not be what holds: nobody is told that it does where it does not (P2, P5)."""
    not_held = _not_held(desired, facts)
    held = [] if not_held is None else [texts.STATUSES[not_held].of(language)]
    return [read.of(language), *held, texts.ROTATES.of(language)]


def _not_held(desired: RuntimeProfile, facts: HostFacts) -> ProfileStatus | None:
    if desired is not RuntimeProfile.TRUSTED_OWNER:
        return None
    if facts.simulated:
        return ProfileStatus.SIMULATED_RESTRICTED
    if desired.value not in facts.endpoint_profiles:
        return ProfileStatus.ENDPOINT_UNSUPPORTED
    return None


def superseded(applied: Applied, language: Language) -> Outgoing:
    """The receipt of an earlier apply of the same plan, and whether what it set still stands."""
    same = applied.present_revision == applied.receipt.applied_revision
    lines = ((texts.STANDS if same else texts.MOVED_ON).of(language),)
    return _card(texts.SUPERSEDED.of(language), lines, language, _receipt(applied, language))


def consequences(plan: ProfilePlan, facts: HostFacts, language: Language) -> tuple[str, ...]:
    """What the owner should know before an apply, one line each (P5, P6)."""
    return tuple(text.of(language) for text in _consequences(plan, facts))


def _consequences(plan: ProfilePlan, facts: HostFacts) -> Iterator[Text]:
    yield texts.ACTIONS[plan.action]
    trusted = plan.desired is RuntimeProfile.TRUSTED_OWNER
    if plan.action is not PlanAction.NONE:
        yield texts.OPENS if trusted else texts.CLOSES
        yield texts.ROTATES
    if not trusted:
        return
    not_held = _not_held(plan.desired, facts)
    if not_held is not None:
        yield texts.SIMULATED if facts.simulated else texts.UNSUPPORTED
    yield texts.LIMITS
    yield texts.SEPARATED if facts.separated else texts.NOT_SEPARATED
    yield texts.CREDENTIALS if facts.credentials else texts.NO_CREDENTIALS
    yield texts.OTHERS_WRITE


def _stored(stored: Stored, language: Language) -> str:
    match stored:
        case NothingStored():
            return texts.NOT_STORED.of(language)
        case CorruptProfile():
            return texts.NOT_READABLE.of(language)
        case StoredProfile(profile=profile):
            return texts.NAMES[profile].of(language)


def _name(plan: ProfilePlan, language: Language) -> str:
    return texts.NAMES[plan.desired].of(language)


def _of(plan: ProfilePlan, language: Language) -> tuple[str, ...]:
    return (
        texts.REVISIONS.format(
            language, current=short(plan.current_revision), desired=short(plan.desired_revision)
        ),
        texts.PLAN_ID.format(language, plan=short(plan.plan_revision)),
    )


def _receipt(applied: Applied, language: Language) -> tuple[str, ...]:
    done = applied.receipt
    return (
        texts.REVISIONS.format(
            language, current=short(done.prior_revision), desired=short(done.applied_revision)
        ),
        texts.TRANSACTION.format(language, transaction=done.transaction_id),
    )


def short(revision: str) -> str:
    """A revision as people compare it: the start of its digest, or the word that it is."""
    kind, _, digest = revision.partition(":")
    return digest[:REVISION_CHARS] or kind


def _card(
    headline: str,
    lines: Sequence[str],
    language: Language,
    revisions: Sequence[str] = (),
    buttons: Sequence[OutgoingButton] = (),
) -> Outgoing:
    """Revisions stand at the end, in sight: what a card folds away is called evidence."""
    return Outgoing(
        kind=OutgoingKind.NOTICE,
        language=language,
        headline=headline,
        claims=tuple(OutgoingClaim(line) for line in (*lines, *revisions)),
        buttons=tuple(buttons),
    )
