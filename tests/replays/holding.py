"""Another program at work in a store's database. Law: as long as it holds it, no writer gets in."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from replays.store import on_postgres


@contextmanager
def held(database: str, *statements: str) -> Iterator[Callable[[], None]]:
    """Hold `database` for writing, with `statements` under way, until the block ends or what this gives is called."""
    if on_postgres(database):
        import psycopg  # noqa: PLC0415 - only there

        from replays.store.postgres.appending import LOCKED  # noqa: PLC0415 - the same

        with psycopg.connect(database) as line:
            for statement in (LOCKED, *statements):
                line.execute(statement)
            yield line.rollback
            line.rollback()
        return
    with closing(sqlite3.connect(database, isolation_level=None, check_same_thread=False)) as db:
        for statement in ("BEGIN IMMEDIATE", *statements):
            db.execute(statement)
        yield db.rollback
        db.rollback()
