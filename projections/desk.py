"""Desk: a battle as one row of the referee's desk. Law: what asks for attention is seen without opening the battle."""

from typing import Literal

from pydantic import Field

from domain.record import Record
from projections.docket import DisputeView, RequestView, open_disputes, pending_request
from projections.strength import SideState, side_states
from projections.view import View


class DeskRow(View):
    """A battle at a glance."""

    id: str
    system: Literal["nme", "mfd"]
    title: str
    seq: int = Field(description="its last entry")
    time: int = Field(description="when that was written, in UTC milliseconds")
    turn: int
    phase: str
    side: str = Field(description="whose turn it is")
    status: str = Field(description="playing, ended or closed")
    winner: str
    sides: dict[str, SideState] = Field(description="in turn order")
    disputes: tuple[DisputeView, ...] = Field(description="those that are open")
    undo_request: RequestView | None = Field(description="the undo or redo request that is open")
    tags: dict[str, str] = Field(description="event, round, table; a what-if has none")
    parent: str | None = Field(description="the battle that this what-if parts from")
    private: bool = Field(description="whether reading needs a seat")


def desk_row(battle_id: str, record: Record) -> DeskRow:
    """The row of a battle."""
    battle, origin = record.battle, record.origin
    return DeskRow(
        id=battle_id,
        system=battle.system,
        title=battle.title,
        seq=record.seq,
        time=record.time,
        turn=battle.turn,
        phase=battle.phase,
        side=battle.side,
        status=record.status,
        winner=battle.winner,
        sides=side_states(battle),
        disputes=open_disputes(record),
        undo_request=pending_request(record),
        tags={} if origin else battle.tags,
        parent=origin.parent if origin else None,
        private=battle.policy.private,
    )
