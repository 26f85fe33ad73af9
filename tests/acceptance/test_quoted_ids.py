"""Ids of what belongs to others open nothing: an id that is known is answered as one that does not exist. A2, A4, P6."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from steward.model.audience import Grant, GrantOrigin
from steward.model.ids import GoalId, MessageRef
from steward.model.json import Json
from steward.model.reading import ToolCall
from steward.reading.schema import CONTEXT_TOOL
from steward.testing.endpoint import Calls, Says, ScriptedEndpoint
from tests.acceptance.town import SECOND
from tests.steward.control.workshop import (
    APP,
    GOOD,
    OWNER,
    PLANS,
    TEAM,
    TTL,
    WORKER,
    Workshop,
    open_workshop,
)
from tests.steward.evidence import PAYMENTS, SEARCH, goal, handoff, snapshot, todo

ASKED = "What became of it?"
THEIRS, NOBODYS = "b" * 64, "f" * 64
TEAMS = Grant("team", f"group:{TEAM}", (PLANS,), (PAYMENTS,), GrantOrigin.CONFIG)


def call(number: int, **arguments: Json) -> Calls:
    return Calls(ToolCall(CONTEXT_TOOL, f"call-{number}", arguments))


@asynccontextmanager
async def town(*calls: Calls) -> AsyncIterator[Workshop]:
    """TEAM may read of payments, SECOND of search; the endpoint makes these calls for any question."""
    endpoint = ScriptedEndpoint({ASKED: [*calls, Says(GOOD)]})
    seconds = Grant("second", f"group:{SECOND}", (PLANS,), (SEARCH,), GrantOrigin.CONFIG)
    async with open_workshop(endpoint=endpoint, scripts={}, grants=(TEAMS, seconds)) as shop:
        shop.directory.add(SECOND, title="Second")
        goals = (goal(PAYMENTS), goal(SEARCH, title="Kingfisher"))
        of_others = (handoff("b", SEARCH), todo(7, goal_id=SEARCH, title="Kingfisher nest"))
        shop.source.play(snapshot(*goals, handoff("a"), todo(1), *of_others, goals=goals))
        yield shop


def without(text: str, *ids: str) -> Json:
    """What was answered, each id of the request the same word."""
    for one in ids:
        text = text.replace(one, "ID")
    found: Json = json.loads(text)
    assert isinstance(found, dict)
    return {key: value for key, value in found.items() if "citation" not in key}


@pytest.mark.requirement("A2", "A4")
async def test_a_handoff_of_another_audience_is_one_that_does_not_exist() -> None:
    calls = [
        call(number, view="handoffs", request_id=one)
        for number, one in enumerate((THEIRS, NOBODYS))
    ]
    async with town(*calls) as shop:
        await shop.say(ASKED)
        await shop.through()
        known, unknown = [result.text for result in shop.endpoint.results]
        assert without(known, THEIRS) == without(unknown, NOBODYS)
        assert "Handoff" not in known


@pytest.mark.requirement("A2", "A4")
@pytest.mark.parametrize("view", ["portfolio", "todos", "handoffs"])
async def test_a_goal_of_another_audience_is_one_that_does_not_exist(view: str) -> None:
    nobodys = GoalId("nowhere")
    calls = [call(number, view=view, goal_id=one) for number, one in enumerate((SEARCH, nobodys))]
    async with town(*calls) as shop:
        await shop.say(ASKED)
        await shop.through()
        known, unknown = [result.text for result in shop.endpoint.results]
        assert without(known, SEARCH) == without(unknown, nobodys)
        assert "Kingfisher" not in known


@pytest.mark.requirement("A4", "P6")
@pytest.mark.parametrize("quoted", ["om_1", "om_3", "om_invented"])
async def test_nothing_of_a_quoted_message_enters_a_turn(quoted: str) -> None:
    """One in the owner's private chat, one in another group, and one that nobody wrote."""
    async with town(call(1, view="todos")) as shop:
        await shop.in_private("Tell me of the Kingfisher, please", OWNER)
        await shop.say("And of its Kingfisher nest?", chat=SECOND, mentions=())
        await shop.say(ASKED, parent=MessageRef(APP, quoted))
        await shop.judge()
        for lease in await shop.store.conversations.claim(WORKER, limit=16, ttl=TTL):
            if lease.conversation.chat_id == TEAM:
                await shop.turns.work(lease)
        (asked,), (opened,) = shop.endpoint.asked, shop.endpoint.opened
        assert asked.question == ASKED
        assert "Kingfisher" not in repr((asked, opened))
        assert "Kingfisher" not in shop.endpoint.results[0].text
