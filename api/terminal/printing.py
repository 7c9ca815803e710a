"""Printing: how results reach the terminal. Law: what is not a terminal gets no colour and no moving parts.

Results go to stdout, progress to stderr; text of a log is text, and no markup of any kind.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from api.terminal.stop import clean


def words(text: str, style: str = "") -> Text:
    """Text of a log, ready for the console."""
    return Text(clean(text), style=style)


class Out(Console):
    """Where results go. A reader who goes away is left to the command line, which knows what to do."""

    def on_broken_pipe(self) -> None:
        """Say so, instead of ending the program here."""
        raise BrokenPipeError


def out() -> Console:
    """Where results go."""
    return Out(highlight=False, markup=False, emoji=False)


def show_json(value: BaseModel | dict[str, Any]) -> None:
    """Print JSON; pure ASCII, so that any pipe and any locale takes it."""
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    sys.stdout.write(json.dumps(plain, indent=2) + "\n")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int], None]]:
    """A counter of entries on stderr while they are read; call what it gives with each seq."""
    with _bar(SpinnerColumn(), TextColumn("{task.description}", markup=False), MofNCompleteColumn()) as bar:
        task = bar.add_task(clean(what), total=None)
        yield lambda seq: bar.update(task, completed=seq)


@contextmanager
def progress_of(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr while something is done; call what it gives with how much is done, and of how much."""
    text = TextColumn("{task.description}", markup=False)
    with _bar(text, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task(clean(what), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _bar(*columns: ProgressColumn) -> Progress:
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
