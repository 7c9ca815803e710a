"""Who may take what back: the table of the verdicts, row by row and seat by seat, for undo and for redo."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from domain import events as e
from domain.record import Record, line_of, span_from
from domain.refusals import Refused
from domain.undo import Verdict, redo, spanned, undo, verdict
from tests.laws.fields import bricks, gangs
from tests.laws.game import Body, Game, no, seat

Step = Callable[[Game], object]
"""Something that happens; an action or a ruling gives its seq."""


def move(g: Game) -> int:
    return g.does("red", do="move", fig="r1", to={"x": 10, "y": 9})


def typed(g: Game) -> int:
    return g.does("referee", do="move", fig="r1", to={"x": 11, "y": 9})


def aim(g: Game) -> int:
    return g.does("red", do="aim", fig="r1", target="b1")


def next_phase(g: Game) -> int:
    return g.does("red", do="end_phase")


def to_last_phase(g: Game) -> None:
    while g.record.battle.phase != "close_combat":
        g.does("red", do="end_phase")


def last_phase(g: Game) -> int:
    return g.does("red", do="end_phase")


def miss(g: Game) -> int:
    return g.does("red", do="shoot", fig="r1", weapon="gun", target="b1", dice=[1])


def kill(g: Game) -> int:
    return g.does("red", do="shoot", fig="r1", weapon="gun", target="b1", dice=[6, 6])


def red_ends(g: Game) -> int:
    return g.does("red", do="end_turn")


def blue_moves(g: Game) -> int:
    return g.does("blue", do="move", fig="b2", to={"x": 14, "y": 17})


def last_ditch(g: Game) -> int:
    return g.does("red", do="last_ditch", side="red")


def end(g: Game) -> int:
    return g.does("referee", do="end_battle", winner="red")


def reopen(g: Game) -> None:
    g.undo(line_of(g.record)[-1].seq)


def close(g: Game) -> None:
    g.close()


def blue_concedes(g: Game) -> int:
    return g.does("blue", do="concede", side="blue")


def green_concedes(g: Game) -> int:
    return g.does("green", do="concede", side="green")


def ruling(g: Game) -> int:
    return g.rules({"fig": "r1", "field": "x", "value": 12})


def note(g: Game) -> None:
    g.rules()


def dispute(g: Game) -> None:
    g.dispute(1, by="blue")
    g.resolve(1, by="blue", withdrawn=True)


def asked_and_refused(g: Game) -> None:
    g.undo(line_of(g.record)[-1].seq, by="blue")
    g.answer("red", agree=False)


def turn(g: Game) -> int:
    return g.does("red", do="turn", fig="r1", facing=45)


def hide(g: Game) -> int:
    return g.does("red", do="hide", fig="r2", cover="cover")


def pinned(g: Game) -> None:
    g.does("red", do="end_turn")
    g.does("blue", do="shoot", fig="b1", weapon="stub-gun", target="r1", dice=[1, 2, 5, 1])
    g.does("blue", do="end_turn")


def recover(g: Game) -> int:
    return g.does("red", do="recover", fig="r1", dice=[6])


def hit(g: Game) -> int:
    return g.does("red", do="shoot", fig="r1", weapon="stub-gun", target="b1", dice=[1, 2, 5, 5, 6])


def hit_to_report(g: Game) -> int:
    return g.does("red", do="shoot", fig="r1", weapon="stub-gun", target="b1", dice=[1, 2, 5, 5])


def report(g: Game) -> int:
    return g.does("blue", do="injure", fig="b1", result="close")


class Row(NamedTuple):
    """A story, where to it is taken back, and what each seat hears; `again` is what redo says where that differs."""

    name: str
    body: Body
    story: tuple[Step, ...]
    back_to: Step
    says: str
    again: str = ""


QUIET = "red: at_once; blue: ask red; referee: at_once"
LOUD = "red: ask blue; blue: ask red; referee: reason"
NEVER = "red: never {0}; blue: never {0}; referee: reason"
DICE = bricks(policy={"undo_dice": "referee"})
STRICT = "red: never referee-only; blue: never referee-only; referee: reason"

TABLE = (
    # only its own moves, turns, aims of this turn, no dice
    Row("own move", bricks(), (move,), move, QUIET),
    Row("own move, typed by the referee", bricks(), (typed,), typed, QUIET),
    Row("own moves and aim", bricks(), (move, next_phase, note), move, QUIET),
    Row("own aim", bricks(), (aim,), aim, QUIET),
    Row("own end of a phase", bricks(), (next_phase,), next_phase, QUIET),
    Row("own end of the last phase, and so of the turn", bricks(), (to_last_phase, last_phase), last_phase, LOUD),
    Row("own turn on the spot", gangs(), (turn,), turn, QUIET),
    Row("own hiding", gangs(), (turn, hide), turn, QUIET),
    Row("a dispute in between", bricks(), (move, dispute, typed), move, QUIET),
    Row("a ruling without changes in between", bricks(), (move, note, typed), move, QUIET),
    # a roll of dice
    Row("a miss", bricks(), (miss,), miss, LOUD),
    Row("a kill", bricks(), (kill,), kill, LOUD),
    Row("a move before a miss", bricks(), (move, miss), move, LOUD),
    Row("a recovery test", gangs(), (pinned, recover), recover, LOUD),
    Row("a hit", gangs(), (hit,), hit, LOUD),
    Row("a reported injury", gangs(policy={"injury": "reported_by_players"}), (hit_to_report, report), report, LOUD),
    # another side's act
    Row(
        "the other side's move",
        bricks(),
        (move, red_ends, blue_moves),
        blue_moves,
        "red: ask blue; blue: at_once; referee: at_once",
    ),
    # the end of a turn
    Row("the end of a turn", bricks(), (move, red_ends), red_ends, LOUD),
    Row("own move of an earlier turn", bricks(), (move, red_ends, blue_moves), move, LOUD),
    # three sides: all others who still play are asked
    Row(
        "a miss among three",
        bricks(3),
        (miss,),
        miss,
        "red: ask blue green; blue: ask red green; green: ask red blue; referee: reason",
    ),
    Row(
        "a move among three",
        bricks(3),
        (move,),
        move,
        "red: at_once; blue: ask red green; green: ask red blue; referee: at_once",
    ),
    Row(
        "a miss after one of three conceded",
        bricks(3),
        (green_concedes, miss),
        miss,
        "red: ask blue; blue: ask red; green: ask red blue; referee: reason",
    ),
    Row(
        "the concession of one of three",
        bricks(3),
        (green_concedes,),
        green_concedes,
        "red: ask blue; blue: ask red; green: ask red blue; referee: reason",
        again="red: ask blue green; blue: ask red green; green: ask red blue; referee: reason",
    ),
    # a last ditch
    Row("a last ditch", bricks(), (last_ditch,), last_ditch, NEVER.format("last-ditch")),
    Row("a move before a last ditch", bricks(), (move, last_ditch), move, NEVER.format("last-ditch")),
    Row("a move after a last ditch", bricks(), (last_ditch, move), move, QUIET),
    # the battle has ended, was reopened, is closed
    Row("the end of the battle", bricks(), (move, end), end, NEVER.format("battle-over")),
    Row("a move in a battle that ended", bricks(), (move, end), move, NEVER.format("battle-over")),
    Row("a last ditch in a battle that ended", bricks(), (last_ditch, end), last_ditch, NEVER.format("battle-over")),
    Row("a concession that ended the battle", bricks(), (blue_concedes,), blue_concedes, NEVER.format("battle-over")),
    Row("a move in a battle that was reopened", bricks(), (move, end, reopen), move, QUIET),
    Row("a miss in a battle that was reopened", bricks(), (miss, end, reopen), miss, LOUD),
    # what the policy leaves to the referee
    Row("a miss, dice are the referee's", DICE, (miss,), miss, STRICT),
    Row("the end of a turn, dice are the referee's", DICE, (red_ends,), red_ends, STRICT),
    Row(
        "a move, dice are the referee's",
        DICE,
        (move,),
        move,
        "red: at_once; blue: never referee-only; referee: at_once",
    ),
    # a ruling that changes something is struck by the referee only
    Row("a ruling", bricks(), (ruling,), ruling, STRICT),
    Row("a move before a ruling", bricks(), (move, ruling), move, STRICT),
    Row("a move after a ruling", bricks(), (ruling, move), move, QUIET),
    # what was said before changes nothing
    Row("a miss whose undo was refused once", bricks(), (miss, asked_and_refused), miss, LOUD),
)


def told(game: Game, story: tuple[Step, ...], back_to: Step) -> int:
    """Play the story; the seq of the first action that is to fall."""
    seqs = {step: step(game) for step in story}
    seq = seqs[back_to]
    assert isinstance(seq, int)
    return seq


def says(line: str) -> dict[str, str]:
    """What each seat hears; spectators only ever read."""
    return dict(part.split(": ", 1) for part in line.split("; ")) | {"spectator": "never spectators-read"}


def shown(found: Verdict) -> str:
    """A verdict in the words of the table."""
    rest = {"ask": found.ask, "never": (found.why,)}.get(found.kind, ())
    return " ".join((found.kind, *rest))


def tried(asking: Callable[[str], tuple[e.Event, ...]]) -> str:
    """What becomes of trying: first without a reason and, where one is needed, with it."""
    try:
        (event,) = asking("")
    except Refused as refused:
        if refused.refusal.rule != "reason-needed":
            return f"never {refused.refusal.rule}"
        (event,) = asking("in error")
        assert isinstance(event, e.ActionsUndone | e.ActionsRestored)
        assert event.reason == "in error"
        return "reason"
    if isinstance(event, e.UndoAsked):
        return " ".join(("ask", *event.ask))
    assert isinstance(event, e.ActionsUndone | e.ActionsRestored)
    return "at_once"


def undoing(record: Record, first: int, who: str) -> Callable[[str], tuple[e.Event, ...]]:
    return lambda reason: undo(record, first, seat(who), reason)


def redoing(record: Record, who: str) -> Callable[[str], tuple[e.Event, ...]]:
    return lambda reason: redo(record, seat(who), reason)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_the_verdict_of_each_seat(row: Row) -> None:
    game = Game(row.body)
    first = told(game, row.story, row.back_to)
    span = spanned(span_from(game.record.tip, first))
    wanted = says(row.says)
    assert {who: shown(verdict(game.record, span, seat(who))) for who in wanted} == wanted


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_an_undo_does_as_the_verdict_says(row: Row) -> None:
    game = Game(row.body)
    first = told(game, row.story, row.back_to)
    asked_before = row.name == "a miss whose undo was refused once"
    wanted = says(row.says) | ({"blue": "never refused-before"} if asked_before else {})
    assert {who: tried(undoing(game.record, first, who)) for who in wanted} == wanted


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_a_redo_follows_the_same_table_over_the_span_it_restores(row: Row) -> None:
    game = Game(row.body)
    game.undo(told(game, row.story, row.back_to))
    wanted = says(row.again or row.says)
    assert {who: tried(redoing(game.record, who)) for who in wanted} == wanted


@pytest.mark.parametrize("who", ["red", "blue", "referee", "spectator"])
def test_nobody_takes_anything_back_in_a_closed_battle(who: str) -> None:
    game = Game(bricks())
    first = told(game, (move, end, close), move)
    span = spanned(span_from(game.record.tip, first))
    assert shown(verdict(game.record, span, seat(who))) == "never battle-closed"
    assert no(lambda: undo(game.record, first, seat(who), "in error")).rule == "battle-closed"
    assert no(lambda: redo(game.record, seat(who), "in error")).rule == "battle-closed"
    assert no(lambda: game.undo(first, by=who)).kind == "battle-over"
    assert no(lambda: game.redo(by=who)).kind == "battle-over"


def test_a_reason_of_blanks_is_none() -> None:
    game = Game(bricks())
    first = miss(game)
    assert no(lambda: game.undo(first, reason=" ")).rule == "reason-needed"
