"""A seat that contributes: a real key and a real chain. Law: what the client does, without the network."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from domain.draft import Seat
from domain.rolls import Join, Release
from domain.words import logged
from replays.asking import Asked, Signed
from replays.audit.dicechain import Chain, ChainId
from replays.audit.statements import command_message, join_message, release_message
from replays.codec import canonical
from tests.replays.rooms import Room


class Player:
    """A side's key and chain; `length` 0 contributes nothing."""

    def __init__(self, battle: str, side: str, party: int, *, length: int = 64, epoch: int = 0, seed: int = 1) -> None:
        self.battle, self.side, self.party, self.epoch, self.length = battle, side, party, epoch, length
        self.seat = Seat("side", side)
        self.secret = Ed25519PrivateKey.from_private_bytes(bytes([party, seed] * 16))
        self.key = self.secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        self.chain = Chain(ChainId(bytes.fromhex(battle), party, epoch), bytes([seed, party] * 16), max(length, 1))

    def join(self, room: Room, old: "Player | None" = None) -> None:
        """Show the key and commit to the chain; a new key is signed for by the `old` one."""
        anchor = self.chain.anchor.hex() if self.length else ""
        message = join_message(self.battle, self.party, self.epoch, self.length, self.key, anchor)
        join = Join(
            key=self.key,
            epoch=self.epoch,
            length=self.length,
            anchor=anchor or None,
            proof=self.secret.sign(message).hex(),
        )
        kind, request, signed = f"seats/{self.seat.actor}/join", logged(join, without=set()), None
        if old is not None:
            book = room.book(self.battle)
            message = command_message(self.battle, book.head + 1, book.tail, kind, canonical(request))
            signed = Signed(book.head + 1, old.secret.sign(message).hex())
        asked = Asked(self.seat, kind=kind, request=request, signed=signed)
        room.referee.join(self.battle, self.seat.actor, join, asked)

    def released(self, room: Room, roll: int, index: int) -> Release:
        """The link for a roll, signed."""
        link = self.chain.link(index).hex()
        leaf = room.book(self.battle).leaf_at(roll)
        message = release_message(self.battle, self.party, self.epoch, index, roll, leaf, link)
        return Release(link=link, sig=self.secret.sign(message).hex())

    def release(self, room: Room, roll: int) -> None:
        """Open the link that the open roll waits for."""
        index = room.book(self.battle).record.seats[self.seat.actor].asked
        answer = self.released(room, roll, index)
        room.referee.release(self.battle, roll, answer, Asked(self.seat, kind=f"rolls/{roll}/release"))
