"""The checker. Law: what was promised is in the log exactly once, the log is whole, and followers were told just that.

It believes nobody: the log is read from every service, examined from its first byte (each `prev`, each table, each
action decided again), and held against the promises and against what each follower was told.
"""

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import pairwise
from statistics import quantiles

from deploy.following import Follower
from deploy.playing import Battle, Place, Promise, asked
from replays.examine import examine


def log_of(place: Place, battle: str) -> list[bytes]:
    """The whole log of a battle as a service tells it."""
    status, body = asked(place, "GET", f"/v1/battles/{battle}/entries", headers={"Accept": "application/jsonl"})
    if status != 200:
        raise ValueError(f"the log of {battle} cannot be read at {place[0]}:{place[1]}: {status}")
    return body.splitlines()


def checked(log: Sequence[bytes], promises: Sequence[Promise]) -> list[str]:
    """What is wrong with the log of a battle in which all that was asked was answered in the end."""
    examined = examine(log)
    wrong = [f"entry {found.seq}: {found.message}" for found in examined.findings]
    seqs = [json.loads(line)["seq"] for line in log]
    if seqs != list(range(1, len(log) + 1)):
        wrong.append("the seqs have a gap or a double")
    entries = {entry.seq: entry for entry in examined.entries}
    for promise in promises:
        first, last = entries.get(promise.action), entries.get(promise.seq)
        if first is None or last is None:
            wrong.append(f"lost: {promise.key} (entries {promise.action} to {promise.seq})")
        elif first.type != "ActionDeclared" or last.action != promise.action or last.state != promise.state:
            wrong.append(f"another history: {promise.key} (entries {promise.action} to {promise.seq})")
    written = [entry.seq for entry in examined.entries if entry.type == "ActionDeclared"]
    if len({promise.action for promise in promises}) != len(promises):
        wrong.append("two requests were answered with the same action")
    if doubled := set(written) - {promise.action for promise in promises}:
        wrong.append(f"doubled, or asked by nobody: actions {sorted(doubled)[:5]}, {len(doubled)} in all")
    return wrong


def told(log: Sequence[bytes], follower: Follower) -> list[str]:
    """What is wrong with what a follower was told."""
    wrong = list(follower.faults)
    if follower.last != len(log):
        wrong.append(f"{follower.name}: saw {follower.last} of {len(log)} entries")
    elif follower.digest != sha256(b"".join(line + b"\n" for line in log)).hexdigest():
        wrong.append(f"{follower.name}: was told other bytes than the log has")
    return wrong


def check_all(
    places: Sequence[Place], battles: Iterable[Battle], promises: Sequence[Promise], followers: Sequence[Follower]
) -> tuple[list[str], int]:
    """What is wrong in all of it, and how many entries there are."""
    wrong: list[str] = []
    entries = 0
    for battle in battles:
        logs = [log_of(place, battle.id) for place in places]
        if any(log != logs[0] for log in logs):
            wrong.append(f"{battle.id}: the services tell different logs")
        entries += len(logs[0])
        wrong += [f"{battle.id}: {what}" for what in checked(logs[0], [p for p in promises if p.battle == battle.id])]
        for follower in followers:
            if follower.battle == battle.id:
                wrong += told(logs[0], follower)
    return wrong, entries


def outage(promises: Iterable[Promise], start: float, end: float) -> float:
    """The longest time without an answer in a stretch of time, in seconds."""
    moments = [start, *sorted(p.answered for p in promises if start <= p.answered <= end), end]
    return max(after - before for before, after in pairwise(moments))


def delays(promises: Iterable[Promise], followers: Sequence[Follower]) -> tuple[float, float]:
    """Seconds from an answer to the frame of its last entry: the median and the 99th percentile."""
    by_battle: dict[str, list[Follower]] = {}
    for follower in followers:
        by_battle.setdefault(follower.battle, []).append(follower)
    found = [
        follower.seen[promise.seq - 1] - promise.answered
        for promise in promises
        for follower in by_battle.get(promise.battle, [])
        if len(follower.seen) >= promise.seq
    ]
    if len(found) < 2:
        return 0.0, 0.0
    cuts = quantiles(found, n=100)
    return cuts[49], cuts[98]
