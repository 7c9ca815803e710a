"""The command line. Law: thin; the same referee, projections and words as the API, and never a traceback.

Exit codes: 0 good, 1 found wrong, 2 used wrongly, 3 sound but not finished (`verify`). What a command needs is imported
when it runs, so that `--help` and a shell's completion answer at once.
"""

# ruff: noqa: PLC0415 - see above

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from api.sweeping import made_to_stay, swept_seldom
from api.terminal.stop import FOUND_WRONG, GOOD, USED_WRONGLY, Stop, complain
from api.terminal.verdict import Unheard, unwritten

STORE = ""
"""Nobody says where battles are kept: the settings do."""


def _kept(data: str) -> str:
    if data:
        return data
    from api.settings import database_of

    return database_of()


Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE|ID", help="An export in JSON Lines (`-` reads it from a pipe), or the id of a stored battle."
    ),
]
Stored = Annotated[str, typer.Argument(metavar="ID", help="The id of a stored battle.")]
Data = Annotated[
    str,
    typer.Option(
        metavar="FILE|ADDRESS",
        callback=_kept,
        show_default=False,
        help="What keeps the battles: a file, or postgresql://user@host/name. If not said, what BATTLELOG_DATABASE "
        "says, as for `serve`, else battlelog.db.",
    ),
]
At = Annotated[int | None, typer.Option(metavar="SEQ", help="As it was known after this entry.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, the same as the API's.")]
Host = Annotated[str | None, typer.Option(metavar="ADDRESS", help="The address to listen on (127.0.0.1 if not said).")]
Port = Annotated[
    int | None, typer.Option(min=0, max=65_535, help="The port to listen on (8000 if not said; 0 takes a free one).")
]


class Commands(TyperGroup):
    """The commands. Whatever stops one is told in a sentence, and becomes its exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            done = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
        except Stop as stop:
            complain(stop.said)
            raise typer.Exit(stop.code) from None
        except BrokenPipeError as gone:
            # Whoever read has had enough.
            _write_no_more()
            raise typer.Exit(gone.code if isinstance(gone, Unheard) else GOOD) from None
        except OSError as no:
            why = unwritten(no)
            if not why:
                raise
            _write_no_more()
            complain(why)
            raise typer.Exit(USED_WRONGLY) from None
        return done


def _write_no_more() -> None:
    """Python must not complain about the output when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


app = typer.Typer(
    cls=Commands,
    name="battlelog",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="The battle log of tabletop skirmishes: every action kept, every table rebuilt by replay.",
)


@app.command()
def serve(
    host: Host = None,
    port: Port = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file that keeps the battles (BATTLELOG_DATABASE if not said, else battlelog.db).",
        ),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="The database that keeps them instead: postgresql://user@host:port/name."),
    ] = None,
) -> None:
    """Serve the API and the pages. The environment's BATTLELOG_... settings hold where no option is given."""
    with made_to_stay():
        from api.terminal import serving

    serving.serve(serving.settings(host, port, data, database=database))


