"""What goes on from turn to turn of a conversation, and what does not: threads, history, topics, choices. Contract S."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from steward.model.action import ActionKind
from steward.model.effect import ByOperator, RenewSession
from steward.model.ids import ConversationId, ThreadId
from steward.model.profile import RuntimeProfile
from steward.model.reading import ScanQuery, View
from steward.model.topic import Topic
from steward.model.turn import Thread, TurnCode
from steward.testing.endpoint import Says, Scans, Script, ScriptedEndpoint, Seen
from tests.contracts.given import rows
from tests.steward.control.sessions import (
    HERE,
    alter,
    apply,
    asks,
    asks_in_topic,
    put_document,
    session,
)
from tests.steward.control.test_presses import ASKED, SCRIPT, Desk
from tests.steward.control.workshop import APP, GOOD, TEAM, TEAM_GRANT, Workshop, open_workshop
from tests.steward.evidence import PAYMENTS, SEARCH, goal, snapshot

OTHERS = {
    "manager_runtime_profile": RuntimeProfile.TRUSTED_OWNER,
    "manager_runtime_configuration_revision": "sha256:other",
    "manager_runtime_status": "configuration_invalid",
    "manager_runtime_sandbox": "danger-full-access",
    "manager_runtime_standing_grant": "machine_configuration",
    "manager_runtime_tool_classes": '["steward_evidence","shell"]',
    "prompt_revision": "an earlier prompt",
}


WIDER = replace(TEAM_GRANT, name="wider", goals=(PAYMENTS,))


@pytest.fixture
async def shop() -> AsyncIterator[Workshop]:
    async with open_workshop() as opened:
        yield opened


def openings(shop: Workshop) -> list[tuple[str | None, tuple[str, ...]]]:
    """What each turn resumed, and the history that it was told."""
    return [(resume, history) for _, resume, history in shop.endpoint.opened]


def questions_told(shop: Workshop) -> list[str]:
    """The earlier questions that the last turn was told of."""
    _, history = openings(shop)[-1]
    return [line.removeprefix("asked> ") for line in history if line.startswith("asked> ")]


def closed(shop: Workshop) -> list[str | None]:
    return [thread.upstream for thread in shop.endpoint.closed]


@pytest.mark.requirement("S1", "S2")
async def test_a_conversation_goes_on_in_its_thread_and_history_is_told_to_a_new_one_alone(
    shop: Workshop,
) -> None:
    for text in ("one", "two", "three"):
        await asks(shop, text)

    assert openings(shop) == [(None, ()), ("scripted-1", ()), ("scripted-1", ())]
    found = await session(shop)
    assert (found.upstream, found.upstream_context_history) == ("scripted-1", ())
    assert closed(shop) == []


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("column", OTHERS)
async def test_where_a_stored_field_differs_a_new_thread_is_started_with_the_visible_history(
    shop: Workshop, column: str
) -> None:
    await asks(shop, "one")
    before = await session(shop)
    await alter(shop.store, **{column: OTHERS[column]})
    await asks(shop, "two")
    await asks(shop, "three")

    assert [resume for resume, _ in openings(shop)] == [None, None, "scripted-2"]
    assert openings(shop)[1][1][0] == "asked> one"
    assert openings(shop)[1][1][1].startswith("answered> ")
    assert openings(shop)[2][1] == ()
    assert closed(shop) == ["scripted-1"]
    after = await session(shop)
    assert after.upstream_context_history == ("scripted-1",)
    assert (after.upstream, after.visible_from) == ("scripted-2", before.visible_from)
    assert after.fields == before.fields


@pytest.mark.requirement("S2")
async def test_another_endpoint_begins_a_thread_of_its_own(shop: Workshop) -> None:
    await asks(shop, "one")
    await alter(shop.store, endpoint="one that is gone")
    await asks(shop, "two")

    assert openings(shop)[1][0] is None
    assert questions_told(shop) == ["one"]
    assert closed(shop) == []


class Stubborn(ScriptedEndpoint):
    """Its threads cannot be closed."""

    async def close(self, thread: Thread) -> None:
        await super().close(thread)
        raise RuntimeError("the thread stays")


@pytest.mark.requirement("S2")
async def test_a_thread_that_cannot_be_closed_keeps_the_new_one_from_nothing() -> None:
    endpoint = Stubborn({"one": [Says(GOOD)], "two": [Says(GOOD)]})
    async with open_workshop(endpoint=endpoint) as shop:
        await asks(shop, "one")
        await alter(shop.store, prompt_revision="an earlier prompt")
        await asks(shop, "two")

        assert closed(shop) == ["scripted-1"]
        assert await shop.ends() == [("answered", None)] * 2


@pytest.mark.requirement("S2")
async def test_a_session_from_before_the_fields_keeps_its_thread_and_is_filled_in(
    shop: Workshop,
) -> None:
    await asks(shop, "one")
    before = await session(shop)
    await alter(
        shop.store, **{name: None for name in OTHERS if name.startswith("manager_runtime_")}
    )
    await asks(shop, "two")

    assert openings(shop)[1] == ("scripted-1", ())
    assert (await session(shop)).fields == before.fields


@pytest.mark.requirement("S2")
async def test_a_change_of_another_namespace_rotates_nothing(shop: Workshop) -> None:
    await apply(shop.store, RuntimeProfile.RESTRICTED)
    await asks(shop, "one")
    body = await shop.store.machine.document()
    assert body is not None
    document = json.loads(body)
    document["namespaces"]["web"] = {"theme": "dark"}
    await put_document(shop.store, json.dumps(document).encode())
    await asks(shop, "two")

    assert openings(shop)[1] == ("scripted-1", ())


@pytest.mark.requirement("S2")
async def test_a_change_of_our_namespace_rotates(shop: Workshop) -> None:
    await asks(shop, "one")
    await apply(shop.store, RuntimeProfile.RESTRICTED)
    await asks(shop, "two")

    assert openings(shop)[1][0] is None
    assert questions_told(shop) == ["one"]
    assert closed(shop) == ["scripted-1"]


@pytest.mark.requirement("S2")
async def test_of_a_long_past_the_newest_ten_exchanges_are_told(shop: Workshop) -> None:
    for number in range(12):
        await asks(shop, f"question {number}")
    await alter(shop.store, prompt_revision="an earlier prompt")
    await asks(shop, "the next")

    assert questions_told(shop) == [f"question {number}" for number in range(2, 12)]


@pytest.mark.requirement("A4", "S2")
async def test_topics_of_one_chat_do_not_mix(shop: Workshop) -> None:
    await asks(shop, "in the chat")
    await asks_in_topic(shop, "in a topic", "omt_1")
    await asks_in_topic(shop, "in another", "omt_2")
    await alter(shop.store, prompt_revision="an earlier prompt")

    assert [resume for resume, _ in openings(shop)] == [None, None, None]
    for thread, told in (("omt_1", "in a topic"), ("omt_2", "in another")):
        await asks_in_topic(shop, "and now?", thread)
        assert questions_told(shop) == [told]
    first = await session(shop, ConversationId(APP, TEAM, ThreadId("omt_1")))
    assert first.upstream_context_history == ("scripted-2",)
    assert (await session(shop)).upstream == "scripted-1"


@pytest.mark.requirement("S3")
async def test_after_a_change_of_what_may_be_read_a_thread_knows_nothing_from_before(
    shop: Workshop,
) -> None:
    await asks(shop, "one")
    await shop.store.grants.sync([TEAM_GRANT, WIDER])
    await asks(shop, "two")
    await asks(shop, "three")

    assert openings(shop) == [(None, ()), (None, ()), ("scripted-2", ())]
    assert closed(shop) == ["scripted-1"]
    await alter(shop.store, prompt_revision="an earlier prompt")
    await asks(shop, "four")
    assert questions_told(shop) == ["two", "three"]


@pytest.mark.requirement("S3")
async def test_after_another_audience_a_thread_knows_nothing_from_before(shop: Workshop) -> None:
    await asks(shop, "one")
    await alter(shop.store, audience_kind="member_private")
    await asks(shop, "two")

    assert openings(shop)[1] == (None, ())
    assert closed(shop) == ["scripted-1"]


@pytest.mark.requirement("S3")
async def test_after_a_renewal_a_thread_knows_nothing_from_before(shop: Workshop) -> None:
    await asks(shop, "one")
    await shop.store.effects.commit(ByOperator(), RenewSession(HERE), audit=[], reply=[])
    await asks(shop, "two")

    assert openings(shop)[1] == (None, ())
    assert closed(shop) == ["scripted-1"]


def about(seen: Seen) -> bytes:
    cites = [cited.citation for scan in seen.scans for cited in scan.rows]
    claims = [{"text": "It goes well.", "cites": cites, "kind": "fact"}]
    topic = {"intent": "progress", "goals": [PAYMENTS]}
    document = {"classification": "progress", "claims": claims, "topic": topic}
    return json.dumps(document).encode()


@pytest.mark.requirement("S3")
async def test_a_follow_up_takes_over_nothing_from_before_what_may_be_seen() -> None:
    script: Script = [Scans(ScanQuery(View.PORTFOLIO)), Says(about)]
    async with open_workshop(scripts={"one": script}) as shop:
        goals = (goal(PAYMENTS), goal(SEARCH))
        shop.source.play(snapshot(*goals, goals=goals))
        for text in ("one", "two"):
            await asks(shop, text)
        await shop.store.grants.sync([TEAM_GRANT, WIDER])
        await asks(shop, "three")

        topics = [asked.topic for asked in shop.endpoint.asked]
        assert topics[0] is None
        assert isinstance(topics[1], Topic)
        assert topics[2] is None


@pytest.mark.requirement("S3")
async def test_a_choice_from_before_a_change_of_scope_is_not_asked_again() -> None:
    async with open_workshop(scripts={ASKED: SCRIPT}) as shop:
        goals = (goal(PAYMENTS, title="Release"), goal(SEARCH, title="Release"))
        shop.source.play(snapshot(*goals, goals=goals))
        await asks(shop, ASKED)
        desk = Desk(shop)
        await desk.press(await desk.nonce(ActionKind.CHOOSE, SEARCH))
        shop.clock.advance(timedelta(seconds=1))
        await shop.store.grants.sync([TEAM_GRANT, WIDER])
        await desk.settle()

        assert len(shop.endpoint.asked) == 1
        assert await shop.ends() == [
            ("answered", None),
            ("owed", TurnCode.AUTHORIZATION_CHANGED),
        ]


@pytest.mark.requirement("S1")
async def test_a_session_is_written_before_anything_is_called(shop: Workshop) -> None:
    await asks(shop, "one")
    ((fields,),) = await rows(shop.store, "SELECT readback FROM turn")

    assert json.loads(fields)["profile"]["runtime_profile"] == "restricted"
    assert (await session(shop)).fields.sandbox == "read-only"
