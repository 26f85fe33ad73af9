"""What commands are answered with: conclusion first, nothing unread called absent, nothing said twice. Contracts A4, P3, W1, W5."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from steward.model.action import ClickRefusal
from steward.model.answer import Outgoing
from steward.model.audience import Audience, AudienceKind, Grant, GrantOrigin, KnownChat
from steward.model.audit import OPERATOR, STEWARD, AuditAct, AuditEntry, AuditRow
from steward.model.command import Command, CommandName, NewButton, StoredButton
from steward.model.events import Click, Principal, PrincipalKind
from steward.model.ids import (
    AppId,
    ChatId,
    ConversationId,
    MessageRef,
    OpenId,
    QuestionId,
    SourceId,
    TenantKey,
)
from steward.model.owed import OwedQuestion, QuestionCounts
from steward.model.owner import Authority
from steward.model.profile import CorruptProfile, NothingStored, RuntimeProfile, StoredProfile
from steward.model.reading import CoverageStatus, PairCoverage, ReadFailure, SourceCode
from steward.model.spoken import CommandSubject
from steward.model.turn import Language, TurnCode, TurnFailure
from steward.policy import command_answers as answers
from steward.policy import owner_answers
from steward.policy.command_answers import OwnersView, Reader, SourceState
from steward.policy.command_pressing import refused
from steward.policy.owner_answers import ChatName
from steward.policy.profile import effective
from steward.texts import command_answers as texts
from steward.texts.profile import REPAIR

NOW = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
ZONE = ZoneInfo("Asia/Shanghai")
EN, ZH = (Reader(language, NOW, ZONE) for language in (Language.EN, Language.ZH))
PLANS = SourceId("plans")
QUIET = QuestionCounts(0, 0, 0, 0, 0)
TEAM = ChatId("oc_team")


def lines(outgoing: Outgoing) -> list[str]:
    return [outgoing.headline, *(claim.text for claim in outgoing.claims)]


def failed(last: datetime | None = None) -> SourceState:
    failure = ReadFailure(SourceCode.TIMEOUT, PLANS)
    return SourceState("Plans", PairCoverage(PLANS, None, CoverageStatus.UNREADABLE, failure), last)


def owners(stored: NothingStored | StoredProfile | CorruptProfile) -> OwnersView:
    kind = AudienceKind.OWNER_PRIVATE
    held = effective(stored, kind, frozenset({"restricted"}), simulated=False)
    return OwnersView(stored, held, "reporter", QuestionCounts(1, 2, 3, 0, 0))


@pytest.mark.requirement("W1")
@pytest.mark.parametrize("reader", [EN, ZH])
def test_what_cannot_be_read_says_so_with_its_reason_and_the_next_step(reader: Reader) -> None:
    said = lines(answers.sources(reader, [failed(NOW - timedelta(hours=2))]))
    assert "2026-11-30 10:00" in said[1]
    assert said[1].endswith("。" if reader is ZH else ".")
    assert ("未读到证据" if reader is ZH else "no evidence read") in said[1]
    assert not any("没有进展" in line or "no progress" in line for line in said)
    never = lines(answers.sources(reader, [failed()]))
    assert texts.NEVER_READ.of(reader.language) in never[1]


@pytest.mark.requirement("P3")
def test_a_reader_who_is_not_the_owner_is_told_restricted_and_nothing_else() -> None:
    said = lines(answers.status(EN, QUIET, [failed()], None))
    assert said[-1] == "How I run: restricted (reads evidence only)"
    assert sum("restricted" in line for line in said) == 1


@pytest.mark.requirement("P3")
def test_the_owner_is_told_what_is_stored_what_holds_and_the_repair() -> None:
    corrupt = lines(answers.status(EN, QUIET, [], owners(CorruptProfile("unavailable:x"))))
    assert REPAIR.en in corrupt
    assert "Setting as stored: cannot be read, so restricted" in corrupt
    nothing = lines(answers.status(EN, QUIET, [], owners(NothingStored())))
    assert REPAIR.en not in nothing
    trusted = StoredProfile(RuntimeProfile.TRUSTED_OWNER, "sha256:x")
    said = lines(answers.status(EN, QUIET, [], owners(trusted)))
    assert any("select Codex" in line for line in said)
    assert "In all chats: 1 being answered, 2 waiting, 3 unanswered" in said
    assert not any("sha256" in line for line in said)


def test_a_busy_chat_says_so_first() -> None:
    said = answers.status(ZH, QuestionCounts(1, 2, 1, 5, 2), [], None)
    assert said.headline == "正在回答 1 个问题，排队 2 个"
    assert "这里还没答上来的：1 个" in lines(said)


@pytest.mark.requirement("A4")
def test_an_owed_question_is_told_by_place_age_and_reason() -> None:
    one = OwedQuestion(
        id=QuestionId(7),
        conversation=ConversationId(AppId("cli_a"), TEAM),
        audience=Audience(AudienceKind.EXTERNAL, TEAM),
        asker=OpenId("ou_wei"),
        asked_at=NOW - timedelta(hours=3),
        failure=TurnFailure(TurnCode.EXECUTOR_TIMEOUT, detail="internal detail"),
    )
    chat = ChatName(TEAM, "Team\n\u202e<at id=all>", external=True)
    said = lines(answers.owed(EN, [one], 9, [chat]))
    assert said[0] == "Questions still unanswered: 9"
    for piece in ("oc_team", "external", "(3 h ago)", "it took longer than it may"):
        assert piece in said[1]
    assert "\n" not in said[1]
    assert "\u202e" not in said[1]
    assert said[2] == "+8 more, not listed"
    assert not any("internal" in line or "ou_wei" in line for line in said)


@pytest.mark.parametrize(
    ("passed", "words"),
    [(0, "1 min"), (59, "59 min"), (60, "1 h"), (47 * 60, "47 h"), (48 * 60, "2 d")],
)
def test_an_age_is_rounded_down(passed: int, words: str) -> None:
    assert answers.age(timedelta(minutes=passed), Language.EN) == words


def test_a_chat_is_told_with_the_grants_that_may_hold_there() -> None:
    known = [
        KnownChat(TEAM, "Team", False, NOW, None),
        KnownChat(ChatId("oc_out"), "", True, NOW, NOW),
    ]
    grants = [
        Grant("a", "group:oc_team", (PLANS,), None, GrantOrigin.CONFIG),
        Grant("b", "group:oc_out", (PLANS,), None, GrantOrigin.CONFIG),
        Grant("c", "members", (PLANS,), (), GrantOrigin.OWNER),
    ]
    said = lines(owner_answers.chats(Language.EN, known, grants, {PLANS: "Plans"}))
    assert said[1] == "Team (oc_team) · may read Plans (all goals)"
    assert "external" in said[2]
    assert "no longer in it" in said[2]
    assert "nothing granted" in said[2]  # a group's grant is void where outsiders are
    (void,) = [line for line in said[3:] if "group:oc_out" in line]
    assert void.endswith(texts.VOID.en)
    assert not any(texts.VOID.en in line for line in said if line != void)
    assert any(line.startswith("Members' private chats") for line in said[3:])


@pytest.mark.requirement("A2")
def test_a_grant_of_nothing_is_told_as_none() -> None:
    known = [KnownChat(TEAM, "Team", False, NOW, None)]
    corrupt = Grant("a", "group:oc_team", (), None, GrantOrigin.OWNER)
    said = lines(owner_answers.chats(Language.EN, known, [corrupt], {}))
    assert said[1] == "Team (oc_team) · nothing granted"


@pytest.mark.requirement("W2", "A4")
@pytest.mark.parametrize(
    ("row", "told"),
    [
        (
            AuditRow(AuditAct.COMMAND, "ou_mei", subject="grant group:oc_a"),
            "command /grant - ou_mei · for group:oc_a",
        ),
        (AuditRow(AuditAct.COMMAND, "ou_mei", subject="profile"), "command /profile - ou_mei"),
        (AuditRow(AuditAct.COMMAND, "ou_wei", reason="unknown_command"), "command - ou_wei"),
        (
            AuditRow(AuditAct.GRANTED, "ou_mei", "group:oc_a", subject="sha256:1"),
            "granted - ou_mei · for group:oc_a",
        ),
        (
            AuditRow(AuditAct.PROFILE_APPLIED, OPERATOR, reason="restricted"),
            "changed how I run - the command line · for restricted",
        ),
        (
            AuditRow(AuditAct.OWNER_CHANGED, STEWARD, subject="ou_mei"),
            "set who is the owner - myself · for ou_mei",
        ),
    ],
)
def test_the_audit_names_the_command_and_whom_or_what_it_was_about(
    row: AuditRow, told: str
) -> None:
    said = lines(owner_answers.audit(Language.EN, ZONE, [AuditEntry(1, NOW, row)]))
    assert said[1] == f"2026-11-30 12:00 {told}"


@pytest.mark.requirement("W2")
def test_the_audit_is_told_in_words() -> None:
    row = AuditRow(AuditAct.COMMAND, "ou_wei", "group:oc_team", TEAM, None, CommandName.STOP)
    odd = AuditRow(AuditAct.REFUSED, STEWARD, reason="not_granted", subject="question:9")
    said = lines(
        owner_answers.audit(Language.EN, ZONE, [AuditEntry(2, NOW, row), AuditEntry(1, NOW, odd)])
    )
    assert said[1] == "2026-11-30 12:00 command /stop - ou_wei · in oc_team"
    assert not any("not_granted" in line or "question:9" in line for line in said)


def test_a_press_that_took_effect_is_judged_used() -> None:
    where = ConversationId(AppId("cli_a"), TEAM)
    subject = CommandSubject(Language.EN, AudienceKind.GROUP, where, "om_1")
    button = NewButton("n", Command(CommandName.STATUS), str(subject), NOW + timedelta(hours=1))
    stored = StoredButton(button, TEAM, carried=True, sending=False, pressed=True, used_at=None)
    ours = TenantKey("ours")
    click = Click(
        MessageRef(where.app_id, "om_card"),
        where,
        Principal(OpenId("ou_wei"), ours, PrincipalKind.PERSON),
        "n",
    )
    assert refused(stored, subject, click, Authority(None, ours), NOW) is ClickRefusal.USED
