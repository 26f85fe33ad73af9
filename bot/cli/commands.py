"""The commands and their options. What they do stands in the modules beside this one."""

from pathlib import Path
from typing import Annotated

import typer

from steward.model.audit import AuditAct
from steward.model.owed import Listing
from steward.model.profile import RuntimeProfile
from steward.model.reading import View

app = typer.Typer(
    name="steward",
    help="Answers how work is going, from evidence it has read, and says what it could not read.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

sources = typer.Typer(
    help="Look at the configured sources of evidence.", no_args_is_help=True, add_completion=False
)
app.add_typer(sources, name="sources")

profile = typer.Typer(
    help="See and change what a turn's process may do.", no_args_is_help=True, add_completion=False
)
app.add_typer(profile, name="profile")

grants = typer.Typer(
    help="See and change who may read what.", no_args_is_help=True, add_completion=False
)
app.add_typer(grants, name="grants")

Config = Annotated[
    Path | None,
    typer.Option(
        "--config", help="The TOML file; else STEWARD_CONFIG, else defaults.", show_default=False
    ),
]
As = Annotated[
    str,
    typer.Option(
        "--as", help="Whose grants and wording: owner, members, group:CHAT or external:CHAT."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Desired = Annotated[RuntimeProfile, typer.Argument(help="The profile that is wanted.")]
ToWhom = Annotated[str, typer.Argument(help="owner, members, group:oc_… or external:oc_…")]
WhichSources = Annotated[
    str | None, typer.Argument(help="Source ids with commas, or * for all.", show_default="*")
]
WhichGoals = Annotated[
    str | None, typer.Argument(help="Goal ids with commas, or * for all.", show_default="*")
]
Plan = Annotated[str, typer.Option("--plan", help="The plan revision that preview printed.")]
Revoke = Annotated[bool, typer.Option("--revoke", help="Take every grant from the audience.")]


@app.command()
def serve(config: Config = None) -> None:
    """Receive events and answer, until SIGTERM or Ctrl-C."""
    from bot.cli.serve import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(config))


@app.command()
def demo(
    stay: Annotated[
        bool, typer.Option("--stay", help="Stay up afterwards, and say where to post.")
    ] = False,
    port: Annotated[
        int, typer.Option(help="Where the webhook listens; another port where this one is taken.")
    ] = 8070,
) -> None:
    """Play a conversation through the real webhook, against a Lark platform simulated on loopback."""
    from bot.cli.demo import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(stay=stay, port=port))


@app.command()
def ask(
    text: Annotated[str, typer.Argument(help="The question, in Chinese or English.")],
    audience: As = "owner",
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Answer one question here, with an audience's grants; nothing is sent, and nothing is queued."""
    from bot.cli.ask import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(text, audience, config, as_json=as_json))


@app.command()
def read(
    view: Annotated[View, typer.Argument(help="What to read.")],
    audience: As = "owner",
    source_id: Annotated[str | None, typer.Option(help="One source alone.")] = None,
    goal_id: Annotated[str | None, typer.Option(help="One goal alone.")] = None,
    days: Annotated[
        int | None, typer.Option(help="Deliveries since so many days ago, 1 to 90.")
    ] = None,
    request_id: Annotated[
        str | None, typer.Option(help="One handoff, by its 64 hex digits.")
    ] = None,
    include_stopped: Annotated[bool, typer.Option(help="Also goals that were stopped.")] = False,
    offset: Annotated[int | None, typer.Option(help="Rows to skip.")] = None,
    limit: Annotated[int | None, typer.Option(help="Rows on a page, 1 to 12.")] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Call the read tool as an endpoint would, with an audience's grants."""
    from bot.cli.read import run  # noqa: PLC0415 - heavy, and only this command's

    given = {
        "view": view.value,
        "source_id": source_id,
        "days": days,
        "goal_id": goal_id,
        "request_id": request_id,
        "include_stopped": include_stopped or None,
        "offset": offset,
        "limit": limit,
    }
    arguments = {name: value for name, value in given.items() if value is not None}
    raise typer.Exit(run(arguments, audience, config, as_json=as_json))


@sources.command()
def check(
    source_id: Annotated[str, typer.Argument(help=r"The source, as in \[source.ID].")],
    audience: Annotated[
        str | None,
        typer.Option(
            "--as",
            help="Only what owner, members, group:CHAT or external:CHAT may read of it; else all of it.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Read a source once: ten of its rows as they are understood, what is not, and how fresh it is."""
    from bot.cli.sources import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(source_id, audience, config, as_json=as_json))


@profile.command("show")
def show_profile(as_json: AsJson = False, config: Config = None) -> None:
    """What is stored, what holds before the owner and a group, and what each session started with."""
    from bot.cli.profile import show  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(show(config, as_json=as_json))


@profile.command("preview")
def preview_profile(desired: Desired, as_json: AsJson = False, config: Config = None) -> None:
    """What a change would do, and the plan revision that applies it. Nothing is written."""
    from bot.cli.profile import preview  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(preview(desired, config, as_json=as_json))


@profile.command("apply")
def apply_profile(
    desired: Desired,
    plan: Plan,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Apply a previewed change, if nothing was changed since, and read it back."""
    from bot.cli.profile import apply  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(apply(desired, plan, config, as_json=as_json))


@grants.command("list")
def list_grants(as_json: AsJson = False, config: Config = None) -> None:
    """Every grant in force, and those of the configuration that are not."""
    from bot.cli.grants import list_all  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(list_all(config, as_json=as_json))


@grants.command("preview")
def preview_grants(
    audience: ToWhom,
    sources: WhichSources = None,
    goals: WhichGoals = None,
    revoke: Revoke = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """What a grant would change, and the plan revision that applies it. Nothing is written."""
    from bot.cli.grants import Wanted, preview  # noqa: PLC0415 - heavy, and only this command's

    wanted = Wanted(audience, sources, goals, revoke)
    raise typer.Exit(preview(wanted, config, as_json=as_json))


@grants.command("apply")
def apply_grants(
    audience: ToWhom,
    plan: Plan,
    sources: WhichSources = None,
    goals: WhichGoals = None,
    revoke: Revoke = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Apply a previewed grant, if nothing was changed since, and read it back."""
    from bot.cli.grants import Wanted, apply  # noqa: PLC0415 - heavy, and only this command's

    wanted = Wanted(audience, sources, goals, revoke)
    raise typer.Exit(apply(wanted, plan, config, as_json=as_json))


@app.command()
def audit(
    most: Annotated[int, typer.Option(min=1, max=10_000, help="So many rows at most.")] = 50,
    act: Annotated[
        list[AuditAct] | None, typer.Option(help="Only these acts.", show_default=False)
    ] = None,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Who did what, before whom, and why it was or was not done; newest first."""
    from bot.cli.audit import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(most, act or (), config, as_json=as_json))


@app.command()
def questions(
    owed: Annotated[
        bool, typer.Option("--owed", help="Those without their answer, which is the default.")
    ] = False,
    open_: Annotated[
        bool, typer.Option("--open", help="Those that wait or are worked on.")
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="All that there are.")] = False,
    most: Annotated[int, typer.Option(min=1, max=10_000, help="So many at most.")] = 50,
    words: Annotated[bool, typer.Option("--words", help="Also what was asked.")] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """List questions, newest first: where, whose, how old, and why they are owed."""
    from bot.cli.questions import run  # noqa: PLC0415 - heavy, and only this command's

    if owed + open_ + all_ > 1:
        raise typer.BadParameter("say one of --owed, --open and --all")
    which = Listing.OPEN if open_ else Listing.ALL if all_ else Listing.OWED
    raise typer.Exit(run(which, most, config, words=words, as_json=as_json))


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="Where the backup goes; readable by you alone.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Copy an SQLite store into one file, also while `serve` runs."""
    from bot.cli.backup import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(file, config, force=force, as_json=as_json))


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `steward backup` made.")],
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Put a backup in the store's place, restricted, with everything that was unfinished left undone."""
    from bot.cli.restore import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(file, config, as_json=as_json))


@app.command()
def upgrade(as_json: AsJson = False, config: Config = None) -> None:
    """Bring an older store to this program's schema."""
    from bot.cli.upgrade import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(config, as_json=as_json))


@app.command()
def simulate(
    file: Annotated[Path, typer.Argument(help="A JSON file: an event, or {chat, from, text}.")],
    forged: Annotated[
        bool,
        typer.Option("--forged", help="Post it as it stands; the platform knows nothing of it."),
    ] = False,
    wait: Annotated[float, typer.Option(help="Seconds to wait for the reply.")] = 10.0,
    config: Config = None,
) -> None:
    """Sign, encrypt and post an event to a running bot on loopback, in simulated mode alone."""
    from bot.cli.simulate import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(file, config, forged=forged, wait=wait))


@app.command()
def owner(
    reinstate: Annotated[
        bool,
        typer.Option(
            "--reinstate",
            help="The configured person is the owner, although the platform said that they left.",
        ),
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show who is the owner, since when, and how the last change came about."""
    from bot.cli.owner import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(config, reinstate=reinstate, as_json=as_json))


@app.command()
def doctor(as_json: AsJson = False, config: Config = None) -> None:
    """Check configuration, secrets, store, sources and Lark; each finding comes with its repair."""
    from bot.cli.doctor import run  # noqa: PLC0415 - heavy, and only this command's

    raise typer.Exit(run(config, as_json=as_json))
