"""From the words of a request to its card, and who may press it. Contracts A2, A5, P7, P8."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from steward.model.action import ClickRefusal
from steward.model.approval import ApprovalRefusal, Carrier
from steward.model.audience import (
    ChatFacts,
    ChatMode,
    DirectoryFailure,
    Grant,
    GrantOrigin,
    KnownChat,
    Members,
    Person,
)
from steward.model.command import ApplyGrants, NewButton, RevokeGrants, SetGrant, StoredButton
from steward.model.events import Click, Principal, PrincipalKind
from steward.model.ids import (
    AppId,
    ChatId,
    ConversationId,
    GoalId,
    MessageRef,
    OpenId,
    SourceId,
    TenantKey,
    ThreadId,
)
from steward.model.owner import Authority, OwnerRecord
from steward.model.turn import Language
from steward.policy.approval_cards import (
    MOST_LISTED,
    Preview,
    Whom,
    applied,
    arrived,
    granted,
    names_claim,
    preview,
    refusal,
)
from steward.policy.approving import APPROVAL_LIFE, Maker, unpressable
from steward.policy.requesting import (
    Refusal,
    claimed_names,
    goals_of,
    key_of,
    revocable,
    sources_of,
    target_of,
    unknown_goal,
)

APP = AppId("cli_1")
OURS, THEIRS = TenantKey("tenant_ours"), TenantKey("tenant_theirs")
NOW = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
OWNER = OwnerRecord(7, APP, OpenId("ou_owner"), NOW, ChatId("oc_owner"))
AUTHORITY = Authority(OWNER.open_id, OURS)
PLANS, TASKS = SourceId("plans"), SourceId("tasks")


def known(chat: str, title: str = "Team", *, external: bool | None = False) -> KnownChat:
    return KnownChat(ChatId(chat), title, external, NOW, None)


def facts(
    chat: str = "oc_team",
    mode: ChatMode = ChatMode.GROUP,
    *,
    external: bool | None = False,
    tenant: TenantKey | None = OURS,
    title: str = "Team",
) -> ChatFacts:
    return ChatFacts(ChatId(chat), mode, external, tenant, title, NOW)


def grant(
    *sources: SourceId, goals: tuple[str, ...] | None = None, key: str = "group:oc_team"
) -> Grant:
    named = None if goals is None else tuple(map(GoalId, goals))
    return Grant(key, key, sources, named, GrantOrigin.OWNER)


def why(found: object) -> ApprovalRefusal:
    assert isinstance(found, Refusal), found
    return found.why


# ---------------------------------------------------------------- whom


@pytest.mark.requirement("A2")
@pytest.mark.parametrize("word", ["owner", "members", "oc_team"])
def test_an_audience_is_named_by_its_id_or_its_word(word: str) -> None:
    assert target_of(word, [known("oc_team")]) == word


@pytest.mark.requirement("A2")
def test_a_chat_that_nobody_knows_yet_may_be_one_that_the_platform_knows() -> None:
    assert target_of("oc_new", []) == "oc_new"


@pytest.mark.requirement("A2")
def test_the_beginning_of_exactly_one_id_is_enough_and_a_whole_id_is_never_ambiguous() -> None:
    chats = [known("oc_team"), known("oc_team2"), known("oc_other")]
    assert target_of("oc_o", chats) == "oc_other"
    assert target_of("oc_team", chats) == "oc_team"
    found = target_of("oc_tea", chats)
    assert why(found) is ApprovalRefusal.AUDIENCE_AMBIGUOUS
    assert isinstance(found, Refusal)
    assert [one.chat_id for one in found.chats] == ["oc_team", "oc_team2"]


@pytest.mark.requirement("A2")
@pytest.mark.parametrize("chats", [[known("oc_1")], [known("oc_1"), known("oc_2")]])
def test_a_title_names_no_audience_also_where_one_chat_alone_bears_it(
    chats: list[KnownChat],
) -> None:
    found = target_of("TEAM", chats)
    assert isinstance(found, Refusal)
    assert found.why is ApprovalRefusal.AUDIENCE_BY_TITLE
    said = refusal(found, Language.EN)
    assert [claim.text for claim in said.claims][1:] == [f"{one.chat_id}: Team" for one in chats]


@pytest.mark.parametrize(
    ("word", "code"),
    [
        (None, ApprovalRefusal.AUDIENCE_MISSING),
        ("Elsewhere", ApprovalRefusal.AUDIENCE_UNKNOWN),
        ("oc_", ApprovalRefusal.AUDIENCE_UNKNOWN),
        ("oc_a/b", ApprovalRefusal.AUDIENCE_UNKNOWN),
        ("oc_a:b", ApprovalRefusal.AUDIENCE_UNKNOWN),
        ("group:oc_team", ApprovalRefusal.AUDIENCE_UNKNOWN),
    ],
)
def test_what_names_no_audience_is_refused(word: str | None, code: ApprovalRefusal) -> None:
    assert why(target_of(word, [])) is code


@pytest.mark.requirement("A2")
@pytest.mark.parametrize(
    ("said", "key"),
    [
        (facts(), "group:oc_team"),
        (facts(mode=ChatMode.TOPIC), "group:oc_team"),
        (facts(external=True), "external:oc_team"),
        (facts(tenant=THEIRS), "external:oc_team"),
    ],
)
def test_the_platform_says_whether_a_chat_is_external(said: ChatFacts, key: str) -> None:
    assert key_of(said, OURS) == key


@pytest.mark.requirement("A2")
@pytest.mark.parametrize(
    "said", [facts(external=None), facts(mode=ChatMode.P2P), facts(mode=ChatMode.UNKNOWN)]
)
def test_a_chat_of_which_that_is_not_known_is_granted_nothing(said: ChatFacts) -> None:
    assert why(key_of(said, OURS)) is ApprovalRefusal.CHAT_UNCLEAR


@pytest.mark.requirement("A2")
def test_a_revocation_reaches_what_is_held_whatever_the_platform_says() -> None:
    inside, outside = grant(PLANS), grant(PLANS, key="external:oc_team")
    assert revocable("oc_team", [inside], None) == "group:oc_team"
    assert revocable("oc_team", [outside], None) == "external:oc_team"
    assert revocable("oc_team", [inside], "external:oc_team") == "group:oc_team"
    assert revocable("oc_team", [inside, outside], "group:oc_team") == "group:oc_team"
    assert revocable("oc_team", [], "group:oc_team") == "group:oc_team"


# ---------------------------------------------------------------- what


@pytest.mark.requirement("A2")
def test_sources_are_named_or_all_in_the_configured_order() -> None:
    assert sources_of(None, (PLANS, TASKS)) == sources_of("*", (PLANS, TASKS)) == (PLANS, TASKS)
    assert sources_of("tasks,plans,tasks", (PLANS, TASKS)) == (PLANS, TASKS)
    assert sources_of("tasks", (PLANS, TASKS)) == (TASKS,)


@pytest.mark.requirement("A2")
def test_an_unknown_source_is_refused_with_those_that_there_are() -> None:
    found = sources_of("plans,plan", (PLANS, TASKS))
    assert isinstance(found, Refusal)
    said = refusal(found, Language.EN)
    assert said.headline == "There is no such source: plan"
    assert [claim.text for claim in said.claims] == ["There are these sources: plans, tasks"]
    assert why(sources_of("*", ())) is ApprovalRefusal.NO_SOURCE
    assert why(sources_of("*,plans", (PLANS,))) is ApprovalRefusal.SOURCE_UNKNOWN


@pytest.mark.requirement("A2")
def test_goals_are_named_with_spaces_or_commas_or_are_all() -> None:
    assert goals_of([]) is goals_of(["*"]) is None
    assert goals_of(["a,b", "c", "a"]) == ("a", "b", "c")


@pytest.mark.requirement("A2")
def test_an_unknown_goal_is_refused_only_where_every_source_could_tell() -> None:
    goals, there_are = (GoalId("a"), GoalId("x")), (GoalId("a"), GoalId("b"))
    found = unknown_goal(goals, there_are, whole=True)
    assert found == Refusal(ApprovalRefusal.GOAL_UNKNOWN, "x", ("a", "b"))
    assert unknown_goal(goals, there_are, whole=False) is None
    assert unknown_goal(goals[:1], there_are, whole=True) is None


def test_a_refusal_lists_so_many_and_counts_the_rest() -> None:
    goals = tuple(f"goal-{number}" for number in range(MOST_LISTED + 3))
    said = refusal(Refusal(ApprovalRefusal.GOAL_UNKNOWN, "x", goals), Language.EN)
    assert said.claims[0].text.endswith(f"goal-{MOST_LISTED - 1}, and 3 more")


def test_names_are_one_to_five_of_forty_characters_that_can_be_seen() -> None:
    assert claimed_names(["Lin", " Lin ", "小\u200b林"]) == ("Lin", "小林")
    for wrong in ([], ["\u200b"], ["a", "b", "c", "d", "e", "f"], ["x" * 41]):
        assert why(claimed_names(wrong)) is ApprovalRefusal.NAMES_UNUSABLE


# ---------------------------------------------------------------- who may press


BUTTON = NewButton(
    "nonce",
    ApplyGrants(RevokeGrants("members"), "sha256:1"),
    "approval:en:cli_1/oc_owner/:om_1",
    NOW + APPROVAL_LIFE,
    OWNER.open_id,
    OWNER.id,
)
STORED = StoredButton(
    BUTTON, ChatId("oc_owner"), carried=True, sending=False, pressed=False, used_at=None
)
CLICK = Click(
    MessageRef(APP, "om_card"),
    ConversationId(APP, ChatId("oc_owner")),
    Principal(OWNER.open_id, OURS, PrincipalKind.PERSON),
    "nonce",
)


def judged(
    stored: StoredButton = STORED,
    click: Click = CLICK,
    authority: Authority = AUTHORITY,
    owner: OwnerRecord | None = OWNER,
    now: datetime = NOW,
) -> ClickRefusal | None:
    return unpressable(stored, click, authority, owner, now)


def by(open_id: str | None, tenant: TenantKey | None = OURS) -> Click:
    person = None if open_id is None else OpenId(open_id)
    return replace(CLICK, operator=Principal(person, tenant, PrincipalKind.PERSON))


@pytest.mark.requirement("P7")
def test_the_owner_presses_in_the_private_chat_that_the_card_went_to() -> None:
    assert judged() is None
    to_person = replace(STORED, chat=ChatId(OWNER.open_id))
    assert judged(to_person) is None


@pytest.mark.requirement("P7")
@pytest.mark.parametrize(
    "click", [by("ou_member"), by(None), by("ou_owner", THEIRS), by("ou_owner", None)]
)
@pytest.mark.parametrize("state", [{}, {"used_at": NOW}, {"carried": False}, {"pressed": True}])
def test_to_everybody_else_every_button_is_unknown(click: Click, state: dict[str, object]) -> None:
    assert judged(replace(STORED, **state), click) is ClickRefusal.UNKNOWN  # type: ignore[arg-type]


@pytest.mark.requirement("P7")
def test_another_owner_or_the_same_person_once_more_voids_what_was_offered() -> None:
    again = replace(OWNER, id=8)
    other = replace(OWNER, id=8, open_id=OpenId("ou_other"))
    assert judged(owner=None) is ClickRefusal.UNKNOWN
    assert judged(owner=again) is ClickRefusal.UNKNOWN
    assert judged(owner=other) is ClickRefusal.UNKNOWN
    assert judged(authority=Authority(OpenId("ou_other"), OURS)) is ClickRefusal.UNKNOWN
    unbound = replace(STORED, button=replace(BUTTON, operator=None, owner=None))
    assert judged(unbound) is ClickRefusal.UNKNOWN


@pytest.mark.requirement("P7")
def test_elsewhere_than_in_that_chat_or_on_another_message_nothing_is_approved() -> None:
    group = replace(CLICK, conversation=ConversationId(APP, ChatId("oc_team")))
    foreign = replace(CLICK, conversation=ConversationId(AppId("cli_2"), ChatId("oc_owner")))
    for click in (group, foreign, replace(CLICK, message=None), replace(CLICK, conversation=None)):
        assert judged(click=click) is ClickRefusal.FOREIGN_CARD
    unproven = replace(OWNER, private_chat=None)
    assert judged(replace(STORED, chat=ChatId(OWNER.open_id)), owner=unproven) is (
        ClickRefusal.FOREIGN_CARD
    )
    assert judged(replace(STORED, carried=False)) is ClickRefusal.FOREIGN_CARD
    sending = replace(STORED, carried=False, sending=True)
    assert judged(sending) is ClickRefusal.NOT_NOW
    to_person = replace(sending, chat=ChatId(OWNER.open_id))
    assert judged(to_person, owner=unproven) is ClickRefusal.NOT_NOW


@pytest.mark.requirement("P8")
def test_an_approval_is_used_once_and_within_a_quarter_of_an_hour() -> None:
    assert judged(replace(STORED, used_at=NOW)) is ClickRefusal.USED
    assert judged(replace(STORED, pressed=True)) is ClickRefusal.USED
    assert judged(now=NOW + timedelta(minutes=15) - timedelta(seconds=1)) is None
    assert judged(now=NOW + timedelta(minutes=15)) is ClickRefusal.EXPIRED


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
        "Who will read it: 3 people, 1 of another company",
        "May be read now: tasks (only the goals a)",
        "May be read once you approve: plans (every goal)",
    ]


@pytest.mark.requirement("A2")
def test_a_preview_marks_an_external_chat_and_what_could_not_be_looked_up() -> None:
    failed = DirectoryFailure(retry=True, reason="timeout")
    whom = Whom("external:oc_x", facts("oc_x", external=True, title=" \u202eTeam"), failed)
    shown = Preview(whom, SET, (), (grant(PLANS),), True, closed=True, unread=(TASKS,))
    said = lines(shown)
    assert said[1] == ("External group: Team (oc_x). People of other companies may be in it.")
    assert said[2] == "Who is in this group could not be looked up."
    assert "keeps this kind of chat closed" in said[5]
    assert said[6].endswith("tasks")
    assert lines(shown, Language.ZH)[1].startswith("外部群：Team（oc_x）")


def test_readers_beyond_the_first_page_are_at_least_so_many() -> None:
    members = Members(ChatId("oc_team"), (), False, NOW)
    shown = Preview(Whom("group:oc_team", facts(), members), SET, (), (), True)
    assert "at least 0 people" in lines(shown)[2]


@pytest.mark.requirement("A2")
def test_the_owner_without_a_grant_reads_everything_and_others_nothing() -> None:
    assert granted("owner", (), Language.EN) == "every source"
    assert granted("members", (), Language.EN) == "nothing"
    both = granted("members", (grant(PLANS, TASKS), grant(PLANS, goals=())), Language.EN)
    assert both == "plans, tasks (every goal); plans (only the goals nothing)"


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
    assert mine.claims[-1].text == "Or write: /grant oc_team SOURCE GOAL"
    assert theirs.claims[-1].text == "还没有配置任何来源，暂时没有可以授权的内容。"
    assert held.claims[-1].text == "It has a grant already: plans (every goal)"


@pytest.mark.requirement("P8")
def test_a_button_is_bound_to_its_owner_its_card_and_a_quarter_of_an_hour() -> None:
    maker = Maker(OWNER, "approval:en:cli_1/oc_owner/:om_1", NOW, lambda: "nonce")
    claim = names_claim(OpenId("ou_wei"), ("Wei",), Language.EN)
    card = maker.card(claim, [("Apply", BUTTON.meaning)])  # type: ignore[list-item]
    assert card.buttons == (BUTTON,)
    assert card.outgoing.claims == claim.claims
    assert card.outgoing.note is not None
    (shown,) = card.outgoing.buttons
    assert (shown.label, shown.nonce, shown.pressed_only) == ("Apply", "nonce", True)
    assert maker.card(claim, []).outgoing.note is None


def test_a_card_s_subject_gives_back_what_it_carries() -> None:
    carrier = Carrier(Language.ZH, ConversationId(APP, ChatId("oc_1"), ThreadId("omt_1")), "a:b:c")
    assert Carrier.parse(str(carrier)) == carrier
    for wrong in ("command:om_1", "approval:fr:a/b/:k", "approval:en:nowhere:k", "other:en:a/b/:k"):
        with pytest.raises(ValueError, match=r"."):
            Carrier.parse(wrong)
