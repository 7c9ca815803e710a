"""What the library asks of a recorder beside the append. Law: ids in the order of commits, none passed over.

Its own recorder locks the table for each append and listens on a line for each subscription; so only its abstract
classes are kept.
"""

from collections.abc import Sequence
from typing import Any, Final

from eventsourcing.persistence import ApplicationRecorder, ListenNotifySubscription, Notification, StoredEvent

from replays.store.postgres.hearing import Hearing
from replays.store.postgres.server import Server

_EVENT: Final = "originator_id, originator_version, topic, state"


class LibraryRecorder(ApplicationRecorder):
    """Reads the log as the library does."""

    server: Server
    hearing: Hearing

    def select_events(
        self,
        originator_id: Any,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Events of one sequence."""
        asked = {"originator_id =": str(originator_id), "originator_version >": gt, "originator_version <=": lte}
        order = f"ORDER BY originator_version {'DESC' if desc else 'ASC'}"
        return [StoredEvent(*row) for row in self._select(_EVENT, asked, order, limit)]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Events of all sequences, in the order in which they were stored."""
        asked = {
            f"notification_id >{'=' if inclusive_of_start else ''}": start,
            "notification_id <=": stop,
            "topic = ANY": list(topics) or None,
        }
        found = self._select(f"notification_id, {_EVENT}", asked, "ORDER BY notification_id", limit)
        return [
            Notification(id=number, originator_id=battle, originator_version=seq, topic=topic, state=state)
            for number, battle, seq, topic, state in found
        ]

    def max_notification_id(self) -> int | None:
        """The id of the event that was stored last."""
        found = self.server.read("SELECT max(notification_id) FROM stored_events", ())[0][0]
        return None if found is None else int(found)

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "LibrarySubscription":
        """Events as they are stored."""
        return LibrarySubscription(self, gt, topics)

    def _select(self, columns: str, asked: dict[str, Any], order: str, limit: int | None) -> list[tuple[Any, ...]]:
        wanted = {words: value for words, value in asked.items() if value is not None}
        where = " AND ".join(f"{words} (%s)" for words in wanted) or "true"
        statement = f"SELECT {columns} FROM stored_events WHERE {where} {order} LIMIT %s"  # noqa: S608 - constants
        return self.server.read(statement, (*wanted.values(), limit))


class LibrarySubscription(ListenNotifySubscription[LibraryRecorder]):
    """Rung by the line that listens for the whole process."""

    def __init__(self, recorder: LibraryRecorder, gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder=recorder, gt=gt, topics=topics)
        self._bell = self._has_been_notified.set
        recorder.hearing.tell(self._bell)

    def stop(self) -> None:
        """Stop the subscription."""
        self._recorder.hearing.forget(self._bell)
        super().stop()
