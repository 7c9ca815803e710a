"""Faults: what is wrong with a request, field by field. Law: each has its RFC 6901 pointer and words that help.

pydantic's locations name union branches and say "input should"; here they become places in what was really sent.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from domain.measures import INCH

MOST: Final = 20
"""More faults than this help nobody."""

_WRONG_KIND: Final = {
    "string_type": "a string",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dataclass_type": "an object",
    "dict_type": "an object",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
}
_ABSENT: Final = {"missing", "missing_keyword_only_argument", "missing_argument"}
_EXTRA: Final = {"extra_forbidden", "unexpected_keyword_argument"}
_BOUNDS: Final = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
    "greater_than": ("gt", "more than"),
    "less_than": ("lt", "less than"),
    "multiple_of": ("multiple_of", "a multiple of"),
}
_LENGTHS: Final = {
    *("width", "base", "er", "move", "run", "charge", "inches", "distance"),
    *("tape_tolerance", "recovery_friend_within", "blast_radius"),
}
"""Fields that are sent in inches and bounded in thou (and a table's height; that of a fig is in blocks)."""

_SHAPES: Final = {
    "to": '{"x": 14, "y": 11}',
    "point": '{"x": 14, "y": 11}',
    "toward": '{"x": 14, "y": 11}',
    "points": '{"x": 14, "y": 11}',
    "table": '{"width": 48, "height": 48}',
    "sides": '{"id": "red", "name": "Red Dogs"}',
    "bouts": '{"fig": "roland", "target": "anne"}',
    "touched": '{"fig": "ganger", "under": true}',
    "modifiers": '{"value": -1, "reason": "rain"}',
    "changes": '{"fig": "sarge", "field": "x", "value": 11.5}',
    "tags": '{"event": "club night", "round": "1", "table": "3"}',
}
"""What an object of a field looks like."""

_MFD_WEAPON: Final = '{"id": "pistol", "kind": "pistol"}'
_ID: Final = re.compile("[a-z0-9-]{1,40}")

_HEADERS: Final = {
    "If-Match": 'must be the number of the last entry in quotes, like "57", or *',
    "Idempotency-Key": "must be 1 to 200 visible ASCII characters, without spaces",
    "Last-Event-ID": "must be the number of an entry, like 57",
    "Battlelog-Signature": "must be the number of the entry that the request becomes, a space, and 128 hex digits",
}
"""What a header has to look like."""

_TAGS: Final = {"do", "system"}
"""The fields that say what a body is; pydantic puts their values into its locations."""


def faults(errors: Sequence[Mapping[str, Any]], body: Any, words: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """The faults of a request; `words` are the values that each discriminator knows."""
    found: list[dict[str, Any]] = []
    for error in _without_noise(errors, body):
        fault = _fault(error, body, words)
        if fault not in found:
            found.append(fault)
        if len(found) == MOST:
            break
    return found


def _fault(error: Mapping[str, Any], body: Any, words: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    place, *loc = error["loc"]
    if place == "query":
        return {"parameter": str(loc[0]), "message": _message(error, [])}
    if place == "header":
        message = _HEADERS.get(str(loc[0])) if error["type"] == "string_pattern_mismatch" else None
        return {"header": str(loc[0]), "message": message or _message(error, [])}
    steps, _, _ = _walked(loc, body, error["type"])
    if error["type"] in ("union_tag_invalid", "union_tag_not_found"):
        tag = error["ctx"]["discriminator"].strip("'")
        known = ", ".join(words.get(tag, ())) or error["ctx"].get("expected_tags", "")
        needed = "is needed, and must be" if error["type"] == "union_tag_not_found" else "must be"
        return {"pointer": pointer([*steps, tag]), "message": f"{needed} one of {known}"}
    if error["type"] == "missing" and not loc:
        return {"pointer": "", "message": "a JSON body is needed"}
    return {"pointer": pointer(steps), "message": _message(error, steps)}


def pointer(steps: Sequence[str | int]) -> str:
    """An RFC 6901 pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def _walked(loc: Sequence[Any], body: Any, kind: str) -> tuple[list[str | int], str, Any]:
    """The steps of a location that lead somewhere in the body, the union branch that it names, and what is there."""
    steps: list[str | int] = []
    branch = ""
    value = body
    for n, step in enumerate(loc):
        if isinstance(step, int):
            steps.append(step)
            value = value[step] if isinstance(value, list) and step < len(value) else None
        elif _is_tag(steps, step, value) and n + 1 - len(steps) == 1:
            continue
        elif isinstance(value, dict) and (step in value or (n == len(loc) - 1 and kind in _ABSENT)):
            steps.append(step)
            value = value.get(step)
        else:
            branch = str(step)
    return steps, branch, value


def _is_tag(steps: Sequence[str | int], step: Any, value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if not steps:
        return any(value.get(tag) == step for tag in _TAGS)
    return steps[0] == "changes" and len(steps) == 2 and value.get("field") == step


def _without_noise(errors: Sequence[Mapping[str, Any]], body: Any) -> list[Mapping[str, Any]]:
    """Without the branches of a union that nobody meant, and counts that only follow from other faults."""
    kept: list[Mapping[str, Any]] = []
    wrong: dict[str, list[Mapping[str, Any]]] = {}
    meant: set[str] = set()
    for error in errors:
        steps, branch, value = _walked(error["loc"][1:], body, error["type"])
        if error["loc"][0] != "body":
            kept.append(error)
        elif branch and error["type"] in _WRONG_KIND and not _inside(error, branch):
            wrong.setdefault(pointer(steps), []).append(error)
        elif error["type"] == "too_short" and isinstance(value, list) and len(value) >= error["ctx"]["min_length"]:
            continue
        else:
            kept.append(error)
            if branch:
                meant.add(pointer(_before_branch(error["loc"][1:], branch, body, error["type"])))
    for place, several in wrong.items():
        if place not in meant:
            kinds = " or ".join(dict.fromkeys(_WRONG_KIND[e["type"]] for e in several))
            steps = _walked(several[0]["loc"][1:], body, several[0]["type"])[0]
            kept.append({**several[0], "type": "value_error", "msg": f"must be {kinds}{_like(kinds, steps)}"})
    return kept


def _inside(error: Mapping[str, Any], branch: str) -> bool:
    return bool(error["loc"][-1] != branch)


def _before_branch(loc: Sequence[Any], branch: str, body: Any, kind: str) -> list[str | int]:
    return _walked(loc[: loc.index(branch)], body, kind)[0]


def _like(kinds: str, steps: Sequence[str | int]) -> str:
    """An example of an object, for a field of which people send something else."""
    name = next((step for step in reversed(steps) if isinstance(step, str)), "")
    shape = _MFD_WEAPON if name == "weapons" and kinds == "an object" else _SHAPES.get(name)
    return f", like {shape}" if shape and kinds.startswith("an object") else ""


def _message(error: Mapping[str, Any], steps: Sequence[str | int]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    said = str(error["msg"]).removeprefix("Value error, ")
    if kind in _ABSENT:
        return "is needed"
    if kind in _EXTRA:
        return "there is no such field here"
    if kind in _WRONG_KIND:
        return f"must be {_WRONG_KIND[kind]}{_like(_WRONG_KIND[kind], steps)}"
    if kind == "literal_error":
        return f"must be {context['expected']}"
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"must be {words} {_as_sent(context[name], steps)}"
    if kind == "string_pattern_mismatch" and context["pattern"] == "^[a-z0-9-]{1,40}$":
        lower = str(error.get("input", "")).lower()
        small = f'; ids are lower case, like "{lower}"' if _ID.fullmatch(lower) else ""
        return f"must be 1 to 40 characters out of a to z, 0 to 9 and -{small}"
    if kind in ("too_long", "too_short"):
        least = kind == "too_short"
        return (
            f"must have {'at least' if least else 'at most'} {context['min_length' if least else 'max_length']} items"
        )
    return said.replace("Input should", "should").replace("String should", "should")


def _as_sent(bound: Any, steps: Sequence[str | int]) -> str:
    if steps and (steps[-1] in _LENGTHS or list(steps[-2:]) == ["table", "height"]):
        return f'{Decimal(bound) / INCH:f}"'
    return str(bound)
