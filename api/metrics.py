"""Metrics. Law: counted here and shown at `/metrics`; a label has few values, and none that a client can make up."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_METHODS: Final = {"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"}


class Metrics:
    """What the service counts, in a registry of its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "battlelog_requests", "Requests answered", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "battlelog_request_seconds", "How long answers took", ["route"], registry=self._registry
        )
        self._actions = Counter("battlelog_actions", "Actions written", ["system", "do"], registry=self._registry)
        self.followers = Gauge("battlelog_followers", "Who follows a battle live", registry=self._registry)
        self.dropped = Counter("battlelog_followers_dropped", "Followers that were too slow", registry=self._registry)
        self.totals_behind = Gauge(
            "battlelog_totals_behind", "Entries that the totals have not taken in", registry=self._registry
        )
        self.set_aside = Counter(
            "battlelog_set_aside", "Battles that the totals had to leave out", registry=self._registry
        )

    def answered(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """A request is done; live feeds have no duration that means anything."""
        self._requests.labels(method if method in _METHODS else "other", route, str(status)).inc()
        if seconds is not None:
            self._seconds.labels(route).observe(seconds)

    def acted(self, system: str, do: str) -> None:
        """An action stands in the log."""
        self._actions.labels(system, do).inc()

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)
