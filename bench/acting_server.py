"""`python -m bench.acting_server DATABASE SCRIPT PORT`: the whole service, and beside its own way to act a bare one.

The bare one stands in the same application behind the same middleware; it reads and validates the same body, commits
the lines that the same action became when the script was written, raw, and answers with them. No rules, no record.
"""

import base64
import json
import sys
from itertools import cycle
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import uvicorn
from fastapi import APIRouter, Body
from starlette.responses import Response

from api.answers import JSON
from api.app import create_app
from api.guard import GuardedRoute
from api.server import Server
from api.settings import Settings
from bench.battles import Acted
from bench.raw import Writer
from domain.commands import Command

BARE = "/v1/bare/actions"


def to_file(script: list[Acted], file: Path) -> None:
    """Keep a script for the server to read."""
    lines = [[[topic, base64.b64encode(data).decode()] for topic, data in one.lines] for one in script]
    file.write_text(json.dumps(lines), encoding="ascii")


def _from_file(file: Path) -> list[list[tuple[str, bytes]]]:
    told: list[list[list[str]]] = json.loads(file.read_text(encoding="ascii"))
    return [[(topic, base64.b64decode(data)) for topic, data in lines] for lines in told]


def bare(database: str, script: list[list[tuple[str, bytes]]]) -> APIRouter:
    """The bare way to act."""
    router = APIRouter(route_class=GuardedRoute)
    writer, batches, door = Writer(database, "a" * 32), cycle(script), Lock()

    @router.post(BARE, status_code=201, response_model=dict[str, Any])
    def act(command: Annotated[Command, Body()]) -> Response:
        assert command.do
        with door:
            lines = next(batches)
            writer.write(lines)
        return Response(b'{"entries":[%b]}' % b",".join(data for _, data in lines), 201, media_type=JSON)

    return router


def main() -> None:
    """Serve until told to stop."""
    database, script, port = sys.argv[1:]
    settings = Settings.read(database=database, port=int(port))
    app = create_app(settings)
    app.include_router(bare(f"{database}.bare", _from_file(Path(script))))
    quiet: dict[str, Any] = {"access_log": False, "log_level": "warning", "server_header": False}
    Server(uvicorn.Config(app, port=settings.port, timeout_keep_alive=600, **quiet)).run()


if __name__ == "__main__":
    main()
