"""The OpenAPI text. Law: a stranger can work from it: words, examples, problems, headers, and nothing untrue."""

from collections.abc import Mapping
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from api import VERSION
from api.fields import EXAMPLES, FIELDS
from api.replies import ProblemShown

_ABOUT: Final = """
An event-sourced battle log for tabletop skirmish games: N:ME shooting (`nme`) and MiniFig Death (`mfd`).
Every action is appended as immutable entries; the table at any moment is rebuilt from them.

**Begin**: `POST /v1/battles` with one of the examples, keep the `seats` of the answer, and send
`Authorization: Bearer <secret>` with every write. Without a secret you are a spectator, who reads.

**Lengths** are inches with at most three decimals in requests and views, and whole thousandths of an inch in entries.
**Facing** is in degrees, counter-clockwise from +x. **Times** are UTC milliseconds. Unknown fields and parameters are
refused.

**Dice**: where people throw (`dice: table`), send the faces with the action, or let `dice-wanted` ask for them roll by
roll. `?dry_run=true` says what would happen and writes nothing.

**Safe retries**: send an `Idempotency-Key` with a write, and send it again with the same key when the answer got lost.
`If-Match` with the `ETag` you saw refuses a write on a table that has moved on.

**Problems** are RFC 9457 `application/problem+json` with a stable `type`. A refused request leaves the log as it was.
"""

_TAGS: Final = [
    {"name": "battles", "description": "Open a battle, look at the table, find it on the desk."},
    {"name": "play", "description": "Actions."},
    {"name": "undo", "description": "Take back, agree, restore."},
    {"name": "procedure", "description": "Rulings, disputes, closing, seats."},
    {"name": "branches", "description": "What-ifs."},
    {"name": "reports", "description": "What people ask of a battle."},
    {"name": "log", "description": "The entries themselves, as a page, a stream or live."},
    {"name": "proof", "description": "Signed heads of the logs, proofs, the log of battles, and names beside them."},
    {"name": "across battles", "description": "Standings of an event, and what weapons did."},
    {"name": "service", "description": "Health and figures."},
]
_THOU_POLICIES: Final = ("NmePolicy", "MfdPolicy")


def install(app: FastAPI) -> None:
    """Have the application tell its own text, made once and when first asked."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _made(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _made(app: FastAPI) -> dict[str, Any]:
    text = get_openapi(
        title="battlelog",
        version=VERSION,
        description=_ABOUT,
        routes=app.routes,
        tags=list(_TAGS),
        license_info={"name": "MIT"},
    )
    schemas = text["components"]["schemas"]
    shown = ProblemShown.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= shown.pop("$defs")
    schemas["Problem"] = shown
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for name in _THOU_POLICIES:
        _in_inches(schemas[name])
    for schema in schemas.values():
        _without_made_defaults(schema)
    _say(schemas, "description", FIELDS)
    _say(schemas, "examples", EXAMPLES)
    text["components"]["securitySchemes"] = {
        "seat": {"type": "http", "scheme": "bearer", "description": "the secret of a seat of this battle"}
    }
    for path, operations in text["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                parameter["schema"] = _without_null(parameter["schema"])
            operation["security"] = [{}, {"seat": []}] if path.startswith("/v1/battles/") else []
    return text


def _say(schemas: dict[str, Any], what: str, fields: Mapping[str, Mapping[str, Any]]) -> None:
    for name, by_field in fields.items():
        for field, said in by_field.items():
            schemas[name]["properties"][field][what] = said


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    # A query or a header can be left out, but there is no way to send a null in one.
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    return {**{k: v for k, v in schema.items() if k != "anyOf"}, **kinds[0]} if len(kinds) == 1 else schema


def _in_inches(policy: dict[str, Any]) -> None:
    # Defaults stand in the code as the log would keep them, in thou.
    for field in policy["properties"].values():
        if field.get("multipleOf") == 0.001 and isinstance(field.get("default"), int):
            field["default"] = field["default"] / 1000


def _without_made_defaults(schema: dict[str, Any]) -> None:
    # A default that is a whole object would be told in thou; each of its own fields says its default in inches.
    for field in schema.get("properties", {}).values():
        if isinstance(field.get("default"), dict) and field["default"]:
            del field["default"]
