"""Routes: one module a resource. Law: a handler lets the caller in, asks the referee or a projection, and answers."""

from api.routes import (
    actions,
    battles,
    branches,
    chances,
    entries,
    global_log,
    log,
    names,
    procedure,
    reports,
    seats,
    service,
    standings,
    undo,
)

ROUTERS = (
    battles.router,
    actions.router,
    undo.router,
    procedure.router,
    seats.router,
    branches.router,
    reports.router,
    chances.router,
    entries.router,
    log.router,
    log.cosigning,
    names.router,
    global_log.router,
    standings.router,
    service.router,
)

__all__ = ["ROUTERS"]
