"""The service, as a seat reaches it. Law: an answer is whole or there is none; a "no" is kept apart from silence."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import httpx2

PATIENCE: Final = httpx2.Timeout(10, read=45)
"""Seconds to wait; a live feed says every fifteen that it is still there."""

_LATER: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_ELSEWHERE: Final = frozenset({401, 403, 404})


class Unreachable(Exception):  # noqa: N818 - tried again
    """The service cannot be reached, or has no time now."""


class NotHere(Exception):  # noqa: N818 - told to whoever started the client
    """The service knows no such battle, or no such seat."""


class Answer(NamedTuple):
    """What the service says to a write."""

    status: int
    body: dict[str, Any]

    @property
    def done(self) -> bool:
        """Whether it stands in the log."""
        return self.status == 201

    @property
    def rule(self) -> str:
        """The rule that says no."""
        return str(self.body.get("rule", ""))

    @property
    def detail(self) -> str:
        """Why not."""
        return str(self.body.get("detail", f"the service answered {self.status}"))


class Service:
    """One battle, seen from one seat."""

    def __init__(self, url: str, battle: str, secret: str) -> None:
        headers = {"Authorization": f"Bearer {secret}"}
        base = f"{url.rstrip('/')}/v1/battles/{battle}/"
        self._client = httpx2.Client(base_url=base, headers=headers, timeout=PATIENCE)

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def entries(self, after: int) -> tuple[list[bytes], int]:
        """The stored bytes of all entries after a seq, and the seq of the last entry that there is."""
        with _reached():
            answer = self._client.get("entries", params={"after": after}, headers={"Accept": "application/jsonl"})
            _need_good(answer)
            head = answer.headers.get("ETag", "").strip('"')
            if not head.isdecimal():
                raise NotHere("that is no battle log service: its answer does not say where the log ends")
            return answer.content.split(b"\n")[:-1], int(head)

    def feed(self, after: int) -> Iterator[int]:
        """The seq of each new entry, as long as the line holds; at once nothing where there is no live feed."""
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        with _reached(), self._client.stream("GET", "entries", headers=headers) as answer:
            if answer.status_code in _LATER:
                return  # too many follow it already
            _need_good(answer)
            if not answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                return
            for line in answer.iter_lines():
                name, _, value = line.partition(": ")
                if name == "id" and value.isdecimal():
                    yield int(value)

    def post(self, kind: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send a write. Raises `Unreachable` where it is not known whether it was carried out."""
        with _reached():
            answer = self._client.post(kind, content=body, headers={"Content-Type": "application/json", **headers})
            if answer.status_code in _LATER:
                raise Unreachable(f"the service answered {answer.status_code}")
            try:
                told = answer.json()
            except ValueError:
                told = {}
            return Answer(answer.status_code, told if isinstance(told, dict) else {})


def _need_good(answer: httpx2.Response) -> None:
    if answer.status_code == 200:
        return
    answer.read()
    if answer.status_code in _ELSEWHERE:
        raise NotHere(_detail(answer))
    raise Unreachable(f"the service answered {answer.status_code}")


def _detail(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return f"the service answered {answer.status_code}"


@contextmanager
def _reached() -> Iterator[None]:
    try:
        yield
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as no:
        raise NotHere(f"this is no address of a service: {no}") from None
    except httpx2.HTTPError as no:
        raise Unreachable(str(no) or type(no).__name__) from None
