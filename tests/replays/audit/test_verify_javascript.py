"""A second verifier, in another language and without packages, says the same of good bundles and of broken ones."""

import json
import random
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.flip import bits, flipped
from replays.audit.bundle import Bundle
from replays.audit.unproven import Unproven
from replays.audit.verify.run import verify
from tests.recorded_battles import RECORDED
from tests.replays.audit.notes import LOG, secret
from tests.replays.audit.test_threats_rolls import settled, voided
from tests.replays.audit.wrapped import (
    POLICY,
    Doc,
    agreed,
    alone,
    branched,
    by_hand,
    forfeited,
    forged,
    sound,
    together,
    wrap,
)

Said = tuple[str, int]
SOUND: Said = ("", 0)
VERIFIER = Path(__file__).with_name("verifier.mjs")
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node, which runs the second verifier, is not installed")

PLAYED = {f.__name__: f() for f in (alone, together, forfeited, by_hand, agreed, branched, settled, voided)}


def told(folder: Path, files: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    """What the second verifier says of each."""
    paths = []
    for name, data in files.items():
        paths.append(folder / f"{name}.wlog")
        paths[-1].write_bytes(data)
    assert NODE is not None
    command = [NODE, str(VERIFIER), LOG.public.vkey, *map(str, paths)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == (0 if all(answer["ok"] for answer in answers) else 1), run.stderr
    return {Path(answer["file"]).stem: answer for answer in answers}


def python_says(data: bytes) -> Said:
    """The first code of ours and its entry; nothing if the bundle is valid."""
    try:
        found = verify(Bundle.parse(data), POLICY)
    except Unproven as no:
        return no.code, 0
    return next(((f.code, f.seq) for f in found.findings if not f.code.startswith("W-")), SOUND)


def javascript_says(folder: Path, files: Mapping[str, bytes]) -> dict[str, Said]:
    """The first code of the other and its entry."""
    return {name: (answer["code"], answer["seq"]) for name, answer in told(folder, files).items()}


@needs_node
def test_both_take_what_was_played(tmp_path: Path) -> None:
    files = {name: sound(played).to_bytes() for name, played in PLAYED.items()}
    assert {name: answer["ok"] for name, answer in told(tmp_path, files).items()} == dict.fromkeys(files, True)
    assert {name: python_says(data) for name, data in files.items()} == dict.fromkeys(files, SOUND)


@needs_node
def test_both_say_the_same_of_the_recorded_battles(tmp_path: Path) -> None:
    files = {}
    for path in sorted(RECORDED.glob("*.jsonl")):
        entries = path.read_bytes().splitlines()
        files[path.stem.replace(".", "-")] = wrap(json.loads(entries[-1])["battle"], entries).to_bytes()
    answers = javascript_says(tmp_path, files)
    assert answers == {name: python_says(data) for name, data in files.items()}
    assert SOUND in answers.values()


@needs_node
def test_both_refuse_single_bits(tmp_path: Path) -> None:
    chance = random.Random(60)
    files = {}
    for name, played in PLAYED.items():
        data = sound(played).to_bytes()
        end = data.index(b"\nglobal 0")
        for n, bit in enumerate(chance.sample([b for b in bits(data) if b < 8 * end], 10)):
            files[f"{name}-{n}"] = flipped(data, bit)
    answers = told(tmp_path, files)
    assert len(files) == 80
    assert not [name for name in files if answers[name]["ok"] or python_says(files[name]) == SOUND]


def _link(docs: list[Doc]) -> None:
    next(doc for doc in docs if doc["type"] == "DiceDrawn")["body"]["link"] = "00" * 32


def _index(docs: list[Doc]) -> None:
    next(doc for doc in docs if doc["type"] == "DiceDrawn")["body"]["index"] = 2


def _face(docs: list[Doc]) -> None:
    faces = next(doc for doc in docs if doc["type"] == "HitRolled")["body"]["dice"][0]["faces"]
    faces[0] = faces[0] % 6 + 1


def _battle(docs: list[Doc]) -> None:
    docs[20]["battle"] = "ab" * 16


def _start(docs: list[Doc]) -> None:
    docs.pop(0)


@needs_node
def test_both_find_what_an_operator_has_rewritten(tmp_path: Path) -> None:
    played = alone()
    late = {"prev": "00" * 32}
    docs = played.docs
    spaced = json.dumps(docs[-1] | {}, sort_keys=True).encode()
    unlinked = json.dumps(docs[-1] | late, sort_keys=True, separators=(",", ":")).encode()
    renumbered = json.dumps(docs[-1] | {"seq": 7}, sort_keys=True, separators=(",", ":")).encode()
    bundles = {
        "E-DICE-LINK": forged(played, _link),
        "E-DICE-INDEX": forged(played, _index),
        "E-DICE-VALUE": forged(played, _face),
        "E-BATTLE": forged(played, _battle),
        "E-START": forged(played, _start),
        "E-CANON": wrap(played.battle, (*played.data[:-1], spaced)),
        "E-PREV": wrap(played.battle, (*played.data[:-1], unlinked)),
        "E-SEQ": wrap(played.battle, (*played.data[:-1], renumbered)),
        "E-OPEN": wrap(played.battle, played.data[:-1]),
        "E-CHECKPOINT": sound(played, signers=[secret("warlog.example", 66)]),
        "E-SIZE": replace(sound(played), entries=tuple(played.data[:-1])),
    }
    files = {name: bundle.to_bytes() for name, bundle in bundles.items()}
    answers = javascript_says(tmp_path, files)
    assert {name: code for name, (code, _) in answers.items()} == {name: name for name in files}
    assert answers == {name: python_says(data) for name, data in files.items()}


@needs_node
def test_both_compare_what_a_bundle_says_of_itself(tmp_path: Path) -> None:
    whole, cut = sound(alone()), wrap(alone().battle, alone().data[:-1])
    bundles = {
        "meta-open": replace(whole, meta=replace(whole.meta, closed=False)),
        "meta-closed": replace(cut, meta=replace(cut.meta, closed=True)),
        "meta-rules": replace(whole, meta=replace(whole.meta, rules="nme.2")),
        "meta-battle": replace(whole, meta=replace(whole.meta, battle="ab" * 16)),
    }
    files = {name: bundle.to_bytes() for name, bundle in bundles.items()}
    for member in (b"host", b"rules", b"closed"):
        meta = whole.meta.to_bytes().replace(b'"' + member + b'":', b'"' + member + b's":')
        framed = b"meta %d\n%s\n" % (len(meta), meta)
        data = whole.to_bytes()
        files[f"meta-without-{member.decode()}"] = data[:14] + framed + data[data.index(b"events ") :]
    answers = javascript_says(tmp_path, files)
    assert answers == {name: python_says(data) for name, data in files.items()}
    assert {answers[name] for name in files if name not in ("meta-closed", "meta-rules", "meta-battle")} == {
        ("E-BUNDLE", 0)
    }
    assert (answers["meta-closed"], answers["meta-rules"]) == (("E-OPEN", 0), ("E-RULES", 0))
