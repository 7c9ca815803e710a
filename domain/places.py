"""Places. Law: a fig stands on the table, and on nobody else's feet (TABLE-01, TABLE-02)."""

from domain.battle import Battle, Fig
from domain.measures import Point, overlapping
from domain.refusals import refuse


def on_table(battle: Battle, at: Point) -> bool:
    """Whether a place lies on the table, its edge included."""
    return 0 <= at.x <= battle.width and 0 <= at.y <= battle.height


def table_size(battle: Battle) -> str:
    """The table's size in words."""
    return f"0 to {battle.width // 1000} by 0 to {battle.height // 1000} inches"


def check_place(battle: Battle, fig: Fig, to: Point) -> None:
    """Refuse a place that is off the table or where somebody else stands (TABLE-01, TABLE-02)."""
    if not on_table(battle, to):
        refuse("TABLE-01", f"that place is off the table ({table_size(battle)})", [table_size(battle)])
    for other in battle.figs.values():
        if other.id != fig.id and other.in_play and overlapping(to, fig.base, other.at, other.base):
            refuse("TABLE-02", f"{fig.id} would stand on top of {other.id}", ["stop short of it, or touch its base"])
