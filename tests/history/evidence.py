"""What is there in the end: the logs as each service tells them, and the keys as the database keeps them.

Law: every battle that the database has is looked at, also one that nobody was ever told of.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import httpx2

from tests.history.laws import Finding, Logs
from tests.history.logs import Log
from tests.history.past import Past

Kept = dict[tuple[str, str, str], tuple[str, int]]
"""Keys by scope, seat and key: the battle and the action that they stand for."""


def gathered(address: str, urls: Sequence[str]) -> tuple[dict[str, Log], list[Finding]]:
    """The logs, and where a service does not tell one, or not the same as the other."""
    battles = _rows(address, "SELECT DISTINCT originator_id FROM stored_events ORDER BY 1")
    logs: dict[str, Log] = {}
    found: list[Finding] = []
    with httpx2.Client(timeout=60, headers={"Accept": "application/jsonl"}) as http:
        for (battle,) in battles:
            answers = [http.get(f"{url}/v1/battles/{battle}/entries") for url in urls]
            silent = [answer.status_code for answer in answers if answer.status_code != 200]
            if silent:
                found.append(Finding("failure", battle, 0, f"its log is answered with {silent[0]}"))
                continue
            logs[battle] = Log.of(battle, answers[0].content.splitlines())
            if len({answer.content for answer in answers}) > 1:
                found.append(Finding("order", battle, 0, "two services tell two logs"))
    return logs, found


def kept(address: str) -> Kept:
    """The keys."""
    rows = _rows(address, 'SELECT scope, seat, "key", battle, "first" FROM keys')
    return {(scope, seat, key): (battle, first) for scope, seat, key, battle, first in rows}


def _rows(address: str, statement: str) -> list[tuple[Any, ...]]:
    import psycopg  # noqa: PLC0415 - without it there is no server, and nobody comes here

    with psycopg.connect(address) as line:
        return line.execute(statement.encode()).fetchall()


def keyed(past: Past, logs: Logs, keys: Kept) -> Iterator[Finding]:
    """Every batch is that of one key, and every key that of a request that was not refused."""
    asked = {(request.battle or "battles", request.seat, request.key): request for request in past.requests}
    for name, place in keys.items():
        request = asked.get(name)
        done = request.done if request is not None else None
        if request is None or request.refused:
            yield Finding("uninvited", *place, f"the key {name[2]} of a request that was refused, or never sent")
        elif done is not None and (done.battle, done.action) != place:
            yield Finding("mistaken", *place, f"the key {name[2]} stands for another batch than was answered")
    for name, request in asked.items():
        if request.done is not None and name not in keys:
            yield Finding("lost", request.done.battle, request.done.action, f"the key {name[2]} is not there")
    places = set(keys.values())
    if len(places) < len(keys):
        yield Finding("twice", "", 0, f"{len(keys)} keys stand for {len(places)} batches")
    for log in logs.values():
        for batch in log.batches.values():
            if (log.battle, batch.action) not in places:
                yield Finding("uninvited", log.battle, batch.action, "no key stands for it")
