"""The worked examples and limits of both rulebooks, as data; the domain and the service are held to the same.

`vectors/rules/*.json` holds them. A vector opens a battle (`figs`, and `ranks` of figs all alike, two inches apart),
plays `before`, and then tries its `action` (null: the opening itself is tried) with every list of dice in `cases`. What
comes of it is either `refused`, the rule that says no, or all `events` in order, each with those members that matter,
as the log has them (lengths in thou). `rolls` are the dice asked for, one after the other; `status` is how figs are
left. `row` is the line of the rulebook that a vector stands for; without one it is a limit drawn by the rule's text.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "vectors" / "rules"
ASIDE = {"ActionDeclared", "PhaseStarted"}
"""Events that come with any action and are left out of `events`."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """One vector with one list of dice."""

    name: str
    opening: Row
    before: Sequence[Row]
    action: Row | None
    dice: tuple[int, ...]
    expect: Row


def vectors(system: str) -> list[Row]:
    """All vectors of a system."""
    rows: list[Row] = json.loads((FOLDER / f"{system}.json").read_text(encoding="utf-8"))
    return rows


def trials() -> list[Trial]:
    """All vectors of both systems with all their dice."""
    return [trial for system in ("mfd", "nme") for vector in vectors(system) for trial in _tried(system, vector)]


def _tried(system: str, vector: Row) -> list[Trial]:
    opening = {
        "system": system,
        "dice": "table",
        "sides": [{"id": side} for side in vector.get("sides", ["red", "blue"])],
        "figs": vector["figs"] + [fig for rank in vector.get("ranks", []) for fig in _drawn_up(rank)],
        "policy": vector.get("policy", {}),
    }
    before = [_ruling(step) if "fall" in step else step for step in vector.get("before", [])]
    found = []
    for case in vector["cases"]:
        for dice in case.get("dice", [[]]):
            name = f"{vector['id']} {dice}" if dice else vector["id"]
            found.append(Trial(name, opening, before, vector["action"], tuple(dice), case))
    return found


def _drawn_up(rank: Row) -> list[Row]:
    """Figs that differ only in their number and place: twenty to a line."""
    return [
        {"id": f"{rank['ids']}-{rank['first'] + n}", "side": rank["side"]}
        | {"x": rank["x"] + 2 * (n % 20), "y": rank["y"] + 2 * (n // 20)}
        | rank["each"]
        for n in range(rank["count"])
    ]


def _ruling(step: Row) -> Row:
    """The referee's word that so many figs of a side have fallen."""
    fallen = [f"{step['fall']}-{n}" for n in range(step["from"], step["to"] + 1)]
    changes = [{"fig": fig, "field": "status", "value": "out"} for fig in fallen]
    return {"rule": "HOUSE", "reason": "they fell before", "changes": changes}


def told(events: Sequence[tuple[str, Row]]) -> list[Row]:
    """Events by wire name and body, as vectors tell them."""
    return [{"type": kind} | body for kind, body in events if kind not in ASIDE]


def check_events(expect: Row, events: Sequence[Row]) -> None:
    """The events are exactly those expected, and say what is expected of each."""
    assert [event["type"] for event in events] == [wanted["type"] for wanted in expect["events"]]
    for event, wanted in zip(events, expect["events"], strict=True):
        assert _part_of(wanted, event) == wanted


def _part_of(wanted: Any, found: Any) -> Any:
    """What was found, cut down to the members that are wanted."""
    if isinstance(wanted, dict) and isinstance(found, Mapping):
        return {name: _part_of(inner, found[name]) for name, inner in wanted.items()}
    if isinstance(wanted, list) and isinstance(found, list | tuple) and len(wanted) == len(found):
        return [_part_of(a, b) for a, b in zip(wanted, found, strict=True)]
    return found
