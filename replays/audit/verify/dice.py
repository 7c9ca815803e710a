"""Dice of the service. Law: each die follows from links that were committed to before anybody knew what it is for.

Index, commitment and value, for the server's chain and for those of the seats that contribute (docs/format.md, 8).
"""

from collections.abc import Sequence
from typing import Any

from replays.audit.dicechain import LENGTH, SERVER, ChainId, DiceStream, TooManyDice, leads_back, roll_key
from replays.audit.findings import Finding
from replays.audit.verify.case import Findings, Step
from replays.audit.verify.line import Line, faces_of


def index(step: Step) -> Findings:
    """The next index of the chain in force, never twice, never skipped, and the one that was asked for."""
    server, waits = step.trail.server, step.trail.waiting
    epoch, used = server.epoch, server.opened
    for line in step.of("DiceDrawn", "RollRequested", "DiceAnchored", "BranchOpened"):
        body = line.body
        if line.type == "BranchOpened":
            epoch, used = 0, 0
        elif line.type == "DiceAnchored":
            yield from _anchor(step, line, epoch, used)
            epoch, used = body["epoch"], 0
        elif (body["epoch"], body["index"]) != (epoch, used + 1):
            text = f"indices are never used twice or skipped: wanted epoch {epoch}, index {used + 1}"
            yield Finding("E-DICE-INDEX", text, line.seq, "index")
        elif line.type == "DiceDrawn":
            used += 1
            if waits is not None and waits.chain and not waits.names(body["epoch"], body["index"]):
                text = f"the request of entry {waits.head.seq} named another link"
                yield Finding("E-DICE-INDEX", text, line.seq, "index")


def _anchor(step: Step, line: Line, epoch: int, used: int) -> Findings:
    """A new chain has the next epoch, and begins where nobody can choose it by the dice that it would give."""
    body, length = line.body, 0 if step.trail.branch else LENGTH
    if (body["party"], body["epoch"], body["length"]) != (0, epoch + 1, length):
        text = f"the next commitment is of epoch {epoch + 1}, with {length} links"
        yield Finding("E-DICE-INDEX", text, line.seq, "epoch")
    elif not _in_place(step, line, epoch, used):
        text = "a new chain begins where the old one is used up, or where the referee has it renewed"
        yield Finding("E-DICE-INDEX", text, line.seq)
    elif epoch >= 0 and used < step.trail.server.length:
        yield Finding("W-CHAIN", f"the service replaced its chain after {used} links", line.seq)


def _in_place(step: Step, line: Line, epoch: int, used: int) -> bool:
    head, at = step.head, step.batch.index(line)
    if head.type == "BattleStarted":
        return epoch < 0
    if any(behind.type != "RequestSigned" for behind in step.batch[at + 1 :]):
        return False
    if head.type == "ActionDeclared":
        return 0 < step.trail.server.length == used
    return line.actor == "referee" and (at == 0 or (at == 1 and step.voids))


def single(step: Step) -> Findings:
    """One link for one action, and only for an action whose dice fell."""
    drawn = step.of("DiceDrawn")
    if not drawn:
        return
    if len(drawn) > 1 or drawn[0].seq != step.head.seq + 1 or step.head.type != "ActionDeclared":
        yield Finding("E-DICE-OPEN", "one link for one action, right behind what was declared", drawn[-1].seq)
    elif not step.throws:
        yield Finding("E-DICE-OPEN", "a link was opened, and no die fell", drawn[0].seq)


def link(step: Step) -> Findings:
    """The link hashes back to the commitment; only a what-if has dice of its own."""
    server = step.trail.server
    for line in step.of("DiceDrawn"):
        body = line.body
        if (body["source"] == "whatif") != bool(step.trail.branch):
            yield Finding("E-DICE-LINK", "a what-if has dice of its own, and only a what-if", line.seq, "source")
        elif body["source"] != "whatif":
            of = line.chain(SERVER, body["epoch"])
            if not leads_back(of, body["index"], bytes.fromhex(body["link"]), server.link, server.opened):
                yield Finding("E-DICE-LINK", "the link does not open the commitment", line.seq, "link")


def value(step: Step) -> Findings:
    """The dice are those that the links give."""
    for line in step.of("DiceDrawn"):
        stands = step.throws
        gives = drawn_faces(line, stands, step.trail.branch)
        if gives is not None and gives != faces_of(stands):
            off = next(at for at in step.batch if at.throws and at.seq >= _first_off(step, gives))
            text = f"dice are {faces_of(stands)}, the links give {gives}"
            yield Finding("E-DICE-VALUE", text, off.seq, "dice")


def _first_off(step: Step, gives: Sequence[int]) -> int:
    at = 0
    for line in step.batch:
        faces = faces_of(line.throws)
        if faces != list(gives[at : at + len(faces)]):
            return line.seq
        at += len(faces)
    return 0


def drawn_faces(line: Line, throws: Sequence[dict[str, Any]], branch: str) -> list[int] | None:
    """The faces that the links of a `DiceDrawn` give for such throws; None where they come from somewhere else."""
    body = line.body
    if body["source"] == "forfeit" or branch == "recorded":
        return None
    if body["source"] == "whatif":
        return stream_faces(bytes.fromhex(body["link"]), throws)
    shares = {c["party"]: bytes.fromhex(c["link"]) for c in body["contributors"]}
    return chain_faces(line.chain(SERVER, body["epoch"]), body["index"], body["link"], shares, throws)


def chain_faces(
    of: ChainId, number: int, opened: str, shares: dict[int, bytes], throws: Sequence[dict[str, Any]]
) -> list[int]:
    """The faces that link `number` of the server and the links of the others give; none if there are no such dice."""
    try:
        key = roll_key(of, number, bytes.fromhex(opened), shares)
    except ValueError:
        return []
    return stream_faces(key, throws)


def stream_faces(key: bytes, throws: Sequence[dict[str, Any]]) -> list[int]:
    """The faces of one key for throws of these kinds; none if there are no such dice."""
    stream = DiceStream(key)
    try:
        return [face for t in throws for face in stream.dice(len(t["faces"]), t["sides"])]
    except (ValueError, TooManyDice):
        return []
