"""Scene: everything that the page of a battle shows. Law: the projections' own answers, side by side."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from api.pages.board import Board, board_of, shape_of
from api.saying import heading, keys
from domain import events as e
from domain.battle import Battle
from domain.docket import Dispute
from domain.entry import Entry
from projections.casualties import CasualtyReport, casualty_report
from projections.lines import Line
from projections.table import TableView, table_view
from projections.told import ToldEntry, told
from projections.turns import TurnHistory, TurnView, turn_history
from projections.wording import phase_name
from replays.shelf import Book

MOST_LINES: Final = 400
"""Earlier turns than hold so many lines are shown only when asked for."""


class Moments(NamedTuple):
    """Where the links beside a table lead: ends of actions; None where there is none."""

    first: int
    previous: int | None
    following: int | None
    last: int


class Told(NamedTuple):
    """A turn of the log: its phases, and after which entry its table can be looked at."""

    anchor: str
    heading: str
    turn: int
    until: int
    phases: tuple[tuple[str, tuple[Line, ...]], ...]


class Ruled(NamedTuple):
    """A ruling."""

    seq: int
    sentence: str
    struck: bool


class Scene(NamedTuple):
    """A battle at a moment."""

    battle: Battle
    table: TableView
    board: Board
    keys: Mapping[str, str]
    shapes: tuple[str, ...]
    moments: Moments
    turns: tuple[Told, ...]
    earlier: int
    entries: Mapping[int, tuple[ToldEntry, ...]]
    history: TurnHistory
    report: CasualtyReport
    disputes: tuple[Dispute, ...]
    rulings: tuple[Ruled, ...]


def scene_of(book: Book, seq: int, *, whole: bool) -> Scene:
    """The battle after entry `seq`; `whole` shows the log from its first turn on, however long it is."""
    record, entries = book.record_at(seq), book.entries(0, seq)
    history = turn_history(book.battle, record, entries)
    by_action: dict[int, list[ToldEntry]] = {}
    for entry in told(entries):
        by_action.setdefault(entry.action, []).append(entry)
    turns = history.turns if whole else _latest(history.turns)
    last = [entry for entry in entries[entries[-1].action - 1 :] if entry.action == entries[-1].action]
    return Scene(
        battle=record.battle,
        table=table_view(book.battle, record, entries),
        board=board_of(record.battle, last),
        keys=keys(record.battle),
        shapes=tuple(shape_of(side) for side in range(len(record.battle.sides))),
        moments=_moments(book, seq),
        turns=tuple(_told(record.battle, turn, history.turns) for turn in turns),
        earlier=len(history.turns) - len(turns),
        entries={action: tuple(several) for action, several in by_action.items()},
        history=history,
        report=casualty_report(book.battle, record, entries),
        disputes=tuple(record.docket.disputes.values()),
        rulings=tuple(_rulings(entries, by_action)),
    )


def _latest(turns: Sequence[TurnView]) -> Sequence[TurnView]:
    lines, first = 0, len(turns)
    while first > 0 and lines < MOST_LINES:
        first -= 1
        lines += sum(len(phase.lines) for phase in turns[first].phases)
    return turns[first:]


def _told(battle: Battle, turn: TurnView, turns: Sequence[TurnView]) -> Told:
    phases = tuple((phase_name(phase.phase), phase.lines) for phase in turn.phases)
    until = max((line.last for _, lines in phases for line in lines), default=0)
    return Told(_anchor(turn, turns), heading(battle, turn), turn.turn, until, phases)


def _anchor(turn: TurnView, turns: Sequence[TurnView]) -> str:
    """The turn's own number; a turn that was taken back and became another side's says whose it was, too."""
    if not turn.turn:
        return "muster"
    twice = sum(other.turn == turn.turn for other in turns) > 1
    return f"turn-{turn.turn}-{turn.side}" if twice else f"turn-{turn.turn}"


def _moments(book: Book, seq: int) -> Moments:
    first = book.first_end
    before = book.nearest_end(seq - 1)
    return Moments(first, before if before >= first else None, _next_end(book, seq), book.head)


def _next_end(book: Book, seq: int) -> int | None:
    """The end of the action that entry `seq` + 1 belongs to."""
    action, end = 0, None
    for entry in _from(book, seq):
        if action not in (0, entry.action):
            break
        action, end = entry.action, entry.seq
    return end


def _from(book: Book, seq: int) -> Iterator[Entry]:
    while entries := book.entries(seq, seq + 50):
        yield from entries
        seq = entries[-1].seq


def _rulings(entries: Sequence[Entry], by_action: Mapping[int, Sequence[ToldEntry]]) -> Iterator[Ruled]:
    for entry in entries:
        if isinstance(entry.body, e.RulingMade):
            said = by_action[entry.action][0]
            yield Ruled(entry.seq, said.sentence, said.struck_out)
