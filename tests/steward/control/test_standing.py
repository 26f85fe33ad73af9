"""Whether an audience holds, and what it may read now: asked of the platform only where the platform decides it. A3."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from steward.control.authorities import Authorities
from steward.control.scopes import Scopes
from steward.control.standing import Lost, Stand, Standing, failure_of
from steward.model.audience import (
    Audience,
    AudienceKind,
    ChatFacts,
    DirectoryFailure,
    Grant,
    GrantOrigin,
    Scope,
)
from steward.model.ids import ConversationId, OpenId
from steward.model.reading import ContextCode, GateCode, ReadFailure
from steward.model.turn import TurnCode, TurnFailure
from steward.policy.retry import DIRECTORY_PATIENCE
from steward.policy.scope import Access
from steward.store import Store, open_store
from steward.testing.directory import UNKNOWN_CHAT, FakeDirectory
from steward.testing.world import FakeClock
from tests.steward.control.workshop import APP, MEMBER, OURS, OWNER, PLANS, TEAM

AUDIENCES = ("owner", "members", f"group:{TEAM}", f"external:{TEAM}")
GRANTS = [Grant(key, key, (PLANS,), None, GrantOrigin.CONFIG) for key in AUDIENCES]
AWAY = DirectoryFailure(retry=True, reason="timeout")

GROUP, EXTERNAL = AudienceKind.GROUP, AudienceKind.EXTERNAL
OF_OWNER, OF_MEMBER = AudienceKind.OWNER_PRIVATE, AudienceKind.MEMBER_PRIVATE


class Hasty(FakeClock):
    """Whoever sleeps wakes at once, so much later."""

    async def sleep(self, seconds: float) -> None:
        self.advance(timedelta(seconds=seconds))


class Mending(FakeDirectory):
    """Its failure ends at `mended`."""

    mended: datetime | None = None

    async def chat(self, conversation: ConversationId) -> ChatFacts | DirectoryFailure:
        if self.mended is not None and self._clock.now() >= self.mended:
            self.failure = None
        return await super().chat(conversation)


@dataclass
class Office:
    """Standing over a real store in memory."""

    store: Store
    directory: Mending
    clock: FakeClock
    standing: Standing

    async def now(self, kind: AudienceKind, asker: OpenId = MEMBER) -> Stand:
        return await self.standing.now(Audience(kind, TEAM), asker, ConversationId(APP, TEAM))

    async def patiently(self) -> Stand:
        """What a group gets in the end."""
        return await self.standing.patiently(
            Audience(GROUP, TEAM), MEMBER, ConversationId(APP, TEAM)
        )


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    clock = Hasty()
    directory = Mending(clock)
    directory.add(TEAM)
    async with await open_store("sqlite://", clock) as store:
        await store.grants.sync(GRANTS)
        await store.owners.follow(APP, OWNER)
        await store.owners.pin_tenant(APP, OURS, configured=True)
        standing = Standing(
            Authorities(APP, store.owners, directory),
            directory,
            Scopes(store.grants, (PLANS,), Access(groups=True, members_private=True)),
            clock,
        )
        yield Office(store, directory, clock, standing)


@pytest.mark.requirement("A3")
async def test_who_is_what_they_were_reads_what_is_granted_now(office: Office) -> None:
    before = await office.now(GROUP)
    assert isinstance(before, Scope)
    assert before.sources == (PLANS,)
    await office.store.grants.sync([])
    after = await office.now(GROUP)
    assert isinstance(after, Scope)
    assert after.empty
    assert after.revision != before.revision


@pytest.mark.requirement("A3")
async def test_a_chat_that_turned_external_or_ceased_to_be_is_lost(office: Office) -> None:
    assert isinstance(await office.now(EXTERNAL), Lost)
    office.directory.add(TEAM, external=True)
    assert isinstance(await office.now(GROUP), Lost)
    assert isinstance(await office.now(EXTERNAL), Scope)
    office.directory.add(TEAM, external=None)
    assert [type(await office.now(kind)) for kind in (GROUP, EXTERNAL)] == [Lost, Lost]


@pytest.mark.requirement("A3")
async def test_a_private_chat_follows_the_owners_record_alone(office: Office) -> None:
    assert isinstance(await office.now(OF_OWNER, OWNER), Scope)
    office.directory.failure = AWAY
    assert isinstance(await office.now(OF_MEMBER), Scope)
    await office.store.owners.follow(APP, MEMBER)
    assert isinstance(await office.now(OF_OWNER, OWNER), Lost)
    assert isinstance(await office.now(OF_MEMBER), Lost)
    assert isinstance(await office.now(OF_OWNER, MEMBER), Scope)
    assert office.directory.asked == []


@pytest.mark.requirement("A1")
async def test_a_look_up_that_fails_is_no_audience(office: Office) -> None:
    office.directory.failure = AWAY
    assert await office.now(GROUP) == AWAY
    office.directory.failure = None
    office.directory.remove(TEAM)
    assert await office.now(GROUP) == UNKNOWN_CHAT


@pytest.mark.requirement("A2", "R12")
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (GROUP, ContextCode.EXTERNAL_AUTHORIZATION_UNAVAILABLE),
        (OF_OWNER, ContextCode.REGISTRY_UNAVAILABLE),
    ],
)
async def test_records_that_cannot_be_read_grant_nothing(
    office: Office, kind: AudienceKind, code: ContextCode
) -> None:
    await office.store.aclose()
    assert await office.now(kind, OWNER) == ReadFailure(code)


@pytest.mark.requirement("A1", "A3")
async def test_a_failing_look_up_is_tried_again_until_it_succeeds(office: Office) -> None:
    began = office.clock.now()
    office.directory.failure, office.directory.mended = AWAY, began + timedelta(minutes=4)
    assert isinstance(await office.patiently(), Scope)
    assert office.clock.now() - began < timedelta(minutes=5)
    assert 5 < len(office.directory.asked) < 20


@pytest.mark.requirement("A1", "A3")
async def test_a_look_up_is_waited_for_ten_minutes_and_no_longer(office: Office) -> None:
    office.directory.failure = AWAY
    began = office.clock.now()
    assert await office.patiently() == AWAY
    waited = office.clock.now() - began
    assert DIRECTORY_PATIENCE <= waited < DIRECTORY_PATIENCE + timedelta(minutes=1)


@pytest.mark.requirement("A1", "A3")
async def test_what_will_not_change_is_not_waited_for(office: Office) -> None:
    began = office.clock.now()
    office.directory.remove(TEAM)
    assert await office.patiently() == UNKNOWN_CHAT
    office.directory.add(TEAM, external=True)
    assert isinstance(await office.patiently(), Lost)
    assert office.clock.now() == began


@pytest.mark.requirement("A3", "T6")
def test_each_want_of_standing_has_its_code() -> None:
    unreadable = ReadFailure(ContextCode.REGISTRY_UNAVAILABLE)
    assert failure_of(Lost()) == TurnFailure(TurnCode.AUTHORIZATION_CHANGED)
    assert failure_of(AWAY) == TurnFailure(TurnCode.DIRECTORY_UNAVAILABLE)
    assert failure_of(unreadable) == TurnFailure(
        TurnCode.CONTEXT_FAILURE, context=ContextCode.REGISTRY_UNAVAILABLE
    )
    other = ReadFailure(GateCode.AUTHORIZATION_CHANGED)
    assert failure_of(other) == TurnFailure(TurnCode.CONTEXT_FAILURE)
