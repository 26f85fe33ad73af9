"""What carries out commands and approvals, built from settings.

Above: bot.app. Below: control, and the parts that everything shares. Words and buttons lead to the same replies.
"""

from dataclasses import dataclass

from bot.host import host_facts
from bot.parts import World, app_of, build_profiles, build_scopes
from bot.settings import Settings
from steward.control.approvals import Approvals
from steward.control.approved import Approved
from steward.control.command_presses import CommandPresses
from steward.control.command_replies import Replies
from steward.control.commands import Commands, Stops
from steward.control.endpoints import Endpoints
from steward.control.granting import Granting
from steward.control.registry import Sources
from steward.control.standing import Standing
from steward.model.audience import AudienceKind
from steward.ports.conversations import Wake
from steward.ports.sender import Sender
from steward.store import Store


@dataclass(frozen=True, slots=True)
class CommandParts:
    """In words, by a button, and what ends in the owner's approval."""

    commands: Commands
    presses: CommandPresses
    approvals: Approvals


def build_commands(
    settings: Settings,
    store: Store,
    sources: Sources,
    endpoints: Endpoints,
    standing: Standing,
    *,
    sender: Sender,
    stops: Stops,
    deliveries: Wake,
    world: World,
) -> CommandParts:
    """Everything that a person can tell the steward itself."""
    approvals = _approvals(settings, store, sources, endpoints, standing, sender, deliveries, world)
    replies = Replies(
        ledger=store.ledger,
        sources=sources,
        grants=store.grants,
        chats=store.chats,
        people=store.people,
        audit=store.audit,
        profiles=build_profiles(settings, store),
        endpoints=endpoints,
        clock=world.clock,
        tokens=world.tokens,
        zone=settings.display.timezone,
    )
    commands = Commands(
        replies=replies,
        effects=store.effects,
        ledger=store.ledger,
        sender=sender,
        deliveries=deliveries,
        stops=stops,
        asks=approvals.asked,
    )
    presses = CommandPresses(
        replies=replies,
        effects=store.effects,
        standing=standing,
        sender=sender,
        deliveries=deliveries,
        stops=stops,
        approves=Approved(approvals).pressed,
        clock=world.clock,
    )
    return CommandParts(commands, presses, approvals)


def _approvals(
    settings: Settings,
    store: Store,
    sources: Sources,
    endpoints: Endpoints,
    standing: Standing,
    sender: Sender,
    deliveries: Wake,
    world: World,
) -> Approvals:
    owners = endpoints.of(AudienceKind.OWNER_PRIVATE)
    return Approvals(
        authorities=standing.authorities,
        directory=standing.directory,
        granting=Granting(
            app=app_of(settings),
            directory=standing.directory,
            chats=store.chats,
            grants=store.grants,
            scopes=build_scopes(settings, store),
            sources=sources,
            clock=world.clock,
        ),
        profiles=build_profiles(settings, store),
        host=host_facts(settings, owners.profiles),
        people=store.people,
        audit=store.audit,
        effects=store.effects,
        sender=sender,
        deliveries=deliveries,
        clock=world.clock,
        tokens=world.tokens,
    )
