"""The words with which an undo or a redo is refused. Law: the closed list of the rules, each with what it means."""

from typing import Final

from domain.refusals import UndoNo

UNDO_WORDS: Final[dict[UndoNo, str]] = {
    "unknown-action": "the log has no such entry",
    "already-struck": "the action is struck out already",
    "not-strikable": "the entry does not begin an action that still counts; `legal` names the newest that do",
    "before-branch": "the action lies in the past that this what-if shares; part from an earlier entry instead",
    "last-ditch": "a side that has called last ditch cannot take it back (MFD-28); the referee may, with a reason",
    "battle-over": "the battle has ended; the referee may reopen it, with a reason",
    "battle-closed": "the log is closed for good",
    "referee-only": "a ruling lies in what would fall, or this battle leaves rolls and turns to the referee",
    "reason-needed": "the referee may, and has to say why",
    "request-open": "another request still waits for its answer",
    "no-such-request": "there is no open request of this number",
    "too-many-requests": "this side has asked as often in this turn as the battle allows (`undo_requests`)",
    "refused-before": "the same was asked before, and refused",
    "not-asked": "this seat is not among those that have to agree, or has agreed already",
    "nothing-to-redo": "nothing was undone, or something was done since",
    "spectators-read": "a spectator takes nothing back",
    "roll-open": "a roll waits for its dice; it is settled first",
}
"""Each word of the list, in plain words; `rule` of `/problems/undo-refused` is one of them."""
