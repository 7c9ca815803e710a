"""Bundling: one battle as one file that proves itself. Law: all of it is of one moment, that of its signed head."""

from collections.abc import Sequence

from replays.audit.bundle import Bundle, Meta
from replays.audit.verify.canon import canonical
from replays.notary import Notary
from replays.shelf import Shelf
from replays.store import NameRow


def bundle(notary: Notary, shelf: Shelf, battle: str, names: Sequence[NameRow] = ()) -> bytes:
    """The bundle of a battle or branch, with the `names` that are to go along. Raises `LogForked` and `CannotSign`.

    A battle that has ended or is closed is in the log of battles by then; another one may be, and then it is shown.
    """
    if shelf.book(battle).record.status != "playing":
        notary.publish(battle)
    head, note, cosigners = notary.signed(battle)
    proof = notary.global_proof(head)
    book = shelf.book(battle)
    record = book.record_at(head.size)
    meta = Meta(battle, notary.keyring.host, record.battle.rules, record.docket.closed, tuple(cosigners))
    told = canonical({row.seat: {"name": row.name, "salt": row.salt.hex()} for row in names}) if names else b""
    return Bundle(meta, tuple(book.data(0, head.size)), note, proof or b"", names=told).to_bytes()
