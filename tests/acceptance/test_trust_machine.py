"""Whatever happens in whatever order, nobody gets host tools, evidence or words that are not theirs. P4, P7, P9, A2-A5, S3.

Steps are few and small, so that every change of trust falls between every question, its turn and its delivery.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from steward.model.audience import DirectoryFailure
from steward.model.command import (
    ApplyGrants,
    ApplyProfile,
    CommandName,
    GrantChange,
    RevokeGrants,
    SetGrant,
)
from steward.model.effect import ByOperator
from steward.model.events import (
    EventKind,
    Lane,
    Membership,
    PersonDeleted,
    Principal,
    PrincipalKind,
)
from steward.model.ids import ChatId, ConversationId, GoalId, OpenId
from steward.model.profile import RuntimeProfile
from steward.policy.profile import plan
from steward.store.backup import back_up
from tests.acceptance.town import (
    GROUPS,
    GUEST,
    MEMBERS,
    OTHER,
    OUTER,
    OUTERS,
    OWN,
    PEOPLE,
    SECOND,
    SECONDS,
    TEAMS,
    THEIRS,
    Button,
    Town,
    says_trusted,
)
from tests.steward.control.sessions import put_document
from tests.steward.control.test_upkeep import keeper_of
from tests.steward.control.workshop import APP, MEMBER, OURS, OWNER, PLANS, TEAM, private_chat

_DOCUMENT = b'{"schema_version": "machine_configuration_v0", "namespaces": {"manager_runtime": %s}}'
CORRUPT = (
    b"",
    b"{",
    _DOCUMENT % b'"trusted_owner"',
    _DOCUMENT % b'{"schema_version": "v0", "runtime_profile": "trusted_owner"}',
)
KEYS = {
    f"group:{TEAM}": TEAMS,
    f"group:{SECOND}": SECONDS,
    f"external:{OUTER}": OUTERS,
    f"external:{TEAM}": TEAMS,
    "members": MEMBERS,
    "owner": OWN,
}
APPROVED = (
    "/grant oc_second plans second-goal",
    "/grant oc_outer plans outer-goal",
    "/grant members plans *",
    "/revoke oc_team",
    "/revoke owner",
    "/profile trusted_owner",
    "/profile restricted",
    "/iam Quillon",
)
SPOKEN = (*(f"/{name.value}" for name in CommandName), *APPROVED, "/nothing")
LATER = (timedelta(seconds=1), timedelta(minutes=6), timedelta(minutes=16), timedelta(hours=25))
Change = Callable[[Town], Awaitable[None]]


async def apply(town: Town, profile: RuntimeProfile) -> None:
    """The command line's apply, over what is stored now."""
    machine = town.shop.store.machine
    made = plan(await machine.document(), profile, await machine.last_transaction())
    await operator(town, ApplyProfile(profile, made.plan_revision))


async def operator(town: Town, effect: ApplyProfile | ApplyGrants) -> None:
    await town.shop.store.effects.commit(ByOperator(), effect, audit=[], reply=[])


async def change(town: Town, wanted: GrantChange) -> None:
    planned = await town.shop.store.grants.plan(wanted)
    await operator(town, ApplyGrants(wanted, planned.plan_revision))


async def follow(town: Town, owner: OpenId | None) -> None:
    """P9: another owner is restricted from the same commit on."""
    before = await town.owner()
    town.configured = owner
    await town.shop.store.owners.follow(APP, owner)
    if before != await town.owner() and says_trusted(await town.document()):
        town.wrong.append("another owner, and trusted_owner stays")


async def back(town: Town) -> None:
    """The operator says that the owner is one although the platform once said that they left."""
    town.configured = OWNER
    await town.shop.store.owners.reinstate(APP, OWNER)


def grants(key: str, goal: GoalId | None) -> Change:
    wanted = SetGrant(key, (PLANS,), None if goal is None else (goal,))
    return lambda town: change(town, wanted)


