"""Struck out: how an action came to count no longer. Law: by whom, with whose consent and why; a redo clears it."""

from collections.abc import Iterable

from pydantic import Field

from domain import events as e
from domain.entry import Entry
from projections.view import View


class StruckOut(View):
    """How an action came to be struck out."""

    seq: int = Field(description="the entry that struck it out")
    time: int
    by: str = Field(description="the seat that asked for it, or did it at once")
    agreed: tuple[str, ...] = Field(description="the sides that agreed")
    request: int = Field(description="the request that was agreed to; 0 where nobody had to be asked")
    reason: str


def strikings(entries: Iterable[Entry]) -> dict[int, StruckOut]:
    """By action: how it came to be struck out, if it still is."""
    gone: dict[int, StruckOut] = {}
    asked: dict[int, str] = {}
    for entry in entries:
        match entry.body:
            case e.UndoAsked(request=request, side=side):
                asked[request] = f"side:{side}"
            case e.ActionsUndone(request=request) as undone:
                how = StruckOut(
                    seq=entry.seq,
                    time=entry.time,
                    by=asked[request] if request else entry.actor,
                    agreed=undone.agreed,
                    request=request,
                    reason=undone.reason,
                )
                gone |= dict.fromkeys(undone.actions, how)
            case e.ActionsRestored(actions=actions):
                for action in actions:
                    gone.pop(action, None)
            case _:
                pass
    return gone
