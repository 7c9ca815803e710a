"""Seating: a seat's own program at the table. Law: secrets come from files, never from the command line."""

import os
import re
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from api.seatclient.client import SeatClient
from api.seatclient.following import follow, within
from api.seatclient.requests import BadRequest, signed_part
from api.seatclient.service import Answer, NotHere, Service, Unreachable
from api.seatclient.sight import Suspicion
from api.seatclient.statefile import BadState, opened
from api.seatclient.telling import Told
from api.terminal.printing import out, words
from api.terminal.stop import FOUND_WRONG, Stop, complain
from replays.roller import new_seed

SECRET: Final = "BATTLELOG_SECRET"  # noqa: S105 - the name of a variable
"""The environment variable that holds the seat's secret."""

PATIENCE: Final = 10.0
"""Seconds that a command which ends by itself waits for the service."""

_ID: Final = re.compile("[0-9a-f]{32}")
_SEAT: Final = re.compile("referee|side:[a-z0-9-]{1,40}")


class Wanted(NamedTuple):
    """What was typed: whether to stop when there is nothing to do, a request to send, and how to print."""

    once: bool
    act: str | None
    kind: str
    new_key: bool
    as_json: bool


def sit(url: str, battle: str, seat: str, secret_file: Path | None, state: Path, wanted: Wanted) -> None:
    """Be a seat: follow the battle, or send one request."""
    _check(battle, seat, wanted)
    secret = _secret(secret_file)
    try:
        with opened(state, battle, seat) as file, closing(Service(url, battle, secret)) as service:
            if not file.held and wanted.act is None:
                raise Stop(f"another program follows this battle with {state} already")
            client = SeatClient(service, file, tell=lambda told: _tell(told, wanted), new_key=wanted.new_key)
            _work(client, wanted)
    except (BadState, NotHere) as no:
        raise Stop(str(no)) from None
    except Unreachable as no:
        raise Stop(f"the service cannot be reached: {no}") from None
    except Suspicion as no:
        raise Stop(str(no), FOUND_WRONG) from None
    except KeyboardInterrupt:
        complain(f"{seat} has left; start it again to go on")


def _work(client: SeatClient, wanted: Wanted) -> None:
    if wanted.once or wanted.act is not None:
        within(PATIENCE, client.step)
    if wanted.act is not None:
        body, name = wanted.act.encode(), new_seed().hex()
        answer = within(PATIENCE, lambda: client.act(wanted.kind, body, name))
        _show(answer, wanted)
        within(PATIENCE, client.step)
        if not answer.done:
            raise Stop(answer.detail, FOUND_WRONG)
    elif not wanted.once:
        follow(client, lambda why: complain(f"the service cannot be reached, trying again: {why}"))


def _check(battle: str, seat: str, wanted: Wanted) -> None:
    if not _ID.fullmatch(battle):
        raise Stop("a battle's id is 32 digits of 0-9 and a-f")
    if not _SEAT.fullmatch(seat):
        raise Stop("a seat is called side:red, say, or referee")
    if wanted.act is not None:
        try:
            signed_part(wanted.kind, wanted.act.encode())
        except BadRequest as no:
            raise Stop(str(no)) from None


def _secret(file: Path | None) -> str:
    if file is None:
        secret = os.environ.get(SECRET, "")  # noqa: TID251 - a player's secret, no setting of the service
    else:
        try:
            secret = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as no:
            raise Stop(f"{file} cannot be read: {getattr(no, 'strerror', None) or 'it is no text'}") from None
    if not re.fullmatch(r"[A-Za-z0-9._~+/=-]{1,200}", secret.strip()):
        raise Stop(f"there is no seat's secret: say --secret-file FILE, or set {SECRET}")
    return secret.strip()


def _tell(told: Told, wanted: Wanted) -> None:
    if wanted.as_json:
        out().print(words(msgspec.json.encode(told.data).decode()), soft_wrap=True)
    else:
        out().print(words(told.line), soft_wrap=True)


def _show(answer: Answer, wanted: Wanted) -> None:
    if wanted.as_json:
        out().print(words(msgspec.json.encode(answer.body).decode()), soft_wrap=True)
    elif answer.done:
        types = ", ".join(str(entry["type"]) for entry in answer.body["entries"])
        out().print(words(f"entries {answer.body['action']} to {answer.body['seq']}: {types}"), soft_wrap=True)