CHANGES: tuple[Change, ...] = (
    lambda town: apply(town, RuntimeProfile.RESTRICTED),
    lambda town: apply(town, RuntimeProfile.TRUSTED_OWNER),
    *(lambda town, key=key: change(town, RevokeGrants(key)) for key in KEYS),  # type: ignore[misc] # a default binds
    *(grants(key, goal) for key, goal in KEYS.items()),
    grants("members", TEAMS),
    lambda town: follow(town, OTHER),
    lambda town: follow(town, OWNER),
    lambda town: follow(town, None),
    lambda town: back(town),
    *(lambda town, raw=raw: put_document(town.shop.store, raw) for raw in CORRUPT),  # type: ignore[misc] # as above
)
"""What an operator may do at any time, in whichever process."""

Against = Callable[[Town, ChatId], Awaitable[None]]


async def revoke(town: Town, chat: ChatId) -> None:
    key = await town.key(chat)
    await change(town, RevokeGrants(key))


async def narrow(town: Town, chat: ChatId) -> None:
    """Another goal, and that one alone."""
    key = await town.key(chat)
    await change(town, SetGrant(key, (PLANS,), (OUTERS,)))


async def turn_over(town: Town, chat: ChatId) -> None:
    """A group turns external or back; a private chat's owner is another one."""
    if chat in GROUPS:
        town.chat(chat, external=not town.external[chat])
    else:
        await follow(town, OWNER if await town.owner() == OTHER else OTHER)


async def restrict(town: Town, chat: ChatId) -> None:
    await apply(town, RuntimeProfile.RESTRICTED)


AGAINST: tuple[Against, ...] = (revoke, narrow, turn_over, restrict)
ASKERS = ((None, None), (MEMBER, TEAM), (OTHER, SECOND), (MEMBER, private_chat(MEMBER)))
"""Who asks where; None: the owner, in private."""

people = st.sampled_from([None, None, None, *PEOPLE])
"""None: the owner, whoever that is."""
somewhere = st.sampled_from([None, None, None, *GROUPS])
"""A group, or None: one's own private chat."""
mostly = st.sampled_from([True, True, True, False])
stages = st.sampled_from([0, 1, 2, 3, 3, 3])


