"""The store: the bytes that went in come out, in order, with the rows beside them; or nothing was written."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from replays.store import (
    Beside,
    BranchRow,
    Conflict,
    KeyRow,
    KeyTaken,
    Sealed,
    SeatRow,
    SecretRow,
    Store,
    StoreUnavailable,
    Summary,
)

A: Final = "a" * 32
B: Final = "b" * 32
KEY: Final = KeyRow(A, "side:red", "once", b"\x01" * 32, A, 1)


def sealed(first: int, last: int, data: bytes = b"entry %d") -> list[Sealed]:
    return [Sealed(seq, "HitRolled", 1, data % seq if b"%d" in data else data) for seq in range(first, last + 1)]


def summary(battle: str, head: int = 0, **more: object) -> Summary:
    fields = {
        "system": "nme", "title": "The bridge", "status": "on", "turn": 1, "phase": "shooting", "side": "red",
        "event": "", "round": "", "table": "", "disputes": 0, "undo_pending": False, "parent": "", "private": False,
        "time": 1_764_450_007_500,
    }  # fmt: skip
    return Summary(battle=battle, head=head, **(fields | more))  # type: ignore[arg-type]


@pytest.fixture(params=["file", "memory", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    match request.param:
        case "postgres":
            opened = Store.open(request.getfixturevalue("postgres"))
        case "file":
            opened = Store.open(str(tmp_path / "battles.db"))
        case _:
            opened = Store.open(":memory:")
    yield opened
    opened.close()


# --- entries ---


def test_what_was_appended_is_read(store: Store) -> None:
    store.append(A, sealed(1, 3))
    store.append(B, sealed(1, 1, b"other"))
    store.append(A, sealed(4, 4))
    assert store.read(A) == sealed(1, 4)
    assert store.read(B) == sealed(1, 1, b"other")
    assert (store.head(A), store.head(B)) == (4, 1)


def test_bytes_stay_the_bytes_they_are(store: Store) -> None:
    entries = [
        Sealed(n, "a/b", 12, data) for n, data in enumerate((b"", b"\x00\xff\n", "€".encode(), b"x" * 65_000), 1)
    ]
    store.append(A, entries)
    assert store.read(A) == entries


def test_a_window_of_a_battle_is_read(store: Store) -> None:
    store.append(A, sealed(1, 9))
    assert store.read(A, after=3) == sealed(4, 9)
    assert store.read(A, upto=3) == sealed(1, 3)
    assert store.read(A, after=3, upto=7, limit=2) == sealed(4, 5)
    assert store.read(A, after=9) == store.read(A, upto=0) == store.read(A, limit=0) == store.read(A, limit=-1) == []


def test_an_unknown_battle_is_empty(store: Store) -> None:
    assert store.read(A) == []
    assert store.head(A) == 0
    assert not store.exists(A)
    assert store.branch_of(A) is None
    assert store.branches(A) == []
    assert store.summary(A) is None
    assert store.seat_digests(A) == {}


def test_many_entries_are_one_append(store: Store) -> None:
    store.append(A, sealed(1, 1001))
    assert store.read(A) == sealed(1, 1001)


@pytest.mark.parametrize(
    "entries",
    [sealed(2, 2), sealed(5, 5), sealed(3, 4), [*sealed(4, 4), *sealed(6, 6)], [*sealed(4, 4), *sealed(4, 4)]],
    ids=["stale", "gap", "overlap", "gap within", "twice"],
)
def test_seqs_that_do_not_follow_on_the_head_are_refused(store: Store, entries: list[Sealed]) -> None:
    store.append(A, sealed(1, 3))
    with pytest.raises(Conflict):
        store.append(A, entries)
    assert store.read(A) == sealed(1, 3)


def test_the_first_seq_is_one(store: Store) -> None:
    for entries in (sealed(0, 0), sealed(2, 2)):
        with pytest.raises(Conflict):
            store.append(A, entries)
    assert not store.exists(A)


# --- rows beside the log ---


def test_a_key_is_found_again(store: Store) -> None:
    assert store.key(A, "side:red", "once") is None
    store.append(A, sealed(1, 2), Beside(key=KEY))
    assert store.key(A, "side:red", "once") == KEY
    assert store.key(A, "side:blue", "once") is None


def test_a_key_is_taken_once(store: Store) -> None:
    store.append(A, sealed(1, 2), Beside(key=KEY))
    for entries in (sealed(3, 3), sealed(1, 2)):  # the same request again, whether or not its writer knows the head
        with pytest.raises(KeyTaken) as taken:
            store.append(A, entries, Beside(key=KEY))
        assert (taken.value.scope, taken.value.seat, taken.value.key) == (A, "side:red", "once")
    assert store.read(A) == sealed(1, 2)


def test_a_refused_append_leaves_its_key_free(store: Store) -> None:
    with pytest.raises(Conflict):
        store.append(A, sealed(7, 7), Beside(key=KEY))
    assert store.key(A, "side:red", "once") is None
    store.append(A, sealed(1, 1), Beside(key=KEY))


def test_seats_are_stored_and_replaced(store: Store) -> None:
    seats = (SeatRow(A, "referee", b"r"), SeatRow(A, "side:red", b"s"))
    store.append(A, sealed(1, 1), Beside(seats=seats))
    assert store.seat_digests(A) == {"referee": b"r", "side:red": b"s"}
    store.replace_seat(SeatRow(A, "side:red", b"new"))
    store.replace_seat(SeatRow(A, "spectator", b"first"))
    assert store.seat_digests(A) == {"referee": b"r", "side:red": b"new", "spectator": b"first"}


def test_secrets_are_told_apart_by_kind_and_epoch(store: Store) -> None:
    rows = (SecretRow(A, "chain", 0, b"0"), SecretRow(A, "chain", 1, b"1"), SecretRow(A, "whatif", 0, b"w"))
    store.append(A, sealed(1, 1), Beside(secrets=rows))
    assert [store.secret(row.battle, row.kind, row.epoch) for row in rows] == [b"0", b"1", b"w"]
    assert store.secret(A, "whatif", 1) is None


def test_secrets_are_forgotten_all_at_once_and_told_by_their_battles(store: Store) -> None:
    rows = (SecretRow(A, "chain", 0, b"0"), SecretRow(A, "whatif", 0, b"w"))
    store.append(A, sealed(1, 1), Beside(secrets=rows))
    assert store.forget_secrets() == [A]
    assert store.secret(A, "chain", 0) is None
    assert store.secret(A, "whatif", 0) is None
    assert store.forget_secrets() == []


def test_a_secret_is_not_shown_by_accident() -> None:
    assert "hush" not in repr(Beside(secrets=(SecretRow(A, "chain", 0, b"hush"),)))


def test_rows_may_be_stored_without_entries(store: Store) -> None:
    store.append(A, (), Beside(summary=summary(A, 0), secrets=(SecretRow(A, "chain", 0, b"0"),)))
    assert store.secret(A, "chain", 0) == b"0"
    assert not store.exists(A)


def test_when_a_row_cannot_be_stored_nothing_is(store: Store) -> None:
    store.append(A, sealed(1, 1), Beside(secrets=(SecretRow(A, "chain", 0, b"0"),), summary=summary(A, 1)))
    seats = (SeatRow(A, "referee", b"r"),)
    twice = Beside(KEY, seats, (SecretRow(A, "chain", 0, b"other"),), summary=summary(A, 2))
    with pytest.raises(Conflict):
        store.append(A, sealed(2, 2), twice)
    incomplete = Beside(KEY, seats, (SecretRow(A, "chain", 1, None),), summary=summary(A, 2))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="cannot be stored"):
        store.append(A, sealed(2, 2), incomplete)
    wrong = Beside(KEY, seats, (SecretRow(A, "chain", object(), b"1"),), summary=summary(A, 2))  # type: ignore[arg-type]
    with pytest.raises(Exception, match="type 'object' is not supported"):
        store.append(A, sealed(2, 2), wrong)
    assert store.read(A) == sealed(1, 1)
    assert store.key(A, "side:red", "once") is None
    assert store.seat_digests(A) == {}
    assert store.secret(A, "chain", 0) == b"0"
    assert store.summary(A) == summary(A, 1)


# --- the desk ---


def test_a_summary_takes_the_place_of_the_one_before(store: Store) -> None:
    store.append(A, sealed(1, 1), Beside(summary=summary(A, 1)))
    place = store.summaries(0, 10)[0][0]
    changes: list[dict[str, object]] = [{name: "new"} for name in ("status", "event", "round", "table", "title")]
    changes += [{"turn": 2}, {"private": True}]
    so_far: dict[str, object] = {"undo_pending": True}
    for seq, change in enumerate(changes, 2):
        so_far |= change
        now = summary(A, seq, **so_far)
        store.append(A, sealed(seq, seq), Beside(summary=now))
        assert store.summary(A) == now
        assert store.summaries(0, 10) == [(place, now)]


def test_summaries_come_in_pages_in_the_order_in_which_battles_began(store: Store) -> None:
    battles = [f"{n:032x}" for n in (3, 1, 2)]
    for battle in battles:
        store.append(battle, sealed(1, 1), Beside(summary=summary(battle, 1)))
    store.append(battles[0], sealed(2, 2), Beside(summary=summary(battles[0], 2, status="over")))
    first = store.summaries(0, 2)
    rest = store.summaries(first[-1][0], 2)
    assert [row.battle for _, row in first + rest] == battles
    assert store.summaries(rest[-1][0], 2) == store.summaries(0, 0) == store.summaries(0, -1) == []


def test_summaries_are_filtered(store: Store) -> None:
    tags = [("Open", "1", "on"), ("Open", "2", "on"), ("Open", "2", "over"), ("", "", "on")]
    for n, (event, round_, status) in enumerate(tags):
        row = summary(f"{n:032x}", 1, event=event, round=round_, status=status)
        store.append(row.battle, sealed(1, 1), Beside(summary=row))

    def found(**filters: str) -> list[int]:
        return [int(row.battle, 16) for _, row in store.summaries(0, 10, **filters)]

    assert found(event="Open") == [0, 1, 2]
    assert found(round="2") == [1, 2]
    assert found(status="on") == [0, 1, 3]
    assert found(event="Open", round="2", status="on") == [1]
    assert found(event="") == [3]
    assert found(event="' OR 1 --") == []


# --- branches ---


def test_a_branch_inherits_by_reference_however_deep(store: Store) -> None:
    names = [f"{n:032x}" for n in range(4)]
    store.append(names[0], sealed(1, 9, b"0:%d"))
    for parent, battle, at in ((0, 1, 6), (1, 2, 8), (2, 3, 3)):
        own = sealed(at + 1, at + 4, b"%d:%%d" % battle)
        store.append(names[battle], own, Beside(branch=BranchRow(names[battle], names[parent], at)))
    store.append(names[0], sealed(10, 12, b"0:%d"))  # of no concern to the branches

    assert store.read(names[1]) == sealed(1, 6, b"0:%d") + sealed(7, 10, b"1:%d")
    assert store.read(names[2]) == sealed(1, 6, b"0:%d") + sealed(7, 8, b"1:%d") + sealed(9, 12, b"2:%d")
    assert store.read(names[3]) == sealed(1, 3, b"0:%d") + sealed(4, 7, b"3:%d")
    assert [store.head(name) for name in names] == [12, 10, 12, 7]
    assert store.read(names[2], after=5, upto=9) == store.read(names[2])[5:9]
    assert store.read(names[2], after=8) == sealed(9, 12, b"2:%d")
    assert store.read(names[2], after=5, limit=2) == sealed(6, 6, b"0:%d") + sealed(7, 7, b"1:%d")
    assert store.branch_of(names[2]) == BranchRow(names[2], names[1], 8)
    assert store.branches(names[0]) == [BranchRow(names[1], names[0], 6)]
    assert store.branches(names[3]) == []
    store.append(names[2], sealed(13, 13, b"2:%d"))
    assert store.head(names[2]) == 13


def test_branches_are_listed_by_where_they_start(store: Store) -> None:
    store.append(A, sealed(1, 9))
    rows = [BranchRow(f"{n:032x}", A, at) for n, at in enumerate((7, 2, 2))]
    for row in rows:
        store.append(row.battle, sealed(row.at + 1, row.at + 1), Beside(branch=row))
    assert store.branches(A) == [rows[1], rows[2], rows[0]]


@pytest.mark.parametrize(
    ("branch", "entries"),
    [
        (BranchRow(B, A, 4), sealed(5, 5)),
        (BranchRow(B, A, 0), sealed(1, 1)),
        (BranchRow(B, "c" * 32, 1), sealed(2, 2)),
        (BranchRow(B, B, 1), sealed(2, 2)),
        (BranchRow(B, A, 2), sealed(4, 4)),
        (BranchRow(B, A, 2), sealed(1, 1)),
    ],
    ids=["past the head", "before the first", "no parent", "of itself", "gap", "from one"],
)
def test_a_branch_that_hangs_in_the_air_is_refused(store: Store, branch: BranchRow, entries: list[Sealed]) -> None:
    store.append(A, sealed(1, 3))
    with pytest.raises(Conflict):
        store.append(B, entries, Beside(branch=branch))
    assert not store.exists(B)
    assert store.branch_of(B) is None


def test_a_battle_that_stands_cannot_become_a_branch(store: Store) -> None:
    store.append(A, sealed(1, 3))
    store.append(B, sealed(1, 3))
    with pytest.raises(Conflict):
        store.append(B, sealed(4, 4), Beside(branch=BranchRow(B, A, 3)))
    assert store.read(B) == sealed(1, 3)


def test_a_branch_begins_with_an_entry_of_its_own(store: Store) -> None:
    store.append(A, sealed(1, 3))
    for battle, entries in ((B, []), ("c" * 32, sealed(3, 3))):
        with pytest.raises(ValueError, match="a branch begins"):
            store.append(battle, entries, Beside(branch=BranchRow(B, A, 2)))


# --- closing ---


def test_a_closed_store_says_so(store: Store) -> None:
    store.append(A, sealed(1, 1))
    store.close()
    store.close()
    assert not store.ready()
    for ask in (lambda: store.append(A, sealed(2, 2)), lambda: store.read(A), store.changes):
        with pytest.raises(StoreUnavailable, match="closed"):
            ask()
