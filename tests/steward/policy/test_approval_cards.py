"""What is read before and after an approval, and what never is. Contracts A2, P8."""

import pytest

from steward.model.audience import (
    DirectoryFailure,
    Members,
    Person,
)
from steward.model.command import RevokeGrants, SetGrant
from steward.model.ids import (
    ChatId,
    OpenId,
)
from steward.model.turn import Language
from steward.policy.approval_cards import (
    Preview,
    Whom,
    applied,
    arrived,
    granted,
    preview,
)
from tests.steward.policy.chats import NOW, OURS, PLANS, TASKS, THEIRS, facts, grant

# ---------------------------------------------------------------- cards


def lines(shown: Preview, language: Language = Language.EN) -> list[str]:
    outgoing = preview(shown, language, OURS)
    return [outgoing.headline, *(claim.text for claim in outgoing.claims)]


SET = SetGrant("group:oc_team", (PLANS,), None)


@pytest.mark.requirement("P8")
def test_a_preview_says_whom_who_reads_what_now_and_what_then() -> None:
    people = tuple(
        Person(OpenId(f"ou_{number}"), tenant) for number, tenant in enumerate([OURS, THEIRS, None])
    )
    whom = Whom("group:oc_team", facts(), Members(ChatId("oc_team"), people, True, NOW))
    assert lines(Preview(whom, SET, (grant(TASKS, goals=("a",)),), (grant(PLANS),), True)) == [
        "Preview of a grant: nothing is changed yet",
        "Group: Team (oc_team)",
        "Who will read it: 3 in all, 1 of another organisation",
        "May be read now: tasks (only the goals a)",
        "May be read once you approve: plans (every goal)",
    ]


@pytest.mark.requirement("A2")
def test_a_preview_marks_an_external_chat_and_what_could_not_be_looked_up() -> None:
    failed = DirectoryFailure(retry=True, reason="timeout")
    whom = Whom("external:oc_x", facts("oc_x", external=True, title=" \u202eTeam"), failed)
    shown = Preview(whom, SET, (), (grant(PLANS),), True, closed=True, unread=(TASKS,))
    said = lines(shown)
    assert said[1] == ("External group: Team (oc_x). People of other organisations may be in it.")
    assert said[2] == "Who is in this group could not be looked up."
    assert "keeps this kind of chat closed" in said[5]
    assert said[6].endswith("tasks")
    assert lines(shown, Language.ZH)[1].startswith("外部群：Team（oc_x）")


def test_readers_beyond_the_first_page_are_at_least_so_many() -> None:
    members = Members(ChatId("oc_team"), (), False, NOW)
    shown = Preview(Whom("group:oc_team", facts(), members), SET, (), (), True)
    assert "at least 0 in all" in lines(shown)[2]


@pytest.mark.requirement("A2")
def test_the_owner_without_a_grant_reads_everything_and_others_nothing() -> None:
    assert granted("owner", (), Language.EN) == "every source"
    assert granted("members", (), Language.EN) == "nothing"
    both = granted("members", (grant(PLANS, TASKS), grant(PLANS, goals=())), Language.EN)
    assert both == "plans, tasks (every goal); plans (only the goals nothing)"


def test_a_revocation_names_nobody_who_will_read() -> None:
    members = Members(ChatId("oc_team"), (), True, NOW)
    change = RevokeGrants("group:oc_team")
    shown = Preview(Whom("group:oc_team", facts(), members), change, (grant(PLANS),), (), True)
    assert lines(shown)[1:] == [
        "Group: Team (oc_team)",
        "May be read now: plans (every goal)",
        "May be read once you approve: nothing",
    ]


@pytest.mark.requirement("P8")
def test_nothing_to_change_is_said_and_offers_nothing() -> None:
    shown = Preview(Whom("members"), SET, (grant(PLANS),), (grant(PLANS),), needed=False)
    assert lines(shown) == [
        "Nothing to change: it is so already",
        "For: every member's private chat with me",
        "May be read now: plans (every goal)",
    ]


@pytest.mark.requirement("P8")
def test_a_readback_says_what_holds_now() -> None:
    said = applied(RevokeGrants("owner"), Whom("owner"), (), Language.EN)
    assert said.headline == "The grants are revoked"
    assert said.claims[-1].text == "May be read from now on: every source"


def test_a_title_in_a_card_is_one_visible_line() -> None:
    wild = facts(title="a\nb\u202e" + "x" * 200)
    line = preview(Preview(Whom("group:oc_team", wild), SET, (), (), True), Language.EN, OURS)
    title = line.claims[0].text
    assert "\n" not in title
    assert "\u202e" not in title
    assert len(title) < 120


def test_an_arrival_says_who_did_it_and_what_can_be_granted() -> None:
    whom = Whom("group:oc_team", facts())
    mine = arrived(whom, (), Language.EN, by_owner=True, sources=(PLANS,))
    theirs = arrived(whom, (), Language.ZH, by_owner=False, sources=())
    held = arrived(whom, (grant(PLANS),), Language.EN, by_owner=False, sources=(PLANS,))
    assert mine.headline == "You added me to a group"
    assert mine.claims[-1].text == "Or write: /grant oc_team SOURCES GOALS"
    assert theirs.claims[-1].text == "还没有配置任何来源，暂时没有可以授权的内容。"
    assert held.claims[-1].text == "It has a grant already: plans (every goal)"
