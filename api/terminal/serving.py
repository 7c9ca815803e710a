"""Serving: the service, started by hand. Law: what keeps it from starting is said in a sentence."""

import errno
import socket
import sys
from pathlib import Path
from typing import Any, Final

from api.app import create_app
from api.server import server_of
from api.settings import BadSettings, Settings
from api.terminal.stop import Stop, complain
from replays.store import StoreUnavailable, shown

_WORDS: Final = {
    errno.EADDRINUSE: "another program has it already: say another with --port, or 0 for a free one",
    errno.EACCES: "this user may not: ports below 1024 are for the system",
    errno.EADDRNOTAVAIL: "this machine has no such address",
}


def settings(
    host: str | None, port: int | None, data: Path | None, *, database: str | None = None, **more: Any
) -> Settings:
    """The environment's settings, and on top what was typed."""
    if data is not None and database is not None:
        raise Stop("--data and --database both say where the battles are kept: give one of them")
    if data is not None and data.parts[0] in ("postgres:", "postgresql:"):
        raise Stop("--data is for a file: give the address of a database with --database")
    try:
        return Settings.read(host=host, port=port, database=database if data is None else str(data), **more)
    except BadSettings as no:
        raise Stop(str(no)) from None


def serve(chosen: Settings) -> None:
    """Serve until told to stop."""
    with bound(chosen) as listener:
        serve_at(chosen, listener)


def serve_at(chosen: Settings, listener: socket.socket) -> None:
    """Serve on a socket that is bound already, until told to stop."""
    try:
        app = create_app(chosen)
    except (StoreUnavailable, BadSettings) as no:
        raise Stop(str(no)) from None
    where = address_of(chosen, listener)
    sys.stderr.write(f"{banner(chosen, where)}\n")
    for caution in app.state.cautions:
        complain(f"WARNING: {caution}")
    sys.stderr.flush()
    try:
        server_of(app, chosen).run(sockets=[listener])
    except KeyboardInterrupt:
        sys.stderr.write("battlelog has stopped\n")


def banner(chosen: Settings, where: str) -> str:
    """What is served, where, and how it stops."""
    drain = f" in {chosen.drain:g} s, a second one at once" if chosen.drain else ""
    return f"battlelog serves {shown(chosen.database)} at {where} (Ctrl-C stops it{drain})"


def bound(chosen: Settings) -> socket.socket:
    """A socket on the address and port that were chosen."""
    where = f"port {chosen.port} of {chosen.host}"
    try:
        family, _, _, _, place = socket.getaddrinfo(chosen.host, chosen.port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise Stop(f"{chosen.host} is no address that this machine knows") from None
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(2048)
    except OSError as no:
        listener.close()
        raise Stop(f"{where} cannot be listened on: {_WORDS.get(no.errno or 0, no.strerror)}") from None
    return listener


def address_of(chosen: Settings, listener: socket.socket) -> str:
    """What to type into a browser for a socket that is bound."""
    return address(chosen.host, listener.getsockname()[1])


def address(host: str, port: int) -> str:
    """What to type into a browser."""
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host  # noqa: S104 - only shown
    return f"http://{shown}:{port}/"
