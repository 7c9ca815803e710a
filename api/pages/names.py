"""Names of sides for a list of battles. Law: read from a battle's first entry, so that no battle is replayed for it."""

from domain import events as e
from replays.codec import Codec, Misread
from replays.store import Damaged, Store


def side_names(store: Store, battle: str) -> dict[str, str]:
    """The names of a battle's sides, by their ids; a what-if has those of the battle that it parts from.

    None where its log cannot be read: that is told elsewhere.
    """
    try:
        started = [Codec().read(first).body for first in store.read(battle, upto=1)]
    except (Damaged, Misread, TypeError):
        return {}
    return {side.id: side.name for body in started if isinstance(body, e.BattleStarted) for side in body.sides}
