"""Stop: how a command ends before its time. Law: in a plain sentence on stderr, and with the right exit code."""

import sys
import unicodedata
from typing import Final

GOOD: Final = 0
"""Exit code: all is well."""
FOUND_WRONG: Final = 1
"""Exit code: what was looked at is not as it should be."""
USED_WRONGLY: Final = 2
"""Exit code: the command cannot do what was asked."""

_STEERING: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNING: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the direction of a line round, so that it reads as what it is not."""


class Stop(Exception):  # noqa: N818 - an answer to whoever typed, not a fault
    """The command ends here: `said` goes to stderr, `code` is the exit code."""

    def __init__(self, said: str, code: int = USED_WRONGLY) -> None:
        super().__init__(said)
        self.said = said
        self.code = code


def clean(text: str) -> str:
    """Text of unknown origin, fit to be printed: it never steers a terminal."""
    return "".join("\ufffd" if unicodedata.category(c) in _STEERING or c in _TURNING else c for c in text)


def complain(said: str) -> None:
    """Print a trouble."""
    sys.stderr.write(f"battlelog: {clean(said)}\n")
    sys.stderr.flush()
