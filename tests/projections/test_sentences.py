"""Sentences: every event has one of its own, complete, in inches and with the names that the players gave."""

import re
from collections.abc import Iterator
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from msgspec.structs import replace

from domain import events as e
from domain.commands import COMMAND
from domain.events import Event
from domain.measures import Point
from projections.sentences import SAYS, sentence
from projections.sentences.asking import ASKS
from projections.summaries import summary
from projections.wording import seat_name
from tests.projections.samples import AMMO, ASKED, BLOW, GANG, NEAR_MISS, RULED, SAMPLES, declared

UNNAMED = (e.AmmoRolled, e.NmeHitRolled, e.VictimDrawn)
"""Rolls of a shooter whom `ShotFired`, right before them, has named."""


def said(event: Event) -> str:
    return sentence(GANG, event)


def test_every_event_has_a_sentence_of_its_own() -> None:
    assert set(SAYS) == set(get_args(Event))
    assert len(set(SAYS.values())) == len(SAYS), "two events share one"


def test_every_event_stands_among_the_samples() -> None:
    assert {type(sample) for sample in SAMPLES} == set(get_args(Event))


def test_every_request_has_a_sentence_of_its_own() -> None:
    asked = {tag for schema in COMMAND.json_schema()["discriminator"]["mapping"].items() for tag in schema[:1]}
    assert set(ASKS) == asked == {request["do"] for request in ASKED}


@pytest.mark.parametrize("event", SAMPLES, ids=[f"{n}-{type(s).__name__}" for n, s in enumerate(SAMPLES)])
class TestEverySentence:
    def test_is_a_sentence(self, event: Event) -> None:
        text = said(event)
        assert text[0] != " "
        assert text.endswith(".")
        assert "  " not in text
        assert not re.search(r"[{}\[\]]|None|True|False|Point|Vector", text)

    def test_says_lengths_in_inches(self, event: Event) -> None:
        text = re.sub(r"[0-9a-f]{32}|4096", "", said(event))
        assert not re.search(r"\d{4}", text), "a length in thou"

    def test_calls_figs_by_their_names(self, event: Event) -> None:
        text = said(event)
        for name, known in (("red-1", "Sarge (red-1)"), ("blue-1", "Ganger (blue-1)")):
            assert text.count(name) == text.count(known)
        if getattr(event, "fig", "") == "red-1" and not isinstance(event, UNNAMED):
            assert "Sarge (red-1)" in text


def test_no_two_samples_read_the_same() -> None:
    texts = [said(event) for event in SAMPLES]
    assert len(set(texts)) == len(texts)


def spellings() -> Iterator[tuple[Event, str, str]]:
    """Every sample with every word that one of its closed fields may hold."""
    for sample in SAMPLES:
        for field, hint in get_type_hints(type(sample)).items():
            if get_origin(hint) is Literal:
                yield from ((sample, field, word) for word in get_args(hint))


INDIFFERENT = {(e.NmeHitRolled, "mode"), (e.BranchOpened, "mode"), (e.BattleEnded, "cause")}
"""Fields of which the sentence says nothing, since another entry of the batch, or another field, says it."""


