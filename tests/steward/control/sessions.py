"""Conversations whose sessions are looked at between their turns."""

from datetime import timedelta

from sqlalchemy import update

from steward.model.command import ApplyProfile
from steward.model.effect import ByOperator, Done
from steward.model.events import (
    ChatType,
    EventKind,
    Lane,
    Mention,
    Message,
    Principal,
    PrincipalKind,
    TextContent,
)
from steward.model.ids import ConversationId, MessageRef, ThreadId
from steward.model.profile import RuntimeProfile
from steward.model.session import Session
from steward.policy.profile import plan
from steward.store import Store
from steward.store.records import machine_configuration
from steward.store.schema import session as session_row
from tests.steward.control.workshop import APP, BOT, MEMBER, OURS, TEAM, Workshop

HERE = ConversationId(APP, TEAM)


async def apply(store: Store, desired: RuntimeProfile) -> None:
    """The profile is stored, as an approval or the command line stores it, in whichever process."""
    made = plan(await store.machine.document(), desired, await store.machine.last_transaction())
    effect = ApplyProfile(desired, made.plan_revision)
    assert isinstance(await store.effects.commit(ByOperator(), effect, audit=[], reply=[]), Done)


async def put_document(store: Store, body: bytes) -> None:
    """The machine document as another program left it."""
    values = {"body": body}
    statement = update(machine_configuration).values(**values)
    await store.database.write(lambda connection: connection.execute(statement).rowcount)


async def alter(store: Store, **columns: object) -> None:
    """Every session says something else than its last turn left."""
    statement = update(session_row).values(**columns)
    assert await store.database.write(lambda connection: connection.execute(statement).rowcount)


async def session(shop: Workshop, conversation: ConversationId = HERE) -> Session:
    found = await shop.store.sessions.of(conversation)
    assert found is not None
    return found


async def asks(shop: Workshop, text: str) -> None:
    """A question in the team's group, answered and delivered; then a second passes."""
    await shop.say(text)
    await shop.through()
    shop.clock.advance(timedelta(seconds=1))


async def asks_in_topic(shop: Workshop, text: str, thread: str) -> None:
    """The same in a topic of the team's group."""
    shop.said += 1
    conversation = ConversationId(APP, TEAM, ThreadId(thread))
    message = Message(
        ref=MessageRef(APP, f"om_{shop.said}"),
        conversation=conversation,
        chat_type=ChatType.GROUP,
        sender=Principal(MEMBER, OURS, PrincipalKind.PERSON),
        parent=None,
        mentions=(Mention("@_user_1", BOT, "Steward"),),
        content=TextContent(text),
        sent_at=shop.clock.now(),
    )
    shop.directory.said(message.ref, TEAM, MEMBER, text)
    await shop.event(message, EventKind.MESSAGE, Lane.ORDERED, conversation, message.ref)
    await shop.through()
    shop.clock.advance(timedelta(seconds=1))
