"""Logs. Law: one line a request, as JSON, and never a secret in it: no header, no query, no body is ever logged."""

import sys
from collections.abc import MutableMapping
from typing import Any, Literal

import structlog
from structlog.typing import FilteringBoundLogger, Processor


def logger(kind: Literal["json", "console", "none"]) -> FilteringBoundLogger:
    """A logger that writes to standard error."""
    last: dict[str, Processor] = {
        "json": structlog.processors.JSONRenderer(),
        "console": structlog.dev.ConsoleRenderer(colors=False),
        "none": _drop,
    }
    made: FilteringBoundLogger = structlog.wrap_logger(
        structlog.WriteLogger(sys.stderr),
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
