"""What the words of a request mean: whom, which sources and goals, which names. Contract A2."""

import pytest

from steward.model.approval import ApprovalRefusal
from steward.model.audience import (
    ChatFacts,
    ChatMode,
    KnownChat,
)
from steward.model.ids import (
    AppId,
    ChatId,
    GoalId,
    OpenId,
)
from steward.model.owner import OwnerRecord
from steward.model.turn import Language
from steward.policy.approval_cards import (
    MOST_LISTED,
    refusal,
)
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
from tests.steward.policy.chats import NOW, OURS, PLANS, TASKS, THEIRS, facts, grant

APP = AppId("cli_1")
OWNER = OwnerRecord(7, APP, OpenId("ou_owner"), NOW, ChatId("oc_owner"))


def known(chat: str, title: str = "Team", *, external: bool | None = False) -> KnownChat:
    return KnownChat(ChatId(chat), title, external, NOW, None)


def why(found: object) -> ApprovalRefusal:
    assert isinstance(found, Refusal), found
    return found.why


# ---------------------------------------------------------------- whom


@pytest.mark.requirement("A2")
@pytest.mark.parametrize("word", ["group:oc_team", "external:oc_team"])
def test_a_chat_may_be_named_as_the_configuration_names_it_and_its_kind_is_looked_up(
    word: str,
) -> None:
    assert target_of(word, [known("oc_team")]) == "oc_team"
    for no_chat in ("group:", "group:owner", "group:group:oc_team", "group:oc_a/b"):
        assert why(target_of(no_chat, [])) is ApprovalRefusal.AUDIENCE_UNKNOWN


@pytest.mark.parametrize("word", ["plans,tasks", "plans，tasks", "plans、tasks", "；tasks;plans，"])
def test_several_sources_are_one_word_with_the_commas_of_either_language(word: str) -> None:
    assert sources_of(word, [PLANS, TASKS]) == (PLANS, TASKS)


def test_a_source_in_the_place_of_a_goal_is_said_to_be_one() -> None:
    goals = (GoalId("tasks"),)
    found = unknown_goal(goals, [GoalId("pay")], whole=True, sources=[PLANS, TASKS])
    assert why(found) is ApprovalRefusal.SOURCE_AS_GOAL
    assert unknown_goal(goals, goals, whole=True, sources=[PLANS, TASKS]) is None


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
