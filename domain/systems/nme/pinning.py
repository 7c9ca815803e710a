"""Pinning. Law: whatever pins a fig pins it here; only an active fig can be pinned, and none in combat (NME-21)."""

from domain import events as e
from domain.contact import part
from domain.draft import Draft


def pin(draft: Draft, name: str, cause: e.Cause, rule: str, by: str) -> None:
    """Send a fig to ground (NME-20 to 24), if it can be pinned."""
    fig = draft.fig(name)
    if fig.status != "active" or (fig.engaged and not draft.battle.nme.pin_in_combat):
        return
    draft.emit(e.FigPinned(name, cause, rule, by))
    part(draft, name)
