"""A small town around the whole of control: people, chats, and a word in everything that only some may read. A2-A4, P4.

Every goal, chat and question holds a word of its own. The town knows who may read which, by rules written here alone,
and lists in `wrong` whatever came to somebody who may not. Nothing here asks the program what is right but what is
stored: grants, owner, and the machine document.
"""

import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from steward.control.restoring import make_safe
from steward.model.answer import Outgoing
from steward.model.audience import ChatMode, Grant, GrantOrigin, Person
from steward.model.delivery import ClickReply, Place, PlannedPart
from steward.model.events import ChatType, Click, EventKind, Lane, Message, Principal, PrincipalKind
from steward.model.ids import ChatId, ConversationId, GoalId, MessageRef, OpenId, TenantKey
from steward.model.reading import Scan, ScanQuery, ToolCall, ToolResult, View
from steward.model.turn import Candidate, Seat, Thread, TurnFailure, TurnInput
from steward.policy.scope import Access
from steward.ports.endpoint import Reader
from steward.reading.schema import CONTEXT_TOOL, MANAGER_TOOL
from steward.store import open_store
from steward.store.backup import put_in_place, stage
from steward.testing.directory import FakeDirectory
from steward.testing.endpoint import Calls, Meanwhile, Says, Scans, Script, ScriptedEndpoint, Seen
from steward.testing.sender import Arrival, ScriptedSender
from tests.contracts.given import envelope, rows
from tests.steward.control.workshop import (
    APP,
    MEMBER,
    OURS,
    OWNER,
    PLANS,
    TEAM,
    Workshop,
    open_workshop,
    private_chat,
)
from tests.steward.evidence import goal, snapshot, todo

THEIRS = TenantKey("tenant_theirs")
OTHER, GUEST = OpenId("ou_other"), OpenId("ou_guest")
SECOND, OUTER = ChatId("oc_second"), ChatId("oc_outer")
PEOPLE = (OWNER, MEMBER, OTHER, GUEST)
GROUPS = (TEAM, SECOND, OUTER)
CHATS = (*GROUPS, *map(private_chat, PEOPLE))
TITLES = {TEAM: "Nestbox", SECOND: "Burrow", OUTER: "Harbour"}

WORDS = {
    GoalId("own-goal"): "Kestrel",
    GoalId("team-goal"): "Heron",
    GoalId("second-goal"): "Osprey",
    GoalId("outer-goal"): "Falcon",
    GoalId("members-goal"): "Merlin",
}
"""A goal, and the word that stands in every title of its evidence."""

