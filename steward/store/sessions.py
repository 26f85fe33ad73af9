"""Session rows: what each conversation was really started with (S1). They report; nothing decides by them."""

from datetime import datetime

from sqlalchemy import Connection

from steward.model.profile import EffectiveProfile
from steward.store.codec import NAMES
from steward.store.schema import session
from steward.store.statements import insert


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
