"""Salvage: the entries of a file that is no bundle. Law: it makes nothing valid; it only helps to say where it broke.

A bundle whose frame is broken is refused, whatever is in it. Its sections are then looked for by their headers alone,
each of which begins a line; no entry does so, and no note.
"""

import re
from collections.abc import Sequence
from typing import Final

from replays.audit.bundle import SECTIONS, Bundle, Meta
from replays.audit.verify.canon import read_loosely

_HEADER: Final = re.compile(rb"^(%b) [0-9]{1,10}\n" % "|".join(SECTIONS).encode(), re.MULTILINE)
_ENTRY: Final = b'{"action":'
_END: Final = b"\nend\n"


def plain(lines: Sequence[bytes]) -> Bundle:
    """A bundle around bare entries, which have no checkpoint; its claims are those of the first and the last."""
    first, last = (read_loosely(lines[0]), read_loosely(lines[-1])) if lines else ({}, {})
    body = first.get("body")
    rules = str(body.get("rules", "")) if isinstance(body, dict) else ""
    closed = last.get("type") == "BattleClosed"
    return Bundle(Meta(str(last.get("battle", "")), "unsigned", rules, closed), tuple(lines), b"")


def salvaged(data: bytes) -> Bundle:
    """What can be found of a bundle; without a checkpoint where its claims or its head cannot be read."""
    data = data.replace(b"\r\n", b"\n")
    sections = _sections(data)
    lines = _lines(sections.get("events"), data)
    try:
        meta = Meta.parse(sections.get("meta", b""))
    except ValueError:
        return plain(lines)
    if not sections.get("checkpoint"):
        return plain(lines)
    rest = (sections.get(name, b"") for name in SECTIONS[2:])
    return Bundle(meta, tuple(lines), *rest)


def _sections(data: bytes) -> dict[str, bytes]:
    """Each section from its first header to the next header, or to the end."""
    heads = list(_HEADER.finditer(data))
    end = data.rfind(_END)
    ends = [head.start() - 1 for head in heads[1:]] + [len(data) if end < 0 else end]
    found: dict[str, bytes] = {}
    for head, stop in zip(heads, ends, strict=False):
        found.setdefault(head[1].decode(), data[head.end() : stop])
    return found


def _lines(events: bytes | None, data: bytes) -> list[bytes]:
    """The entries; one that the file ends in the middle of is left out."""
    if events is None:
        return [line for line in data.split(b"\n") if line.startswith(_ENTRY)]
    lines = events.split(b"\n")
    if not lines[-1] or data.endswith(events):
        lines.pop()
    return lines
