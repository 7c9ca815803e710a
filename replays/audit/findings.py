"""Findings: what a verifier says. Law: a code for programs, the entry and the field, and words that say what was found.

`E-...` is an error: the file does not prove what it claims. `W-...` is worth a look and no error. `E-OPEN` alone stands
between: everything holds, but the battle is not closed, so that nobody can say whether the log was cut.
"""

from dataclasses import dataclass
from typing import Final, Literal

OPEN: Final = "E-OPEN"
"""The code of a log whose battle is not closed."""

Status = Literal["valid", "open", "invalid"]
"""What a verification comes to."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found: at entry `seq` (0: in no entry of its own), in `field` where one can be named."""

    code: str
    text: str
    seq: int = 0
    field: str = ""

    @property
    def error(self) -> bool:
        """Whether the file is invalid because of it."""
        return self.code.startswith("E-") and self.code != OPEN

    @property
    def warning(self) -> bool:
        """Whether it is worth a look, and no more."""
        return self.code.startswith("W-")

    @property
    def told(self) -> str:
        """Code, place and words in one line."""
        place = f"entry {self.seq}" if self.seq else ""
        if self.field:
            place = f"{place}, {self.field}" if place else self.field
        return f"{self.code} {place}: {self.text}" if place else f"{self.code} {self.text}"


def status_of(findings: tuple[Finding, ...]) -> Status:
    """What findings come to."""
    if any(finding.error for finding in findings):
        return "invalid"
    return "open" if any(finding.code == OPEN for finding in findings) else "valid"
