"""Seats. Law: a secret is random, shown once, kept as a hash, compared in constant time; who has none may only read.

The hashes are looked up for every request, so that a secret that was replaced opens nothing from that moment on, in
this process and in every other.
"""

import hmac
import re
import secrets
from collections.abc import Sequence
from typing import Final, NamedTuple

from api.problems import not_found, unauthorized
from domain.draft import SPECTATOR, Seat
from replays.referee import Referee
from replays.shelf import Book, digest

_BEARER: Final = re.compile(r"bearer +([A-Za-z0-9._~+/=-]{1,200})", re.IGNORECASE)
_BATTLE: Final = re.compile(r"[0-9a-f]{32}")


class Visit(NamedTuple):
    """Somebody at a battle: its book, the seat, and the hash of the secret that opened it (None without one)."""

    book: Book
    seat: Seat
    proof: bytes | None


def new_secret() -> str:
    """A secret that nobody guesses: 192 random bits."""
    return secrets.token_urlsafe(24)


def secret_in(headers: Sequence[str]) -> str | None:
    """The secret in the `Authorization` headers of a request; None where there are none. Raises `Problem`."""
    if not headers:
        return None
    found = _BEARER.fullmatch(headers[0].strip()) if len(headers) == 1 else None
    if found is None:
        raise unauthorized("write the header as: Authorization: Bearer <secret>")
    return found.group(1)


def enter(referee: Referee, battle: str, secret: str | None) -> Visit:
    """Let somebody in. Raises `Problem` or `Refused`: no such battle, a secret that opens no seat, a private one."""
    if not _BATTLE.fullmatch(battle):
        raise not_found("there is no such battle: an id is 32 hex digits")
    book = referee.shelf.book(battle)
    if secret is None:
        if book.record.battle.policy.private:
            raise unauthorized("this battle is private: send the secret of a seat, or that of its spectators")
        return Visit(book, SPECTATOR, None)
    proof = digest(secret.encode())
    seat = ""
    for name, known in referee.store.seat_digests(battle).items():
        if hmac.compare_digest(known, proof):
            seat = name
    if not seat:
        raise unauthorized("this secret opens no seat of this battle")
    return Visit(book, Seat.of(seat), proof)