class Trust(RuleBasedStateMachine):
    """One town a run, on a loop of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.town = Town(f"sqlite:///{Path(self.folder.name) / 'town.db'}")
        self.backup = Path(self.folder.name) / "backup.db"
        self.plans: list[ApplyProfile] = []
        self.events = 0
        self.opened = False

    @initialize(profile=st.sampled_from([RuntimeProfile.TRUSTED_OWNER, None, *RuntimeProfile]))
    def opens(self, profile: RuntimeProfile | None) -> None:
        self.step(self.town.open(), trusted=True)
        self.opened = True
        if profile is not None:
            self.step(apply(self.town, profile), trusted=True)

    def step(self, happens: Awaitable[None], *, trusted: bool = False) -> None:
        """One step, and what must hold after it. `trusted`: it may change what only an owner or operator may."""
        self.loop.run_until_complete(self._step(happens, trusted=trusted))
        assert self.town.wrong == [], self.town.wrong

    async def _step(self, happens: Awaitable[None], *, trusted: bool) -> None:
        async with asyncio.timeout(10):
            before = None if trusted else await self.town.authority()
            if self.opened:
                self.town.tick()
            await happens
            if before is not None and before != await self.town.authority():
                self.town.wrong.append("grants, profile, owner or names changed without an owner")
            await self.town.look()

    def teardown(self) -> None:
        self.loop.run_until_complete(self.town.end())
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        self.folder.cleanup()

    # ------------------------------------------------------------ what people do

    @rule(person=people, chat=somewhere, kept=mostly, stages=stages)
    def somebody_asks(
        self, person: OpenId | None, chat: ChatId | None, kept: bool, stages: int
    ) -> None:
        async def asks() -> None:
            asker = person or await self.town.owner() or OWNER
            await self.town.ask(asker, chat or private_chat(asker), kept=kept)
            await self._work(stages)

        self.step(asks())

    @rule(asker=st.sampled_from(ASKERS), against=st.sampled_from(AGAINST), late=st.booleans())
    def something_changes_on_the_way_to_an_answer(
        self, asker: tuple[OpenId | None, ChatId | None], against: Against, late: bool
    ) -> None:
        """While the turn runs, or between its settle and the delivery, and against this very audience."""

        async def asks() -> None:
            person = asker[0] or await self.town.owner() or OWNER
            chat = asker[1] or private_chat(person)
            await self.town.ask(person, chat)
            await self._work(1)
            if not late:
                self.town.endpoint.between = lambda: against(self.town, chat)
            await self.town.shop.answer()
            self.town.endpoint.between = None
            if late:
                self.town.tick()
                await against(self.town, chat)
            await self.town.shop.deliver()

        self.step(asks(), trusted=True)

    @rule(person=people, chat=somewhere, words=st.sampled_from(SPOKEN), kept=mostly, stages=stages)
    def somebody_commands(
        self, person: OpenId | None, chat: ChatId | None, words: str, kept: bool, stages: int
    ) -> None:
        async def says() -> None:
            sender = person or await self.town.owner() or OWNER
            await self.town.say(words, sender, chat or private_chat(sender), kept=kept)
            await self._work(stages)

        self.step(says())

    @rule(words=st.sampled_from(APPROVED), by=people, where=somewhere)
    def an_approval_is_asked_for_and_pressed(
        self, words: str, by: OpenId | None, where: ChatId | None
    ) -> None:
        """By the owner in their own chat, or by somebody, somewhere."""

        async def asks() -> list[Button]:
            owner, before = await self.town.owner() or OWNER, len(self.town.buttons())
            await self.town.say(words, owner, private_chat(owner))
            await self._work(3)
            return self.town.buttons()[before:]

        for button in self.loop.run_until_complete(asks())[:1]:
            owner = self.loop.run_until_complete(self.town.owner())
            person, chat = by or owner or OWNER, where or button.chat
            self.step(self._press(button, person, chat), trusted=self._may(person, chat))

    @precondition(lambda self: self.town.buttons())
    @rule(data=st.data(), person=st.sampled_from(PEOPLE), elsewhere=somewhere, late=st.booleans())
    def somebody_presses(
        self, data: st.DataObject, person: OpenId, elsewhere: ChatId | None, late: bool
    ) -> None:
        """Whoever the card is for, or anybody from anywhere."""
        shown = self.town.buttons()
        button = data.draw(st.sampled_from(shown if late else shown[-4:]))
        if not late:
            person = next((one for one in PEOPLE if private_chat(one) == button.chat), person)
        chat = elsewhere if late and elsewhere is not None else button.chat
        self.step(self._press(button, person, chat), trusted=self._may(person, chat))

    @precondition(lambda self: len(self.town.buttons()) > 1)
    @rule(data=st.data(), person=st.sampled_from(PEOPLE))
    def somebody_presses_on_another_message(self, data: st.DataObject, person: OpenId) -> None:
        """A value that was copied, or a card that was forwarded."""
        shown = self.town.buttons()
        mine, other = data.draw(st.sampled_from(shown)), data.draw(st.sampled_from(shown))
        if mine.on != other.on:
            self.step(self._press(Button(mine.nonce, other.on, other.chat), person, other.chat))

    def _may(self, person: OpenId, chat: ChatId) -> bool:
        """Only an owner, in their own chat, approves anything."""
        owner = self.loop.run_until_complete(self.town.owner())
        return person == owner and chat == private_chat(person)

    async def _press(self, button: Button, person: OpenId, chat: ChatId) -> None:
        self.events += 1
        reply = await self.town.press(button, person, f"press_{self.events}", chat)
        self.town.told(str(reply))

    # ------------------------------------------------------------ what the steward does

    async def _work(self, stages: int) -> None:
        """Judge; answer as well; deliver as well."""
        shop = self.town.shop
        for happens in (shop.judge, shop.answer, shop.deliver)[:stages]:
            self.town.tick()
            await happens()

    @rule(stages=stages, by=st.sampled_from(LATER), fails=st.booleans())
    def time_passes(self, stages: int, by: timedelta, fails: bool) -> None:
        """And the platform cannot be asked meanwhile, or can."""

        async def passes() -> None:
            shop = self.town.shop
            shop.clock.advance(by)
            if fails:
                shop.directory.failure = DirectoryFailure(retry=True, reason="timeout")
                await shop.judge()
                await shop.deliver()
                shop.directory.failure = None
            await self._work(stages)

        self.step(passes())

    @rule()
    def it_starts_again(self) -> None:
        async def restarts() -> None:
            await self.town.close()
            await self.town.open()

        self.step(restarts(), trusted=True)

    @rule()
    def a_backup_is_taken(self) -> None:
        async def copies() -> None:
            back_up(self.town.url, self.backup, replaces=True)

        self.step(copies())

    @precondition(lambda self: self.backup.exists())
    @rule()
    def a_backup_is_restored(self) -> None:
        """Whatever it held of trust is gone, and what was revoked since is in force again, as its operator is told."""

        async def restores() -> None:
            await self.town.restore(self.backup)
            if says_trusted(await self.town.document()):
                self.town.wrong.append("a restored store is trusted")

        self.step(restores(), trusted=True)

    @rule(by=st.sampled_from(LATER), work=st.sampled_from(["be_seen", "remind", "forget"]))
    def upkeep_has_its_turn(self, by: timedelta, work: str) -> None:
        async def keeps() -> None:
            self.town.shop.clock.advance(by)
            await getattr(keeper_of(self.town.shop), work)()
            await self._work(3)

        self.step(keeps())

    # ------------------------------------------------------------ what changes

    @rule(changes=st.sampled_from(CHANGES))
    def something_changes(self, changes: Change) -> None:
        self.step(changes(self.town), trusted=True)

    @rule(profile=st.sampled_from(RuntimeProfile), older=st.data())
    def a_plan_of_some_time_is_applied(self, profile: RuntimeProfile, older: st.DataObject) -> None:
        """It takes effect only where nothing was applied since: else it changes nothing."""
        machine = self.town.shop.store.machine

        async def fresh(desired: RuntimeProfile) -> ApplyProfile:
            made = plan(await machine.document(), desired, await machine.last_transaction())
            return ApplyProfile(desired, made.plan_revision)

        self.plans.append(self.loop.run_until_complete(fresh(profile)))
        effect = older.draw(st.sampled_from(self.plans))

        async def applies() -> None:
            now, before = await fresh(effect.desired), await machine.document()
            await operator(self.town, effect)
            if now != effect and before != await machine.document():
                self.town.wrong.append("a stale plan took effect")

        self.step(applies(), trusted=True)

    @rule(
        chat=st.sampled_from(GROUPS),
        person=st.sampled_from(PEOPLE),
        stages=stages,
        what=st.integers(0, 4),
    )
    def the_platform_says_otherwise(
        self, chat: ChatId, person: OpenId, stages: int, what: int
    ) -> None:
        """A group turns external or back; the bot is added or removed; somebody leaves the tenant."""
        town = self.town

        async def says() -> None:
            match what:
                case 0 | 1:
                    town.chat(chat, external=not town.external[chat])
                case 2:
                    town.chat(chat, external=town.external[chat])
                    await self._moved(chat, person, joined=True)
                case 3:
                    town.gone(chat)
                    await self._moved(chat, person, joined=False)
                case _:
                    event = PersonDeleted(person)
                    await town.shop.event(event, EventKind.PERSON_DELETED, Lane.ORDERED, None)
                    await town.shop.judge()
            await self._work(stages)

        self.step(says(), trusted=what == 4)

    async def _moved(self, chat: ChatId, by: OpenId, *, joined: bool) -> None:
        who = Principal(by, THEIRS if by == GUEST else OURS, PrincipalKind.PERSON)
        where = ConversationId(APP, chat)
        event = Membership(where, True, joined, None, who)
        await self.town.shop.event(event, EventKind.MEMBERSHIP, Lane.ORDERED, where)


# Not shrunk: a step costs milliseconds, and a failing run says each of its few steps already.
TestTrust = Trust.TestCase
TestTrust.settings = settings(
    max_examples=25,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
TestTrust = pytest.mark.timeout(120)(
    pytest.mark.requirement("P4", "P7", "P9", "A2", "A3", "A4", "A5", "S3")(TestTrust)
)
