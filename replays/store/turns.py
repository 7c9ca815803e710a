"""The queue of writers. Law: whoever finds nobody writing writes for all who wait, and each hears what came of its own.

Under load one commit so serves many, and a writer that is alone pays nothing for it. Threads that wait sleep until
their own work is done, or until it is their turn to write for the others.
"""

from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic
from typing import Any, Generic, TypeVar

from replays.store.refusals import StoreUnavailable

T = TypeVar("T")


class Turn(Generic[T]):
    """What one writer wants done, and what came of it."""

    def __init__(self, work: Callable[[Any], T]) -> None:
        self.since = monotonic()
        self.leads = False
        self.kept = False
        self.error: Exception | None = None
        self._work = work
        self._gave: list[T] = []
        self._asleep = Lock()
        self._asleep.acquire()

    def take(self, cursor: Any) -> None:
        """Do the work, in the transaction that is open."""
        self._gave = [self._work(cursor)]

    def wait(self) -> None:
        """Sleep until somebody calls `wake`."""
        self._asleep.acquire()

    def wake(self) -> None:
        """End the sleep, or the one to come."""
        self._asleep.release()

    def result(self) -> T:
        """What the work gave, or why nothing was written."""
        if self.error is not None:
            raise self.error
        if not self.kept:
            raise StoreUnavailable("interrupted while it was being written: ask what is stored")
        return self._gave[0]


class Turns:
    """The writers that wait. `commit_all` takes their turns in one transaction; where it raises, none was kept."""

    def __init__(self, commit_all: Callable[[Sequence[Turn[Any]]], None]) -> None:
        self._commit_all = commit_all
        self._door = Lock()
        self._waiting: list[Turn[Any]] = []
        self._led = False

    def do(self, work: Callable[[Any], T]) -> T:
        """Have `work` done and committed, alone or together with others, and give what it gave."""
        turn = Turn(work)
        with self._door:
            self._waiting.append(turn)
            turn.leads, self._led = not self._led, True
        if not turn.leads:
            self._wait(turn)
        if turn.leads:
            self._lead()
        return turn.result()

    def _wait(self, turn: Turn[Any]) -> None:
        try:
            turn.wait()
        except BaseException:
            # Ctrl-C: gone from the queue, but not while the others wait for this one to write.
            with self._door:
                if turn in self._waiting:
                    self._waiting.remove(turn)
            if turn.leads:
                self._lead()
            raise

    def _lead(self) -> None:
        with self._door:
            turns, self._waiting = self._waiting, []
        try:
            if turns:
                self._commit_all(turns)
            for turn in turns:
                turn.kept = True
        except Exception as error:  # noqa: BLE001 - raised again to whom it belongs
            for turn in turns:
                turn.error = error
        finally:
            self._hand_over(turns)

    def _hand_over(self, turns: list[Turn[Any]]) -> None:
        with self._door:
            successors = self._waiting[:1]
            self._led = bool(successors)
            for successor in successors:
                successor.leads = True
        for turn in (*turns, *successors):
            turn.wake()
