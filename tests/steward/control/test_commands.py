"""Commands over the whole of control: who is told what where, what takes effect, once, and what nobody hears of. A4, A5, D2."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from steward.control.profiles import Profiles
from steward.errors import StoreUnavailableError
from steward.model.audience import (
    ChatFacts,
    ChatMode,
    DeclineReason,
    DirectoryFailure,
    Grant,
    GrantOrigin,
)
from steward.model.command import ApplyProfile, CommandName
from steward.model.effect import ByOperator, Done, EffectOutcome
from steward.model.events import ChatType, Lane, PrincipalKind
from steward.model.ids import ChatId, ConversationId, GoalId, OpenId, TenantKey
from steward.model.profile import RuntimeProfile
from steward.model.turn import Language, TurnCode, TurnFailure
from steward.policy.permitting import OWNERS
from steward.ports.effects import Effects
from steward.testing.endpoint import Fails, Hangs, Meanwhile
from steward.texts import command_answers as texts
from steward.texts.commands import COMMANDS
from steward.texts.notices import DECLINED
from tests.contracts.given import rows
from tests.steward.control.workshop import (
    APP,
    MEMBER,
    OWNER,
    PLANS,
    TEAM,
    TEAM_GRANT,
    Workshop,
    open_workshop,
)

CANARY = ChatId("oc_canary")
CANARY_TITLE = "Secret merger"
CANARY_GRANT = Grant("canary", f"group:{CANARY}", (PLANS,), (GoalId("merger"),), GrantOrigin.CONFIG)
OTHER = OpenId("ou_other")
FOREIGN = TenantKey("tenant_foreign")
OUTSIDE = ChatId("oc_outside")


@pytest.fixture
async def shop() -> AsyncIterator[Workshop]:
    """A team that may read, and a chat of others that it must never hear of."""
    outside = Grant("outside", f"external:{OUTSIDE}", (PLANS,), None, GrantOrigin.CONFIG)
    async with open_workshop(grants=(TEAM_GRANT, CANARY_GRANT, outside)) as opened:
        opened.directory.add(CANARY, title=CANARY_TITLE)
        opened.directory.add(OUTSIDE, external=True)
        yield opened


async def told(shop: Workshop, text: str, **where: Any) -> list[str]:
    """What came into the chats after this message."""
    before = len(shop.sender.arrived)
    await shop.say(text, **where)
    await shop.judge()
    await shop.deliver()
    return [arrival.text for arrival in shop.sender.arrived[before:]]


async def told_in_private(shop: Workshop, text: str, person: OpenId) -> list[str]:
    before = len(shop.sender.arrived)
    await shop.in_private(text, person)
    await shop.judge()
    await shop.deliver()
    return [arrival.text for arrival in shop.sender.arrived[before:]]


async def owed_in_canary(shop: Workshop, sender: OpenId = OTHER) -> None:
    """A question in the other chat that is owed there, and known by its title."""
    facts = ChatFacts(CANARY, ChatMode.GROUP, False, None, CANARY_TITLE, shop.clock.now())
    await shop.store.chats.note(APP, facts)
    shop.scripts["What of the merger?"] = [Fails(TurnFailure(TurnCode.EXECUTOR_TIMEOUT))]
    await shop.say("What of the merger?", chat=CANARY, sender=sender)
    await shop.through()
    assert [end for end, _ in await shop.ends()] == ["owed"]


async def trusting(shop: Workshop) -> None:
    """The stored profile is trusted_owner."""
    plan = await Profiles(shop.store.machine, simulated=False).preview(RuntimeProfile.TRUSTED_OWNER)
    done = await shop.store.effects.commit(
        ByOperator(), ApplyProfile(plan.desired, plan.plan_revision), audit=(), reply=()
    )
    assert isinstance(done, Done)


@dataclass
class Dying:
    """The store's effects, where the process dies right after each commit."""

    effects: Effects

    async def commit(self, *what: Any, **rest: Any) -> EffectOutcome:
        await self.effects.commit(*what, **rest)
        raise StoreUnavailableError("gone")


async def questions(shop: Workshop) -> int:
    (count,) = await rows(shop.store, "SELECT count(*) FROM question")
    return int(count[0])


