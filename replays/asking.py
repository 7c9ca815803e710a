"""Asking: the words between whoever asks and the referee. Law: plain values; what was asked, and what came of it."""

from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field

from domain import events as e
from domain.dice import Roll, Throw
from domain.draft import Seat
from domain.record import Record
from domain.words import Asked as AskedModel
from domain.words import Seq, Text
from replays.sealing import Batch
from replays.shelf import Book
from replays.store import NameRow, SecretRow


class BranchAsked(AskedModel):
    """A what-if: after which entry it parts (the head if left out), and with which dice."""

    at: Seq | None = None
    dice: Literal["fresh", "recorded", "table"] = "fresh"
    title: Annotated[Text, Field(max_length=120)] = ""


class Signed(msgspec.Struct, frozen=True):
    """A seat's signature under a request: the entry that it is meant to become, and the signature in hex."""

    seq: int
    sig: str


class Asked(msgspec.Struct, frozen=True):
    """Who asks, and how: idempotency key and digest of the raw request, the head it takes for granted, or a dry run.

    `kind` and `request` are what a signature covers: the act's name, and its normalised request (only where there is
    one). `book` is the battle's, where whoever asks has just looked it up.
    """

    seat: Seat
    key: str = ""
    digest: bytes = b""
    if_match: int | None = None
    dry_run: bool = False
    kind: str = ""
    request: dict[str, Any] = {}
    signed: Signed | None = None
    book: Book | None = None


class Receipt(msgspec.Struct, frozen=True):
    """The answer to a write: the batch as it was stored. `seats` holds new secrets, shown once."""

    battle: str
    action: int
    seq: int
    data: tuple[bytes, ...]
    replayed: bool = False
    seats: dict[str, str] = {}


class Preview(msgspec.Struct, frozen=True):
    """What would happen, or which dice would be thrown; nothing was written."""

    events: tuple[e.Event, ...]
    record: Record
    wanted: tuple[Roll, ...] = ()
    so_far: tuple[Throw, ...] = ()


class KeyMisused(Exception):  # noqa: N818 - the caller's mistake, answered as 422
    """An idempotency key came again with another request."""


class Busy(Exception):  # noqa: N818 - answered as "try again"
    """The battle's head moved too often while a request was decided."""


class Proposal(msgspec.Struct, frozen=True):
    """What somebody proposes: a batch, perhaps another seat's that follows from it, and what is stored beside."""

    events: tuple[e.Event, ...]
    secrets: tuple[SecretRow, ...] = ()
    then: Batch | None = None
    names: tuple[NameRow, ...] = ()
