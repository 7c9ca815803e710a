"""Battles in which seats contribute to the dice: every roll is settled once, in the open, and follows from links."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from domain import events as e
from domain.commands import COMMAND
from domain.draft import REFEREE
from domain.procedure import DisputeAsked, Resolution, Ruling
from domain.refusals import Refusal
from domain.rolls import Release
from domain.timeline import advance
from replays.audit.dicechain import ChainId, DiceStream, leads_back, roll_key
from replays.audit.statements import release_message
from replays.codec import Codec, leaf
from replays.examine import examine
from replays.imports import import_log
from replays.readjudicate import readjudicate
from replays.referee import Asked
from replays.sealing import Batch, seal
from tests.laws.fields import bricks, gangs
from tests.laws.game import Body, no
from tests.replays.rooms import Room, receipt
from tests.replays.seated import SHOT, Seats, level, side
from tests.replays.seats import Player

FIRE: Body = {"do": "shoot", "fig": "r1", "weapon": "gun", "target": "b1"}


def all_contribute() -> Seats:
    return Seats(gangs(**level("all")), red=64, blue=64)


# --- a roll ---


@pytest.mark.parametrize(("body", "shot"), [(gangs(), SHOT), (bricks(), FIRE)], ids=["nme", "mfd"])
def test_a_roll_is_requested_released_by_all_and_then_carried_out_at_once(body: Body, shot: Body) -> None:
    game = Seats(body | level("all", **body.get("policy", {})), red=8, blue=8)
    requested = game.act("red", **shot)
    assert [type(entry.body) for entry in game.entries[-2:]] == [e.RollRequested, e.RequestSigned]
    assert list(game.waits.missing) == [1, 2]
    game.release("blue")
    assert list(game.waits.missing) == [1]
    game.release("red")
    assert game.record.pending is None
    drawn = game.found(e.DiceDrawn)[-1]
    assert [link.party for link in drawn.contributors] == [1, 2]
    links = {link.party: bytes.fromhex(link.link) for link in drawn.contributors}
    key = roll_key(ChainId(bytes.fromhex(game.id)), 1, bytes.fromhex(drawn.link), links)
    thrown = [throw for entry in game.entries for throw in e.dice_of(entry.body)]
    stream = DiceStream(key)
    assert [stream.dice(len(t.faces), t.sides) for t in thrown] == [t.faces for t in thrown]
    assert game.entries[-1].actor == "side:red"
    assert requested.seq < game.record.seq
    assert game.findings == ()


def test_one_contributor_is_enough_where_the_policy_says_one() -> None:
    game = Seats(gangs(**level("one")), blue=8)
    game.act("red", **SHOT)
    assert game.waits.parties == (2,)
    game.release("blue")
    assert len(game.found(e.DiceDrawn)[-1].contributors) == 1
    assert game.findings == ()


def test_an_undo_after_a_roll_keeps_the_indexes_moving_on() -> None:
    game = all_contribute()
    first = game.roll("red", **SHOT)
    game.undo(first)
    game.roll("red", **SHOT)
    assert [drawn.index for drawn in game.found(e.DiceDrawn)] == [1, 2]
    assert [asked.index for asked in game.found(e.RollRequested)] == [1, 2]
    links = [released.link for released in game.found(e.LinkReleased)]
    assert len(set(links)) == 4
    assert game.record.docket.dice_undone > 0
    assert game.findings == ()


def test_a_branch_of_such_a_battle_plays_on_without_contributors() -> None:
    game = all_contribute()
    game.roll("red", **SHOT)
    game.act("red", **SHOT | {"fig": "r2", "target": "b2"})
    game.release("blue")
    branch = Seats.of(game.room, game.room.branch(game.id, at=game.waits.seq + 1), {})
    assert branch.record.pending is None
    branch.act("red", **SHOT | {"fig": "r2", "target": "b2"})
    assert branch.found(e.DiceDrawn)[-1].source == "whatif"
    assert branch.findings == ()
    assert game.waits.missing == (1,)
    assert no(lambda: Player(branch.id, "red", 1).join(game.room)).rule == "SEAT-04"


# --- links ---

WRONG: dict[str, Callable[[Seats], Release]] = {
    "a wrong link": lambda game: signed(game, "00" * 32),
    "the link before": lambda game: signed(game, game.found(e.LinkReleased)[0].link),
    "the link after": lambda game: signed(game, game.players["red"].chain.link(3).hex()),
    "another's link": lambda game: signed(game, game.players["blue"].chain.link(2).hex()),
    "released for another request": lambda game: signed(game, game.players["red"].chain.link(2).hex(), roll=1),
    "signed by another": lambda game: Release(
        link=game.players["red"].chain.link(2).hex(), sig=game.players["blue"].released(game.room, 1, 2).sig
    ),
    "a signature that was there before": lambda game: Release(
        link=game.players["red"].chain.link(2).hex(), sig=game.found(e.LinkReleased)[0].sig
    ),
}


def signed(game: Seats, link: str, roll: int | None = None) -> Release:
    """A release that red signs."""
    seq = game.waits.seq if roll is None else roll
    message = release_message(game.id, 1, 0, 2, seq, game.room.book(game.id).leaf_at(seq), link)
    return Release(link=link, sig=game.players["red"].secret.sign(message).hex())


@pytest.mark.parametrize("wrong", WRONG)
def test_a_link_that_does_not_belong_here_is_refused(wrong: str) -> None:
    game = all_contribute()
    game.roll("red", **SHOT)
    game.act("red", **SHOT | {"fig": "r2", "target": "b2"})
    release = WRONG[wrong](game)
    asked = Asked(side("red"), kind=f"rolls/{game.waits.seq}/release")
    refusal = game.refused(lambda: game.room.referee.release(game.id, game.waits.seq, release, asked))
    assert refusal.rule == "DICE-05"
    game.release("red", "blue")
    assert game.findings == ()


def test_a_link_is_released_once_and_for_the_open_roll() -> None:
    game = all_contribute()
    game.act("red", **SHOT)
    roll = game.waits.seq
    release = game.players["red"].released(game.room, roll, 1)
    game.release("red")
    for number in (roll, roll + 1):
        refusal = game.refused(lambda n=number: game.room.referee.release(game.id, n, release, Asked(side("red"))))  # type: ignore[misc]
        assert refusal.rule == "DICE-03"


# --- chains ---


def test_a_chain_that_is_used_up_is_followed_by_the_next_epoch() -> None:
    game = Seats(gangs(**level("all")), red=2, blue=64)
    for _ in range(2):
        game.undo(game.roll("red", **SHOT))
    assert game.refused(lambda: game.act("red", **SHOT)) == Refusal(
        "rule-refused", "DICE-02", "before this roll these seats have to join with a chain: side:red", ("side:red",)
    )
    again = Player(game.id, "red", 1, epoch=1, seed=7)
    assert game.refused(lambda: again.join(game.room)).rule == "SEAT-03"
    again.join(game.room, game.players["red"])
    game.players["red"] = again
    game.roll("red", **SHOT)
    assert game.record.seats["side:red"].asked == 1
    assert game.record.seats["side:blue"].asked == 3
    assert game.findings == ()


def test_an_imported_battle_commits_to_a_new_chain_before_its_next_roll() -> None:
    game = all_contribute()
    game.undo(game.roll("red", **SHOT))
    room = Room()
    import_log(room.store, examine(game.room.book(game.id).data()), lambda: "secret")
    moved = Seats.of(room, game.id, game.players)
    assert moved.refused(lambda: moved.act("red", **SHOT)).rule == "DICE-07"
    room.referee.renew(game.id, "moved here", Asked(REFEREE, kind="dice/renew"))
    moved.roll("red", **SHOT)
    assert [(drawn.epoch, drawn.index) for drawn in moved.found(e.DiceDrawn)] == [(0, 1), (1, 1)]
    assert moved.findings == ()


# --- one at a time ---

ACTIONS: tuple[Body, ...] = (
    {"do": "move", "fig": "r1", "to": {"x": 10, "y": 11}},
    {"do": "turn", "fig": "r1", "facing": 0},
    {"do": "hide", "fig": "r1", "cover": "cover"},
    SHOT,
    {"do": "recover", "fig": "r1"},
    {"do": "end_phase"},
    {"do": "end_turn"},
    {"do": "concede", "side": "red"},
    {"do": "end_battle"},
)


def other_writes(game: Seats) -> dict[str, tuple[str, Callable[[], object]]]:
    """Every other write that changes something, and how it is refused while a roll is open."""
    referee, ref = game.room.referee, Asked(REFEREE)
    change = {"fig": "r1", "field": "x", "value": 3}
    ruling = Ruling.model_validate({"rule": "X", "reason": "y", "changes": [change]})
    red = Player(game.id, "red", 1, epoch=1, seed=9)
    writes: dict[str, tuple[str, Callable[[], object]]] = {
        "undo": ("roll-open", lambda: game.undo(1)),
        "redo": ("roll-open", lambda: referee.redo(game.id, "so", ref)),
        "answer": ("roll-open", lambda: referee.answer(game.id, 1, 1, Asked(side("blue")), agree=True)),
        "withdraw": ("roll-open", lambda: referee.withdraw(game.id, 1, ref)),
        "ruling": ("DICE-01", lambda: referee.rule(game.id, ruling, ref)),
        "join": ("DICE-01", lambda: red.join(game.room)),
        "close": ("TURN-08", lambda: referee.close(game.id, "", ref)),
    }
    for command in ACTIONS:
        writes[str(command["do"])] = (
            "DICE-01",
            lambda c=command: referee.act(game.id, COMMAND.validate_python(c), ref),  # type: ignore[misc]
        )
    return writes


@pytest.mark.parametrize("kind", ["chain", "table"])
def test_while_a_roll_is_open_nothing_else_changes_the_table(kind: str) -> None:
    game = all_contribute() if kind == "chain" else Seats(gangs(policy={"table_dice": "confirmed"}), red=0, blue=0)
    game.act("red", **SHOT | ({} if kind == "chain" else {"dice": [1, 1]}))
    for name, (rule, asking) in other_writes(game).items():
        assert game.refused(asking).rule == rule, name


def test_while_a_roll_is_open_people_may_still_talk() -> None:
    game = all_contribute()
    game.act("red", **SHOT)
    referee, ref = game.room.referee, Asked(REFEREE)
    ruling = Ruling.model_validate({"rule": "X", "reason": "wait for them"})
    receipt(referee.rule(game.id, ruling, ref))
    receipt(referee.dispute(game.id, DisputeAsked(about=1, reason="is that so?"), ref))
    receipt(referee.resolve(game.id, 1, Resolution(withdrawn=True), ref))
    game.release("blue", "red")
    assert game.findings == ()


def test_a_side_that_gave_up_contributes_no_longer() -> None:
    game = Seats(gangs(3, **level("one")), green=8)
    game.act("green", do="concede", side="green")
    assert game.refused(lambda: game.act("red", **SHOT)).rule == "DICE-02"


# --- a service that cheats ---


def forged_after(game: Seats, *events: e.Event, actor: str = "referee") -> Any:
    """What re-adjudication finds in a batch that the service slips in."""
    book = game.room.book(game.id)
    written = seal(Codec(), lambda: 1_800_000_000_000, book, book.record, [Batch(events, actor)])
    leaves = [leaf(data) for data in [*book.data(), *(sealed.data for sealed in written.sealed)]]
    return readjudicate(book.record, written.entries, lambda seq: leaves[seq - 1])


def test_a_service_that_knows_the_links_cannot_choose_another_chain() -> None:
    game = all_contribute()
    game.act("red", **SHOT)
    game.release("blue")
    finding = forged_after(game, e.DiceAnchored(0, 1, 4096, "ab" * 32))
    assert finding is not None
    assert "DICE-01" in finding.message


def test_the_dice_are_those_of_the_link_that_the_request_named() -> None:
    game = all_contribute()
    game.act("red", **SHOT)
    game.release("blue", "red")
    last = [entry for entry in game.entries if entry.action == game.entries[-1].action]
    before = game.room.book(game.id).record_at(last[0].seq - 1)
    assert before.pending is not None
    off = replace(before, pending=replace(before.pending, index=2))
    finding = readjudicate(off, last, lambda _seq: "")
    assert finding is not None
    assert (finding.check, finding.field) == ("dice", "index")
    assert advance(before, last).pending is None


def test_a_withheld_link_comes_to_light_with_the_next() -> None:
    game = all_contribute()
    game.act("red", **SHOT)
    game.release("blue")
    game.forfeit("red")
    forfeited = game.found(e.DiceDrawn)[-1]
    assert (forfeited.source, [x.party for x in forfeited.contributors]) == ("forfeit", [2])
    game.roll("red", **SHOT | {"fig": "r2", "target": "b2"})
    opened = next(x.link for x in game.found(e.LinkReleased)[::-1] if x.party == 1)
    withheld = game.players["red"].chain.link(1)
    of = ChainId(bytes.fromhex(game.id), 1)
    assert leads_back(of, 2, bytes.fromhex(opened), withheld, 1), "anybody can hash it back"
    assert game.findings == ()
