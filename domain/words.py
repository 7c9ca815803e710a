"""Words of a request. Law: whatever comes in is bounded here, before any rule looks at it.

Lengths arrive as inches with at most three decimals and leave as whole thou. A request that is read back from the log
(`FROM_LOG`) holds thou and integer vectors already and passes unchanged.
"""

import unicodedata
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, WithJsonSchema

from domain.measures import INCH, Vector, facing_of

FROM_LOG: Final = {"unit": "thou"}
"""Validation context for a request that comes out of the log."""

_FARTHEST_LOOK: Final = 2_000_000
"""No part of a direction is larger: two table lengths in thou, or a unit vector in millionths."""

FARTHEST: Final = 1000
"""No length on a table is longer than this many inches."""

THOU: Final = Decimal("0.001")
"""A thousandth of an inch."""


_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _logged(info: ValidationInfo) -> bool:
    return info.context == FROM_LOG


def _to_thou(value: object, info: ValidationInfo) -> int:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
        raise ValueError("write a length in inches as a number, for example 4 or 7.5")  # noqa: TRY004 - pydantic's way
    if _logged(info):
        if not isinstance(value, int) or abs(value) > FARTHEST * INCH:
            raise ValueError("a length in the log is a whole number of thou, within a thousand inches")
        return value
    exact = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    # Compared before any arithmetic: that would round, or overflow, at the will of whoever wrote the number.
    if not exact.is_finite() or not -FARTHEST <= exact <= FARTHEST:
        raise ValueError(f"a length is a number of inches between -{FARTHEST} and {FARTHEST}")
    rounded = exact.quantize(THOU)
    if rounded != exact:
        raise ValueError("a length has at most three decimals (a thousandth of an inch)")
    return int(rounded * INCH)


def _to_facing(value: object, info: ValidationInfo) -> Vector:
    if isinstance(value, Vector):
        return value
    if _logged(info) and isinstance(value, dict):
        x, y = value.get("x"), value.get("y")
        if not isinstance(x, int) or not isinstance(y, int) or (x, y) == (0, 0) or max(abs(x), abs(y)) > _FARTHEST_LOOK:
            raise ValueError("a direction in the log is a vector of whole numbers that points somewhere")
        return Vector(x, y)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 360:
        raise ValueError("write a facing in whole degrees, 0 to 360, counter-clockwise; 0 looks along +x")
    return facing_of(value)


def clean(text: str) -> str:
    """The text, if it holds nothing that would not show; raises `ValueError`."""
    if any(unicodedata.category(c) in {"Cc", "Cs"} or c in _TURNING for c in text):
        raise ValueError("text may not hold control characters, marks that turn its direction, or lone surrogates")
    return text


Id = Annotated[str, Field(pattern="^[a-z0-9-]{1,40}$", examples=["red-1"])]
BattleId = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
Text = Annotated[str, Field(max_length=500), AfterValidator(clean)]
Said = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(clean)]
"""A reason that has to be given."""
Plain = Annotated[int, Field(strict=True, ge=-20, le=20)]
"""A to-hit modifier."""
Inches = Annotated[
    int,
    BeforeValidator(_to_thou),
    WithJsonSchema({"type": "number", "multipleOf": 0.001, "minimum": -FARTHEST, "maximum": FARTHEST}),
]
Length = Annotated[
    int,
    BeforeValidator(_to_thou),
    Field(ge=0),
    WithJsonSchema({"type": "number", "multipleOf": 0.001, "minimum": 0, "maximum": FARTHEST}),
]
Facing = Annotated[
    Vector,
    BeforeValidator(_to_facing),
    WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 360, "description": "degrees, counter-clockwise"}),
]
Seq = Annotated[int, Field(ge=1, le=2**53 - 1)]


class Asked(BaseModel):
    """Whatever is asked: frozen, and unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)


class Place(Asked):
    """A place on the table, in inches from its lower left corner."""

    x: Inches
    y: Inches


def logged(model: BaseModel, *, without: set[str]) -> dict[str, Any]:
    """A request as the log keeps it: thou, integer vectors, defaults filled in."""
    dumped: dict[str, Any] = model.model_dump(mode="python", exclude=without)
    return {name: _plain(value) for name, value in dumped.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Vector):
        return {"x": value.x, "y": value.y}
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
