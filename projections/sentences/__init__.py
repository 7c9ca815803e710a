"""Sentences: every event in plain English. Law: one sentence a fact, for a reader who never saw the rules.

There is no default: an event without a sentence of its own is a bug that a test finds. The modules beside this one hold
a chapter each: `opening` `seats` `asking` `acting` `shooting` `harm` `procedure`.
"""

from collections.abc import Callable
from typing import Any

from domain.battle import Battle
from domain.events import Event
from projections.sentences import acting, asking, harm, opening, procedure, seats, shooting

SAYS: dict[type, Callable[[Any, Any], str]] = {
    **opening.SAYS,
    **seats.SAYS,
    **asking.SAYS,
    **acting.SAYS,
    **shooting.SAYS,
    **harm.SAYS,
    **procedure.SAYS,
}
"""The sentence of each event, by its type."""


def sentence(before: Battle | None, event: Event) -> str:
    """What happened, as plain text; `before` is the table before it (None before `BattleStarted`)."""
    return SAYS[type(event)](before, event)
