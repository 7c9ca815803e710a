"""Seats: keys and what they sign. Law: what a seat's key did not sign, at this place, that seat did not say."""

from typing import Final

from replays.audit.findings import Finding
from replays.audit.statements import command_message, holds, is_weak, join_message
from replays.audit.verify.canon import canonical
from replays.audit.verify.case import Findings, Step
from replays.audit.verify.line import Line
from replays.audit.verify.requests import covers

UNSIGNED: Final = frozenset({"BranchOpened", "SeatJoined", "SeatNamed", "LinkReleased"})
"""What carries a signature of its own, or is no act of play; a batch of it holds nothing else."""

_SIGNED_OR_NOT: Final = UNSIGNED | {"RequestSigned"}


def joined(step: Step) -> Findings:
    """A seat shows a key of its own, sound and proved, with the next anchor of its own, and not into an open roll.

    A key that takes the place of another is signed for by that one, or vouched for by the referee.
    """
    for line in step.of("SeatJoined"):
        off = _off(step, line) or _alone(step, line)
        before = step.trail.seats.get(line.body["seat"])
        if off:
            yield Finding("E-SEAT", off, line.seq)
        elif before is not None:
            if line.actor != before.seat:
                key = "the same key" if before.key == line.body["key"] else "another key"
                yield Finding("W-SEAT", f"{before.seat} goes on with {key}, by the referee's word", line.seq, "key")
            if before.opened < before.length:
                yield Finding("W-CHAIN", f"{before.seat} replaced its chain after {before.opened} links", line.seq)


def _alone(step: Step, line: Line) -> str:
    """What is wrong with a seat that joins again: its key, or that of the referee, has to have signed for it."""
    seat, trail = line.body["seat"], step.trail
    if line is not step.head:
        return f"{seat} joins beside another act"
    if seat in trail.seats and line.actor in trail.seats and "RequestSigned" not in step.types:
        return f"{seat} joins again, and the key of {line.actor} did not sign for it"
    return ""


def _off(step: Step, line: Line) -> str:
    trail, body = step.trail, line.body
    seat, before = body["seat"], trail.seats.get(body["seat"])
    sides = {f"side:{side}": party for side, party in trail.sides.items()} | {"referee": len(trail.sides) + 1}
    if trail.branch or seat not in sides or body["party"] != sides[seat]:
        return f"{seat} is no seat that can join as party {body['party']}"
    if line.actor != seat and (line.actor != "referee" or before is None):
        return f"only {seat} itself shows its key; the referee vouches for a new one"
    if is_weak(body["key"]):
        return f"anybody can sign under the key of {seat}"
    if trail.keys.get(body["key"], seat) != seat:
        return f"the key of {seat} is that of {trail.keys[body['key']]}"
    if body["anchor"] in trail.anchors:
        return f"the anchor of {seat} was there before"
    if (body["length"] == 0) != (body["anchor"] == "") or (seat == "referee" and body["length"]):
        return f"{seat} contributes with an anchor and a length, or with neither"
    if body["epoch"] != (0 if before is None else before.epoch + 1):
        return f"the next epoch of {seat} is another than {body['epoch']}"
    if trail.waiting is not None:
        return f"{seat} joins too late for the roll of entry {trail.waiting.head.seq}"
    message = join_message(
        line.doc["battle"], body["party"], body["epoch"], body["length"], body["key"], body["anchor"]
    )
    return "" if holds(body["key"], body["proof"], message) else f"the key of {seat} did not sign its joining"


def command(step: Step) -> Findings:
    """A seat that has a key signs every request, for this place in the log; by policy it needs one."""
    head, trail = step.head, step.trail
    signatures = [line for line in step.batch if line.type == "RequestSigned"]
    seat = trail.seats.get(head.actor)
    for line in signatures:
        if line is not step.batch[-1] or len(signatures) > 1 or line is head:
            yield Finding("E-COMMAND", "a signature stands once, at the end of its batch", line.seq)
        elif seat is None:
            yield Finding("E-COMMAND", f"{head.actor} has no key", line.seq)
        elif not holds(seat.key, line.body["sig"], _signed(head, line)):
            yield Finding("E-COMMAND", f"this was not signed by {head.actor}, here and now", line.seq, "sig")
        elif not covers(trail, step.batch[:-1], line.body["kind"], line.body["request"]):
            yield Finding(
                "E-COMMAND", f"{head.actor} signed another request than what stands here", line.seq, "request"
            )
    if not signatures and (seat is not None or _must_sign(step)) and not needs_none(step):
        yield Finding("E-COMMAND", f"this was not signed by {head.actor}", head.seq)


def _signed(head: Line, line: Line) -> bytes:
    request = line.body["request"]
    if request is None:
        request = head.body.get("request", {})
    doc = head.doc
    return command_message(doc["battle"], doc["seq"], doc["prev"], line.body["kind"], canonical(request))


def _must_sign(step: Step) -> bool:
    trail = step.trail
    asked = trail.asks("signed", "optional") == "required" or trail.asks("contributors", "none") == "all"
    return asked and step.head.actor.startswith("side:")


def needs_none(step: Step) -> bool:
    """Whether the batch needs no signature under its request: that was signed before, or what stands here is no play.

    Of a seat that joins again `joined` asks for it.
    """
    waits = step.trail.waiting
    carried = step.head.type == "ActionDeclared" and waits is not None and waits.ready
    return carried or step.head.type == "BattleStarted" or step.only(_SIGNED_OR_NOT)
