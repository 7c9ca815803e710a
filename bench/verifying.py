"""`python -m bench.verifying`: verifying a battle of 2,000 rolls against its bare hashes and signatures.

Both seats contribute to every roll and sign every request (L2), or with `--alone` the service throws alone (L0).
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from statistics import median

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
    counted = bare(bundle)
    unsigned = tuple(check for check in CHECKS if check.name not in {"command", "released", "joined"})
    works: list[Callable[[], object]] = [
        lambda: bare(bundle),
        lambda: verify(Bundle.parse(data), POLICY),
        lambda: verify(bundle, POLICY, checks=unsigned),
        lambda: reexamine(bundle.entries),
    ]
    floor, proof, light, rules = timed(works, asked.rounds)
    figures = {
        "entries": len(bundle.entries),
        "rolls": whole.tally.rolls,
        "bytes": len(data),
        "signatures": counted,
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