@app.command()
def demo(
    data: Annotated[
        Path, typer.Option(metavar="FILE", help="Where the sample battles go; what is there already stays.")
    ] = Path("battlelog-demo.db"),
    host: Host = None,
    port: Port = None,
    no_serve: Annotated[bool, typer.Option("--no-serve", help="Print only, and serve nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Play the sample battles into a store, say where to look, and serve them. Run it as often as you like."""
    from api import demo as samples
    from api.terminal import serving

    settings = serving.settings(host, port, data, log_format="none")
    if no_serve:
        samples.show(data, "", as_json=as_json)
        return
    # The port first: the secrets are shown once, and must not be printed by a program that then cannot serve.
    with serving.bound(settings) as listener:
        samples.show(data, serving.address_of(settings, listener), as_json=as_json)
        sys.stdout.flush()
        serving.serve_at(settings, listener)


@app.command()
def replay(
    source: Source,
    data: Data = STORE,
    at: At = None,
    turn: Annotated[int | None, typer.Option(min=0, help="Tell this turn alone, with the table at its end.")] = None,
    maps: Annotated[
        bool | None, typer.Option("--map/--no-map", help="A map at the end of every turn, or none at all.")
    ] = None,
    speed: Annotated[float, typer.Option(min=0, max=1000, help="Lines a second; 0 tells it all at once.")] = 0,
    as_json: Json = False,
) -> None:
    """Tell a battle, turn by turn: what was done, what was struck out, and the table at the end."""
    from api.terminal import printing, sources, telling
    from projections.table import table_view
    from projections.turns import turn_history

    log = sources.log_of(source, data, at)
    history = turn_history(*log)
    if as_json:
        table = table_view(log.battle, log.record, log.entries)
        told = [t.model_dump(mode="json") for t in telling.turns_of(history, turn)]
        printing.show_json({"table": table.model_dump(mode="json"), "turns": told})
    else:
        telling.tell(printing.out(), log, history, telling.Manner(turn, maps, speed))


@app.command()
def casualties(source: Source, data: Data = STORE, at: At = None, as_json: Json = False) -> None:
    """Report who fell, by whom, with what and where; and how every fig and side has fared."""
    from api.terminal import printing, reports, sources
    from projections.casualties import casualty_report

    log = sources.log_of(source, data, at)
    report = casualty_report(*log)
    if as_json:
        printing.show_json(report)
    else:
        reports.show_casualties(printing.out(), log.record.battle, report)


@app.command()
def turns(source: Source, data: Data = STORE, at: At = None, as_json: Json = False) -> None:
    """List every action by turn and phase: struck out or not, and who may take it back."""
    from api.terminal import printing, reports, sources
    from projections.turns import turn_history

    log = sources.log_of(source, data, at)
    history = turn_history(*log)
    if as_json:
        printing.show_json(history)
    else:
        reports.show_turns(printing.out(), log.record.battle, history)


@app.command()
def battles(data: Data = STORE, as_json: Json = False) -> None:
    """List the battles of a store: id, title, status, turn. Private ones too: the file is its owner's."""
    from api.terminal import listing

    listing.battles(data, as_json=as_json)


@app.command()
def why(
    source: Source,
    seq: Annotated[int, typer.Argument(metavar="SEQ", help="The number of the entry.")],
    data: Data = STORE,
    as_json: Json = False,
) -> None:
    """Explain one entry: the action, its rolls and modifiers, the rules that had a say, and how it came to that."""
    from api.terminal import explaining

    explaining.explain(source, seq, data, as_json=as_json)


@app.command()
def odds(
    source: Source,
    action: Annotated[
        str, typer.Argument(metavar="JSON", help="The action as it would be sent, without dice.", show_default=False)
    ],
    data: Data = STORE,
    at: At = None,
    as_json: Json = False,
) -> None:
    """Work out the exact chances of an action before it is rolled. Nothing is thrown and nothing is written."""
    from api.terminal import forecasting

    forecasting.odds(source, action, data, at, as_json=as_json)


@app.command()
def forecast(
    source: Source,
    data: Data = STORE,
    at: At = None,
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many games are played.")] = 100,
    turns: Annotated[int, typer.Option(min=1, max=10_000, help="The most turns of a game; each side's is one.")] = 20,
    seed: Annotated[
        str | None, typer.Option(metavar="WORD", help="The same seed plays the same games; a new one if not said.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play a battle on many times, by the real rules and plain tactics, and tell how it went."""
    from api.terminal import forecasting

    forecasting.foresee(source, data, at, games, turns, seed, as_json=as_json)


@app.command()
def branches(battle: Stored, data: Data = STORE, as_json: Json = False) -> None:
    """List the what-ifs that part from a battle, each behind the one that it parts from."""
    from api.terminal import listing

    listing.branches(battle, data, as_json=as_json)


@app.command()
def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="An export in JSON Lines, or the id of a stored battle.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another one, such as a what-if of the first.")],
    data: Data = STORE,
    as_json: Json = False,
) -> None:
    """Say where two battles part, and how their tables differ now."""
    from api.terminal import explaining

    explaining.compare_logs(first, second, data, as_json=as_json)


@app.command()
def reseat(
    battle: Stored,
    name: Annotated[
        str, typer.Option("--seat", metavar="SEAT", help="`referee`, `side:red`, or `spectator` of a private battle.")
    ] = "referee",
    data: Data = STORE,
    as_json: Json = False,
) -> None:
    """Make a new secret for a seat whose own is lost, and show it once; the old one opens nothing any more."""
    from api.terminal import shipping

    shipping.reseat(battle, name, data, as_json=as_json)


@app.command()
def forget_seeds(data: Data = STORE, as_json: Json = False) -> None:
    """After a restore, before the service starts: throw all dice seeds away, so that no die falls twice.

    Each battle that goes on then waits for its referee, who has the service commit to new dice (POST .../dice/renew).
    """
    from api.terminal import restoring

    restoring.forget_seeds(data, as_json=as_json)


@app.command()
def export(
    battle: Stored,
    data: Data = STORE,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where it goes, instead of standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the output file, if there is one.")] = False,
    as_json: Json = False,
) -> None:
    """Write a battle's log as JSON Lines: the stored bytes, and those that a branch inherits."""
    from api.terminal import shipping

    shipping.export(battle, data, output, as_json=as_json, force=force)


@app.command(name="import")
def take_in(source: Annotated[str, typer.Argument(metavar="FILE")], data: Data = STORE, as_json: Json = False) -> None:
    """Examine an export and store it: ids stay, seats are new, and nothing that is stored is written over."""
    from api.terminal import shipping

    shipping.take_in(source, data, as_json=as_json)


@app.command()
def rebuild(
    data: Data = STORE,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where the last one was stopped, instead of from nothing.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Take in what is new, then compare all of it with the log.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make the totals and the desk anew out of the log, while the service goes on. Exit 1 if a battle is left out."""
    from api.terminal import rebuilding

    raise typer.Exit(rebuilding.run(data, resume=resume, check=check, as_json=as_json))


@app.command()
def standings(
    data: Data = STORE,
    event: Annotated[str | None, typer.Option(metavar="TAG", help="Only battles of this event.")] = None,
    round_: Annotated[str | None, typer.Option("--round", metavar="TAG", help="Only battles of this round.")] = None,
    as_json: Json = False,
) -> None:
    """List the players of an event, or of all battles: won, drawn, lost, figs taken and lost."""
    from api.terminal import listing

    listing.standings(data, event, round_, as_json=as_json)


@app.command()
def verify(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="A bundle (*.wlog), or with --unsigned an export, too.")
    ],
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VKEY|FILE", help="The log's public key: from the organiser, never from who sent the file."
        ),
    ] = None,
    global_key: Annotated[
        list[str] | None, typer.Option(metavar="VKEY|FILE", help="The public key of the log of battles.")
    ] = None,
    referee_key: Annotated[
        list[str] | None, typer.Option(metavar="VKEY|FILE", help="A referee's key that may cosign the end.")
    ] = None,
    receipt: Annotated[
        list[Path] | None,
        typer.Option(metavar="NOTEFILE", help="A signed note that you kept while the battle went on."),
    ] = None,
    origin: Annotated[
        str | None, typer.Option(metavar="ORIGIN", help="The log that it has to be: <host>/battle/<id>.")
    ] = None,
    require_cosign: Annotated[
        bool, typer.Option("--require-cosign", help="The end has to be cosigned by all sides or a referee.")
    ] = False,
    unsigned: Annotated[
        bool, typer.Option("--unsigned", help="Check the inner consistency alone, which anybody can forge.")
    ] = False,
    no_rules: Annotated[bool, typer.Option("--no-rules", help="Check the proof, and decide no action again.")] = False,
    as_json: Json = False,
) -> None:
    """Verify a bundle offline: signatures, entries, dice and actions. Exit 0 valid, 1 not, 3 valid but still open."""
    from api.terminal import verifying

    asked = verifying.Asked(
        keys=key or (),
        global_keys=global_key or (),
        referees=referee_key or (),
        receipts=receipt or (),
        origin=origin,
        cosigned=require_cosign,
        unsigned=unsigned,
        rules=not no_rules,
    )
    raise typer.Exit(verifying.run(source, asked, as_json=as_json))


@app.command(name="rules-diff")
def rules_diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The rules version that the battle was played by.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The version to compare it with.")],
    source: Annotated[Path, typer.Argument(metavar="FILE", help="A bundle or an export.")],
    as_json: Json = False,
) -> None:
    """Name every outcome of a recorded battle that another rules version would change, each action on its own."""
    from api.terminal import drifting

    raise typer.Exit(drifting.run(old, new, source, as_json=as_json))


@app.command()
def seat(
    url: Annotated[str, typer.Argument(metavar="URL", help="The service, such as https://log.example.")],
    battle: Annotated[str, typer.Argument(metavar="BATTLE", help="The battle's id.")],
    name: Annotated[str, typer.Argument(metavar="SEAT", help="`side:red`, say, or `referee`.")],
    state: Annotated[
        Path, typer.Option(metavar="FILE", help="Where the seat keeps its key and chain; made if it is not there.")
    ],
    secret_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file with its secret (BATTLELOG_SECRET if not said).")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when no roll waits for this seat.")] = False,
    act: Annotated[str | None, typer.Option(metavar="JSON", help="Send this request, signed, and stop.")] = None,
    kind: Annotated[
        str, typer.Option(metavar="PATH", help="What --act is: actions, undo, undo/3, rolls/17/confirm, ...")
    ] = "actions",
    new_key: Annotated[
        bool, typer.Option("--new-key", help="Join again where the state file of this seat is lost.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Be a seat: check the log, open this seat's links for the dice, sign its requests. Follows until the end."""
    from api.terminal import seating

    wanted = seating.Wanted(once, act, kind, new_key, as_json)
    seating.sit(url, battle, name, secret_file, state, wanted)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # What a locale cannot write is written as an escape, never as a failure.
            stream.reconfigure(errors="backslashreplace")
    try:
        with swept_seldom():
            app()
    except Exception as fault:  # noqa: BLE001 - the last net: a fault of ours is told in a sentence, too
        place = traceback.extract_tb(fault.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        complain(f"this is a fault of the program itself ({where}): {type(fault).__name__}: {fault}")
        sys.exit(FOUND_WRONG)
