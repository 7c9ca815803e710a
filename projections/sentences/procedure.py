"""Procedure: rulings, disputes, undo, the end, in plain English. Law: a reason stands in its giver's words."""

from collections.abc import Callable
from typing import Any

import msgspec

from domain import events as e
from domain.battle import Battle
from domain.measures import Vector
from projections.sentences.seats import seat_name
from projections.view import degrees
from projections.wording import counted, fig_name, inch, listed, saying, side_name

_WHAT = {"undo": "take back", "redo": "restore"}
_DICE = {
    "fresh": "new dice",
    "recorded": "the dice that fell in the battle itself, as long as they last",
    "table": "dice thrown at the table",
}


def _conceded(battle: Battle, event: e.SideConceded) -> str:
    return f"{side_name(battle, event.side)} gives up{saying(event.reason)}; its figs stay where they are."


def _ruled(battle: Battle, event: e.RulingMade) -> str:
    about = "" if event.about is None else f" about entry {event.about}"
    says = f"The referee rules{about} by {event.rule}{saying(event.reason)}"
    changes = "; ".join(changed(battle, change) for change in event.changes)
    return f"{says}: {changes or 'the table stays as it is'}."


def changed(battle: Battle, change: e.Change) -> str:
    """What a ruling changes: `Ganger is down instead of active`."""
    who = fig_name(battle, change.fig)
    before, after = _worded(battle, change.field, change.before), _worded(battle, change.field, change.after)
    return f"{who} {_FIELDS[change.field]} {after} instead of {before}"


_FIELDS = {
    "x": "stands at x",
    "y": "stands at y",
    "facing": "looks",
    "status": "is",
    "weapon": "finds",
    "aim": "aims at",
    "hidden": "is",
}


def _worded(battle: Battle, field: str, value: Any) -> str:
    match field:
        case "x" | "y":
            return inch(value)
        case "facing":
            return f"{degrees(msgspec.convert(value, Vector)):g} degrees"
        case "weapon":
            return f"{value['id'].replace('-', ' ')} {'usable' if value['usable'] else 'useless'}"
        case "aim":
            return f"{fig_name(battle, value['target'])} ({counted(value['turns'], 'turn')})" if value else "nobody"
        case "hidden":
            return "hidden" if value else "in sight"
        case _:
            return "out of the battle" if value == "out" else str(value)


def _disputed(_: Battle, event: e.DisputeOpened) -> str:
    return f"Dispute {event.dispute} is opened about entry {event.about}{saying(event.reason)}."


def _settled(battle: Battle, event: e.DisputeClosed) -> str:
    who = seat_name(battle, event.by)
    if event.how == "ruling":
        return f"Dispute {event.dispute} is settled: entry {event.ruling} rules on it."
    if event.how == "agreed":
        return f"Dispute {event.dispute} is settled: {who} agrees."
    return f"Dispute {event.dispute} is settled: {who} withdraws it."


def _asked(battle: Battle, event: e.UndoAsked) -> str:
    ask = listed(side_name(battle, side) for side in event.ask)
    what = f"{_WHAT[event.what]} everything from action {event.to_before} on"
    return f"{side_name(battle, event.side)} asks {ask} to {what}{saying(event.reason)} (request {event.request})."


def _agreed(battle: Battle, event: e.UndoAgreed) -> str:
    return f"{side_name(battle, event.side)} agrees to request {event.request}, having seen entry {event.head}."


def _refused(battle: Battle, event: e.UndoRefused) -> str:
    return f"{side_name(battle, event.side)} does not agree to request {event.request}, which is closed."


def _withdrawn(battle: Battle, event: e.UndoWithdrawn) -> str:
    return f"The request {event.request} of {side_name(battle, event.side)} is taken back."


def _undone(battle: Battle, event: e.ActionsUndone) -> str:
    return f"{_span(event.actions)} struck out{_consent(battle, event)}{saying(event.reason)}{_dice_seen(event.dice)}."


def _restored(battle: Battle, event: e.ActionsRestored) -> str:
    return f"{_span(event.actions)} restored{_consent(battle, event)}{saying(event.reason)}."


def _span(actions: tuple[int, ...]) -> str:
    if len(actions) == 1:
        return f"Action {actions[0]} is"
    return f"{len(actions)} actions, {actions[0]} to {actions[-1]}, are"


def _dice_seen(dice: int) -> str:
    return f"; {dice} {'die' if dice == 1 else 'dice'} had been seen" if dice else ""


def _consent(battle: Battle, event: e.ActionsUndone | e.ActionsRestored) -> str:
    return f" with the consent of {listed(side_name(battle, s) for s in event.agreed)}" if event.agreed else ""


def _branched(_: Battle, event: e.BranchOpened) -> str:
    title = f" '{event.title}'" if event.title else ""
    return f"A what-if{title} begins here, after entry {event.at} of battle {event.parent}, with {_DICE[event.dice]}."


def _ended(battle: Battle, event: e.BattleEnded) -> str:
    result = f"{side_name(battle, event.winner)} wins" if event.winner else "nobody wins"
    return f"The battle is over and {result}{saying(event.reason)}."


def _closed(_: Battle, event: e.BattleClosed) -> str:
    return f"The referee closes the log for good{saying(event.reason)}; nothing more is written."


SAYS: dict[type, Callable[[Any, Any], str]] = {
    e.SideConceded: _conceded,
    e.RulingMade: _ruled,
    e.DisputeOpened: _disputed,
    e.DisputeClosed: _settled,
    e.UndoAsked: _asked,
    e.UndoAgreed: _agreed,
    e.UndoRefused: _refused,
    e.UndoWithdrawn: _withdrawn,
    e.ActionsUndone: _undone,
    e.ActionsRestored: _restored,
    e.BranchOpened: _branched,
    e.BattleEnded: _ended,
    e.BattleClosed: _closed,
}
