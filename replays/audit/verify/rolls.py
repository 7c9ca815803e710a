"""Rolls that wait. Law: one at a time, for one request; only the links of those asked settle it, or the referee."""

from operator import itemgetter

from replays.audit.dicechain import SERVER, leads_back
from replays.audit.findings import Finding
from replays.audit.statements import holds, release_message
from replays.audit.verify.case import Findings, Step
from replays.audit.verify.line import Line, faces_of
from replays.audit.verify.standing import Waiting

_BY_HAND = frozenset({"DiceDrawn", "DiceConfirmed", "DiceContested"})
_PLAY = frozenset({"RollRequested", "DiceTyped", "ActionsUndone", "ActionsRestored", "ActionDeclared", "DiceAnchored"})
_WHAT = itemgetter("do", "side", "request")
_ANSWERS = ("LinkReleased", "RollForfeited", "DiceContested", "DiceConfirmed")


def single_open(step: Step) -> Findings:
    """Nothing else is played while a roll is open, and nothing is answered that was not asked."""
    waits = step.trail.waiting
    for line in step.of(*_ANSWERS):
        wanted = line.type in ("LinkReleased", "RollForfeited")
        if waits is None or line.body["request"] != waits.head.seq or waits.chain != wanted:
            yield Finding("E-DICE-OPEN", "it answers no open roll", line.seq, "request")
    if waits is None or step.types.isdisjoint(_PLAY):
        return
    for line in step.of("RollRequested", "DiceTyped", "ActionsUndone", "ActionsRestored"):
        yield Finding("E-DICE-OPEN", f"the roll of entry {waits.head.seq} is still open", line.seq)
    if step.head.type == "DiceAnchored":
        # Who knows the links that were released must not choose the chain that they are mixed with.
        yield Finding("E-DICE-OPEN", f"new dice for the roll of entry {waits.head.seq}, which is open", step.head.seq)
    for line in step.of("ActionDeclared"):
        same = _WHAT(line.body) == _WHAT(waits.head.body)
        if not waits.ready or not same or line.actor != waits.head.actor:
            text = f"the roll of entry {waits.head.seq} is open, and this does not carry it out"
            yield Finding("E-DICE-OPEN", text, line.seq)


def abandoned(step: Step) -> Findings:
    """A battle does not close over an open roll."""
    waits = step.trail.waiting
    for line in step.of("BattleClosed"):
        if waits is not None:
            yield Finding("E-ABANDONED", f"the roll of entry {waits.head.seq} was never settled", line.seq)


def contributors(step: Step) -> Findings:
    """Who has to contribute is asked, and what was released is what the dice are made of."""
    trail, waits = step.trail, step.trail.waiting
    who = trail.asks("contributors", "none")
    for line in step.of("RollRequested"):
        parties = line.body["parties"]
        able = {seat.party for seat in trail.seats.values() if seat.asked < seat.length}
        needed = {p for side, p in trail.sides.items() if side not in trail.conceded} if who == "all" else set()
        if parties != sorted(set(parties)) or not parties or not needed <= set(parties) <= able:
            text = f"parties {parties} are asked; {sorted(able)} have links, {sorted(needed)} have to be asked"
            yield Finding("E-DICE-CONTRIB", text, line.seq, "parties")
    for line in step.of("DiceDrawn"):
        shares = [(c["party"], c["link"]) for c in line.body["contributors"]]
        released = [] if waits is None else [(p, waits.released[p].hex()) for p in sorted(waits.released)]
        if shares != released:
            yield Finding("E-DICE-CONTRIB", "other links than those that were released", line.seq, "contributors")
        elif waits is None and who != "none":
            yield Finding("E-DICE-CONTRIB", "nobody was asked to contribute to these dice", line.seq, "contributors")


