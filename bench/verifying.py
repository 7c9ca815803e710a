"""`python -m bench.verifying`: verifying a battle of 2,000 rolls against its bare hashes and signatures.

Both seats contribute to every roll and sign every request (L2), or with `--alone` the service throws alone (L0).
"""

import argparse
import json
import time
from collections.abc import Callable
from contextlib import suppress

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.refusals import Refused
from replays.audit.bundle import Bundle
from replays.audit.merkle import leaf_hash, root
from replays.audit.verify.run import CHECKS, verify
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


def bare(bundle: Bundle) -> int:
    """Only the leaf hashes, the root, and as many Ed25519 signatures as stand in it; how many those were."""
    root(leaf_hash(entry) for entry in bundle.entries)
    signatures = 1 + sum(1 for e in bundle.entries if b'"sig":"' in e or b'"proof":"' in e)
    blob = LOG.sign("x\n").blob
    key = Ed25519PublicKey.from_public_bytes(LOG.public.public)
    for _ in range(signatures):
        key.verify(blob, b"x\n")
    return signatures


def timed(work: Callable[[], object], rounds: int = 3) -> float:
    """The best of some rounds, in seconds of the processor."""
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def main() -> None:
    """Measure and print."""
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--rolls", type=int, default=2000)
    wanted.add_argument("--alone", action="store_true")
    asked = wanted.parse_args()
    bundle = sound(played(asked.rolls, together=not asked.alone))
    data = bundle.to_bytes()
    whole = verify(bundle, POLICY)
    assert whole.status == "valid", whole.findings
    counted = bare(bundle)
    unsigned = tuple(check for check in CHECKS if check.name not in {"command", "released", "joined"})
    figures = {
        "entries": len(bundle.entries),
        "rolls": whole.tally.rolls,
        "bytes": len(data),
        "signatures": counted,
        "bare hashes and signatures, s": round(timed(lambda: bare(bundle)), 3),
        "proof half, s": round(timed(lambda: verify(Bundle.parse(data), POLICY)), 3),
        "proof half without the seats' signatures, s": round(timed(lambda: verify(bundle, POLICY, checks=unsigned)), 3),
        "rules half, s": round(timed(lambda: reexamine(bundle.entries), 1), 3),
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
