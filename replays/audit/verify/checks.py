"""The checks of the proof half, in their order. Law: this list is the whole of it.

A verifier that lacks one of them is another verifier, and takes what this one refuses. Framing, notes, root; each
entry; each action's seats, dice and undo; the end.
"""

from typing import Final

from replays.audit.verify import dice, ending, entries, globally, notes, rolls, seats, skims, undo
from replays.audit.verify.case import Check

CHECKS: Final[tuple[Check, ...]] = (
    Check("checkpoint", "notes", notes.checkpoint),
    Check("declared", "notes", notes.declared),
    Check("origin", "notes", notes.origin),
    Check("size", "notes", notes.size),
    Check("receipts", "notes", notes.receipts),
    Check("root", "notes", notes.root),
    Check("canon", "line", entries.canon, skim=skims.canon),
    Check("envelope", "line", entries.envelope, skim=skims.envelope),
    Check("shape", "line", entries.shape, skim=skims.shape),
    Check("battle", "line", entries.battle, skim=skims.battle),
    Check("number", "line", entries.number, skim=skims.number),
    Check("prev", "line", entries.prev, skim=skims.prev),
    Check("action", "line", entries.action, skim=skims.action),
    Check("time", "line", entries.time, skim=skims.time),
    Check("start", "line", entries.start, skim=skims.start),
    Check("after_end", "line", entries.after_end, skim=skims.after_end),
    Check("joined", "batch", seats.joined, {"SeatJoined"}),
    Check("command", "batch", seats.command),
    Check("contributors", "batch", rolls.contributors, {"DiceDrawn", "RollRequested"}),
    Check("index", "batch", dice.index, {"BranchOpened", "DiceAnchored", "DiceDrawn", "RollRequested"}),
    Check("single", "batch", dice.single, {"DiceDrawn"}),
    Check("single_open", "batch", rolls.single_open),
    Check("abandoned", "batch", rolls.abandoned, {"BattleClosed"}),
    Check("link", "batch", dice.link, {"DiceDrawn"}),
    Check("share", "batch", rolls.share, {"LinkReleased"}),
    Check("released", "batch", rolls.released, {"LinkReleased"}),
    Check("value", "batch", dice.value, {"DiceDrawn"}),
    Check("physical", "batch", rolls.physical),
    Check("forfeited", "batch", rolls.forfeited, {"DiceDrawn", "RollForfeited"}),
    Check("seen_dice", "batch", undo.seen_dice, {"ActionsUndone"}),
    Check("struck_once", "batch", undo.struck_once, {"ActionsRestored", "ActionsUndone"}),
    Check("consent", "batch", undo.consent, {"ActionsRestored", "ActionsUndone", "UndoAgreed"}),
    Check("rules", "end", entries.rules),
    Check("closed", "end", entries.closed),
    Check("cosigned", "end", ending.cosigned),
    Check("included", "end", globally.included),
    Check("stamp", "end", ending.stamp),
    Check("names", "end", ending.names),
)
"""Every check of the proof half, in its order."""
