"""Cover. Law: three words, `open`, `cover` and `unseen`; people's word goes first, then terrain (NME-09)."""

from domain import events as e
from domain.battle import Battle, Fig
from domain.draft import Draft
from domain.measures import Point
from domain.refusals import invalid
from domain.sightlines import WORDS, stands_in_cover
from domain.systems.nme.pinning import pin

SAVES_ON = 4
"""What a fig in cover has to throw, unmodified (NME-20)."""


def check_word(word: str | None, pointer: str) -> None:
    """Refuse a cover word that N:ME does not have."""
    if word is not None and word not in WORDS["nme"]:
        invalid(f"N:ME has no cover word {word!r}", pointer, WORDS["nme"])


def in_cover(battle: Battle, fig: Fig, at: Point, word: str | None) -> bool:
    """Whether a fig at that place has cover to hide in; `word` is what people say of it."""
    return stands_in_cover(battle, fig, at) if word is None else word != "open"


def saved(draft: Draft, name: str, sight: e.Sight, by: str) -> bool:
    """The save of a fig that is hit in cover (NME-20): on 4 or more it is pinned, but otherwise unharmed."""
    if sight.cover == "open":
        return False
    thrown = draft.throw("save", 1, 6)
    face = thrown.faces[0]
    passed = face >= SAVES_ON
    draft.emit(e.CoverSaveRolled(name, (thrown,), face, SAVES_ON, passed, "NME-20"))
    if passed:
        pin(draft, name, "cover_save", "NME-20", by)
    return passed
