"""Verifying: a bundle checked offline, beside its bare hashes and signatures; both in seconds of the processor."""

from collections.abc import Iterator

from bench.rows import Row, at_most, in_turn, row, spent
from bench.sizes import Run
from bench.verifying import Bare, played
from replays.audit.bundle import Bundle
from replays.audit.verify.run import verify
from replays.reexamine import reexamine
from tests.replays.audit.wrapped import POLICY, sound


def rows(run: Run) -> Iterator[Row]:
    """Seconds, with dice of all seats and with those of the service alone."""
    run.say("playing", 0, 1)
    for name, together in (("all seats contribute and sign", True), ("the service alone", False)):
        bundle = sound(played(run.sizes.rolls, together=together))
        yield from _halves(run, bundle, f"{len(bundle.entries):,} entries, {name}")


def _halves(run: Run, bundle: Bundle, what: str) -> Iterator[Row]:
    few, data, floor_is = run.sizes.few, bundle.to_bytes(), "its hashes and signatures alone"
    bare = Bare(bundle)

    def floor() -> float:
        return spent(bare.work_out)

    proof = in_turn(lambda: spent(lambda: verify(Bundle.parse(data), POLICY)), floor, few)
    yield row(f"proof half of {what}", "s", proof, at_most(2), floor_is)
    rules = in_turn(lambda: spent(lambda: reexamine(bundle.entries)), floor, few)
    yield row(f"rules half of {what}", "s", rules, None, floor_is)
