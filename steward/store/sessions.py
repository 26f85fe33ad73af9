"""Session rows: what each conversation was really started with (S1). They report; nothing decides by them."""

from datetime import datetime

from sqlalchemy import Connection, select, update

from steward.model.profile import EffectiveProfile
from steward.model.topic import Topic
from steward.store.codec import NAMES, TOPIC
from steward.store.schema import session
from steward.store.statements import insert


def note_topic(connection: Connection, conversation: str, topic: Topic) -> None:
    """Remember what an answer was about, for a follow-up."""
    connection.execute(
        update(session)
        .where(session.c.conversation == conversation)
        .values(topic=TOPIC.dump(topic))
    )


def topic_of(connection: Connection, conversation: str) -> Topic | None:
    """What the last answer with a topic was about."""
    text = connection.execute(
        select(session.c.topic).where(session.c.conversation == conversation)
    ).scalar_one_or_none()
    return None if text is None else TOPIC.load(text)


def note_start(
    connection: Connection, conversation: str, profile: EffectiveProfile, now: datetime
) -> None:
    """Write the six fields of a turn that starts; id, history and `visible_from` of an older session stay."""
    fields = {
        "manager_runtime_profile": profile.runtime_profile,
        "manager_runtime_configuration_revision": profile.configuration_revision,
        "manager_runtime_status": profile.status,
        "manager_runtime_sandbox": profile.sandbox,
        "manager_runtime_standing_grant": profile.standing_grant,
        "manager_runtime_tool_classes": NAMES.dump(profile.tool_classes),
        "updated_at": now,
    }
    statement = insert(connection, session).on_conflict_do_update(
        index_elements=[session.c.conversation], set_=fields
    )
    first = {"conversation": conversation, "visible_from": now, "created_at": now}
    connection.execute(statement, fields | first)
