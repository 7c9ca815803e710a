"""View: the shape of every answer. Law: frozen and closed; lengths are inches, to be read and never reckoned with."""

import math

from pydantic import BaseModel, ConfigDict, Field

from domain.dice import Throw
from domain.measures import INCH, Point, Vector


class View(BaseModel):
    """An answer, or a part of one."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PlaceView(View):
    """A place on the table."""

    x: float = Field(description="inches from the left edge", examples=[10.5])
    y: float = Field(description="inches from the lower edge", examples=[12])


class FacingView(View):
    """Which way a fig looks: in degrees for people, and the exact direction as the log holds it."""

    degrees: float = Field(description="counter-clockwise from +x, 0 to 360, to a tenth")
    x: int = Field(description="the direction's exact x; only the ratio of x and y counts")
    y: int = Field(description="the direction's exact y")


class ThrowView(View):
    """Dice that were thrown together, every face in order."""

    purpose: str = Field(description="what they were thrown for: ammo, to_hit, save, ...")
    sides: int
    faces: tuple[int, ...]


def to_inches(thou: int) -> float:
    """Thou as inches; three decimals hold every thou."""
    return thou / INCH


def degrees(facing: Vector) -> float:
    """A direction as degrees from +x, counter-clockwise, to a tenth."""
    return round(math.degrees(math.atan2(facing.y, facing.x)), 1) % 360


def place_view(at: Point) -> PlaceView:
    """A point in inches."""
    return PlaceView(x=to_inches(at.x), y=to_inches(at.y))


def facing_view(facing: Vector) -> FacingView:
    """A direction for people."""
    return FacingView(degrees=degrees(facing), x=facing.x, y=facing.y)


def throw_view(throw: Throw) -> ThrowView:
    """A throw as it fell."""
    return ThrowView(purpose=throw.purpose, sides=throw.sides, faces=throw.faces)
