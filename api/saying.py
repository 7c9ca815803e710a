"""Saying: words that the terminal and the pages share. Law: plain text; whoever shows it makes it safe."""

from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final

from domain.battle import Battle
from projections.lines import Line
from projections.losses import Loss
from projections.struck import StruckOut
from projections.turns import TurnView
from projections.verdicts import SeatVerdict
from projections.view import ThrowView
from projections.wording import fig_name, listed, seat_name, side_name, weapon_name

_ALPHABETS: Final = (ascii_uppercase, ascii_lowercase, digits)


def keys(battle: Battle) -> dict[str, str]:
    """A letter for each fig; of a force with more figs than letters, the rest share a `*`."""
    found: dict[str, str] = {}
    for n, side in enumerate(battle.sides):
        alphabet = _ALPHABETS[min(n, len(_ALPHABETS) - 1)]
        own = [fig.id for fig in battle.figs.values() if fig.side == side]
        found |= {name: alphabet[m] if m < len(alphabet) else "*" for m, name in enumerate(own)}
    return found


def heading(battle: Battle, turn: TurnView) -> str:
    """What stands above a turn."""
    if not turn.turn:
        return "The muster"
    return f"Turn {turn.turn}, {side_name(battle, turn.side)}{' (struck out)' if turn.struck_out else ''}"


def result(battle: Battle) -> str:
    """How a battle stands."""
    if battle.status != "ended":
        return f"The battle goes on: turn {battle.turn}, {side_name(battle, battle.side)}."
    return f"{side_name(battle, battle.winner)} wins." if battle.winner else "A draw."


def dice_of(throws: tuple[ThrowView, ...]) -> str:
    """Dice as people read them out: `ammo 2 4; to hit 5 5 2`."""
    return "; ".join(f"{t.purpose.replace('_', ' ')} {' '.join(map(str, t.faces))}" for t in throws)


def struck(battle: Battle, how: StruckOut) -> str:
    """How an action came to be struck out, and why."""
    agreed = f", {listed(side_name(battle, side) for side in how.agreed)} agreed" if how.agreed else ""
    reason = f": {how.reason}" if how.reason else ""
    return f"Struck out by {seat_name(battle, how.by)}{agreed}, entry {how.seq}{reason}"


def may_fall(line: Line) -> bool:
    """Whether anybody may take an action back."""
    return any(verdict.kind != "never" for verdict in line.undo.values())


def verdicts(battle: Battle, by_seat: dict[str, SeatVerdict]) -> str:
    """Who may take it back; seats that may on the same terms share their words."""
    seats: dict[str, list[str]] = {}
    for seat, verdict in by_seat.items():
        seats.setdefault(_verdict(battle, verdict), []).append(seat_name(battle, seat))
    if len(seats) == 1:
        return next(iter(seats))
    return "; ".join(f"{listed(names)} {terms}" for terms, names in seats.items())


def _verdict(battle: Battle, verdict: SeatVerdict) -> str:
    blocked = f", but not now ({verdict.blocked})" if verdict.blocked else ""
    match verdict.kind:
        case "at_once":
            return "at once"
        case "ask":
            if not verdict.ask:
                # In the middle of a batch in which the last other side gives up.
                return f"with nobody left to ask{blocked}"
            agree = "agrees" if len(verdict.ask) == 1 else "agree"
            return f"if {listed(side_name(battle, side) for side in verdict.ask)} {agree}{blocked}"
        case "reason":
            return "with a reason"
        case _:
            return f"never ({verdict.text})"


def lost(battle: Battle, loss: Loss) -> str:
    """Who fell, by whom, with what and where."""
    who = f"{fig_name(battle, loss.fig)} of {side_name(battle, loss.side)} is {loss.status}"
    where = f"at ({loss.place.x:g}, {loss.place.y:g}) in turn {loss.turn}, entry {loss.seq}"
    if loss.by is None:
        return f"{who}, as the referee rules by {loss.rule}: {loss.reason}; {where}."
    own = " of its own side" if loss.friendly else ""
    reach = "" if loss.distance is None else f' from {loss.distance:g}"'
    return f"{who}: by {fig_name(battle, loss.by)}{own} with {weapon_name(loss.weapon)}{reach}, {where}."
