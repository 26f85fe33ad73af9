"""What the owner reads before and after a change of the profile, in both languages."""

from dataclasses import replace

import pytest

from steward.model.answer import Outgoing, OutgoingButton
from steward.model.audience import AudienceKind
from steward.model.machine import Applied, ProfilePlan
from steward.model.profile import HostFacts, ProfileStatus, RuntimeProfile
from steward.model.turn import Language
from steward.policy import profile as policy
from steward.policy import profile_card as card
from steward.texts import profile as texts
from steward.texts.catalogue import Text

RESTRICTED, TRUSTED = RuntimeProfile.RESTRICTED, RuntimeProfile.TRUSTED_OWNER
REPORTER, CODEX = frozenset({"restricted"}), frozenset({"restricted", "trusted_owner"})
FACTS = HostFacts(CODEX, simulated=False, separated=False, credentials=True)
LANGUAGES = pytest.mark.parametrize("language", Language)


def plan(desired: RuntimeProfile = TRUSTED, raw: bytes | None = None) -> ProfilePlan:
    return policy.plan(raw, desired, None)


def applied(*, superseded: bool = False, present: RuntimeProfile = TRUSTED) -> Applied:
    done = policy.receipt(plan(), "machine-1", policy.applied(None, TRUSTED))
    return Applied(done, superseded, policy.revision(present))


def read(shown: Outgoing) -> str:
    return "\n".join([shown.headline, *(claim.text for claim in shown.claims), *shown.details])


def missing(shown: Outgoing, *wanted: Text) -> list[str]:
    return [text.en for text in wanted if text.of(shown.language) not in read(shown)]


@pytest.mark.requirement("P6", "P8")
@LANGUAGES
def test_a_preview_of_trusted_owner_says_what_opens_what_stays_out_and_what_does_not_hold(
    language: Language,
) -> None:
    shown = card.previewed(plan(), FACTS, language)

    assert not missing(
        shown,
        texts.ACTIONS[plan().action],
        texts.OPENS,
        texts.ROTATES,
        texts.LIMITS,
        texts.NOT_SEPARATED,
        texts.CREDENTIALS,
        texts.OTHERS_WRITE,
    )
    assert texts.UNSUPPORTED.of(language) not in read(shown)
    assert policy.revision(TRUSTED)[7:19] in read(shown)


@pytest.mark.requirement("P6")
@LANGUAGES
def test_a_preview_claims_separation_and_absence_of_credentials_only_where_they_hold(
    language: Language,
) -> None:
    shown = card.previewed(plan(), replace(FACTS, separated=True, credentials=False), language)

    assert not missing(shown, texts.SEPARATED, texts.NO_CREDENTIALS)
    assert len(missing(shown, texts.NOT_SEPARATED, texts.CREDENTIALS)) == 2


@pytest.mark.requirement("P5", "P8")
@LANGUAGES
def test_a_preview_says_before_an_apply_that_the_endpoint_cannot_hold_it(
    language: Language,
) -> None:
    facts = replace(FACTS, endpoint_profiles=REPORTER)

    assert not missing(card.previewed(plan(), facts, language), texts.UNSUPPORTED)
    assert missing(card.previewed(plan(RESTRICTED), facts, language), texts.UNSUPPORTED)
    simulated = card.previewed(plan(), replace(facts, simulated=True), language)
    assert not missing(simulated, texts.SIMULATED)
    assert missing(simulated, texts.UNSUPPORTED)


@pytest.mark.requirement("P8")
@LANGUAGES
def test_a_preview_of_restricted_says_what_stops_and_warns_of_nothing(language: Language) -> None:
    shown = card.previewed(plan(RESTRICTED, policy.applied(None, TRUSTED)), FACTS, language)

    assert not missing(shown, texts.CLOSES, texts.ROTATES)
    assert len(missing(shown, texts.OPENS, texts.LIMITS, texts.OTHERS_WRITE)) == 3


@pytest.mark.requirement("P8")
@LANGUAGES
def test_a_preview_of_what_is_stored_says_that_there_is_nothing_to_change(
    language: Language,
) -> None:
    shown = card.previewed(plan(RESTRICTED, policy.applied(None, RESTRICTED)), FACTS, language)

    name = texts.NAMES[RESTRICTED].of(language)
    assert shown.headline == texts.NOTHING_TO_DO.format(language, desired=name)
    assert missing(shown, texts.ROTATES)


@pytest.mark.requirement("P3")
@LANGUAGES
def test_corrupt_bytes_are_shown_with_the_repair_and_the_preview_says_that_they_are_kept(
    language: Language,
) -> None:
    stored = policy.stored_of(b"\xff")
    held = policy.effective(stored, AudienceKind.OWNER_PRIVATE, CODEX, simulated=False)

    shown = card.state(stored, held, language)
    assert texts.NAMES[RESTRICTED].of(language) in shown.headline
    assert not missing(shown, texts.NOT_READABLE, texts.REPAIR)
    repair = plan(RESTRICTED, b"\xff")
    assert not missing(card.previewed(repair, FACTS, language), texts.ACTIONS[repair.action])


