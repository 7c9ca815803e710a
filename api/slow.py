"""Slow clients. Law: a request comes whole, and an answer is read, within the service's patience, or the line is cut.

uvicorn waits for ever for the rest of a request, and for a client that has stopped reading; each holds a socket, and
some thousand of them would keep everybody else out.
"""

import asyncio
from typing import TYPE_CHECKING, Any, Final

from uvicorn import Config
from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Protocol
else:
    Protocol = AutoHTTPProtocol

_TOLD: Final = hasattr(AutoHTTPProtocol, "on_message_complete")
"""Whether it is told when a request is whole: httptools does, and h11, in its place elsewhere, does not."""

_LONGER: Final = 1.5
"""A feed drops its slow followers itself, and counts them; this is for every other answer."""


class Impatient(Protocol):
    """A connection that is cut when its client is too slow."""

    def __init__(self, config: Config, *told: Any, **named: Any) -> None:
        super().__init__(config, *told, **named)
        self._patience: float = config.app.state.house.settings.patience  # type: ignore[union-attr]
        self._asking: asyncio.TimerHandle | None = None
        self._answering: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come, and is to say something."""
        super().connection_made(transport)
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        self._stop(self._asking)
        self._stop(self._answering)
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Another request on the same line."""
        super().on_message_begin()
        self._wait_for_request()

    def on_message_complete(self) -> None:
        """The request is there."""
        self._stop(self._asking)
        self._asking = None
        super().on_message_complete()

    def pause_writing(self) -> None:
        """They do not read as fast as the answer comes."""
        super().pause_writing()
        self._answering = self._cut_in(self._patience * _LONGER)

    def resume_writing(self) -> None:
        """They read again."""
        self._stop(self._answering)
        super().resume_writing()

    def _wait_for_request(self) -> None:
        if _TOLD and self._asking is None:
            self._asking = self._cut_in(self._patience)

    def _cut_in(self, seconds: float) -> asyncio.TimerHandle:
        return self.loop.call_later(seconds, self.transport.abort)

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
