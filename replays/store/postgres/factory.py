"""The factory. Law: which recorder keeps the log is configuration, and nothing of it is read from the environment."""

from typing import Any, NoReturn

from eventsourcing.persistence import AggregateRecorder, InfrastructureFactory, TrackingRecorder
from eventsourcing.utils import Environment, EnvType

from replays.store.postgres.address import Address
from replays.store.postgres.recorder import BattleRecorder


class BattleFactory(InfrastructureFactory[TrackingRecorder]):
    """What `PERSISTENCE_MODULE` names. `POSTGRES_DBNAME` is the whole address, as libpq takes it there too."""

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        self._recorder: BattleRecorder | None = None

    def application_recorder(self) -> BattleRecorder:
        """The recorder, which is one for all who ask."""
        if self._recorder is None:
            patience = int(self.env.get("POSTGRES_LOCK_TIMEOUT") or 0)
            self._recorder = BattleRecorder(Address(self.env.get("POSTGRES_DBNAME") or "", patience))
        return self._recorder

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:  # noqa: ARG002 - one table for all
        """The same: it is one of those as well."""
        return self.application_recorder()

    def tracking_recorder(self, tracking_recorder_class: type[Any] | None = None) -> NoReturn:
        """There is none: projections keep their place in a table of their own."""
        raise NotImplementedError

    def process_recorder(self) -> NoReturn:
        """There is none; see `tracking_recorder`."""
        raise NotImplementedError

    def close(self) -> None:
        """Close every line to the server."""
        if self._recorder is not None:
            self._recorder.close()