@pytest.mark.requirement("P3", "P5")
@LANGUAGES
def test_the_owner_is_told_why_what_is_stored_does_not_hold(language: Language) -> None:
    stored = policy.stored_of(policy.applied(None, TRUSTED))
    held = policy.effective(stored, AudienceKind.OWNER_PRIVATE, REPORTER, simulated=False)
    shown = card.state(stored, held, language)

    assert texts.NO_PROFILE.of(language) in shown.headline
    assert not missing(shown, texts.NAMES[TRUSTED], texts.STATUSES[held.status])


@LANGUAGES
def test_where_nothing_is_stored_nothing_is_said_to_be_in_force(language: Language) -> None:
    stored = policy.stored_of(None)
    held = policy.effective(stored, AudienceKind.OWNER_PRIVATE, CODEX, simulated=False)

    assert card.state_lines(stored, held, language)[1:] == (
        texts.STORED.format(language, stored=texts.NOT_STORED.of(language)),
    )


@pytest.mark.requirement("P8")
@LANGUAGES
def test_after_an_apply_the_readback_and_its_transaction_are_shown(language: Language) -> None:
    shown = card.readback(applied(), TRUSTED, FACTS, language)
    assert texts.NAMES[TRUSTED].of(language) in shown.headline
    assert not missing(shown, texts.READ_BACK)
    assert "machine-1" in read(shown)

    unverified = replace(applied().receipt, readback_verified=False)
    shown = card.readback(replace(applied(), receipt=unverified), TRUSTED, FACTS, language)
    assert not missing(shown, texts.UNVERIFIED)
    assert missing(shown, texts.READ_BACK)


@pytest.mark.requirement("P8")
@LANGUAGES
def test_a_reply_that_commits_with_the_change_names_the_plan_and_its_revisions(
    language: Language,
) -> None:
    shown = card.done(plan(), FACTS, language)

    assert shown.headline == card.readback(applied(), TRUSTED, FACTS, language).headline
    assert not missing(shown, texts.READ_BACK)
    assert card.short(plan().plan_revision) in read(shown)


@pytest.mark.requirement("P8")
@LANGUAGES
def test_a_plan_applied_before_shows_its_receipt_and_whether_it_still_stands(
    language: Language,
) -> None:
    stands = card.readback(applied(superseded=True), TRUSTED, FACTS, language)
    moved = card.readback(applied(superseded=True, present=RESTRICTED), TRUSTED, FACTS, language)

    assert stands.headline == moved.headline == texts.SUPERSEDED.of(language)
    assert not missing(stands, texts.STANDS)
    assert not missing(moved, texts.MOVED_ON)
    assert "machine-1" in read(moved)


@pytest.mark.requirement("P8")
@LANGUAGES
def test_a_stale_plan_says_that_nothing_was_done_and_previews_again(language: Language) -> None:
    buttons = (OutgoingButton("OK", "nonce"),)
    shown = card.stale(plan(), FACTS, language, buttons)

    assert shown.headline == texts.STALE.of(language)
    assert not missing(shown, texts.OPENS, texts.OTHERS_WRITE)
    assert shown.buttons == card.previewed(plan(), FACTS, language, buttons).buttons == buttons


@pytest.mark.requirement("P2", "P5", "P8")
@LANGUAGES
def test_no_readback_says_that_it_holds_where_it_does_not(language: Language) -> None:
    statuses = texts.STATUSES
    simulated = statuses[ProfileStatus.SIMULATED_RESTRICTED]
    unsupported = statuses[ProfileStatus.ENDPOINT_UNSUPPORTED]
    here = replace(FACTS, simulated=True, endpoint_profiles=REPORTER)
    reporter = replace(FACTS, endpoint_profiles=REPORTER)
    for facts, said, unsaid in (
        (FACTS, (), (simulated, unsupported)),
        (here, (simulated,), (unsupported,)),
        (reporter, (unsupported,), (simulated,)),
    ):
        for shown in (
            card.readback(applied(), TRUSTED, facts, language),
            card.done(plan(), facts, language),
        ):
            assert not missing(shown, *said)
            assert len(missing(shown, *unsaid)) == len(unsaid)
    restricted = card.done(plan(RESTRICTED), here, language)
    assert len(missing(restricted, simulated, unsupported)) == 2


@LANGUAGES
def test_nothing_of_a_profile_is_folded_away_as_evidence(language: Language) -> None:
    stale = card.stale(plan(), FACTS, language)
    for shown in (
        card.previewed(plan(), FACTS, language),
        card.done(plan(), FACTS, language),
        stale,
    ):
        assert not shown.details
        lines = [claim.text for claim in shown.claims]
        assert lines[-1] == texts.PLAN_ID.format(language, plan=card.short(plan().plan_revision))
        assert len(lines) == len(set(lines))
