"""Slow clients. Law: a request comes, and an answer is read, at a least pace, or the line is cut.

uvicorn waits for ever for the rest of a request, and for a client that has stopped reading; each holds a socket, and
some thousand of them would keep everybody else out.
"""

import asyncio
from typing import TYPE_CHECKING, Any, Final

from uvicorn import Config
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from api.unsent import unsent

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Protocol
else:
    Protocol = AutoHTTPProtocol

_TOLD: Final = hasattr(AutoHTTPProtocol, "on_message_complete")
"""Whether it is told when a request is whole: httptools does, and h11, in its place elsewhere, does not."""

_LONGER: Final = 1.5
"""A feed drops its slow followers itself, and counts them; this is for every other answer."""

PACE: Final = 4_000
"""Bytes a second, from one look to the next, with which a client gets more time."""

_HEAD: Final = 1 << 16
"""Bytes that a request may have beside its body, and still get more time: or its head need never end."""


class Impatient(Protocol):
    """A connection that is cut when its client is too slow."""

    def __init__(self, config: Config, *told: Any, **named: Any) -> None:
        super().__init__(config, *told, **named)
        settings = config.app.state.house.settings  # type: ignore[union-attr]
        self._patience: float = settings.patience
        self._most: int = settings.body_limit + _HEAD
        self._asking: asyncio.TimerHandle | None = None
        self._answering: asyncio.TimerHandle | None = None
        self._came = self._seen = self._left = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come, and is to say something."""
        super().connection_made(transport)
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        self._stop(self._asking)
        self._stop(self._answering)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """They say something, if only a line end, on which no request begins."""
        super().data_received(data)
        self._came += len(data)
        if getattr(self.cycle, "response_complete", True):
            self._wait_for_request()
        self._wait_for_last()

    def on_message_begin(self) -> None:
        """Another request on the same line."""
        super().on_message_begin()
        self._wait_for_request()

    def on_message_complete(self) -> None:
        """The request is there."""
        self._stop(self._asking)
        self._asking = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The answer is written, if not read."""
        super().on_response_complete()
        self._wait_for_last()

    def timeout_keep_alive_handler(self) -> None:
        """They ask nothing more."""
        super().timeout_keep_alive_handler()
        self._wait_for_last()

    def pause_writing(self) -> None:
        """They do not read as fast as the answer comes."""
        super().pause_writing()
        self._wait_for_reader()

    def resume_writing(self) -> None:
        """They read again."""
        self._stop(self._answering)
        self._answering = None
        super().resume_writing()

    def _wait_for_request(self) -> None:
        if _TOLD and self._asking is None:
            self._came = self._seen = 0
            self._asking = self.loop.call_later(self._patience, self._look_at_request)

    def _look_at_request(self) -> None:
        if self._came - self._seen < PACE * self._patience or self._came > self._most:
            self.transport.abort()
            return
        self._seen = self._came
        self._asking = self.loop.call_later(self._patience, self._look_at_request)

    def _wait_for_last(self) -> None:
        # A line that closes waits for what is left to be read, however little, and for ever.
        if self.transport.is_closing() and self.transport.get_write_buffer_size():
            self._wait_for_reader()

    def _wait_for_reader(self) -> None:
        if self._answering is None:
            self._left = unsent(self.transport)
            self._answering = self.loop.call_later(self._patience * _LONGER, self._look_at_reader)

    def _look_at_reader(self) -> None:
        self._answering = None
        if self._left - unsent(self.transport) < PACE * self._patience * _LONGER:
            self.transport.abort()
        else:
            self._wait_for_reader()

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
