"""Commands and approvals of the workshop, built over its parts."""

from zoneinfo import ZoneInfo

from steward.control.approvals import Approvals
from steward.control.approved import Approved
from steward.control.command_presses import CommandPresses
from steward.control.command_replies import Replies
from steward.control.commands import Commands
from steward.control.endpoints import Endpoints
from steward.control.granting import Granting
from steward.control.profiles import Profiles
from steward.control.registry import Sources
from steward.control.standing import Standing
from steward.control.turns import Turns
from steward.dispatch.local import EventWake
from steward.model.profile import HostFacts
from steward.store import Store
from steward.testing.sender import ScriptedSender
from steward.testing.world import CountedTokens, FakeClock


def commands_over(
    store: Store,
    sources: Sources,
    endpoints: Endpoints,
    standing: Standing,
    sender: ScriptedSender,
    turns: Turns,
    clock: FakeClock,
    tokens: CountedTokens,
    simulated: bool,
) -> tuple[Commands, CommandPresses, Approvals]:
    """Commands in words and by a button, and approvals, as bot.commands builds them."""
    zone, profiles, wake = (
        ZoneInfo("Asia/Shanghai"),
        Profiles(store.machine, simulated),
        EventWake(),
    )
    approvals = Approvals(
        authorities=standing.authorities,
        directory=standing.directory,
        granting=Granting(
            standing.authorities.app,
            standing.directory,
            store.chats,
            store.grants,
            standing.scopes,
            sources,
            clock,
        ),
        profiles=profiles,
        host=HostFacts(frozenset(), simulated=simulated, separated=False, credentials=False),
        people=store.people,
        audit=store.audit,
        effects=store.effects,
        sender=sender,
        deliveries=wake,
        clock=clock,
        tokens=tokens,
    )
    replies = Replies(
        ledger=store.ledger,
        sources=sources,
        grants=store.grants,
        chats=store.chats,
        people=store.people,
        audit=store.audit,
        profiles=profiles,
        endpoints=endpoints,
        clock=clock,
        tokens=tokens,
        zone=zone,
    )
    commands = Commands(
        replies=replies,
        effects=store.effects,
        ledger=store.ledger,
        sender=sender,
        deliveries=wake,
        stops=turns.stop,
        asks=approvals.asked,
    )
    presses = CommandPresses(
        replies=replies,
        effects=store.effects,
        standing=standing,
        sender=sender,
        deliveries=wake,
        stops=turns.stop,
        approves=Approved(approvals).pressed,
        clock=clock,
    )
    return commands, presses, approvals
