"""Each entry at its place. Law: canonical, whole, of this battle, numbered, linked, between a beginning and an end."""

import re
from typing import Final

from replays.audit.findings import OPEN, Finding
from replays.audit.verify.case import NOTHING, Case, Findings
from replays.audit.verify.line import START, Line
from replays.audit.verify.shapes import DICE_ELSEWHERE, ENVELOPE, SHAPES, each, enveloped, misshapen, thrown

ACTOR: Final = re.compile(r"referee|spectator|side:[a-z0-9-]{1,40}").fullmatch
"""Who can act."""

_throws = each(thrown)


def canon(_case: Case, line: Line, _before: Line | None) -> Findings:
    """Its bytes are the one spelling of what it says."""
    return (Finding("E-CANON", line.fault, line.seq),) if line.fault else NOTHING


def envelope(_case: Case, line: Line, _before: Line | None) -> Findings:
    """It has the ten members of every entry, and no others."""
    if enveloped([line.doc]) and ACTOR(line.actor):
        return NOTHING
    off = misshapen(ENVELOPE, line.doc) or next((member for member in line.doc if member not in ENVELOPE), "actor")
    return (Finding("E-FORMAT", "every entry has the same ten members, each of its kind", line.seq, off),)


def shape(_case: Case, line: Line, _before: Line | None) -> Findings:
    """What carries the proof is there, and of its kind."""
    off = lacking(line)
    return (Finding("E-FORMAT", f"{line.type} has no such member, or it is none", line.seq, off),) if off else NOTHING


def lacking(line: Line) -> str:
    """The first member of its body that is not there, or of another kind; empty if all are well."""
    members, body = SHAPES.get(line.type), line.body
    off = misshapen(members, body) if members else ""
    if not off and "dice" in body and line.type not in DICE_ELSEWHERE and not _throws(body["dice"]):
        return "dice"
    return off


def battle(case: Case, line: Line, before: Line | None) -> Findings:
    """It is of this battle, or of the battle that this branch parts from."""
    doc, was = line.doc, None if before is None else before.doc["battle"]
    off = ""
    if was is not None and line.type == "BranchOpened":
        body = line.body
        if (body["parent"], body["at"], body["leaf"]) != (was, line.seq - 1, doc["prev"]) or doc["battle"] == was:
            off = "a branch has an id of its own, and names its parent's last entry"
    elif was is not None and doc["battle"] != was:
        off = f"an entry of another battle, {doc['battle']}"
    if not off and line.seq == len(case.bundle.entries) and doc["battle"] != case.bundle.meta.battle:
        off = f"the bundle is of {case.bundle.meta.battle}, its log of {doc['battle']}"
    return (Finding("E-BATTLE", off, line.seq),) if off else NOTHING


def number(_case: Case, line: Line, _before: Line | None) -> Findings:
    """It is numbered in its turn."""
    if line.doc["seq"] == line.seq:
        return NOTHING
    text = f"it is numbered {line.doc['seq']}: one was dropped, added or moved"
    return (Finding("E-SEQ", text, line.seq, "seq"),)


def action(_case: Case, line: Line, before: Line | None) -> Findings:
    """It belongs to the action of the entry before, with one time and one actor, or begins one."""
    doc, text = line.doc, ""
    if doc["action"] == line.seq:
        return NOTHING
    if before is None or doc["action"] != before.doc["action"]:
        text = f"it is of action {doc['action']}, which is another's"
    elif doc["time"] != before.doc["time"] or line.actor != before.actor:
        text = "entries of one action have one time and one actor"
    return (Finding("E-FORMAT", text, line.seq, "action"),) if text else NOTHING


def prev(_case: Case, line: Line, before: Line | None) -> Findings:
    """It names the bytes of the entry before."""
    if line.doc["prev"] == (START if before is None else before.leaf.hex()):
        return NOTHING
    text = f"it does not follow on entry {line.seq - 1}: one of the two was altered"
    return (Finding("E-PREV", text, line.seq, "prev"),)


def time(_case: Case, line: Line, before: Line | None) -> Findings:
    """The clock did not go back; if it did, that is worth a look only."""
    if before is None or line.doc["time"] >= before.doc["time"]:
        return NOTHING
    text = f"the clock went back {before.doc['time'] - line.doc['time']} ms"
    return (Finding("W-TIME", text, line.seq, "time"),)


def start(_case: Case, line: Line, before: Line | None) -> Findings:
    """A log begins with `BattleStarted`, and only there."""
    if (before is None) == (line.type == "BattleStarted"):
        return NOTHING
    return (Finding("E-START", "a log begins with BattleStarted, and only there", line.seq),)


def after_end(case: Case, line: Line, before: Line | None) -> Findings:
    """Nothing but a what-if follows on `BattleClosed` and the signature under it."""
    if not case.closed or before is None or line.type == "BranchOpened":
        return NOTHING
    if line.type == "RequestSigned" and before.type == "BattleClosed" and line.doc["action"] == before.doc["action"]:
        return NOTHING
    return (Finding("E-AFTER-END", "an entry after the battle was closed", line.seq),)


def closed(case: Case) -> Findings:
    """The last act is `BattleClosed`: nothing was cut off behind it."""
    ended = case.closed
    if not ended:
        yield Finding(OPEN, "the battle is not closed: the log may have been cut")
    if case.bundle.meta.closed != ended:
        said, is_so = ("not closed", "is") if ended else ("closed", "is not")
        yield Finding("E-BUNDLE", f"the bundle says that its battle is {said}, but its log {is_so}", field="meta")


def rules(case: Case) -> Findings:
    """The bundle names the rules that the battle names."""
    first = case.first
    if first is not None and first.type == "BattleStarted" and first.body["rules"] != case.bundle.meta.rules:
        text = f"the bundle says {case.bundle.meta.rules}, the battle was played by {first.body['rules']}"
        yield Finding("E-RULES", text, field="meta")