def released(step: Step) -> Findings:
    """A link is released once, by its party's key, for this very request."""
    waits = step.trail.waiting
    for line in step.of("LinkReleased"):
        body = line.body
        seat = step.trail.of_party(body["party"])
        if waits is None or seat is None or body["party"] not in waits.missing or line.actor != seat.seat:
            yield Finding("E-DICE-RELEASE", f"party {body['party']} was not asked by an open roll", line.seq, "party")
            continue
        message = release_message(
            line.doc["battle"], seat.party, seat.epoch, seat.asked, waits.head.seq, waits.head.leaf.hex(), body["link"]
        )
        if not holds(seat.key, body["sig"], message):
            text = f"{seat.seat} did not sign this link for the request of entry {waits.head.seq}"
            yield Finding("E-DICE-RELEASE", text, line.seq, "sig")


def share(step: Step) -> Findings:
    """A released link leads back to the last that its party opened, over those that it withheld."""
    for line in step.of("LinkReleased"):
        seat = step.trail.of_party(line.body["party"])
        if seat is None:
            continue
        of = line.chain(seat.party, seat.epoch)
        if not leads_back(of, seat.asked, bytes.fromhex(line.body["link"]), seat.link, seat.opened):
            yield Finding("E-DICE-LINK", f"this is not link {seat.asked} of {seat.seat}", line.seq, "link")


def forfeited(step: Step) -> Findings:
    """Only the referee ends the wait for a link, or has the roll void; and only then dice are forfeited."""
    waits = step.trail.waiting
    for line in step.of("RollForfeited"):
        party = line.body["party"]
        if line is not step.head or line.actor != "referee" or waits is None or not waits.chain:
            text = f"only the referee ends the wait of an open roll, one party in its turn: {party}"
            yield Finding("E-FORFEIT", text, line.seq)
        elif party == SERVER and not step.voids:
            yield Finding("E-FORFEIT", "a roll is void only where the service commits to new dice", line.seq)
        elif party != SERVER and party not in waits.missing:
            yield Finding("E-FORFEIT", f"the link of party {party} is not awaited", line.seq, "party")
    for line in step.of("DiceDrawn"):
        if (line.body["source"] == "forfeit") != (waits is not None and waits.forfeited != set()):
            yield Finding("E-FORFEIT", "dice are forfeited by the referee, and only then", line.seq, "source")


def physical(step: Step) -> Findings:
    """Who throws was fixed before: the service, or people; what people threw is confirmed where that is asked for."""
    trail, waits, stands = step.trail, step.trail.waiting, step.throws
    if not stands and step.types.isdisjoint(_BY_HAND):
        return
    if waits is not None and not waits.chain:
        yield from _confirmed(step, waits)
    drawn = step.first("DiceDrawn")
    if trail.mode == "server" and stands and drawn is None and trail.branch != "recorded":
        yield Finding("E-PHYS", "the service throws in this battle, and no link was opened", _thrown(step), "dice")
    elif trail.mode == "table" and drawn is not None:
        yield Finding("E-PHYS", "people throw in this battle, not the service", drawn.seq)
    elif trail.mode == "table" and stands:
        if waits is not None and faces_of(stands) != waits.confirmed:
            yield Finding("E-PHYS", f"confirmed were {waits.confirmed}, not {faces_of(stands)}", _thrown(step), "dice")
        elif waits is None and trail.asks("table_dice", "typed") == "confirmed" and step.head.actor != "referee":
            yield Finding("E-PHYS", "no second seat has confirmed these dice", _thrown(step), "dice")


def _thrown(step: Step) -> int:
    """Where the first dice of a batch stand."""
    return next((line for line in step.batch if line.throws), step.head).seq


def _confirmed(step: Step, waits: Waiting) -> Findings:
    for line in step.of("DiceConfirmed", "DiceContested"):
        typed = waits.head
        if line.actor in (typed.actor, "spectator"):
            yield Finding("E-PHYS", f"{line.actor} typed these dice, and cannot confirm them", line.seq)
        elif line.type == "DiceConfirmed" and line.actor != "referee" and not _agrees(line, waits):
            yield Finding("E-PHYS", "other dice than those that were typed: the referee decides", line.seq, "faces")


def _agrees(line: Line, waits: Waiting) -> bool:
    return not waits.contested and line.body["faces"] == waits.head.body["faces"]
