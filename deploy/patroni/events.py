"""What happens to the cluster. Law: each begins with all three nodes well, and ends when they are well again."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, Final

from deploy.patroni.cluster import Cluster, wait
from deploy.patroni.network import cut, join
from deploy.playing import Battle, Promise, asked
from deploy.services import ROOT, Service

_LONG: Final = 120.0
"""Seconds after which something counts as not coming any more."""
_CUTSIDE_PORT: Final = 8003


@dataclass
class Event:
    """One of them: moments are of the monotonic clock, the rest are seconds."""

    what: str
    node: str
    at: float
    leads: str = ""
    """Who leads afterwards."""
    led_after: float = 0
    healed_after: float = 0
    over: float = 0
    cut_side: dict[str, Any] = field(default_factory=dict)


def killed(cluster: Cluster) -> Event:
    """The leader's node is lost with all of its processes, and comes back once another leads."""
    wait("the cluster is whole", cluster.whole, _LONG)
    event = Event("leader's node killed -9", cluster.leader(), monotonic())
    cluster.nodes[event.node].kill()
    _another_leads(cluster, event)
    sleep(5)
    back = monotonic()
    cluster.nodes[event.node].start()
    _healed(cluster, event, back)
    return event


def switched(cluster: Cluster) -> Event:
    """The leader hands over in order, as an operator has it do before work on its machine."""
    wait("the cluster is whole", cluster.whole, _LONG)
    members = cluster.members()
    leader = next(member["name"] for member in members if member["role"] == "leader")
    candidate = next(member["name"] for member in members if member["role"] == "sync_standby")
    event = Event("planned switchover", leader, monotonic())
    place = cluster.nodes[leader].address, 8008
    status, said = asked(place, "POST", "/switchover", {"leader": leader, "candidate": candidate})
    if status != 200:
        raise RuntimeError(f"no switchover: {status} {said.decode()}")
    _another_leads(cluster, event)
    _healed(cluster, event, event.at)
    return event


def cut_off(cluster: Cluster, service_settings: dict[str, str]) -> Event:
    """The leader's node is cut off while players play on it; after the others lead, the cable is plugged in again."""
    wait("the cluster is whole", cluster.whole, _LONG)
    node = cluster.nodes[cluster.leader()]
    folder = cluster.ways.folder
    service = Service(_CUTSIDE_PORT, cluster.address_of_all, folder, service_settings, node.before())
    service.start()
    with (folder / "cutside.log").open("ab") as out:
        command = [*node.before(), sys.executable, "-m", "deploy.patroni.cutside", str(_CUTSIDE_PORT), "4"]
        sleep(5)
        players = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=out)
    sleep(8)
    event = Event("leader cut off from the network", node.name, monotonic())
    cut(node.name)
    _another_leads(cluster, event)
    sleep(10)
    back = monotonic()
    join(node.name)
    _healed(cluster, event, back)
    told = json.loads(players.communicate(timeout=_LONG)[0])
    service.stop()
    event.cut_side = _cut_side(told, event, back)
    return event


def _cut_side(told: dict[str, Any], event: Event, back: float) -> dict[str, Any]:
    promises = [Promise(**promise) for promise in told["promises"]]
    return {
        "battles": [Battle(**battle) for battle in told["battles"]],
        "promises": promises,
        "wrong": told["wrong"],
        "sent_again": told["failures"],
        "before": sum(p.answered < event.at for p in promises),
        "cut": sum(event.at <= p.asked and p.answered < back for p in promises),
        "under_way": sum(p.asked < event.at <= p.answered < back for p in promises),
        "after": sum(p.answered >= back for p in promises),
    }


def _another_leads(cluster: Cluster, event: Event) -> None:
    wait("another leader", lambda: cluster.leader() not in ("", event.node), _LONG)
    event.leads, event.led_after = cluster.leader(), monotonic() - event.at


def _healed(cluster: Cluster, event: Event, back: float) -> None:
    wait("the lost node follows again", cluster.whole, _LONG)
    event.healed_after = monotonic() - back
    sleep(8)
    event.over = monotonic()