@pytest.mark.parametrize(("event", "field", "word"), [pytest.param(*s, id=f"{n}") for n, s in enumerate(spellings())])
def test_every_word_of_a_closed_list_is_said(event: Event, field: str, word: str) -> None:
    words = get_args(get_type_hints(type(event))[field])
    assert said(replace(event, **{field: word}))
    if (type(event), field) not in INDIFFERENT:
        assert len({said(replace(event, **{field: other})) for other in words}) > 1, "the word makes no difference"


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            declared({"do": "shoot", "fig": "red-1", "weapon": "autogun", "target": "blue-1", "mode": "snap"}),
            'Sarge (red-1) shoots at Ganger (blue-1) with the autogun (snap), 12" away.',
        ),
        (AMMO, "Ammo roll 3, 3: a double below the rating of 4, the autogun does not fire (NME-12)."),
        (
            replace(AMMO, faces=(5, 5), passed=True),
            "Ammo roll 5, 5: a double, but not below the rating of 4, the autogun fires (NME-12).",
        ),
        (replace(AMMO, faces=(3, 5), passed=True), "Ammo roll 3, 5: no double, the autogun fires (NME-12)."),
        (
            e.WeaponFailed("red-1", "stub-gun", "NME-13"),
            "Out of ammo: the stub gun of Sarge (red-1) is useless for the rest of the battle (NME-13).",
        ),
        (
            NEAR_MISS,
            '6 5 2: 2 hits (1 bonus die for a six) reach 10"; Ganger (blue-1) at 11" is missed by one hit (NME-21).',
        ),
        (
            replace(NEAR_MISS, distance=10_500, measured=11_000, outcome="hit", critical=True),
            (
                '6 5 2: 2 hits (1 bonus die for a six) reach 10"; Ganger (blue-1) at 10.5" by the tape (11" on the '
                "map) is hit critically, the sixes alone reach it, at double strength (NME-28)."
            ),
        ),
        (
            replace(NEAR_MISS, hits=0, accuracy=3_000, point_blank=True, outcome="hit", distance=2_500, measured=2_500),
            (
                "6 5 2: no hits (1 bonus die for a six), but at point blank the highest die counts and reaches "
                '3" (NME-29); Ganger (blue-1) at 2.5" is hit (NME-29).'
            ),
        ),
        (
            replace(NEAR_MISS, hits=0, point_blank=True, outcome="hit", critical=True, dice=NEAR_MISS.dice[:1]),
            (
                "6 5 2: no hits (1 bonus die for a six), but at point blank the highest die counts and reaches "
                '10" (NME-29); Ganger (blue-1) at 11" is hit critically, nearer than the die shows, at double '
                "strength (NME-30)."
            ),
        ),
        (
            BLOW,
            (
                'Sarge (red-1) shoots at Ganger (blue-1) with bare hands from 2.5" by the tape (2.6" on the map): '
                'the die shows 4 -3 (the shooter ran) +1 (less than 3") makes 2, 3 or more is needed, a miss.'
            ),
        ),
        (
            replace(BLOW, melee=True, modifiers=(), outcome="hit"),
            "Sarge (red-1) strikes at Ganger (blue-1) with bare hands: the die shows 4, 3 or more is needed, a hit.",
        ),
        (
            e.FigMoved("red-1", Point(0, 0), Point(2_500, 0), 3_500, 2_500, 4_500, "run", advanced=False),
            'Sarge (red-1) runs 3.5" (2.5" in a straight line) to (2.5, 0) from (0, 0), 4.5" in this turn so far.',
        ),
        (
            e.FigDowned("blue-1", "injury", "INJURY-01", "red-1", None, Point(0, 0), 1_000),
            'Ganger (blue-1) goes down, by the bare hands of Sarge (red-1) from 1" (INJURY-01).',
        ),
        (
            replace(RULED, about=None, changes=RULED.changes[:1]),
            (
                "The referee rules by NME-09, saying 'the wall hides it': Ganger (blue-1) is out of the battle "
                "instead of active."
            ),
        ),
        (
            e.ActionsUndone(8, (8,), 1, 0, (), ""),
            "Action 8 is struck out; 1 die had been seen.",
        ),
        (e.BattleEnded("", "", "referee"), "The battle is over and nobody wins."),
    ],
)
def test_what_a_reader_is_told(event: Event, text: str) -> None:
    assert said(event) == text


def test_a_name_that_is_its_id_again_stands_alone() -> None:
    assert said(e.FigHid("boss")) == "Boss hides in cover and cannot be seen (NME-09)."


def test_seats_are_called_as_people_call_them() -> None:
    assert [seat_name(GANG, seat) for seat in ("referee", "side:red", "spectator")] == [
        "the referee",
        "House Red (red)",
        "the spectator",
    ]


def test_what_people_wrote_stays_as_they_wrote_it() -> None:
    assert "<b>'no'</b>" in said(e.DisputeOpened(1, 8, "<b>'no'</b>"))


def test_every_request_has_a_summary() -> None:
    for asked in ASKED:
        text = summary(GANG, [declared(asked)])
        assert text.endswith(".")
        assert ":" not in text, "nothing came of it"
