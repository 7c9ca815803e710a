"""Drifting: what another rules version would have made of a battle. Law: the file is sound first, and compared after.

Exit codes: 0 nothing would change, 1 something would, 2 used wrongly.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from api.terminal.printing import out, progress, show_json, words
from api.terminal.stop import FOUND_WRONG, GOOD, Stop
from api.terminal.verdict import telling
from domain import events as e
from domain.draft import System
from domain.entry import Entry
from domain.systems import VERSIONS
from replays.audit.bundle import Bundle, is_bundle
from replays.audit.unproven import Unproven
from replays.examine import examine
from replays.rulesdiff import Drift, rules_diff


def run(old: str, new: str, source: Path, *, as_json: bool, versions: Mapping[str, System] = VERSIONS) -> int:
    """Compare two versions on a file and tell; the exit code."""
    for rules in (old, new):
        if rules not in versions:
            raise Stop(f"this release does not know the rules {rules!r}: it knows {', '.join(sorted(versions))}")
    entries = _sound(source)
    first = entries[0].body
    assert isinstance(first, e.BattleStarted)
    if first.rules != old:
        raise Stop(f"{source} was played by {first.rules}, not by {old}")
    with progress(f"deciding {source} by {new}") as seen:
        drifts = list(rules_diff(entries, versions[new], seen=seen))
    code = FOUND_WRONG if drifts else GOOD
    with telling(code):
        if as_json:
            show_json({"battle": entries[-1].battle, "old": old, "new": new, "drifts": msgspec.to_builtins(drifts)})
        else:
            for line in told(drifts, old, new):
                out().print(words(line), soft_wrap=True)
    return code


def told(drifts: list[Drift], old: str, new: str) -> list[str]:
    """The differences in lines, the first one first."""
    if not drifts:
        return [f"By {new} every action comes out as it did by {old}."]
    actions = len({drift.action for drift in drifts})
    plural = "action comes" if actions == 1 else "actions come"
    first = f"By {new} {actions} {plural} out otherwise than by {old}; the first is action {drifts[0].action}."
    return [first, *(f"  entry {d.seq}, {d.field}: {d.then} -> {d.now}" for d in drifts)]


def _sound(source: Path) -> tuple[Entry, ...]:
    try:
        data = source.read_bytes()
        lines = Bundle.parse(data).entries if is_bundle(data) else data.removesuffix(b"\n").split(b"\n")
    except OSError as no:
        raise Stop(f"{source} cannot be read: {no.strerror}") from None
    except Unproven as no:
        raise Stop(f"{source}: {no}", FOUND_WRONG) from None
    with progress(f"looking at {source}") as seen:
        examined = examine(lines, seen=seen)
    if not examined.good:
        found = examined.findings[0]
        raise Stop(f"{source} is no sound log: entry {found.seq}: {found.message}", FOUND_WRONG)
    return examined.entries
