"""What was asked, answered and seen, read back from the diaries. Law: nothing is made up, and nothing is left out."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tests.history.diary import ENDING

Line = dict[str, Any]


class Answer(msgspec.Struct, frozen=True):
    """An answer: its status, when it came and, where something was written, which batch it shows."""

    status: int
    at: int
    battle: str = ""
    action: int = 0
    seq: int = 0
    digest: str = ""


class Request(msgspec.Struct):
    """A write, sent as often as it took, always under its own key. `asked` is when it was sent first."""

    battle: str
    path: str
    seat: str
    key: str
    body: Any
    asked: int
    if_match: int | None = None
    sent: int = 0
    answers: list[Answer] = []

    @property
    def done(self) -> Answer | None:
        """The first answer that acknowledges it."""
        return next((answer for answer in self.answers if answer.status == 201), None)

    @property
    def refused(self) -> bool:
        """Whether the last word on it was a no."""
        return self.done is None and bool(self.answers) and 400 <= self.answers[-1].status < 500

    @property
    def where(self) -> str:
        """Its words for people."""
        return f"{self.seat} {self.path} {self.key}"


class Read(msgspec.Struct, frozen=True):
    """A view that somebody had: asked for at `since`, there `at`; the digest is that of a table, if it was one."""

    who: str
    battle: str
    since: int
    at: int
    seq: int
    digest: str = ""


class Stream(msgspec.Struct):
    """What a follower was sent, in the order in which it came, over all its connections."""

    who: str
    battle: str
    frames: list[tuple[int, str]] = []
    joined: int = 0


class Past(msgspec.Struct):
    """All of it."""

    requests: list[Request] = []
    reads: list[Read] = []
    streams: list[Stream] = []
    lost: int = 0
    busy: int = 0


def remembered(folder: Path) -> Past:
    """The past, from every diary in a folder."""
    return told(msgspec.json.decode(line) for file in sorted(folder.glob(f"*{ENDING}")) for line in _lines(file))


def _lines(file: Path) -> Sequence[bytes]:
    return file.read_bytes().splitlines()


def told(lines: Iterable[Line]) -> Past:
    """The past, from the lines of diaries."""
    requests: dict[str, Request] = {}
    streams: dict[str, Stream] = {}
    past = Past()
    for line in sorted(lines, key=lambda line: int(line["t"])):
        match line["what"]:
            case "asks":
                _asked(requests, line)
            case "told":
                past.busy += line["status"] == 503
                requests[line["key"]].answers.append(_answer(line))
            case "saw":
                seen = {name: line[name] for name in ("who", "battle", "since", "seq")}
                past.reads.append(Read(**seen, at=line["t"], digest=line.get("digest", "")))
            case "follows":
                streams.setdefault(line["who"], Stream(line["who"], line["battle"])).joined += 1
            case "frame":
                streams[line["who"]].frames.append((line["seq"], line["digest"]))
            case _:
                past.lost += line["what"] == "lost"
    past.requests, past.streams = list(requests.values()), list(streams.values())
    return past


def _asked(requests: dict[str, Request], line: Line) -> None:
    known = requests.get(line["key"])
    if known is None:
        about = {name: line[name] for name in ("battle", "path", "seat", "key", "body")}
        known = requests[line["key"]] = Request(**about, asked=line["t"], if_match=line.get("if_match"))
    known.sent += 1


def _answer(line: Line) -> Answer:
    shown = {name: line[name] for name in ("battle", "action", "seq", "digest") if name in line}
    return Answer(line["status"], line["t"], **shown)
