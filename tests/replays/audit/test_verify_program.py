"""`battlelog verify`: keys from whoever asks, plain words, honest exit codes, and no server anywhere near."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

from api.app import create_app
from api.cli import app
from api.settings import Settings
from replays.audit.checkpoint import Checkpoint, battle_origin
from replays.audit.merkle import leaf_hash, root
from replays.audit.note import written
from tests.recorded_battles import RECORDED
from tests.replays.audit.notes import HOST, LOG, WITNESS, secret
from tests.replays.audit.wrapped import (
    GLOBAL,
    REFEREE_KEY,
    SHOT,
    Doc,
    alone,
    forfeited,
    forged,
    sound,
    together,
    with_global,
    wrap,
)
from tests.replays.rooms import gangs

HOUSE = Path(__file__).parents[3]
KEY = ("--key", LOG.public.vkey)


def run(*arguments: object, code: int = 0) -> Result:
    """Run a command."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})
    assert result.exit_code == code, (result.output, result.exception)
    assert "Traceback" not in result.output
    return result


def report(*arguments: object, code: int = 0) -> dict[str, Any]:
    """Run a command for its JSON."""
    said: dict[str, Any] = json.loads(run(*arguments, "--json", code=code).stdout)
    return said


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "battle.wlog"
    path.write_bytes(sound(alone()).to_bytes())
    return path


def test_a_bundle_is_verified(file: Path) -> None:
    told = run("verify", file, *KEY).stdout
    assert told.startswith("VALID\n")
    assert "dice: L0, the service alone; end: cosigned by nobody (0)." in told
    assert "1 undo and 0 redos" in told
    assert "red: 3 figs at the muster" in told


def test_a_key_may_stand_in_a_file(file: Path, tmp_path: Path) -> None:
    key = tmp_path / "log.vkey"
    key.write_text(LOG.public.vkey + "\n")
    assert report("verify", file, "--key", key)["status"] == "valid"


def test_without_a_key_it_says_whose_key_it_needs(file: Path) -> None:
    assert "say with --key whose signature you trust" in run("verify", file, code=2).stderr
    told = run("verify", file, "--unsigned").stdout
    assert "Only the inner consistency was checked: no key was given" in told


@pytest.mark.parametrize(
    "arguments",
    [
        ("--key", "nonsense"),
        ("--key", WITNESS.public.vkey),
        (*KEY, "--unsigned"),
        ("--unsigned", "--global-key", GLOBAL.public.vkey),
        (*KEY, "--referee-key", LOG.public.vkey),
        (*KEY, "--receipt", "/nowhere/at/all"),
    ],
    ids=lambda arguments: arguments[0] + arguments[-1][:12],
)
def test_what_is_asked_wrongly_is_said_in_a_sentence(file: Path, arguments: tuple[str, ...]) -> None:
    said = run("verify", file, *arguments, code=2).stderr
    assert said.startswith("battlelog: ")
    assert said.count("\n") == 1


def test_a_file_that_is_not_there_and_one_that_is_no_bundle(tmp_path: Path) -> None:
    run("verify", tmp_path / "none.wlog", *KEY, code=2)
    (tmp_path / "text.wlog").write_bytes(b"hello\n")
    assert "E-BUNDLE this is no bundle" in run("verify", tmp_path / "text.wlog", *KEY, code=1).stdout


def test_another_key_is_another_answer(file: Path) -> None:
    told = run("verify", file, "--key", secret("elsewhere.example", 4).public.vkey, code=1).stdout
    assert told.startswith("INVALID\n  E-CHECKPOINT")


def test_the_altered_entry_of_a_broken_file_is_found(tmp_path: Path) -> None:
    played = alone()
    at = played.first("HitRolled")
    entry = played.data[at].replace(b'"hits":', b'"hits":1')
    path = tmp_path / "broken.wlog"
    path.write_bytes(sound(played).to_bytes().replace(played.data[at], entry))
    broken = sound(played)
    entries = (*broken.entries[:at], entry, *broken.entries[at + 1 :])
    path.write_bytes(type(broken)(broken.meta, entries, broken.checkpoint).to_bytes())
    said = report("verify", path, *KEY, code=1)
    found = {(f["code"], f["seq"], f["field"]) for f in said["findings"]}
    assert ("E-ROOT", 0, "") in found
    assert ("E-PREV", at + 2, "prev") in found
    assert ("E-RULE", at + 1, "HitRolled.hits") in found
    assert ("E-ROOT", 0, "") in {
        (f["code"], f["seq"], f["field"]) for f in report("verify", path, *KEY, "--no-rules", code=1)["findings"]
    }


def test_an_operators_die_is_found_with_its_entry_and_field(tmp_path: Path) -> None:
    def six(docs: list[Doc]) -> None:
        faces = next(doc for doc in docs if doc["type"] == "HitRolled")["body"]["dice"][0]["faces"]
        faces[0] = faces[0] % 6 + 1

    path = tmp_path / "forged.wlog"
    path.write_bytes(forged(alone(), six).to_bytes())
    first = report("verify", path, *KEY, code=1)["findings"][0]
    assert (first["code"], first["seq"], first["field"]) == ("E-DICE-VALUE", alone().first("HitRolled") + 1, "dice")


def test_a_battle_that_is_open_has_an_exit_code_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "open.wlog"
    path.write_bytes(wrap(alone().battle, alone().data[:-1]).to_bytes())
    assert run("verify", path, *KEY, code=3).stdout.startswith("VALID, BUT OPEN")


