"""`python -m bench.flip`: flip every bit of a bundle of 500 entries from the events section on; none may be accepted.

The root comes first, so that it ends within the hour. `--sample N --seed S` flips N bits only, `--entries N` takes
another length, `--jobs N` another number of processes. With `--kept FILE` every part that is done is written down, and
a run that was stopped goes on where it was.
"""

import argparse
import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from replays.audit.bundle import Bundle
from replays.audit.unproven import Unproven
from replays.audit.verify.case import Check
from replays.audit.verify.checks import CHECKS
from replays.audit.verify.policy import Policy
from replays.audit.verify.run import verify

ROOT_FIRST: tuple[Check, ...] = tuple(sorted(CHECKS, key=lambda check: check.name not in {"size", "root"}))
"""The same checks: size and root before the signatures."""

CHUNK = 20_000


def flipped(data: bytes, bit: int) -> bytes:
    """A file with one bit turned over."""
    at, mask = bit // 8, 1 << bit % 8
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def verdict(data: bytes, policy: Policy) -> str:
    """The code under which a file is refused; empty if it is accepted."""
    try:
        bundle = Bundle.parse(data)
    except Unproven as no:
        return no.code
    found = verify(bundle, policy, checks=ROOT_FIRST, first=True)
    return next((finding.code for finding in found.findings if finding.error), "")


def bits(data: bytes) -> range:
    """The bits from the events section on."""
    return range(8 * data.index(b"\nevents "), 8 * len(data))


def survivors(data: bytes, policy: Policy, which: Iterable[int]) -> tuple[list[int], Counter[str]]:
    """The bits whose flip is accepted, and how often each code was said."""
    codes = Counter[str]()
    accepted = []
    for bit in which:
        code = verdict(flipped(data, bit), policy)
        codes[code] += 1
        if not code:
            accepted.append(bit)
    return accepted, codes


class Kept:
    """What is done of a run, part by part; in a file, if there is one."""

    def __init__(self, path: Path | None, run: str) -> None:
        """Read what an earlier run over the same bits of the same file has done; another run's file is refused."""
        self.path = path
        self.parts: dict[int, dict[str, Any]] = {}
        if path is not None and path.exists():
            for row in map(json.loads, path.read_text().splitlines()):
                if row["run"] != run:
                    raise SystemExit(f"{path} is of another bundle or other bits: name another file")
                self.parts[row["part"]] = row
        self.run = run

    def add(self, part: int, accepted: list[int], codes: Counter[str]) -> None:
        """One part is done."""
        self.parts[part] = {"run": self.run, "part": part, "accepted": accepted, "codes": codes}
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps(self.parts[part]) + "\n")

    @property
    def accepted(self) -> list[int]:
        """The bits whose flip was accepted."""
        return [bit for part in self.parts.values() for bit in part["accepted"]]

    @property
    def codes(self) -> Counter[str]:
        """How often each code was said."""
        return sum((Counter(part["codes"]) for part in self.parts.values()), Counter[str]())


def _todo(which: list[int], kept: Kept) -> Iterator[tuple[int, list[int]]]:
    for part, start in enumerate(range(0, len(which), CHUNK)):
        if part not in kept.parts:
            yield part, which[start : start + CHUNK]


def _part(data: bytes, policy: Policy, todo: tuple[int, list[int]]) -> tuple[int, list[int], Counter[str]]:
    return todo[0], *survivors(data, policy, todo[1])


def main() -> None:
    """Flip, count and say."""
    from tests.replays.audit.wrapped import GLOBAL, POLICY, long_battle, sound, with_global  # noqa: PLC0415

    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--entries", type=int, default=500)
    wanted.add_argument("--sample", type=int, default=0)
    wanted.add_argument("--seed", type=int, default=1)
    wanted.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    wanted.add_argument("--kept", type=Path)
    asked = wanted.parse_args()
    played = long_battle(asked.entries)
    data = with_global(sound(played)).to_bytes()
    policy = replace(POLICY, global_keys=(GLOBAL.public,))
    if verdict(data, policy):
        raise SystemExit(f"the whole bundle is refused already: {verdict(data, policy)}")
    which = list(bits(data))
    if asked.sample:
        which = random.Random(asked.seed).sample(which, min(asked.sample, len(which)))
    kept = Kept(asked.kept, sha256(data + repr((which[0], len(which), asked.sample, asked.seed)).encode()).hexdigest())
    print(f"{len(played.data)} entries, {len(data)} bytes: flipping {len(which)} bits, {len(kept.parts)} parts done")
    began = time.monotonic()
    with ProcessPoolExecutor(asked.jobs) as pool:
        for part, accepted, codes in pool.map(partial(_part, data, policy), _todo(which, kept)):
            kept.add(part, accepted, codes)
            spent = time.monotonic() - began
            print(f"  {kept.codes.total()} bits, {len(kept.accepted)} accepted; {spent:.0f} s", flush=True)
    done, left = kept.codes.total(), len(which) - kept.codes.total()
    print(f"{len(kept.accepted)} of {done} flips accepted, {left} left; refused as {dict(kept.codes)}")
    raise SystemExit(1 if kept.accepted or left else 0)


if __name__ == "__main__":
    main()
