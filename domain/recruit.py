"""Recruit: what every fig brings to the muster. Law: the parts that both systems share, and nothing of either."""

from typing import Annotated, Literal

from pydantic import Field

from domain.words import Asked, Facing, Id, Inches, Length, Place, Text

Name = Annotated[Text, Field(min_length=1, max_length=80)]


class Recruit(Asked):
    """A fig's place on the table; lengths in inches, `base` is a diameter."""

    id: Id
    name: Name | None = None
    side: Id
    x: Inches
    y: Inches
    facing: Facing = Field(default=0, validate_default=True)
    base: Annotated[Length, Field(ge=100, le=20_000)] = Field(default=1, validate_default=True)
    vehicle: bool = False


class SideIn(Asked):
    """A side; the order of the list is the order of turns."""

    id: Id
    name: Name | None = None


class TerrainIn(Asked):
    """A piece of terrain: an `area` is a polygon, a `wall` a line of points; `cover` is what it gives."""

    id: Id
    kind: Literal["area", "wall"]
    points: Annotated[tuple[Place, ...], Field(strict=False, min_length=2, max_length=40)]
    cover: Literal["open", "cover", "unseen", "none", "partial", "full"]


class Table(Asked):
    """The table's size in inches."""

    width: Annotated[Length, Field(ge=1000, le=1_000_000)] = Field(default=48, validate_default=True)
    height: Annotated[Length, Field(ge=1000, le=1_000_000)] = Field(default=48, validate_default=True)


class Tags(Asked):
    """How a desk finds the battle again."""

    event: Annotated[Text, Field(max_length=80)] = ""
    round: Annotated[Text, Field(max_length=80)] = ""
    table: Annotated[Text, Field(max_length=80)] = ""
