"""Figs and weapons: every number says where it comes from."""

from typing import Any

import pytest
from pydantic import ValidationError

from domain.battle import NmeWeapon
from domain.muster import NEW_BATTLE
from domain.refusals import Refused
from domain.systems.nme.profiles import CATALOGUE
from tests.domain.nme.scenes import GUN, a, table
from tests.spec import inches, opening


def test_nme_18_the_stub_gun_is_the_documents_and_the_other_rows_are_placeholders() -> None:
    assert CATALOGUE["stub-gun"] == NmeWeapon("stub-gun", inches(10), 3, 4, provenance="document")
    assert {row.provenance for name, row in CATALOGUE.items() if name != "stub-gun"} == {"placeholder"}
    assert all(row.er % 5000 == 0 and 1 <= row.strength <= 6 for row in CATALOGUE.values())


def test_a_fig_brings_what_it_is_said_to_bring() -> None:
    fig = table(a("red-1", 10, weapons=["lasgun", GUN], leader=True), a("blue-1", 30)).figs["red-1"]
    assert fig.weapons == (CATALOGUE["lasgun"], NmeWeapon("gun", inches(15), 3, 4))
    assert (fig.nme.initiative, fig.nme.move, fig.nme.run, fig.nme.charge) == (3, 4000, 8000, 8000)
    assert (fig.nme.leader, fig.nme.juve) == (True, False)


def test_a_weapon_that_the_catalogue_does_not_have_is_unknown() -> None:
    with pytest.raises(Refused) as refused:
        table(a("red-1", 10, weapons=["stub-gun", "bow"]), a("blue-1", 30))
    assert refused.value.refusal.pointer == "/figs/0/weapons/1"


@pytest.mark.parametrize(
    "more", [{"er": 12}, {"er": 0}, {"strength": 0}, {"strength": 7}, {"ammo_rating": 0}, {"ammo_rating": 8}]
)
def test_nme_12_and_18_bound_the_numbers_of_a_weapon(more: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        NEW_BATTLE.validate_python(opening("nme", [a("red-1", 10, weapons=[GUN | more]), a("blue-1", 30)]))
