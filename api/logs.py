"""Logs. Law: one line a request, as JSON, and never a secret in it: no header, no query, no body is ever logged.

Where a line cannot be written (its disk is full, nobody reads the pipe any more) it is lost, and the request goes on.
"""

import sys
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any, Literal

import structlog
from structlog.typing import FilteringBoundLogger, Processor


class _StandardError:
    """Where lines go."""

    def __init__(self) -> None:
        self._file = sys.stderr

    def msg(self, line: str) -> None:
        """Write a line, or lose it."""
        with suppress(OSError, ValueError):
            self._file.write(f"{line}\n")
            self._file.flush()

    info = warning = error = msg


def logger(kind: Literal["json", "console", "none"]) -> FilteringBoundLogger:
    """A logger that writes to standard error."""
    last: dict[str, Processor] = {
        "json": structlog.processors.JSONRenderer(),
        "console": structlog.dev.ConsoleRenderer(colors=False),
        "none": _drop,
    }
    made: FilteringBoundLogger = structlog.wrap_logger(
        _StandardError(),
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            last[kind],
        ],
    )
    return made


def _drop(_logger: Any, _method: str, _event: MutableMapping[str, Any]) -> str:
    raise structlog.DropEvent