@pytest.mark.requirement("A4")
@pytest.mark.parametrize("name", CommandName)
@pytest.mark.parametrize("slash", ["/", "\uff0f"])
async def test_no_command_becomes_a_question(shop: Workshop, name: CommandName, slash: str) -> None:
    for word in (COMMANDS[name].zh[0], COMMANDS[name].en[0], "nonsense"):
        await told(shop, f"@_user_1 {slash}{word}")
        await told_in_private(shop, f"{slash}{word}", OWNER)
        await told_in_private(shop, f"{slash}{word}", MEMBER)
    assert await questions(shop) == 0
    assert shop.endpoint.asked == []


@pytest.mark.requirement("A4")
@pytest.mark.parametrize("name", sorted(OWNERS))
@pytest.mark.parametrize("person", [MEMBER, OWNER])
async def test_what_is_the_owners_answers_in_a_group_as_no_command(
    shop: Workshop, name: CommandName, person: OpenId
) -> None:
    word = COMMANDS[name].en[0]
    (there,) = await told(shop, f"@_user_1 /{word} {CANARY}", sender=person)
    (nothing,) = await told(shop, "@_user_1 /nonsense", sender=person)
    assert there == nothing
    assert texts.UNKNOWN.en in there


@pytest.mark.requirement("A4")
@pytest.mark.parametrize(
    "word", ["help", "status", "sources", "owed", "whoami", "new", "stop", "x"]
)
async def test_a_group_hears_nothing_of_other_chats(shop: Workshop, word: str) -> None:
    await owed_in_canary(shop)
    for person in (MEMBER, OWNER):
        (said,) = await told(shop, f"@_user_1 /{word}", sender=person)
        for secret in (CANARY, CANARY_TITLE, "merger", "canary"):
            assert secret not in said


@pytest.mark.requirement("A4")
async def test_the_owner_in_private_sees_every_owed_question_and_no_words_of_it(
    shop: Workshop,
) -> None:
    await owed_in_canary(shop)
    (said,) = await told_in_private(shop, "/owed", OWNER)
    assert CANARY in said
    assert CANARY_TITLE in said
    assert "What of the merger" not in said


@pytest.mark.requirement("A4")
@pytest.mark.parametrize("person", [MEMBER, OWNER])
async def test_a_group_is_not_told_what_is_owed_to_its_member_elsewhere(
    shop: Workshop, person: OpenId
) -> None:
    await owed_in_canary(shop, person)
    (said,) = await told(shop, "/owed", sender=person)
    assert said.strip() == texts.NOTHING_OWED.en


@pytest.mark.requirement("A4")
async def test_chats_and_audit_are_shown_to_the_owner_in_private(shop: Workshop) -> None:
    await told(shop, "@_user_1 /whoami")
    (said,) = await told_in_private(shop, "/chats", OWNER)
    assert TEAM in said
    assert "Plans" in said
    (said,) = await told_in_private(shop, "/audit", OWNER)
    assert MEMBER in said
    assert "/whoami" in said


async def test_help_names_what_works_there_and_nothing_else(shop: Workshop) -> None:
    (group,) = await told(shop, "@_user_1 /help")
    (private,) = await told_in_private(shop, "/帮助", OWNER)
    assert "/status" in group
    assert "/grant" not in group
    assert "/授权" in private
    assert "/status" not in private


@pytest.mark.requirement("P3")
async def test_outside_the_owners_private_chat_the_profile_is_restricted_and_nothing_else(
    shop: Workshop,
) -> None:
    await trusting(shop)
    (group,) = await told(shop, "@_user_1 /status", sender=OWNER)
    assert texts.PROFILES[RuntimeProfile.RESTRICTED].en in group
    for word in ("trusted", "stored", "scripted"):
        assert word not in group
    (private,) = await told_in_private(shop, "/status", OWNER)
    assert "Setting as stored" in private
    assert "In all chats" in private


@pytest.mark.requirement("W1")
async def test_status_and_sources_say_what_cannot_be_read_and_never_that_nothing_moved(
    shop: Workshop,
) -> None:
    (said,) = await told(shop, "@_user_1 /sources")
    assert "Plans" in said
    (said,) = await told(shop, "@_user_1 /来源")
    assert "1 个来源" in said


