"""Signed requests: what a seat's key did not sign for this very place, that seat did not say."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from domain import events as e
from domain.commands import COMMAND
from domain.refusals import Refusal
from replays.asking import Asked, Signed
from replays.audit.statements import command_message, holds
from replays.codec import canonical
from tests.laws.fields import gangs
from tests.laws.game import Body, no
from tests.replays.rooms import receipt
from tests.replays.seated import SHOT, Seats, level, side

END: Body = {"do": "end_turn", "waive": None}


def signing(**policy: str) -> Seats:
    return Seats(gangs(policy=policy), red=0, blue=0)


def ends_turn(game: Seats, asked: Asked, by: str = "red") -> object:
    assert asked.seat == side(by)
    return game.room.referee.act(game.id, COMMAND.validate_python({"do": "end_turn"}), asked)


# --- what is refused ---

BAD: dict[str, tuple[str, Callable[[Seats], Signed | None]]] = {
    "no signature": ("forbidden", lambda _game: None),
    "another kind": ("forbidden", lambda game: game.signature("red", "undo", END)),
    "another body": ("forbidden", lambda game: game.signature("red", "actions", END | {"waive": "so"})),
    "another's key": ("forbidden", lambda game: game.signature("blue", "actions", END)),
    "another place": ("stale", lambda game: game.signature("red", "actions", END, seq=game.record.seq)),
    "a later place": ("stale", lambda game: game.signature("red", "actions", END, seq=game.record.seq + 2)),
    "another past": ("forbidden", lambda game: game.signature("red", "actions", END, prev="ab" * 32)),
    "no hex": ("forbidden", lambda game: Signed(game.record.seq + 1, "zz" * 64)),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_signature_that_is_for_something_else_is_refused(bad: str) -> None:
    kind, sign = BAD[bad]
    game = signing()
    asked = Asked(side("red"), kind="actions", request=END, signed=sign(game))
    refusal = game.refused(lambda: ends_turn(game, asked))
    assert (refusal.kind, refusal.rule) == (kind, "SEAT-03")
    ends_turn(game, game.asked("red", "actions", END))
    assert game.findings == ()


def test_a_signature_is_good_once() -> None:
    game = Seats(gangs(), red=0, blue=0)
    asked = game.asked("red", "actions", END)
    ends_turn(game, asked)
    game.act("blue", do="end_turn")
    assert game.refused(lambda: ends_turn(game, asked)).kind == "stale"
    again = replace(asked, signed=Signed(game.record.seq + 1, asked.signed.sig if asked.signed else ""))
    assert game.refused(lambda: ends_turn(game, again)).kind == "forbidden"


# --- who has to sign ---


def test_a_seat_that_has_joined_signs_from_then_on() -> None:
    game = Seats(gangs(), red=0)
    assert game.refused(lambda: ends_turn(game, Asked(side("red"), kind="actions", request=END))).rule == "SEAT-03"
    game.act("red", do="end_turn")
    game.act("blue", do="end_turn")
    assert [type(entry.body) is e.RequestSigned for entry in game.entries].count(True) == 1
    assert game.findings == ()


@pytest.mark.parametrize("policy", [{"signed": "required"}, {"contributors": "all"}])
def test_where_sides_have_to_sign_they_join_first(policy: dict[str, str]) -> None:
    game = Seats(gangs(dice="server", policy=policy), blue=8)
    refusal = game.refused(lambda: ends_turn(game, Asked(side("red"), kind="actions", request=END)))
    assert refusal == Refusal("forbidden", "SEAT-03", "requests of side:red have to be signed", ("sign it",))
    signed = Asked(side("red"), kind="actions", request=END, signed=Signed(game.record.seq + 1, "00" * 64))
    assert game.refused(lambda: ends_turn(game, signed)).reason == "side:red has not shown its key"
    receipt(game.room.referee.act(game.id, COMMAND.validate_python({"do": "end_turn"}), game.asked("referee", "", {})))


def test_a_what_if_asks_for_no_signature() -> None:
    game = Seats(gangs(**level("all")), red=8, blue=8)
    branch = game.room.branch(game.id)
    game.room.act(branch, side("red"), do="end_turn")


# --- what stands in the log ---


def test_the_log_holds_what_was_signed() -> None:
    game = Seats(gangs(), red=0, blue=0)
    acted = game.act("red", **SHOT, dice=[1, 1])
    ended = game.act("red", do="end_turn")
    asked = game.undo(ended.action, by="blue")
    key = game.players
    signed = ((acted, "red", "actions"), (ended, "red", "actions"), (asked, "blue", "undo"))
    for written, by, kind in signed:
        batch = [entry for entry in game.entries if entry.action == written.action]
        head, said = batch[0], batch[-1].body
        assert isinstance(said, e.RequestSigned)
        request = getattr(head.body, "request", None) if said.request is None else said.request
        message = command_message(game.id, head.seq, head.prev, kind, canonical(request))
        assert holds(key[by].key, said.sig, message)
        assert said.kind == kind
    requests = [x.request for x in game.found(e.RequestSigned)]
    assert [request and request.get("dice") for request in requests] == [[1, 1], None, None]
    assert game.findings == ()


def test_a_key_gives_the_first_answer_again_and_needs_no_new_signature() -> None:
    game = signing()
    asked = game.asked("red", "actions", END, key="once", digest=b"d")
    first = receipt(ends_turn(game, asked))
    before = game.log
    for again in (asked, replace(asked, signed=None)):
        answer = receipt(ends_turn(game, again))
        assert answer.replayed
        assert answer.data == first.data
    assert game.log == before


def test_a_request_that_is_only_tried_needs_no_signature() -> None:
    game = Seats(gangs(**level("all")), red=8, blue=8)
    before = game.log
    game.room.referee.act(game.id, COMMAND.validate_python(SHOT), Asked(side("red"), kind="actions", dry_run=True))
    assert game.log == before


def test_a_referee_that_has_joined_signs_too() -> None:
    game = Seats(gangs(**level("all")), red=8, blue=8)
    assert no(lambda: game.undo(10_000)).kind == "undo-refused"
