"""What makes the proof half fast leaves nothing out: no check is passed over that had something to say."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replays.audit.verify.case import Case, Check, Step
from replays.audit.verify.checks import CHECKS
from replays.audit.verify.line import Line
from replays.audit.verify.shapes import ENVELOPE, SHAPES, enveloped, misshapen
from tests.replays.audit.test_threats_rolls import settled, voided
from tests.replays.audit.wrapped import (
    POLICY,
    Doc,
    agreed,
    alone,
    branched,
    by_hand,
    forfeited,
    sound,
    together,
    unsettled,
)

ABOUT = [check for check in CHECKS if check.about is not None]


class Listening(Step):
    """A batch that notes which types a check asks for."""

    __slots__ = ("asked",)

    def __init__(self, case: Case, batch: Sequence[Line]) -> None:
        super().__init__(case, batch)
        self.asked: set[str] = set()

    def of(self, *types: str) -> Sequence[Line]:
        """Note them."""
        self.asked |= set(types)
        return super().of(*types)


def redone(seq: int, data: bytes) -> list[Line]:
    """An undo as a redo to which nobody agreed, which there is none of in these battles; it counts no dice."""
    if b'"ActionsUndone"' not in data:
        return []
    undone = re.sub(rb'"request":\d+', b'"request":999', re.sub(rb'"dice":\d+,', b"", data))
    return [Line(seq, undone.replace(b'"ActionsUndone"', b'"ActionsRestored"'))]


@pytest.mark.parametrize("check", ABOUT, ids=lambda check: check.name)
def test_a_check_is_about_what_it_asks_for_and_silent_of_all_else(check: Check) -> None:
    assert check.about is not None
    asked: set[str] = set()
    for play in (alone, together, forfeited, by_hand, agreed, branched, unsettled, settled, voided):
        case = Case(sound(play()), POLICY)
        for seq, data in enumerate(case.bundle.entries, start=1):
            for line in (Line(seq, data), *redone(seq, data)):
                step = Listening(case, [line])
                if line.type in check.about:
                    list(check.look(step))
                    asked |= step.asked
                else:
                    assert list(check.look(step)) == []  # out of all order: nothing that it is about, nothing to say
            case.trail.advance([Line(seq, data)])
    assert asked <= check.about
    assert check.about <= set(SHAPES) | {"BattleClosed"}


DOC: Doc = {
    "action": 1,
    "actor": "referee",
    "battle": "ab" * 16,
    "body": {},
    "prev": "0" * 64,
    "seq": 1,
    "state": "0" * 64,
    "time": 0,
    "type": "BattleStarted",
    "v": 1,
}
ODD = st.sampled_from(
    [None, True, False, 0, 1, -1, 2**53 - 1, 2**53, 1.0, "", "referee", "AB" * 16, "ab" * 16, "0" * 63, "0" * 64]
) | st.sampled_from(["0" * 64 + "\n", "0" * 96, [], {}, {"a": 1}, ["0" * 64]])


ODDLY = st.tuples(
    st.dictionaries(st.sampled_from([*DOC, "more"]), ODD, max_size=3), st.sets(st.sampled_from([*DOC]), max_size=1)
)


@given(st.lists(ODDLY, min_size=1, max_size=3))
def test_the_ten_members_of_all_at_once_are_the_ten_members_one_by_one(oddly: list[tuple[Doc, set[str]]]) -> None:
    docs = [{name: value for name, value in (DOC | odd).items() if name not in gone} for odd, gone in oddly]
    each = [not misshapen(ENVELOPE, doc) and len(doc) == len(ENVELOPE) for doc in docs]
    assert enveloped(docs) == all(each)
    assert [enveloped([doc]) for doc in docs] == each


def test_what_one_member_or_entry_lacks_no_other_makes_up_for() -> None:
    assert enveloped([DOC, DOC])
    for odd in ({"battle": "0" * 64, "prev": "0" * 32}, {"prev": "0" * 63, "state": "0" * 65}):
        assert not enveloped([DOC | odd])
    assert not enveloped([DOC | {"prev": "0" * 63}, DOC | {"prev": "0" * 65}])
    assert not enveloped([DOC | {"seq": 0}, DOC | {"seq": 2}])
