"""`python -m bench.flip`: flip every bit of a bundle of 500 entries from the events section on; none may be accepted.

The root comes first, so that it ends within the hour. `--sample N --seed S` flips N bits only, `--entries N` takes
another length, `--jobs N` another number of processes.
"""

import argparse
import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

from replays.audit.bundle import Bundle
from replays.audit.unproven import Unproven
from replays.audit.verify.case import Check
from replays.audit.verify.policy import Policy
from replays.audit.verify.run import CHECKS, verify

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


def _chunks(which: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(which), CHUNK):
        yield which[start : start + CHUNK]


def main() -> None:
    """Flip, count and say."""
    from tests.replays.audit.wrapped import GLOBAL, POLICY, long_battle, sound, with_global  # noqa: PLC0415

    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--entries", type=int, default=500)
    wanted.add_argument("--sample", type=int, default=0)
    wanted.add_argument("--seed", type=int, default=1)
    wanted.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = wanted.parse_args()
    played = long_battle(asked.entries)
    data = with_global(sound(played)).to_bytes()
    policy = replace(POLICY, global_keys=(GLOBAL.public,))
    if verdict(data, policy):
        raise SystemExit(f"the whole bundle is refused already: {verdict(data, policy)}")
    which = list(bits(data))
    if asked.sample:
        which = random.Random(asked.seed).sample(which, min(asked.sample, len(which)))
    print(f"{len(played.data)} entries, {len(data)} bytes: flipping {len(which)} bits")
    began, done, accepted, codes = time.monotonic(), 0, list[int](), Counter[str]()
    with ProcessPoolExecutor(asked.jobs) as pool:
        for part, said in pool.map(survivors, *zip(*((data, policy, c) for c in _chunks(which)), strict=True)):
            accepted += part
            codes += said
            done += sum(said.values())
            spent = time.monotonic() - began
            print(f"  {done} bits in {spent:.0f} s, {len(accepted)} accepted", flush=True)
    print(f"{len(accepted)} of {done} flips accepted; refused as {dict(codes)}")
    raise SystemExit(1 if accepted else 0)


if __name__ == "__main__":
    main()
