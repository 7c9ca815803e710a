"""A run: clients, followers and kills, then the verdict. Law: the seed says what is tried; chance says when it dies."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

import msgspec

from tests.history.client import Client
from tests.history.evidence import gathered, kept, keyed
from tests.history.follower import Follower
from tests.history.house import House, housed
from tests.history.justified import both_ways, unjustified
from tests.history.laws import Finding, findings
from tests.history.logs import Log
from tests.history.past import Past, remembered
from tests.history.reaper import Reaper, planned
from tests.history.rebuilding import compared, differing
from tests.history.scene import Club
from tests.history.whole import whole

Say = Callable[[str], None]


class Profile(msgspec.Struct, frozen=True):
    """How much of it: `actions` are writes that were acknowledged, the openings of the battles not counted."""

    actions: int = 10_000
    battles: int = 50
    clients: int = 16
    kills: int = 24
    followers: int = 6
    seed: int = 1


class Outcome(msgspec.Struct):
    """What came of it."""

    figures: dict[str, Any]
    findings: list[Finding]

    def as_json(self) -> str:
        """All of it."""
        found = [finding._asdict() for finding in self.findings]
        return json.dumps({"figures": self.figures, "findings": found}, indent=1) + "\n"


class Tally:
    """How many writes were acknowledged."""

    def __init__(self) -> None:
        self.count = 0

    def one(self) -> None:
        """One more; a race may lose a few, which only makes the run longer."""
        self.count += 1


def run(profile: Profile, folder: Path, say: Say = lambda _text: None) -> Outcome:
    """Play and check. `folder` keeps the diaries, the logs and what the services said. Raises `NoServer`."""
    with housed(folder) as house:
        say(f"two services on one database: {', '.join(house.urls)}")
        took, reaper = _play(profile, house, folder, say)
        say("everybody is done; now the logs")
        logs, found = gathered(house.address, house.urls)
        keys = kept(house.address)
        found += differing(house.address)
    for log in logs.values():
        (folder / f"{log.battle}.jsonl").write_bytes(b"".join(line + b"\n" for line in log.lines))
    past = remembered(folder)
    say(f"checking {sum(len(log.lines) - log.at for log in logs.values()):,} entries in {len(logs)} logs")
    found += [*findings(past, logs), *unjustified(past, logs), *keyed(past, logs, keys)]
    found += whole(past, logs)
    figures = _figures(profile, past, logs, reaper, took)
    figures["read_models_compared"] = compared()
    return Outcome(figures, found)


def _play(profile: Profile, house: House, folder: Path, say: Say) -> tuple[float, Reaper]:
    club, tally, chance = Club(), Tally(), Random(f"{profile.seed}/reaper")
    clients = [Client(f"client-{n}", profile.seed, house.urls, club, folder) for n in range(profile.clients)]
    for n in range(profile.battles):
        clients[n % len(clients)].open(n)
    crowd = [scene.id for scene in club.scenes][: profile.followers]
    followers = [Follower(f"follower-{n}", profile.seed, house.urls, battle, folder) for n, battle in enumerate(crowd)]
    reaper = Reaper(house, planned(profile.kills, profile.actions, chance), chance, lambda: tally.count)
    for client in clients:
        client.acknowledged = tally.one
        client.over = lambda: tally.count >= profile.actions and not reaper.is_alive()
    started = monotonic()
    for thread in (*followers, reaper, *clients):
        thread.start()
    _watch(profile, clients, reaper, tally, say)
    took = monotonic() - started
    for service in house.services:
        service.wait()
    _dismiss(followers, house)
    return took, reaper


def _watch(profile: Profile, clients: list[Client], reaper: Reaper, tally: Tally, say: Say) -> None:
    said = monotonic()
    while any(client.is_alive() for client in clients):
        sleep(0.05)
        failures = [reaper.failure, *(client.failure for client in clients)]
        failure = next((each for each in failures if each is not None), None)
        if failure is not None:
            reaper.over = True
            tally.count = profile.actions
            raise failure
        if monotonic() - said > 5:
            said = monotonic()
            say(f"{tally.count:,} of {profile.actions:,} acknowledged, {reaper.killed.total()} kills")


def _dismiss(followers: list[Follower], house: House) -> None:
    """Send the followers home once they have everything; the checker says so if they never get it."""
    logs, _ = gathered(house.address, house.urls[:1])
    until = monotonic() + 60
    while monotonic() < until and any(f.last < logs[f.battle].head for f in followers if f.battle in logs):
        sleep(0.05)
    for follower in followers:
        follower.stop()
    for follower in followers:
        follower.join(40)


def _figures(profile: Profile, past: Past, logs: dict[str, Log], reaper: Reaper, took: float) -> dict[str, Any]:
    done = [request for request in past.requests if request.done is not None]
    answers = Counter(answer.status for request in past.requests for answer in request.answers)
    again = [request for request in done if request.sent > 1]
    return {
        "profile": msgspec.to_builtins(profile),
        "seconds": round(took, 1),
        "acknowledged": len(done) - profile.battles,
        "refused": sum(request.refused for request in past.requests),
        "never_known": sum(request.done is None and not request.refused for request in past.requests),
        "acknowledged_after_more_than_one_try": len(again),
        "answered_yes_and_no": both_ways(past),
        "tries_without_an_answer": past.lost,
        "answers_by_status": {str(status): count for status, count in sorted(answers.items())},
        "views": len(past.reads),
        "frames": sum(len(stream.frames) for stream in past.streams),
        "connections_of_followers": sum(stream.joined for stream in past.streams),
        "kills": dict(reaper.killed),
        "logs": len(logs),
        "branches": sum(bool(log.parent) for log in logs.values()),
        "entries": sum(len(log.lines) - log.at for log in logs.values()),
        "kinds": dict(Counter(_kind(request.path) for request in done).most_common()),
    }


def _kind(path: str) -> str:
    first, _, rest = path.partition("/")
    return {"undo": "answers to an undo", "disputes": "resolutions"}.get(first, path) if rest else path