def test_what_seats_contributed_and_withheld_is_told(tmp_path: Path) -> None:
    path = tmp_path / "battle.wlog"
    path.write_bytes(sound(forfeited()).to_bytes())
    told = run("verify", path, *KEY).stdout
    assert "dice: L2, seats contributed to every roll" in told
    assert "side:blue forfeited the roll of entry" in told
    assert "the dice that it withheld: [" in told
    said = report("verify", path, *KEY)
    assert (said["level"], said["counts"]["unsigned"]) == ("L2", 0)
    assert said["forfeits"][0]["withheld"]


def test_receipts_cosignatures_and_the_log_of_battles(tmp_path: Path) -> None:
    played = together()
    head = Checkpoint(battle_origin(HOST, played.battle), 9, root(map(leaf_hash, played.data[:9])))
    (tmp_path / "mine.note").write_bytes(written(head.text, [LOG.sign(head.text)]))
    cosigners = [*(player.cosigner() for player in played.players.values()), REFEREE_KEY]
    path = tmp_path / "battle.wlog"
    path.write_bytes(with_global(sound(played, cosigners=cosigners)).to_bytes())
    wishes = ("--receipt", tmp_path / "mine.note", "--require-cosign", "--origin", head.origin)
    more = ("--global-key", GLOBAL.public.vkey, "--referee-key", REFEREE_KEY.public.vkey)
    said = report("verify", path, *KEY, *wishes, *more)
    assert (said["status"], said["ending"], said["findings"]) == ("valid", "C", [])
    run("verify", path, *KEY, "--origin", "x.example/battle/" + "ab" * 16, code=1)


def test_exports_are_checked_for_their_inner_consistency(tmp_path: Path) -> None:
    codes = {"mfd-brick-yard.jsonl": 0, "nme-sump-crossing.jsonl": 0}
    for path in sorted(RECORDED.glob("*.jsonl")):
        said = report("verify", path, "--unsigned", code=codes.get(path.name, 3))
        assert said["signed"] is False
        assert said["rules_checked"] is True
        assert "score" in said
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes((RECORDED / "nme-sump-crossing.jsonl").read_bytes().replace(b'"seq":9,', b'"seq":8,'))
    assert "E-SEQ entry 9, seq" in run("verify", broken, "--unsigned", code=1).stdout
    broken.write_bytes(b"")
    run("verify", broken, "--unsigned", code=1)


def test_a_bundle_of_the_service_is_verified_with_its_public_keys_alone(tmp_path: Path) -> None:
    chosen = Settings(database=str(tmp_path / "b.db"), keys=str(tmp_path / "keys"), log_format="none", rate=0)
    with TestClient(create_app(chosen)) as client:
        opened = client.post("/v1/battles", json=gangs()).json()
        seat = {"Authorization": f"Bearer {opened['seats']['referee']}"}
        url = f"/v1/battles/{opened['id']}"
        for action in (SHOT, {"do": "end_turn"}, {"do": "end_battle", "winner": "red", "reason": "time"}):
            assert client.post(f"{url}/actions", json=action, headers=seat).status_code == 201
        assert client.put(f"{url}/seats/side:red/name", json={"name": "Ada"}, headers=seat).status_code == 201
        assert client.post(f"{url}/close", json={"reason": "played"}, headers=seat).status_code == 201
        (tmp_path / "b.wlog").write_bytes(client.get(f"{url}/bundle?names=1", headers=seat).content)
    keys = ("--key", tmp_path / "keys" / "log-1.vkey", "--global-key", tmp_path / "keys" / "global-1.vkey")
    said = report("verify", tmp_path / "b.wlog", *keys)
    assert (said["status"], said["findings"]) == ("valid", [])
    assert b"Ada" in (tmp_path / "b.wlog").read_bytes()


LOOK = """
import sys
from typer.testing import CliRunner
from api.cli import app
answer = CliRunner().invoke(app, ["verify", sys.argv[1], "--key", sys.argv[2]])
assert answer.exit_code == 0, answer.output
roots = {name.partition(".")[0] for name in sys.modules}
print(*sorted(roots & {"fastapi", "starlette", "uvicorn", "eventsourcing", "sqlite3", "jinja2", "limits"}))
print(*sorted(name for name in sys.modules if name in {"api.app", "api.server", "replays.referee"}))
"""


def test_no_server_and_no_database_is_loaded(file: Path) -> None:
    command = [sys.executable, "-c", LOOK, str(file), LOG.public.vkey]
    # Measuring coverage would load a database of its own into the program that is looked at.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    found = subprocess.run(command, cwd=HOUSE, env=plain, capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[:2] == ["", ""], found.stdout


PROOF = """
import sys
before = set(sys.modules)
import replays.audit.verify.run
roots = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(n for n in roots - sys.stdlib_module_names if not n.startswith("_")))
print(*sorted(n for n in sys.modules if n.startswith("replays.") and not n.startswith("replays.audit")))
"""


def test_the_proof_half_needs_only_the_standard_library_and_cryptography() -> None:
    found = subprocess.run([sys.executable, "-c", PROOF], cwd=HOUSE, capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[:2] == ["cryptography replays", ""]


def test_a_file_of_several_keys_and_no_file_at_all_are_said_as_they_are(file: Path, tmp_path: Path) -> None:
    several = tmp_path / "keys.txt"
    several.write_text(f"{LOG.public.vkey}\n{LOG.public.vkey}\n")
    assert "holds 2 keys" in run("verify", file, "--key", several, code=2).output
    assert "no such file" in run("verify", file, "--key", tmp_path / "nosuch.vkey", code=2).output
