"""The key of a seat. Law: it signs its joining, its links and its requests, each for one place of one battle.

With it a player can play over plain HTTP: `header` is the value of `Battlelog-Signature` for a request.
"""

from collections.abc import Mapping
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.rolls import Join, Release
from replays.audit.dicechain import Chain
from replays.audit.statements import command_message, join_message, release_message
from replays.codec import canonical

SIGNATURE: Final = "Battlelog-Signature"
"""The header of a signed request."""


class SeatKey:
    """A seat's Ed25519 key in one battle (its id in hex); `public` is what others know of it, in hex."""

    def __init__(self, battle: str, private: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(private)
        self.battle = battle
        self.public = self._key.public_key().public_bytes_raw().hex()

    def join(self, party: int, epoch: int, chain: Chain | None) -> Join:
        """Show the key, and commit to a chain where the seat contributes to the dice."""
        anchor, length = ("", 0) if chain is None else (chain.anchor.hex(), chain.length)
        proof = self._signed(join_message(self.battle, party, epoch, length, self.public, anchor))
        return Join(key=self.public, epoch=epoch, length=length, anchor=anchor or None, proof=proof)

    def release(self, chain: Chain, index: int, seq: int, leaf: str) -> Release:
        """Open a link for the request that is entry `seq`, with that leaf hash."""
        link = chain.link(index).hex()
        message = release_message(self.battle, chain.of.party, chain.of.epoch, index, seq, leaf, link)
        return Release(link=link, sig=self._signed(message))

    def header(self, seq: int, prev: str, kind: str, request: Mapping[str, Any]) -> str:
        """Sign a request that shall become entry `seq`, behind the entry with leaf hash `prev`.

        `kind` is its path after `/v1/battles/{id}/`, `request` its body normalised (`api.seatclient.requests`).
        """
        message = command_message(self.battle, seq, prev, kind, canonical(request))
        return f"{seq} {self._signed(message)}"

    def _signed(self, message: bytes) -> str:
        return self._key.sign(message).hex()
