"""Settings. Law: the only reader of the environment; what cannot be used is refused in words before anything starts.

Every setting is read from `BATTLELOG_<NAME>`; whoever starts the service may override it by hand.
"""

import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from replays.store import MEMORY, on_postgres

PREFIX: Final = "BATTLELOG_"

_ELSEWHERE: Final = frozenset({"BATTLELOG_SECRET"})
"""Read by somebody else: a player's secret, by `battlelog seat`."""


class BadSettings(Exception):  # noqa: N818 - told to whoever starts the service
    """A setting makes no sense; the text says which, and why."""


class Settings(BaseModel):
    """How the service runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    database: Annotated[
        str,
        Field(
            min_length=1,
            repr=False,  # an address may hold a password
            description="what keeps the log: a file, `:memory:`, or `postgresql://user@host:port/name`",
        ),
    ] = "battlelog.db"
    host: Annotated[str, Field(min_length=1, description="the address to listen on")] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535, description="the port to listen on; 0 takes a free one")] = 8000
    host_name: Annotated[
        str,
        Field(
            pattern=r"^[a-z0-9][a-z0-9.:-]{0,252}$",
            description="the name under which it signs: that of the service as others reach it, and for good",
        ),
    ] = "localhost"
    keys: Annotated[
        str,
        Field(
            description="the folder of its keys; if it is empty, `<database>.keys` (none for `:memory:`, "
            "`battlelog.keys` for PostgreSQL)"
        ),
    ] = ""
    publish: Annotated[
        float, Field(ge=0.05, le=86_400, description="seconds between two looks for battles to publish")
    ] = 10
    totals: Annotated[
        float, Field(ge=0.05, le=86_400, description="seconds between two looks for what the totals have not taken in")
    ] = 1
    body_limit: Annotated[int, Field(ge=1_024, le=64 * 2**20, description="the most bytes that a request may send")] = (
        2**20
    )
    rate: Annotated[
        int,
        Field(
            ge=0,
            description="requests that one secret, or one address without a secret, may send in `rate_window` seconds; "
            "an address in all four times as many; 0 sets no limit",
        ),
    ] = 10_000
    rate_window: Annotated[int, Field(ge=1, le=3_600, description="see `rate`")] = 10
    followers: Annotated[int, Field(ge=0, le=1_000_000, description="the most that follow battles live at once")] = (
        10_000
    )
    poll: Annotated[
        float, Field(ge=0.01, le=60, description="seconds between two looks for other programs' writes")
    ] = 0.25
    heartbeat: Annotated[float, Field(ge=0.1, le=600, description="seconds of silence before a live feed says so")] = 15
    patience: Annotated[
        float,
        Field(
            ge=0.1,
            le=600,
            description="seconds that a slow client may take for a request, or hold up its feed; "
            "half as long again for another answer; more in which 4 kB/s come, or are read",
        ),
    ] = 20
    grace: Annotated[int, Field(ge=0, le=600, description="seconds that open requests may take when it is stopped")] = 5
    drain: Annotated[
        float,
        Field(
            ge=0, le=600, description="seconds for which it still serves, once told to stop, while `/readyz` says no"
        ),
    ] = 0
    log_format: Annotated[Literal["json", "console", "none"], Field(description="how requests are logged")] = "json"

    @property
    def key_folder(self) -> Path | None:
        """Where the keys are; None where they last as long as the process."""
        if self.keys:
            return Path(self.keys)
        if self.database == MEMORY:
            return None
        return Path("battlelog.keys" if on_postgres(self.database) else f"{self.database}.keys")

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None, **overrides: Any) -> "Settings":
        """The settings of the environment, and on top what is given by hand. Raises `BadSettings`."""
        found = os.environ if environment is None else environment
        given: dict[str, Any] = {
            name: found[PREFIX + name.upper()] for name in cls.model_fields if PREFIX + name.upper() in found
        }
        given |= {name: value for name, value in overrides.items() if value is not None}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            said = [f"{PREFIX}{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()]
            raise BadSettings("; ".join(said)) from None


def database_of(environment: Mapping[str, str] | None = None) -> str:
    """What keeps the log where nobody says it by hand, whatever the other settings are."""
    found = os.environ if environment is None else environment
    default: str = Settings.model_fields["database"].default
    return found.get(f"{PREFIX}DATABASE") or default


def strangers(environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Each variable that looks like a setting and is none, with the one that may be meant."""
    found = os.environ if environment is None else environment
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    for name in sorted(found):
        if name.startswith(PREFIX) and name not in known | _ELSEWHERE:
            near = get_close_matches(name.removeprefix(PREFIX), [each.removeprefix(PREFIX) for each in known], 1, 0.5)
            meant = f"is {PREFIX}{near[0]} meant?" if near else "docs/operations.md lists those that there are"
            yield f"{name} is no setting and does nothing: {meant}"