async def test_whoever_has_no_grant_hears_the_same_as_for_a_question(shop: Workshop) -> None:
    lonely = ChatId("oc_lonely")
    shop.directory.add(lonely)
    (said,) = await told(shop, "@_user_1 /status", chat=lonely)
    assert DECLINED[DeclineReason.NOT_GRANTED].what.en in said
    (verdict,) = await rows(shop.store, "SELECT verdict FROM inbox")
    assert verdict[0] == "declined"
    assert await told(shop, "@_user_1 /chats", chat=lonely) == []  # one line a day


async def test_a_stranger_of_the_tenant_learns_the_own_id_in_private(shop: Workshop) -> None:
    (said,) = await told_in_private(shop, "/whoami", MEMBER)
    assert MEMBER in said
    assert OWNER not in said
    assert TEAM not in said


async def test_in_an_external_chat_one_asks_and_does_not_operate(shop: Workshop) -> None:
    where: dict[str, Any] = {"chat": OUTSIDE, "tenant": FOREIGN}
    (said,) = await told(shop, "@_user_1 /status", **where)
    assert "Plans" in said
    for word in ("stop", "new", "iam Lin"):
        (said,) = await told(shop, f"@_user_1 /{word}", **where)
        assert said.strip() == texts.NOT_HERE.en
    (said,) = await told(shop, "@_user_1 /help", **where)
    assert "/stop" not in said
    assert await rows(shop.store, "SELECT nonce FROM command_button") == []


async def test_an_unknown_audience_and_an_unaddressed_message_hear_nothing(shop: Workshop) -> None:
    assert await told(shop, "@_user_1 /help", tenant=None) == []
    assert await told(shop, "/help", mentions=()) == []
    assert await told(shop, "@_user_1 /help", kind=PrincipalKind.BOT) == []


async def test_an_english_name_is_answered_in_the_language_of_the_last_question(
    shop: Workshop,
) -> None:
    (said,) = await told(shop, "@_user_1 /owed")
    assert texts.NOTHING_OWED.en in said
    await shop.say("@_user_1 进展如何？")
    await shop.through()
    (said,) = await told(shop, "@_user_1 /owed")
    assert texts.NOTHING_OWED.zh in said


@pytest.mark.requirement("D2")
async def test_effect_audit_reply_and_verdict_are_there_together(shop: Workshop) -> None:
    await shop.say("@_user_1 How is it going?")
    await shop.judge()
    await shop.say("@_user_1 /stop")
    await shop.judge()
    assert [end for end, _ in await shop.ends()] == ["withdrawn"]
    verdicts = await rows(shop.store, "SELECT verdict FROM inbox ORDER BY id")
    assert [row[0] for row in verdicts] == ["admitted", "command"]
    acts = await rows(shop.store, "SELECT act, actor, subject FROM audit ORDER BY id DESC LIMIT 2")
    assert {row[0] for row in acts} == {"command", "stopped"}
    await shop.deliver()
    assert "1" in shop.sender.texts()[-1]


@pytest.mark.requirement("A5")
async def test_stop_ends_ones_own_questions_and_the_owners_word_everybodys(shop: Workshop) -> None:
    for person in (MEMBER, OTHER):
        await shop.say("@_user_1 How is it going?", sender=person)
    await shop.judge()
    await told(shop, "@_user_1 /stop", sender=MEMBER)
    assert [end for end, _ in await shop.ends()] == ["withdrawn", "queued"]
    await told(shop, "@_user_1 /停止", sender=OWNER)
    assert [end for end, _ in await shop.ends()] == ["withdrawn", "withdrawn"]


async def test_stop_leaves_other_conversations_alone(shop: Workshop) -> None:
    await shop.say("@_user_1 How is it going?", chat=CANARY, sender=OWNER)
    await shop.judge()
    (said,) = await told(shop, "@_user_1 /stop", sender=OWNER)
    assert texts.NOTHING_TO_STOP.en in said
    assert [end for end, _ in await shop.ends()] == ["queued"]


async def test_a_turn_that_runs_ends_where_it_is_stopped(shop: Workshop) -> None:
    async def stop() -> None:
        await shop.say("@_user_1 /stop", lane=Lane.NOW)
        await shop.judge(Lane.NOW)

    shop.scripts["How is it going?"] = [Meanwhile(stop), Hangs()]
    await shop.say("How is it going?")
    await asyncio.wait_for(shop.through(), 5)
    assert [end for end, _ in await shop.ends()] == ["withdrawn"]
    assert len(shop.endpoint.interrupted) == 1
    (said,) = shop.sender.texts()
    assert texts.STOPPED.format(Language.EN, count=1) in said


