"""`python -m bench.verifying`: verifying a battle of 2,000 rolls against its bare hashes and signatures.

Both seats contribute to every roll and sign every request (L2), or with `--alone` the service throws alone (L0).
"""

import argparse
import hmac
import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.refusals import Refused
from replays.audit import dicechain, statements
from replays.audit.bundle import Bundle
from replays.audit.merkle import leaf_hash, root
from replays.audit.verify.checks import CHECKS
from replays.audit.verify.run import verify
from replays.reexamine import reexamine
from tests.replays.audit.notes import LOG
from tests.replays.audit.wrapped import POLICY, Played, Signer, by_seed, closed, endless, sound, two
from tests.replays.rooms import Room


@by_seed
def played(rolls: int, *, together: bool) -> Played:
    """A battle with so many rolls."""
    room = Room()
    battle = room.open(endless(policy={"contributors": "all" if together else "none"}))
    players = two(room, battle, length=4096) if together else {}
    done = 0
    while done < rolls:
        table = room.book(battle).record.battle
        target = next(enemy for enemy in table.enemies_of(table.side) if enemy.in_play)
        for fig in list(table.figs_of(table.side)):
            shot = {"do": "shoot", "fig": fig.id, "weapon": "lasgun", "target": target.id, "mode": "aimed"}
            with suppress(Refused):
                done += _shot(room, battle, players, table.side, shot)
            if done >= rolls:
                break
        if players:
            players[table.side].act(room, do="end_turn")
        else:
            room.act(battle, do="end_turn")
    return closed(room, battle, players.values())


def _shot(room: Room, battle: str, players: dict[str, Signer], side: str, shot: dict[str, str]) -> int:
    if not players:
        room.act(battle, **shot)
        return 1
    players[side].act(room, **shot)
    waits = room.book(battle).record.pending
    if waits is None:
        return 0
    for player in players.values():
        player.release(room, waits.seq)
    return 1


class Bare:
    """What a proof is made of, ready to be worked out with nothing read and nothing judged.

    The leaves and their root; the SHA-256 of every link of a dice chain; the HMAC of every roll's key and every block
    of dice; every Ed25519 signature, with its own key and over its own message.
    """

    def __init__(self, bundle: Bundle) -> None:
        self.entries = bundle.entries
        self.links: list[bytes] = []
        self.macs: list[tuple[bytes, bytes]] = []
        self.signatures: list[tuple[Ed25519PublicKey, bytes, bytes]] = []
        with (
            patch.object(dicechain, "sha256", self._link),
            patch.object(dicechain, "hmac", self),
            patch.object(statements, "_public", self._key),
        ):
            assert verify(bundle, POLICY).status == "valid"
        key, note = Ed25519PublicKey.from_public_bytes(LOG.public.public), LOG.sign("x\n")
        self.signatures.append((key, note.blob, b"x\n"))

    def work_out(self) -> None:
        """All of it."""
        root(leaf_hash(entry) for entry in self.entries)
        for message in self.links:
            sha256(message).digest()
        for secret, message in self.macs:
            hmac.digest(secret, message, "sha256")
        for key, sig, message in self.signatures:
            key.verify(sig, message)

    def digest(self, key: bytes, message: bytes, name: str) -> bytes:
        """`hmac.digest`, listened to."""
        self.macs.append((key, message))
        return hmac.digest(key, message, name)

    def _link(self, message: bytes) -> Any:
        self.links.append(message)
        return sha256(message)

    def _key(self, public: str) -> "Heard":
        return Heard(Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)), self.signatures)


class Heard(NamedTuple):
    """A key that is listened to."""

    key: Ed25519PublicKey
    signatures: list[tuple[Ed25519PublicKey, bytes, bytes]]

    def verify(self, sig: bytes, message: bytes) -> None:
        """Keep what is verified, and verify it."""
        self.signatures.append((self.key, sig, message))
        self.key.verify(sig, message)


def timed(works: Sequence[Callable[[], object]], rounds: int) -> list[list[float]]:
    """Seconds of the processor for each work; they take turns, so that all meet the same machine."""
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, times in zip(works, taken, strict=True):
            began = time.process_time()
            work()
            times.append(time.process_time() - began)
    return taken


def said(times: Sequence[float]) -> str:
    """The median, and the best."""
    return f"{median(times):.3f} (best {min(times):.3f})"


def main() -> None:
    """Measure and print."""
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--rolls", type=int, default=2000)
    wanted.add_argument("--alone", action="store_true")
    wanted.add_argument("--rounds", type=int, default=5)
    asked = wanted.parse_args()
    bundle = sound(played(asked.rolls, together=not asked.alone))
    data = bundle.to_bytes()
    whole = verify(bundle, POLICY)
    assert whole.status == "valid", whole.findings
    bare = Bare(bundle)
    unsigned = tuple(check for check in CHECKS if check.name not in {"command", "released", "joined"})
    works: list[Callable[[], object]] = [
        bare.work_out,
        lambda: verify(Bundle.parse(data), POLICY),
        lambda: verify(bundle, POLICY, checks=unsigned),
        lambda: reexamine(bundle.entries),
    ]
    floor, proof, light, rules = timed(works, asked.rounds)
    figures = {
        "entries": len(bundle.entries),
        "rolls": whole.tally.rolls,
        "bytes": len(data),
        "links, keys and blocks of dice": len(bare.links) + len(bare.macs),
        "signatures": len(bare.signatures),
        "rounds": asked.rounds,
        "load average": round(os.getloadavg()[0], 1),
        "bare hashes and signatures, s": said(floor),
        "proof half, s": said(proof),
        "proof half, times the bare": round(median(p / f for p, f in zip(proof, floor, strict=True)), 2),
        "proof half without the seats' signatures, s": said(light),
        "rules half, s": said(rules),
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
