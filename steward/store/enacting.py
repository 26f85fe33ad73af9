"""What each effect writes, in the transaction of its cause. Contracts P8, A2, S3, D2."""

from datetime import datetime

from sqlalchemy import Connection

from steward.errors import ContractError
from steward.model.audience import GrantOrigin
from steward.model.command import ApplyGrants, ApplyProfile, ApproveNames
from steward.model.effect import (
    Changed,
    ClaimNames,
    Done,
    Effect,
    EffectOutcome,
    RenewSession,
    Repeated,
    Stopped,
    StopQuestions,
)
from steward.model.ids import AppId, InboxId
from steward.store import grants, machine, sessions, withdrawal
from steward.store.codec import NAMES
from steward.store.records import person
from steward.store.statements import conversation_key, insert


def enact(
    connection: Connection,
    effect: Effect | None,
    app: AppId | None,
    item: InboxId | None,
    now: datetime,
) -> EffectOutcome:
    """Do it; only a Done has written anything. `item`: the event that is its cause, where one is."""
    match effect:
        case None:
            return Done()
        case ApplyProfile():
            return _profile(connection, effect, now)
        case ApplyGrants(change, plan_revision):
            done = grants.change(connection, change, plan_revision, now)
            return done if isinstance(done, Changed) else Done(grants=done)
        case RenewSession(conversation):
            sessions.forget(connection, conversation_key(conversation), now)
            return Done()
        case StopQuestions(conversation, asker):
            stopped = withdrawal.stop(connection, conversation, asker, item, now)
            return Done(stopped=Stopped(tuple(stopped)))
        case ApproveNames() | ClaimNames():
            _name(connection, effect, app, now)
            return Done()


def _profile(connection: Connection, effect: ApplyProfile, now: datetime) -> EffectOutcome:
    done = machine.apply(connection, effect.desired, effect.plan_revision, now)
    if isinstance(done, machine.Stale):
        return Changed(done.present_revision)
    return Repeated(applied=done) if done.superseded else Done(applied=done)


def _name(
    connection: Connection, effect: ApproveNames | ClaimNames, app: AppId | None, now: datetime
) -> None:
    """One row per person beside the configuration's. A new claim leaves names that are approved in force."""
    if app is None:
        raise ContractError("names are a person's of one app")
    approved = isinstance(effect, ApproveNames)
    content = {"names": NAMES.dump(effect.names), "approved": approved, "noted_at": now}
    connection.execute(
        insert(connection, person).on_conflict_do_update(
            index_elements=[person.c.app_id, person.c.open_id, person.c.origin],
            set_=content,
            where=None if approved else person.c.approved.is_(False),
        ),
        {"app_id": app, "open_id": effect.person, "origin": GrantOrigin.OWNER} | content,
    )
