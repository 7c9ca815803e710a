"""The docket as people see it. Law: disputes and undo requests are procedure; no undo takes them off the list."""

from typing import Any

from pydantic import Field

from domain.record import Record
from projections.view import View


class DisputeView(View):
    """A question about an entry."""

    dispute: int = Field(description="its number, for `POST /disputes/{n}/resolve`")
    about: int = Field(description="the seq of the entry in question")
    reason: str
    by: str = Field(description="the seat that opened it")
    seq: int = Field(description="the entry that opened it")


class RequestView(View):
    """A request to undo (or redo) that waits for an answer."""

    number: int = Field(description="for `POST /undo/{request}`")
    what: str = Field(description="undo or redo")
    by: str = Field(description="the side that asks")
    to_before: int = Field(description="the action it goes back to: that one and all after it fall (or come back)")
    head: int = Field(description="what an answer has to have seen: the last action's last entry as it stands now")
    ask: tuple[str, ...] = Field(description="the sides that have to agree")
    agreed: tuple[str, ...] = Field(description="the sides that have agreed to what stands there now")
    reason: str
    seq: int = Field(description="the entry that asked")


class SeatView(View):
    """A seat that has shown its key."""

    party: int = Field(description="its number among those who contribute dice")
    key: str = Field(description="its Ed25519 key, in hex")
    epoch: int = Field(description="which of its chains is in use")
    length: int = Field(description="links of the chain; 0: it does not contribute")
    asked: int = Field(description="how many rolls of this epoch it was asked for")


class PendingView(View):
    """An action that waits for its dice."""

    seq: int = Field(description="the entry that asked; the number of the roll")
    kind: str = Field(description="chain: links are awaited; table: typed dice have to be confirmed")
    side: str
    request: dict[str, Any] = Field(description="the action as the log keeps it: lengths in thou")
    missing: tuple[str, ...] = Field(description="the seats whose links are awaited")
    faces: tuple[int, ...] = Field(description="the dice that were typed in")
    contested: bool = Field(description="whether somebody saw other dice")


def seat_views(record: Record) -> dict[str, SeatView]:
    """The seats that have shown their keys, by seat."""
    return {
        name: SeatView(party=s.party, key=s.key, epoch=s.epoch, length=s.length, asked=s.asked)
        for name, s in record.seats.items()
    }


def pending_roll(record: Record) -> PendingView | None:
    """The roll that is open, if one is."""
    waits = record.pending
    if waits is None:
        return None
    return PendingView(
        seq=waits.seq,
        kind=waits.kind,
        side=waits.side,
        request=waits.request,
        missing=tuple(name for name, seat in record.seats.items() if seat.party in waits.missing),
        faces=waits.faces,
        contested=waits.contested,
    )


def open_disputes(record: Record) -> tuple[DisputeView, ...]:
    """The disputes that nobody has settled yet, in order."""
    return tuple(
        DisputeView(dispute=d.dispute, about=d.about, reason=d.reason, by=d.by, seq=d.seq)
        for d in record.docket.disputes.values()
        if d.status == "open"
    )


def pending_request(record: Record) -> RequestView | None:
    """The undo or redo request that is open, if one is."""
    asked = record.docket.request
    if asked is None:
        return None
    return RequestView(
        number=asked.request,
        what=asked.what,
        by=asked.by,
        to_before=asked.to_before,
        head=record.seen,
        ask=asked.ask,
        agreed=asked.agreed,
        reason=asked.reason,
        seq=asked.seq,
    )
