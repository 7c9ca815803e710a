"""The docket as people see it. Law: disputes and undo requests are procedure; no undo takes them off the list."""

from pydantic import Field

from domain.timeline import Record
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
    head: int = Field(description="the last action's last entry when it was asked")
    ask: tuple[str, ...] = Field(description="the sides that have to agree")
    agreed: tuple[str, ...] = Field(description="the sides that have agreed to what stands there now")
    reason: str
    seq: int = Field(description="the entry that asked")


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
        head=asked.head,
        ask=asked.ask,
        agreed=asked.agreed,
        reason=asked.reason,
        seq=asked.seq,
    )