async def test_stop_is_heard_before_the_questions_that_came_first(shop: Workshop) -> None:
    """In the now lane; what is not judged yet is no open question, and is answered."""
    message = await shop.say("@_user_1 How is it going?")
    await shop.judge()
    await shop.say("@_user_1 And now?")
    await shop.say("@_user_1 /stop", lane=Lane.NOW)
    await shop.judge(Lane.NOW)
    assert message
    assert [end for end, _ in await shop.ends()] == ["withdrawn"]


@pytest.mark.requirement("S3")
async def test_new_forgets_what_was_said_before(shop: Workshop) -> None:
    await shop.say("@_user_1 How is it going?")
    await shop.through()
    here = ConversationId(APP, TEAM)
    assert len(await shop.store.sessions.history(here, most=9)) == 1
    shop.clock.advance(timedelta(minutes=1))
    (said,) = await told(shop, "@_user_1 /new")
    assert said.strip() == texts.RENEWED.en
    assert await shop.store.sessions.history(here, most=9) == []


@pytest.mark.requirement("P7")
async def test_a_private_stop_waits_for_no_look_up(shop: Workshop) -> None:
    await shop.in_private("How is it going?", OWNER)
    await shop.judge()
    assert [end for end, _ in await shop.ends()] == ["queued"]
    shop.directory.failure = DirectoryFailure(retry=True, reason="timeout")
    await shop.in_private("/stop", OWNER)
    await shop.judge()
    assert [end for end, _ in await shop.ends()] == ["withdrawn"]


@pytest.mark.requirement("A5")
async def test_an_outsiders_private_stop_waits_as_everything_of_theirs(shop: Workshop) -> None:
    shop.directory.failure = DirectoryFailure(retry=True, reason="timeout")
    for tenant in (FOREIGN, None):
        where: dict[str, Any] = {"chat": ChatId(f"oc_{tenant}"), "chat_type": ChatType.P2P}
        await shop.say("/new", mentions=(), tenant=tenant, **where)
    await shop.judge()
    verdicts = await rows(shop.store, "SELECT verdict FROM inbox")
    assert verdicts == [(None,), (None,)]


@pytest.mark.requirement("A1")
async def test_a_command_that_waits_in_vain_is_no_question_and_is_told_so(shop: Workshop) -> None:
    shop.directory.failure = DirectoryFailure(retry=True, reason="timeout")
    await shop.in_private("/status", OWNER)
    await shop.judge()
    assert shop.sender.texts() == []
    shop.clock.advance(timedelta(minutes=11))
    await shop.judge()
    await shop.deliver()
    (said,) = shop.sender.texts()
    assert texts.NOT_DONE.en in said
    assert await questions(shop) == 0


@pytest.mark.requirement("D7")
async def test_a_command_whose_commit_was_not_heard_of_is_carried_out_once(shop: Workshop) -> None:
    """The process dies after the commit: the row is judged, and nothing is said twice."""
    await shop.say("@_user_1 /new")
    alive = shop.intake._commands
    shop.intake._commands = replace(alive, effects=Dying(shop.store.effects))  # type: ignore[arg-type]
    await shop.judge()
    shop.intake._commands = alive
    shop.clock.advance(timedelta(minutes=5))
    await shop.judge()
    await shop.deliver()
    assert len(shop.sender.texts()) == 1
    assert len(await rows(shop.store, "SELECT id FROM audit WHERE act = 'session_renewed'")) == 1


@pytest.mark.requirement("A3")
async def test_what_shows_sources_is_held_back_where_the_grant_went(shop: Workshop) -> None:
    await shop.say("@_user_1 /sources")
    await shop.judge()
    await shop.store.grants.sync(())
    await shop.deliver()
    assert all("Plans" not in said for said in shop.sender.texts())


async def test_commands_count_against_no_limit(shop: Workshop) -> None:
    for _ in range(5):
        (said,) = await told(shop, "@_user_1 /owed")
        assert texts.NOTHING_OWED.en in said