OWN, TEAMS, SECONDS, OUTERS, MEMBERS = WORDS
GRANTS = (
    Grant("team", f"group:{TEAM}", (PLANS,), (TEAMS,), GrantOrigin.CONFIG),
    Grant("members", "members", (PLANS,), (MEMBERS,), GrantOrigin.CONFIG),
)
BOTH = frozenset({"restricted", "trusted_owner"})
QUESTION_WORD = re.compile(r"Zebra\d+")
_NONCE = re.compile(r"^button (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Asked:
    """A message as it was said; `kept`: the platform has it."""

    person: OpenId
    chat: ChatId
    kept: bool


@dataclass(frozen=True, slots=True)
class Button:
    """A button that stands in a chat."""

    nonce: str
    on: MessageRef
    chat: ChatId


class ShownButtons(ScriptedSender):
    """Its messages show the nonce of each button."""

    def plan(self, message: Outgoing, place: Place) -> Sequence[Sequence[PlannedPart]]:
        nonces = "".join(f"\nbutton {button.nonce}" for button in message.buttons)
        return [
            [PlannedPart(one.rung, one.number, one.of, one.body + nonces.encode()) for one in parts]
            for parts in super().plan(message, place)
        ]


class Heard(logging.Handler):
    """Everything that the steward logs, as it would be written."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(logging.Formatter("%(message)s").format(record))


@dataclass(slots=True)
class _Turn:
    """Under which seat, in which words the latest turn was opened, and what its audience may read."""

    seat: Seat
    stored: bytes | None
    may: frozenset[str] = frozenset()


class Watched(ScriptedEndpoint):
    """Reads all that it can get, repeats it, and tells the town what it was given."""

    def __init__(self, town: "Town") -> None:
        super().__init__(_Everything(self._between), profiles=BOTH)
        self._town = town
        self._turn: _Turn | None = None
        self._threads: dict[str, tuple[ChatId, frozenset[str]]] = {}
        self.between: Callable[[], Awaitable[None]] | None = None

    async def open(
        self, seat: Seat, *, resume: str | None, history: Sequence[str]
    ) -> Thread | TurnFailure:
        self._turn = _Turn(seat, await self._town.document())
        return await super().open(seat, resume=resume, history=history)

    async def answer(
        self, thread: Thread, turn: TurnInput, reader: Reader, *, deadline: datetime
    ) -> Candidate | TurnFailure:
        assert self._turn is not None
        _, resume, history = self.opened[-1]
        asked = self._town.asked[QUESTION_WORD.findall(turn.question)[0]]
        self._turn.may = await self._town.may_read(asked.chat)
        await self._town.host_tools(self._turn.seat, self._turn.stored, asked)
        self._town.history(asked, history, self._turn.may)
        before = self._threads.get(resume or "")
        if before is not None and before != (asked.chat, self._turn.may):
            self._town.wrong.append("a thread goes on before another audience or another scope")
        self._threads[thread.upstream] = (asked.chat, self._turn.may)
        return await super().answer(thread, turn, _Told(self, reader), deadline=deadline)

    def given(self, what: str) -> None:
        """The gate gave this out."""
        assert self._turn is not None
        for word in set(words_in(what)) - self._turn.may:
            self._town.wrong.append(f"the gate gives out {word}")

    async def _between(self) -> None:
        happens, self.between = self.between, None
        if happens is not None:
            self._town.tick()
            await happens()
            self._town.tick()


@dataclass(frozen=True, slots=True)
class _Told:
    """A reader whose results the town hears of."""

    endpoint: Watched
    reader: Reader

    async def call(self, call: ToolCall) -> ToolResult:
        result = await self.reader.call(call)
        self.endpoint.given(result.text)
        return result

    async def scan(self, query: ScanQuery) -> Scan:
        found = await self.reader.scan(query)
        self.endpoint.given(" ".join(one.row.title for one in found.rows))
        return found


class _Everything(dict[str, Script]):
    """One script for every question: read, ask for what is not ours as well, let something happen, repeat everything."""

    def __init__(self, between: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        whole: list[Scans | Calls] = [
            Scans(ScanQuery(View.TODOS)),
            Scans(ScanQuery(View.PORTFOLIO)),
        ]
        for number, one in enumerate(WORDS):
            whole.append(Scans(ScanQuery(View.TODOS, goal=one)))
            whole.extend(
                Calls(ToolCall(tool, f"{tool}-{number}", {"view": "todos", "goal_id": one}))
                for tool in (CONTEXT_TOOL, MANAGER_TOOL)
            )
        self._script: Script = [*whole, Meanwhile(between), Says(_all)]

    def get(self, question: str, default: Script | None = None) -> Script | None:  # type: ignore[override] # narrower on purpose
        return self._script


def _all(seen: Seen) -> bytes:
    cited = [one for scan in seen.scans[:2] for one in scan.rows]
    claims = [
        {"text": f"{one.row.title}.", "cites": [one.citation], "kind": "fact"} for one in cited[:8]
    ]
    return json.dumps({"classification": "overview", "claims": claims}).encode()


def words_in(text: str) -> Iterator[str]:
    """The words of evidence in a text."""
    return (word for word in WORDS.values() if word in text)


@dataclass
class Town:
    """`wrong`: each promise that was broken, in words. `configured`: the owner that the configuration names."""

    url: str
    wrong: list[str] = field(default_factory=list)
    asked: dict[str, Asked] = field(default_factory=dict)
    messages: dict[MessageRef, ChatId] = field(default_factory=dict)
    external: dict[ChatId, bool] = field(default_factory=dict)
    configured: OpenId | None = OWNER
    log: Heard = field(default_factory=Heard)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _shop: Workshop | None = None
    _endpoint: Watched | None = None
    _seen: int = 0

    @property
    def shop(self) -> Workshop:
        assert self._shop is not None
        return self._shop

    @property
    def endpoint(self) -> Watched:
        assert self._endpoint is not None
        return self._endpoint

    async def open(self) -> None:
        """Start, or start again after `close`: what is stored, what the platform has, and time go on."""
        before = self._shop
        self._endpoint = self._endpoint or Watched(self)
        self._shop = await self._stack.enter_async_context(
            open_workshop(
                url=self.url,
                grants=GRANTS,
                endpoint=self._endpoint,
                voice=ShownButtons if before is None else lambda _: before.sender,
                lookup=FakeDirectory if before is None else lambda _: before.directory,
                access=Access(groups=True, members_private=True),
                owner=self.configured,
                greeting=True,
                before=before,
            )
        )
        goals = [goal(one, title=f"{word} plan") for one, word in WORDS.items()]
        todos = [todo(1, goal_id=one, title=f"{word} todo") for one, word in WORDS.items()]
        self.shop.source.play(snapshot(*goals, *todos, goals=goals))
        await self.shop.recovery.run()
        if before is None:
            logging.getLogger("steward").addHandler(self.log)
            logging.getLogger("steward").setLevel(logging.DEBUG)
            for chat in GROUPS:
                self.chat(chat, external=chat == OUTER)
            for person in PEOPLE:
                tenant = THEIRS if person == GUEST else OURS
                self.shop.directory.add(private_chat(person), ChatMode.P2P, tenant_key=tenant)

    async def close(self) -> None:
        await self._stack.aclose()

    async def restore(self, backup: Path) -> None:
        """Put a backup in the store's place, as an operator does, and start again."""
        sender, clock = self.shop.sender, self.shop.clock
        await self.close()
        staged = stage(self.url, backup)
        async with await open_store(f"sqlite:///{staged}", clock) as store:
            await make_safe(store.restored, sender)
        put_in_place(self.url, staged, clock.now())
        await self.open()

    async def end(self) -> None:
        """For good."""
        logging.getLogger("steward").removeHandler(self.log)
        logging.getLogger("steward").setLevel(logging.NOTSET)
        await self.close()

    def chat(self, chat: ChatId, *, external: bool) -> None:
        """What the platform says of a group from now on."""
        self.external[chat] = external
        self.shop.directory.add(chat, external=external, title=TITLES[chat])
        people = (Person(OWNER, OURS), Person(MEMBER, OURS), Person(OTHER, OURS))
        guests = (Person(GUEST, THEIRS),) if external else ()
        self.shop.directory.people(chat, *people, *guests)

    def gone(self, chat: ChatId) -> None:
        """The platform shows the group to us no more."""
        with suppress(KeyError):
            self.shop.directory.remove(chat)

    def tick(self) -> None:
        """No two things happen at one instant."""
        self.shop.clock.advance(timedelta(milliseconds=1))

    # ------------------------------------------------------------ what is said

    async def say(self, text: str, person: OpenId, chat: ChatId, *, kept: bool = True) -> Message:
        """A message to the bot, in whichever chat."""
        private = chat not in GROUPS
        message = await self.shop.say(
            text,
            sender=person,
            chat=chat,
            chat_type=ChatType.P2P if private else ChatType.GROUP,
            tenant=THEIRS if person == GUEST else OURS,
            kept=kept,
            **({"mentions": ()} if private else {}),
        )
        self.messages[message.ref] = chat
        return message

    async def ask(self, person: OpenId, chat: ChatId, *, kept: bool = True) -> None:
        """A question with a word of its own."""
        word = f"Zebra{len(self.asked) + 1}"
        self.asked[word] = Asked(person, chat, kept)
        await self.say(f"How is it going, {word}?", person, chat, kept=kept)

    async def press(
        self, button: Button, person: OpenId, event: int | str, chat: ChatId | None = None
    ) -> ClickReply:
        """A press in this chat, else where the button stands; `event` tells one press from another."""
        chat = chat or button.chat
        who = Principal(person, THEIRS if person == GUEST else OURS, PrincipalKind.PERSON)
        click = Click(button.on, ConversationId(APP, chat), who, button.nonce)
        pressed = envelope(event, chat=chat, kind=EventKind.CLICK, lane=Lane.NOW)
        return await self.shop.presses.press(pressed, click)

    def buttons(self) -> list[Button]:
        """All that were ever shown."""
        return [
            Button(nonce, one.sent.message, self.where(one))
            for one in self.shop.sender.arrived
            for nonce in _NONCE.findall(one.text)
        ]

    # ------------------------------------------------------------ who may read what

    async def owner(self) -> OpenId | None:
        record = await self.shop.store.owners.current(APP)
        return None if record is None else record.open_id

    async def document(self) -> bytes | None:
        return await self.shop.store.machine.document()

    async def authority(self) -> list[object]:
        """All that only an owner or an operator may change."""
        record = await self.shop.store.owners.current(APP)
        names = await rows(
            self.shop.store, "SELECT open_id, names FROM person WHERE approved ORDER BY id"
        )
        return [
            await self.document(),
            tuple(await self.shop.store.grants.all()),
            None if record is None else (record.id, record.open_id),
            names,
        ]

    async def may_read(self, chat: ChatId) -> frozenset[str]:
        """The words of the goals that are granted to a chat as it is now."""
        key = await self.key(chat)
        granted = [one for one in await self.shop.store.grants.all() if one.audience == key]
        if key == "owner" and not granted:
            return frozenset(WORDS.values())
        goals = {one for each in granted for one in (each.goals or tuple(WORDS))}
        return frozenset(WORDS[one] for one in goals)

    async def key(self, chat: ChatId) -> str:
        """A chat as a grant names it now."""
        if chat in GROUPS:
            return f"{'external' if self.external[chat] else 'group'}:{chat}"
        if chat == private_chat(GUEST):
            return f"external:{chat}"
        owner = await self.owner()
        return "owner" if owner is not None and chat == private_chat(owner) else "members"

    # ------------------------------------------------------------ what must never be

    async def host_tools(self, seat: Seat, stored: bytes | None, asked: Asked) -> None:
        """P4: a turn as trusted_owner is the owner's, in their own chat, proven, under a stored trusted_owner."""
        if not seat.profile.trusted:
            return
        own = asked.person == await self.owner() and asked.chat == private_chat(asked.person)
        if not (own and asked.kept and says_trusted(stored)):
            self.wrong.append(f"a turn with host tools for {asked}")

    def history(self, asked: Asked, lines: Sequence[str], may: frozenset[str]) -> None:
        """S3, A4: history is of this very chat, and shows nothing that may not be read there now."""
        text = "\n".join(lines)
        for word in QUESTION_WORD.findall(text):
            if self.asked[word].chat != asked.chat:
                self.wrong.append("a question of another chat stands in the history")
        for word in set(words_in(text)) - may:
            self.wrong.append(f"the history shows {word}")

    async def look(self) -> None:
        """Everything that came out since the last look."""
        arrived = self.shop.sender.arrived[self._seen :]
        self._seen += len(arrived)
        for one in arrived:
            self.messages[one.sent.message] = self.where(one)
            await self._arrived(one)
        entries = await self.shop.store.audit.recent(most=30)
        self._untold("the audit", " ".join(str(entry.row) for entry in entries))
        self._untold("the log", "\n".join(self.log.lines))
        self.log.lines.clear()
        twice = await rows(
            self.shop.store,
            "SELECT question_id FROM answer WHERE accepted GROUP BY question_id HAVING count(*) > 1",
        )
        self.wrong.extend("two answers to one question" for _ in twice)

    async def _arrived(self, one: Arrival) -> None:
        chat = self.where(one)
        if one.place.reply_to is not None and self.messages.get(one.place.reply_to) != chat:
            self.wrong.append(f"a reply to a message of another chat in {chat}")
        for word in set(words_in(one.text)) - await self.may_read(chat):
            self.wrong.append(f"{word} in {chat}: {one.text}")
        if QUESTION_WORD.search(one.text):
            self.wrong.append(f"the words of a question in {chat}: {one.text}")
        owner = await self.owner()
        if owner is None or chat != private_chat(owner):
            self._of_the_owners(chat, one.text)

    def _of_the_owners(self, chat: ChatId, text: str) -> None:
        """A4: other chats, other goals' ids, the profile and its buttons are for the owner alone."""
        for what in (*TITLES.values(), "trusted_owner", "sha256:", "unavailable:"):
            if what in text:
                self.wrong.append(f"{what} in {chat}: {text}")
        for other in set(GROUPS) - {chat}:
            if other in text:
                self.wrong.append(f"the id of another chat in {chat}: {text}")

    def told(self, toast: str) -> None:
        """What a presser was told."""
        self._untold("a toast", toast)

    def _untold(self, where: str, text: str) -> None:
        secrets = (*WORDS.values(), *TITLES.values())
        self.wrong.extend(f"{word} in {where}" for word in secrets if word in text)
        if QUESTION_WORD.search(text):
            self.wrong.append(f"the words of a question in {where}")

    def where(self, one: Arrival) -> ChatId:
        """The chat that a message stands in: one to a person stands in their private chat."""
        chat = one.place.conversation.chat_id
        return private_chat(OpenId(chat)) if chat.startswith("ou_") else chat


@asynccontextmanager
async def open_town() -> AsyncIterator[Town]:
    """A town in memory; it ends with the block, and nobody in it may have been shown what they may not read."""
    town = Town("sqlite://")
    await town.open()
    yield town
    await town.end()
    assert town.wrong == []


def says_trusted(stored: bytes | None) -> bool:
    """Whether the document holds trusted_owner in its exact form (P1)."""
    try:
        found = json.loads(stored or b"")["namespaces"]["manager_runtime"]
    except (ValueError, KeyError, TypeError):
        return False
    exact = {"schema_version": "manager_runtime_profile_v0", "runtime_profile": "trusted_owner"}
    return bool(found == exact)
