"""Shipping: battles out of a store and into one. Law: the stored bytes go out; what comes in was examined."""

import os
import sys
from pathlib import Path
from typing import Any, Final

from api.seats import new_secret
from api.terminal.printing import out, show_json, words
from api.terminal.sources import book_of, examined_file, store_of
from api.terminal.stop import FOUND_WRONG, Stop
from replays.codec import lines
from replays.examine import Examined
from replays.imports import Clash, Imported, import_log, seats_of
from replays.shelf import digest
from replays.store import SeatRow

SHOWN_ONCE: Final = "New seats, shown this once (send `Authorization: Bearer <secret>`):"


def export(battle: str, data: str, output: Path | None, *, as_json: bool, force: bool) -> None:
    """Write a battle's log as JSON Lines, a branch's inherited past included."""
    if as_json and output is None:
        raise Stop("with --json the report takes standard output: say with --output where the log shall go")
    with store_of(data) as store:
        log = lines(book_of(store, battle).data())
    if output is None:
        sys.stdout.buffer.write(log)
        sys.stdout.buffer.flush()
        return
    _write(output, log, force=force)
    report = {"battle": battle, "entries": log.count(b"\n"), "bytes": len(log), "output": str(output)}
    if as_json:
        show_json(report)
    else:
        out().print(words(f"{report['entries']} entries of {battle} are in {output}."), soft_wrap=True)


def _write(output: Path, log: bytes, *, force: bool) -> None:
    if output.exists() and not force:
        raise Stop(f"{output} is there already: choose another name, or say --force to replace it")
    part = output.with_name(f"{output.name}.part")
    try:
        part.write_bytes(log)
        os.replace(part, output)  # noqa: PTH105 - the name that replaces is the one to read
    except OSError as no:
        part.unlink(missing_ok=True)
        raise Stop(f"{output} cannot be written: {no.strerror}") from None


def take_in(source: str, data: str, *, as_json: bool) -> None:
    """Examine a file and store what it holds."""
    examined = examined_file(source, rules=True)
    with store_of(data, new=True) as store:
        try:
            imported = import_log(store, examined, new_secret)
        except Clash as clash:
            raise Stop(str(clash), FOUND_WRONG) from None
    if as_json:
        show_json(report_of(imported))
    else:
        for said in told(examined, imported, data):
            out().print(words(said), soft_wrap=True)


def reseat(battle: str, seat: str, data: str, *, as_json: bool) -> None:
    """Give a seat a new secret, on the word of whoever holds the file; the old secret opens nothing any more."""
    with store_of(data, writes=True) as store:
        record = book_of(store, battle).record
        seats = seats_of(record)
        if seat not in seats:
            raise Stop(f"{battle} has no seat {seat}: it has {', '.join(seats)}")
        secret = new_secret()
        store.replace_seat(SeatRow(battle, seat, digest(secret.encode())))
    if as_json:
        show_json({"battle": battle, "seats": {seat: secret}})
        return
    title = record.battle.title or battle
    out().print(words(f"A new secret for {seat} of '{title}', shown this once; the old one opens nothing now."))
    out().print(words(f"  {secret}"), soft_wrap=True)


def report_of(imported: Imported) -> dict[str, Any]:
    """What an import came to, as JSON."""
    return {"battle": imported.battle, "added": imported.added, "seats": imported.seats}


def told(examined: Examined, imported: Imported, data: str) -> list[str]:
    """What an import came to, in sentences."""
    assert examined.record is not None
    title = examined.record.battle.title or imported.battle
    if not any(imported.added.values()):
        return [f"'{title}' is in {data} already, as {imported.battle}; nothing was added."]
    said = [f"'{title}' is in {data} now, as {imported.battle}: {sum(imported.added.values())} entries were added."]
    for battle, seats in imported.seats.items():
        said.append(f"{SHOWN_ONCE} battle {battle}")
        said += [f"  {seat:24} {secret}" for seat, secret in seats.items()]
    return said
