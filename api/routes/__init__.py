"""Routes: one module a resource. Law: a handler lets the caller in, asks the referee or a projection, and answers."""

from api.routes import actions, battles, branches, entries, procedure, reports, service, undo

ROUTERS = (
    battles.router,
    actions.router,
    undo.router,
    procedure.router,
    branches.router,
    reports.router,
    entries.router,
    service.router,
)

__all__ = ["ROUTERS"]
