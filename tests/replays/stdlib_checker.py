"""An independent reader of logs. Law: standard library only, and nothing of battlelog: `docs/format.md` has to suffice.

It checks canonical form, numbering, links and hashes, batches, the dice chain's links, and that an undo gives back the
table's hash from before. It does not know the rules.
"""

import hashlib
import hmac
import json
import sys
from pathlib import Path
from typing import Any

MEMBERS = ["action", "actor", "battle", "body", "prev", "seq", "state", "time", "type", "v"]


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def no_floats(text: str) -> Any:
    raise ValueError(f"a number with a point or exponent: {text}")


def stream(key: bytes, rolls: list[dict[str, Any]]) -> list[list[int]]:
    block, at, pool = 0, 0, b""
    thrown = []
    for roll in rolls:
        faces: list[int] = []
        while len(faces) < len(roll["faces"]):
            if at == len(pool):
                pool += hmac.digest(key, b"wlog/v1/dice\n" + block.to_bytes(4, "big"), "sha256")
                block += 1
            if pool[at] < 256 - 256 % roll["sides"]:
                faces.append(pool[at] % roll["sides"] + 1)
            at += 1
        thrown.append(faces)
    return thrown


def check(log: bytes) -> dict[str, int]:
    """Check a log; raises ValueError or AssertionError at the first thing that is not as the page says."""
    prev, link, index, epoch = "0" * 64, "", 0, -1
    last: dict[str, Any] = {}
    table_before: dict[int, str] = {}
    batches: list[list[dict[str, Any]]] = []
    dice = 0
    for n, line in enumerate(log.split(b"\n")[:-1], start=1):
        entry = json.loads(line, parse_float=no_floats, parse_constant=no_floats)
        assert (sorted(entry), canonical(entry)) == (MEMBERS, line), f"{n}: not canonical"
        assert (entry["seq"], entry["prev"]) == (n, prev), f"{n}: out of place"
        if entry["action"] == n:
            batches.append([])
            table_before[n] = last.get("state", "")
        else:
            assert entry["action"] == last.get("action"), f"{n}: in another's batch"
        batches[-1].append(entry)
        if entry["type"] == "ActionsUndone":
            assert entry["state"] == table_before[entry["body"]["to_before"]], f"{n}: another table after the undo"
        if last and entry["battle"] != last["battle"]:
            assert (entry["type"], entry["body"].get("leaf")) == ("BranchOpened", prev), f"{n}: another battle"
        prev = hashlib.sha256(b"\x00" + line).hexdigest()
        last = entry
    for batch in batches:
        for entry in batch:
            body = entry["body"]
            if entry["type"] == "DiceAnchored":
                link, index, epoch = body["anchor"], 0, body["epoch"]
            if entry["type"] == "DiceDrawn" and body["source"] == "chain":
                where = bytes.fromhex(entry["battle"]) + b"\x00" + epoch.to_bytes(4, "big")
                step = b"wlog/v1/link\n" + where + body["index"].to_bytes(4, "big") + bytes.fromhex(body["link"])
                assert (body["epoch"], body["index"]) == (epoch, index + 1), f"{entry['seq']}: index"
                assert hashlib.sha256(step).hexdigest() == link, f"{entry['seq']}: the link does not open the anchor"
                link, index = body["link"], body["index"]
                message = b"wlog/v1/roll\n" + where[:16] + where[17:] + index.to_bytes(4, "big") + b"\x00"
                key = hmac.digest(bytes.fromhex(link), message, "sha256")
                rolls = [roll for other in batch for roll in other["body"].get("dice") or [] if isinstance(roll, dict)]
                assert stream(key, rolls) == [roll["faces"] for roll in rolls], f"{entry['seq']}: other dice"
                dice += sum(len(roll["faces"]) for roll in rolls)
    return {"entries": last.get("seq", 0), "dice": dice}


if __name__ == "__main__":
    sys.stdout.write(f"{check(Path(sys.argv[1]).read_bytes())}\n")
