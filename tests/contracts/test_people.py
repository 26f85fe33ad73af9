"""People and chats: names are the file's and the owner's, never a claim's; a chat is shown as last seen. Contract A4."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from steward.model.audience import ChatFacts, ChatMode, KnownChat
from steward.model.ids import AppId, ChatId, OpenId
from steward.store import Store
from steward.testing.world import EPOCH, FakeClock
from tests.contracts.given import APP, ASKER, rows

OTHER_APP = AppId("cli_sim_b")
SECOND = OpenId("ou_second")
MINUTE = timedelta(minutes=1)


async def execute(store: Store, statement: str, **values: object) -> None:
    await store.database.write(
        lambda connection: connection.execute(text(statement), values).rowcount
    )


async def owner_row(store: Store, names: str, *, approved: bool) -> None:
    await execute(
        store,
        "INSERT INTO person (app_id, open_id, names, origin, approved, noted_at)"
        " VALUES (:app, :who, :names, 'owner', :approved, 0)",
        app=APP,
        who=ASKER,
        names=names,
        approved=approved,
    )


async def test_nobody_has_a_name_by_default(store: Store) -> None:
    assert await store.people.names(APP, ASKER) == ()


async def test_configured_names_are_equal_to_the_file(store: Store) -> None:
    await store.people.sync(APP, {ASKER: ("李雷", "Li"), SECOND: ("Han",)})
    assert await store.people.names(APP, ASKER) == ("李雷", "Li")
    await store.people.sync(APP, {ASKER: ("Li",)})
    assert await store.people.names(APP, ASKER) == ("Li",)
    assert await store.people.names(APP, SECOND) == ()
    await store.people.sync(APP, {})
    assert await rows(store, "SELECT id FROM person") == []


async def test_the_file_of_one_app_names_nobody_in_another(store: Store) -> None:
    await store.people.sync(APP, {ASKER: ("Li",)})
    await store.people.sync(OTHER_APP, {ASKER: ("Lei",)})
    assert await store.people.names(APP, ASKER) == ("Li",)
    await store.people.sync(OTHER_APP, {})
    assert await store.people.names(APP, ASKER) == ("Li",)
    assert await store.people.names(OTHER_APP, ASKER) == ()


async def test_approved_names_stand_behind_configured_ones_each_once(store: Store) -> None:
    await owner_row(store, '["Lei", "Li"]', approved=True)
    assert await store.people.names(APP, ASKER) == ("Lei", "Li")
    await store.people.sync(APP, {ASKER: ("Li", "LL")})
    assert await store.people.names(APP, ASKER) == ("Li", "LL", "Lei")
    await store.people.sync(APP, {})
    assert await store.people.names(APP, ASKER) == ("Lei", "Li")


async def test_a_claim_names_nobody_until_it_is_approved(store: Store) -> None:
    await owner_row(store, '["Boss"]', approved=False)
    assert await store.people.names(APP, ASKER) == ()
    await store.people.sync(APP, {ASKER: ("Li",)})
    assert await store.people.names(APP, ASKER) == ("Li",)
    await execute(store, "UPDATE person SET approved = true WHERE origin = 'owner'")
    assert await store.people.names(APP, ASKER) == ("Li", "Boss")


async def test_whoever_is_called_so_is_found_in_whatever_case_it_is_written(store: Store) -> None:
    await owner_row(store, '["Boss", "李雷"]', approved=False)
    await store.people.sync(APP, {SECOND: ("Han", "BOSS")})
    await store.people.sync(OTHER_APP, {ASKER: ("boss",)})
    assert await store.people.called(APP, ["boss", "李雷"]) == [SECOND]
    await execute(store, "UPDATE person SET approved = true WHERE origin = 'owner'")
    assert await store.people.called(APP, ["boss", "李雷"]) == [ASKER, SECOND]
    assert await store.people.called(APP, ["李"]) == []
    assert await store.people.called(APP, []) == []


@pytest.mark.parametrize("corrupt", ["", "{}", "[1]", "null", "nonsense"])
async def test_a_corrupt_row_names_nobody_and_hides_no_other(store: Store, corrupt: str) -> None:
    await owner_row(store, corrupt, approved=True)
    assert await store.people.names(APP, ASKER) == ()
    await store.people.sync(APP, {ASKER: ("Li",)})
    assert await store.people.names(APP, ASKER) == ("Li",)


def facts(chat: str, title: str, *, minutes: int = 0) -> ChatFacts:
    return ChatFacts(ChatId(chat), ChatMode.GROUP, False, None, title, EPOCH + minutes * MINUTE)


def known(seen: ChatFacts) -> KnownChat:
    return KnownChat(seen.chat_id, seen.title, seen.external, seen.as_of, left_at=None)


async def test_chats_are_known_by_title_as_they_were_last_seen(store: Store) -> None:
    first, second, lower = facts("oc_b", "Beta"), facts("oc_c", "乙"), facts("oc_a", "alpha")
    for seen in (second, lower, first):
        await store.chats.note(APP, seen)
    renamed = replace(first, title="Zeta", external=True, as_of=EPOCH + MINUTE)
    await store.chats.note(APP, renamed)
    await store.chats.note(OTHER_APP, first)
    assert await store.chats.known(APP) == [known(renamed), known(lower), known(second)]
    assert await store.chats.known(OTHER_APP) == [known(first)]


async def test_older_facts_of_a_chat_undo_no_newer_ones(store: Store) -> None:
    newer = facts("oc_a", "New", minutes=2)
    await store.chats.note(APP, newer)
    await store.chats.note(APP, facts("oc_a", "Old", minutes=1))
    assert await store.chats.known(APP) == [known(newer)]


async def test_a_chat_that_we_left_says_since_when_until_we_are_in_it_again(
    store: Store, clock: FakeClock
) -> None:
    seen = facts("oc_a", "Team")
    await store.chats.note(APP, seen)
    clock.advance(MINUTE)
    await store.chats.left(APP, seen.chat_id)
    clock.advance(MINUTE)
    await store.chats.left(APP, seen.chat_id)
    await store.chats.left(APP, ChatId("oc_unheard_of"))
    await store.chats.note(APP, seen)
    gone = replace(known(seen), left_at=EPOCH + MINUTE)
    assert await store.chats.known(APP) == [gone]
    back = facts("oc_a", "Team", minutes=3)
    await store.chats.note(APP, back)
    assert await store.chats.known(APP) == [known(back)]


async def test_a_title_that_no_store_can_hold_is_kept_readable(store: Store) -> None:
    await store.chats.note(APP, facts("oc_a", "a\x00b\ud800"))
    (one,) = await store.chats.known(APP)
    assert one.title == "a\ufffdb\ufffd"
