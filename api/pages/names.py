"""Names of sides for a list of battles. Law: read from a battle's first entry, so that no battle is replayed for it."""

from domain import events as e
from replays.codec import Codec
from replays.store import Store


def side_names(store: Store, battle: str) -> dict[str, str]:
    """The names of a battle's sides, by their ids; a what-if has those of the battle that it parts from."""
    (first,) = store.read(battle, upto=1)
    started = Codec().read(first).body
    assert isinstance(started, e.BattleStarted)
    return {side.id: side.name for side in started.sides}
