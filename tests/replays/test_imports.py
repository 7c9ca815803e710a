"""Imports: what comes from elsewhere is kept as it is, never written over, and can be played on."""

import pytest

from domain.draft import REFEREE
from replays.asking import Asked
from replays.examine import Examined, examine
from replays.imports import Clash, import_log
from replays.store import Store
from tests.replays.rooms import Room, gangs, skirmish, volley


def good(data: list[bytes]) -> Examined:
    examined = examine(data)
    assert examined.good, examined.findings
    return examined


def secret() -> str:
    return "new"


@pytest.fixture
def room() -> Room:
    return Room()


@pytest.fixture
def other() -> Room:
    return Room()


def test_a_battle_keeps_its_id_and_its_bytes_and_gets_new_seats(room: Room, other: Room) -> None:
    battle = skirmish(room, turns=2)
    done = import_log(other.store, good(room.book(battle).data()), secret)
    assert other.book(battle).data() == room.book(battle).data()
    assert set(done.seats[battle]) == {"referee", "side:red", "side:blue"}


def test_the_same_battle_again_changes_nothing(room: Room, other: Room) -> None:
    log = good(room.book(skirmish(room, turns=1)).data())
    import_log(other.store, log, secret)
    again = import_log(other.store, log, secret)
    assert set(again.added.values()) == {0}
    assert again.seats == {}


def test_a_longer_log_of_the_same_battle_carries_it_on(room: Room, other: Room) -> None:
    battle = skirmish(room, turns=1)
    import_log(other.store, good(room.book(battle).data()), secret)
    room.act(battle, do="end_turn")
    import_log(other.store, good(room.book(battle).data()), secret)
    assert other.book(battle).data() == room.book(battle).data()


def test_a_shorter_log_of_the_same_battle_is_here_already(room: Room) -> None:
    battle = skirmish(room, turns=1)
    early = good(room.book(battle).data())
    room.act(battle, do="end_turn")
    assert import_log(room.store, early, secret).added == {battle: 0}


def test_a_battle_that_is_played_here_is_carried_on_by_nobody_else(room: Room, other: Room) -> None:
    battle = room.open(gangs())
    import_log(other.store, good(room.book(battle).data()), secret)
    other.referee.renew(battle, "tried until the dice were good", Asked(REFEREE))
    volley(other, battle)
    before = room.book(battle).data()
    with pytest.raises(Clash, match="played here"):
        import_log(room.store, good(other.book(battle).data()), secret)
    assert [s.data for s in room.store.read(battle)] == before


def test_another_battle_under_the_same_id_is_refused_and_nothing_is_written(room: Room, other: Room) -> None:
    battle = room.open(gangs())
    other.open(gangs(title="another"))
    before = other.book(battle).data()
    with pytest.raises(Clash):
        import_log(other.store, good(room.book(battle).data()), secret)
    assert [s.data for s in other.store.read(battle)] == before


def test_a_branch_comes_after_its_parent_though_the_parent_went_on(room: Room, other: Room) -> None:
    battle = skirmish(room, turns=1)
    branch = room.branch(battle)
    room.act(battle, do="end_turn")
    import_log(other.store, good(room.book(battle).data()), secret)
    import_log(other.store, good(room.book(branch).data()), secret)
    assert other.book(branch).data() == room.book(branch).data()


def test_a_branch_alone_brings_its_past_which_nobody_can_write_to_until_its_own_file_comes(
    room: Room, other: Room
) -> None:
    battle = skirmish(room, turns=1)
    branch = room.branch(battle)
    room.act(battle, do="end_turn")
    import_log(other.store, good(room.book(branch).data()), secret)
    assert other.store.seat_digests(battle) == {}
    done = import_log(other.store, good(room.book(battle).data()), secret)
    assert set(done.seats) == {battle}
    assert other.book(battle).data() == room.book(battle).data()


def test_a_nested_branch_comes_with_all_its_past(room: Room, other: Room) -> None:
    inner = room.branch(room.branch(skirmish(room, turns=1)))
    import_log(other.store, good(room.book(inner).data()), secret)
    assert other.book(inner).data() == room.book(inner).data()


@pytest.mark.parametrize("branch", [False, True])
def test_an_imported_battle_throws_no_die_before_it_has_committed_to_new_ones(
    room: Room, other: Room, *, branch: bool
) -> None:
    battle = room.open(gangs())
    battle = room.branch(battle) if branch else battle
    import_log(other.store, good(room.book(battle).data()), secret)
    head = other.book(battle).head
    volley(other, battle)
    assert other.book(battle).head == head
    other.referee.renew(battle, "it moved here", Asked(REFEREE))
    volley(other, battle)
    assert [entry.type for entry in other.book(battle).entries(head, head + 1)] == ["DiceAnchored"]
    assert any(entry.type == "DiceDrawn" for entry in other.book(battle).entries(head + 1))
    assert examine(other.book(battle).data()).good


def test_a_log_can_be_read_from_a_file_that_was_closed(room: Room, tmp_path: object) -> None:
    battle = skirmish(room, turns=1)
    path = f"{tmp_path}/imported.db"
    store = Store.open(path)
    import_log(store, good(room.book(battle).data()), secret)
    store.close()
    store = Store.open(path)
    assert [s.data for s in store.read(battle)] == room.book(battle).data()
    store.close()
