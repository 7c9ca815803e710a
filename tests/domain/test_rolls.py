"""Rolls that wait, as a table: who may join, release, forfeit and confirm, and every refusal by its rule."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from domain import events as e
from domain import rolls
from domain.commands import COMMAND
from domain.commitments import Anchor, Joined, Pending
from domain.docket import Docket
from domain.draft import REFEREE, SPECTATOR, Seat
from domain.record import Origin, Record
from domain.refusals import Refusal
from tests.laws.fields import gangs
from tests.laws.game import no
from tests.spec import given

RED, BLUE = Seat("side", "red"), Seat("side", "blue")
KEY, OTHER, ANCHOR = "aa" * 32, "bb" * 32, "cc" * 32
SHOT = COMMAND.validate_python({"do": "shoot", "fig": "r1", "weapon": "stub-gun", "target": "b1", "mode": "snap"})
CHAIN = Pending(9, "chain", "side:red", "red", {"do": "shoot"}, 0, 1, (1, 2))
TABLE = Pending(9, "table", "side:red", "red", {"do": "shoot"}, faces=(1, 2))


def record(pending: Pending | None = None, count: int = 2, /, **policy: str) -> Record:
    battle = given(gangs(count, dice="table" if "table_dice" in policy else "server", policy=policy))
    anchor = Anchor(0, 4096, 0, "dd" * 32, frozenset({"dd" * 32}))
    seats = {
        f"side:{n}": Joined(f"side:{n}", at, f"{at}{at}" * 32, 0, 8, "ee" * 32) for at, n in ((1, "red"), (2, "blue"))
    }
    return Record(20, 0, battle, None, None, Docket(), anchor, seats=seats, pending=pending)


def alone(pending: Pending | None = None) -> Record:
    """Nobody has joined yet."""
    return replace(record(pending), seats={})


# --- joining ---


def joining(
    where: Record, seat: str, by: Seat, /, *, proved: bool = True, weak: bool = False, **more: object
) -> e.Event:
    body = {"key": KEY, "length": 8, "anchor": ANCHOR, "proof": "00" * 64} | more
    return rolls.join(where, seat, rolls.Join.model_validate(body), by, proved=proved, weak=weak)[0]


def test_a_side_joins_with_its_party_and_the_referee_with_the_next() -> None:
    assert joining(alone(), "side:blue", BLUE) == e.SeatJoined("side:blue", 2, KEY, 0, 8, ANCHOR, "00" * 64)
    assert joining(alone(), "referee", REFEREE, length=0, anchor=None) == e.SeatJoined(
        "referee", 3, KEY, 0, 0, "", "00" * 64
    )


NO_JOIN: dict[str, tuple[str, str, Callable[[], object]]] = {
    "another's seat": ("forbidden", "SEAT-01", lambda: joining(alone(), "side:red", BLUE)),
    "the referee for a side": ("forbidden", "SEAT-01", lambda: joining(alone(), "side:red", REFEREE)),
    "a what-if": (
        "rule-refused",
        "SEAT-04",
        lambda: joining(replace(alone(), origin=Origin("ab", 1, 1, "fresh")), "side:red", RED),
    ),
    "a roll is open": ("rule-refused", "DICE-01", lambda: joining(record(CHAIN), "side:red", RED, epoch=1)),
    "a weak key": ("invalid", "INVALID", lambda: joining(alone(), "side:red", RED, weak=True)),
    "no proof": ("invalid", "INVALID", lambda: joining(alone(), "side:red", RED, proved=False)),
    "another's key": (
        "rule-refused",
        "SEAT-04",
        lambda: joining(replace(alone(), shown={KEY: "side:blue"}), "side:red", RED),
    ),
    "another's anchor": (
        "rule-refused",
        "SEAT-04",
        lambda: joining(replace(alone(), shown={ANCHOR: "side:blue"}), "side:red", RED),
    ),
    "its own anchor again": (
        "rule-refused",
        "SEAT-04",
        lambda: joining(replace(record(), shown={ANCHOR: "side:red"}), "side:red", RED, epoch=1),
    ),
    "the anchor of the service": (
        "rule-refused",
        "SEAT-04",
        lambda: joining(alone(), "side:red", RED, anchor="dd" * 32),
    ),
    "a length without an anchor": ("invalid", "INVALID", lambda: joining(alone(), "side:red", RED, anchor=None)),
    "an anchor without a length": ("invalid", "INVALID", lambda: joining(alone(), "side:red", RED, length=0)),
    "a referee with a chain": ("invalid", "INVALID", lambda: joining(alone(), "referee", REFEREE)),
    "an epoch too far": ("rule-refused", "SEAT-04", lambda: joining(alone(), "side:red", RED, epoch=1)),
    "the same epoch again": ("rule-refused", "SEAT-04", lambda: joining(record(), "side:red", RED)),
}


@pytest.mark.parametrize("why", NO_JOIN)
def test_who_may_not_join(why: str) -> None:
    kind, rule, asking = NO_JOIN[why]
    refusal = no(asking)
    assert (refusal.kind, refusal.rule) == (kind, rule)


def test_a_seat_goes_on_with_the_next_epoch_and_may_keep_its_key() -> None:
    where = replace(record(), shown={KEY: "side:red"})
    assert isinstance(joining(where, "side:red", RED, epoch=1), e.SeatJoined)


# --- requesting ---


def without(where: Record, *names: str) -> Record:
    return replace(where, seats={name: seat for name, seat in where.seats.items() if name not in names})


def used_up(where: Record, name: str) -> Record:
    return replace(where, seats={**where.seats, name: replace(where.seats[name], asked=8)})


@pytest.mark.parametrize(
    ("where", "parties"),
    [
        (record(contributors="all"), (1, 2)),
        (record(contributors="one"), (1, 2)),
        (without(record(contributors="one"), "side:red"), (2,)),
        (used_up(record(contributors="one"), "side:blue"), (1,)),
    ],
    ids=["all", "both of one", "one", "one with links left"],
)
def test_whose_links_a_roll_asks_for(where: Record, parties: tuple[int, ...]) -> None:
    (asked,) = rolls.request(where, SHOT, "red")
    assert isinstance(asked, e.RollRequested)
    assert (asked.parties, asked.epoch, asked.index) == (parties, 0, 1)


@pytest.mark.parametrize(
    ("where", "absent"),
    [
        (without(record(contributors="all"), "side:red"), ("side:red",)),
        (used_up(record(contributors="all"), "side:blue"), ("side:blue",)),
        (without(record(contributors="one"), "side:red", "side:blue"), ("side:red", "side:blue")),
        (used_up(without(record(contributors="one"), "side:red"), "side:blue"), ("side:red", "side:blue")),
    ],
    ids=["not joined", "no link left", "nobody", "nobody with a link"],
)
def test_before_a_roll_those_who_contribute_have_joined(where: Record, absent: tuple[str, ...]) -> None:
    refusal = no(lambda: rolls.request(where, SHOT, "red"))
    assert (refusal.rule, refusal.legal) == ("DICE-02", absent)


# --- releasing and forfeiting ---


def releasing(where: Record, by: Seat, number: int = 9, *, opens: bool = True, signed: bool = True) -> e.Event:
    seat = rolls.released_by(where, number, by)
    return rolls.release(seat, number, rolls.Release(link="ab" * 32, sig="cd" * 64), opens=opens, signed=signed)[0]


def forfeiting(where: Record, by: Seat, number: int = 9, seat: str = "side:blue") -> e.Event:
    return rolls.forfeit(where, number, rolls.Forfeit(seat=seat, reason="gone"), by)[0]


OPEN = record(CHAIN)
RELEASED = record(replace(CHAIN, released={2: "ab" * 32}))
FORFEITED = record(replace(CHAIN, forfeited=(2,)))


def test_a_seat_releases_and_the_referee_forfeits() -> None:
    assert releasing(OPEN, BLUE) == e.LinkReleased(9, 2, "ab" * 32, "cd" * 64)
    assert releasing(FORFEITED, RED) == e.LinkReleased(9, 1, "ab" * 32, "cd" * 64)
    assert forfeiting(OPEN, REFEREE) == e.RollForfeited(9, 2, "gone")
    assert forfeiting(FORFEITED, REFEREE, seat="side:red") == e.RollForfeited(9, 1, "gone")


NO_LINK: dict[str, tuple[str, str, Callable[[], object]]] = {
    "no roll is open": ("not-found", "DICE-03", lambda: releasing(record(), RED)),
    "another roll is open": ("not-found", "DICE-03", lambda: releasing(OPEN, RED, 8)),
    "a roll of the table": ("not-found", "DICE-03", lambda: releasing(record(TABLE), RED)),
    "a seat that is not asked": ("rule-refused", "DICE-03", lambda: releasing(OPEN, REFEREE)),
    "a spectator": ("rule-refused", "DICE-03", lambda: releasing(OPEN, SPECTATOR)),
    "released already": ("rule-refused", "DICE-03", lambda: releasing(RELEASED, BLUE)),
    "forfeited already": ("rule-refused", "DICE-03", lambda: releasing(FORFEITED, BLUE)),
    "a link that does not open": ("rule-refused", "DICE-05", lambda: releasing(OPEN, RED, opens=False)),
    "a signature that does not hold": ("rule-refused", "DICE-05", lambda: releasing(OPEN, RED, signed=False)),
    "a side forfeits": ("forbidden", "SEAT-01", lambda: forfeiting(OPEN, RED)),
    "forfeit no roll": ("not-found", "DICE-03", lambda: forfeiting(record(), REFEREE)),
    "forfeit a table roll": ("not-found", "DICE-03", lambda: forfeiting(record(TABLE), REFEREE)),
    "forfeit a link that is there": ("rule-refused", "DICE-03", lambda: forfeiting(RELEASED, REFEREE)),
    "forfeit twice": ("rule-refused", "DICE-03", lambda: forfeiting(FORFEITED, REFEREE)),
    "forfeit nobody": ("rule-refused", "DICE-03", lambda: forfeiting(OPEN, REFEREE, seat="side:green")),
}


@pytest.mark.parametrize("why", NO_LINK)
def test_who_may_not_release_or_forfeit(why: str) -> None:
    kind, rule, asking = NO_LINK[why]
    refusal = no(asking)
    assert (refusal.kind, refusal.rule) == (kind, rule)


def test_a_refusal_names_those_who_are_awaited() -> None:
    assert no(lambda: releasing(RELEASED, BLUE)).legal == ("side:red",)
    assert no(lambda: releasing(OPEN, RED, 8)).legal == ("9",)


# --- confirming ---


def confirming(where: Record, by: Seat, *faces: int) -> e.Event:
    return rolls.confirm(where, 9, rolls.Confirm(faces=faces), by)[0]


CONTESTED = record(replace(TABLE, contested=True))


@pytest.mark.parametrize(
    ("where", "by", "faces", "says"),
    [
        (record(TABLE), BLUE, (1, 2), e.DiceConfirmed(9, (1, 2))),
        (record(TABLE), BLUE, (2, 2), e.DiceContested(9, (2, 2))),
        (record(TABLE), REFEREE, (2, 2), e.DiceConfirmed(9, (2, 2))),
        (CONTESTED, REFEREE, (1, 2), e.DiceConfirmed(9, (1, 2))),
    ],
    ids=["as typed", "other dice", "the referee", "the referee settles it"],
)
def test_who_may_confirm(where: Record, by: Seat, faces: tuple[int, ...], says: e.Event) -> None:
    assert confirming(where, by, *faces) == says


@pytest.mark.parametrize(
    ("where", "by", "kind", "rule"),
    [
        (record(TABLE), RED, "forbidden", "SEAT-01"),
        (record(TABLE), SPECTATOR, "forbidden", "SEAT-01"),
        (CONTESTED, BLUE, "rule-refused", "DICE-06"),
        (record(CHAIN), BLUE, "not-found", "DICE-03"),
        (record(), BLUE, "not-found", "DICE-03"),
    ],
    ids=["who typed", "a spectator", "contested", "a roll of the chain", "no roll"],
)
def test_who_may_not_confirm(where: Record, by: Seat, kind: str, rule: str) -> None:
    refusal = no(lambda: confirming(where, by, 1, 2))
    assert (refusal.kind, refusal.rule) == (kind, rule)


# --- waiting, signing ---


def test_what_waits_is_said_in_words() -> None:
    rolls.check_settled(record())
    assert no(lambda: rolls.check_settled(record(TABLE))) == Refusal(
        "rule-refused", "DICE-01", "the dice of request 9 wait to be confirmed", ("confirm them",)
    )
    assert "waits for side:red, side:blue" in no(lambda: rolls.check_settled(OPEN)).reason
    assert "waits for side:red" in no(lambda: rolls.check_settled(RELEASED)).reason


@pytest.mark.parametrize(
    ("where", "by", "has_to"),
    [
        (alone(), RED, False),
        (replace(record(signed="required"), seats={}), RED, True),
        (replace(record(contributors="all"), seats={}), RED, True),
        (replace(record(contributors="one"), seats={}), RED, False),
        (replace(record(signed="required"), seats={}), REFEREE, False),
        (record(signed="required"), SPECTATOR, False),
        (record(), RED, True),
        (record(), REFEREE, False),
        (replace(record(signed="required"), origin=Origin("ab", 1, 1, "fresh")), RED, False),
    ],
)
def test_who_has_to_sign(where: Record, by: Seat, has_to: bool) -> None:
    assert rolls.must_sign(where, by) is has_to


@pytest.mark.parametrize(
    ("policy", "by", "has_to"), [("confirmed", RED, True), ("confirmed", REFEREE, False), ("typed", RED, False)]
)
def test_whose_dice_are_confirmed(policy: str, by: Seat, has_to: bool) -> None:
    assert rolls.confirms(record(None, table_dice=policy), by) is has_to
