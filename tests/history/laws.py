"""The history checker. Law: every contradiction between what clients were told and what the logs say is a finding.

| law | what it says |
|--|--|
| `lost` | an acknowledged request stands where its answer said |
| `changed` | and as its answer showed it, byte for byte |
| `mistaken` | and it is what was asked, by who asked |
| `twice` | no batch answers two requests, no request has two batches, acknowledged or not |
| `uninvited` | nothing is in a log that nobody asked for, or that was refused |
| `order` | seqs run on without a gap; a branch begins with its parent's very bytes |
| `time` | what was acknowledged before another was asked for stands before it |
| `stale` | no view is older than what anybody was told or shown before it was asked for |
| `torn` | a view shows whole actions, and the table is the one that the log gives |
| `stream` | a follower gets every entry once, in order, and to the end, over all its connections |
| `failure` | no answer is a 500 |

More is looked into elsewhere: the entries themselves (`prev`, `state`, every action decided again) by `whole`, keys by
`evidence`, requests that were answered yes and no by `justified` (`both`), and read models by `rebuilding` (`rebuilt`).
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.history.diary import digest
from tests.history.logs import Log
from tests.history.past import Past, Read, Request
from tests.history.words import asked


class Finding(NamedTuple):
    """A law that was broken, and where."""

    law: str
    battle: str
    seq: int
    text: str


Logs = Mapping[str, Log]


def findings(past: Past, logs: Logs) -> list[Finding]:
    """Every contradiction."""
    told = [once, nothing_else, in_order, in_time, never_stale, streamed, unfailing]
    return [finding for law in told for finding in law(past, logs)]


def once(past: Past, logs: Logs) -> Iterator[Finding]:
    """Every acknowledged request stands in the log as it was answered, and each has its own place."""
    places: dict[tuple[str, int], Request] = {}
    for request in past.requests:
        done = request.done
        if done is None:
            continue
        others = {(a.battle, a.action, a.digest) for a in request.answers if a.status == 201}
        if len(others) > 1:
            yield Finding("twice", done.battle, done.action, f"{request.where} was answered with {len(others)} batches")
        log = logs.get(done.battle)
        batch = log.batches.get(done.action) if log is not None else None
        if batch is None:
            yield Finding("lost", done.battle, done.action, f"{request.where} was acknowledged and is not there")
            continue
        if (batch.last, batch.digest) != (done.seq, done.digest):
            yield Finding("changed", done.battle, done.action, f"{request.where} is not as it was answered")
        if batch.words != asked(request):
            yield Finding("mistaken", done.battle, done.action, f"{asked(request)} became {batch.words}")
        first = places.setdefault((done.battle, done.action), request)
        if first is not request:
            yield Finding("twice", done.battle, done.action, f"it answers {first.where} and {request.where}")


def nothing_else(past: Past, logs: Logs) -> Iterator[Finding]:
    """What nobody was told of was asked for at least, by somebody who never heard; and once for each who asked."""
    claimed = {(done.battle, done.action) for request in past.requests if (done := request.done)}
    open_still = Counter(asked(r) for r in past.requests if r.done is None and not r.refused)
    known = {asked(request) for request in past.requests if request.done}
    for log in logs.values():
        for batch in log.batches.values():
            if (log.battle, batch.action) in claimed:
                continue
            if open_still[batch.words] > 0:
                open_still[batch.words] -= 1
                continue
            more = batch.words in known or batch.words in open_still
            law, why = ("twice", "it is there once more than") if more else ("uninvited", "nobody, or in vain,")
            yield Finding(law, log.battle, batch.action, f"{why} was asked: {batch.words}")


def in_order(_past: Past, logs: Logs) -> Iterator[Finding]:
    """Each log is one order without a gap, and a branch shares its past."""
    for log in logs.values():
        for n, entry in enumerate(log.entries, 1):
            if entry["seq"] != n:
                yield Finding("order", log.battle, n, f"entry {entry['seq']} stands at {n}")
                break
        for batch in log.batches.values():
            if {entry["action"] for entry in log.entries[batch.action - 1 : batch.last]} != {batch.action}:
                yield Finding("order", log.battle, batch.action, "its entries name another action")
        parent = logs.get(log.parent)
        if log.parent and (parent is None or parent.lines[: log.at] != log.lines[: log.at]):
            yield Finding("order", log.battle, log.at, "its past is not its parent's")


def in_time(past: Past, logs: Logs) -> Iterator[Finding]:
    """The order of a log does not contradict the clock."""
    for battle, requests in _by_place(past).items():
        if battle not in logs:
            continue
        latest = requests[0]
        for request in requests:
            done = request.done
            if done is not None and done.at < latest.asked:
                text = f"{request.where} was acknowledged before {latest.where} was asked, and stands after it"
                yield Finding("time", battle, done.action, text)
            latest = max(latest, request, key=lambda r: r.asked)


def _by_place(past: Past) -> dict[str, list[Request]]:
    found: dict[str, list[tuple[int, Request]]] = defaultdict(list)
    for request in past.requests:
        if (done := request.done) is not None:
            found[done.battle].append((done.action, request))
    return {battle: [r for _, r in sorted(some, key=lambda one: one[0])] for battle, some in found.items()}


def never_stale(past: Past, logs: Logs) -> Iterator[Finding]:
    """What anybody knew before a view was asked for is in the view; and it is a head that the log has had."""
    for battle, reads in _reads(past).items():
        known = sorted(_known(past, battle, reads))
        moments = [at for at, _ in known]
        most = [0]
        for _, seq in known:
            most.append(max(most[-1], seq))
        ends = logs[battle].ends if battle in logs else set()
        for read in reads:
            before = most[bisect_right(moments, read.since)]
            if read.seq < before:
                yield Finding("stale", battle, read.seq, f"{read.who} was shown {read.seq}, {before} was known already")
            if read.seq not in ends:
                yield Finding("torn", battle, read.seq, f"{read.who} was shown half an action, or none")


def _reads(past: Past) -> dict[str, list[Read]]:
    found: dict[str, list[Read]] = defaultdict(list)
    for read in past.reads:
        found[read.battle].append(read)
    return found


def _known(past: Past, battle: str, reads: list[Read]) -> Iterator[tuple[int, int]]:
    yield from ((read.at, read.seq) for read in reads)
    for request in past.requests:
        yield from ((a.at, a.seq) for a in request.answers if a.status == 201 and a.battle == battle)


def streamed(past: Past, logs: Logs) -> Iterator[Finding]:
    """Followers get it all."""
    for stream in past.streams:
        log = logs.get(stream.battle)
        lines = log.lines if log is not None else ()
        seqs = [seq for seq, _ in stream.frames]
        if seqs != list(range(1, len(lines) + 1)):
            off = next((n for n, seq in enumerate(seqs, 1) if seq != n), len(seqs) + 1)
            yield Finding("stream", stream.battle, off, f"{stream.who} got {len(seqs)} frames for {len(lines)} entries")
        elif [told for _, told in stream.frames] != [digest([line]) for line in lines]:
            yield Finding("stream", stream.battle, 0, f"{stream.who} got other bytes than the log has")


def unfailing(past: Past, _logs: Logs) -> Iterator[Finding]:
    """Nothing went wrong in a way that nobody had thought of."""
    for request in past.requests:
        for answer in request.answers:
            if answer.status >= 500 and answer.status != 503:
                yield Finding("failure", request.battle, 0, f"{request.where} was answered {answer.status}")
