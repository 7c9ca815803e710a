"""The desk: what asks for a referee's attention is in the row."""

from projections.desk import desk_row
from tests.projections.fields import gang, shot
from tests.projections.tale import HOME, Tale


def test_a_row_shows_the_battle_at_a_glance() -> None:
    tale = Tale(gang())
    row = desk_row(HOME, tale.record).model_dump()
    assert (row["id"], row["system"], row["title"], row["seq"], row["time"]) == (HOME, "nme", "Toll Bridge", 7, 1000)
    assert (row["turn"], row["phase"], row["side"], row["status"], row["winner"]) == (
        1,
        "recovery",
        "red",
        "playing",
        "",
    )
    assert row["tags"] == {"event": "Autumn Cup", "round": "2", "table": "7"}
    assert (row["parent"], row["private"], row["disputes"], row["undo_request"]) == (None, False, (), None)
    assert {side: (state["start"], state["left"]) for side, state in row["sides"].items()} == {
        "red": (2, 2),
        "blue": (2, 2),
    }


def test_open_disputes_and_requests_are_seen() -> None:
    tale = Tale(gang())
    fired = shot(tale, 1, 1, 1)
    tale.dispute("blue", fired, "it is behind the wall")
    tale.undo(fired, "red")
    row = desk_row(HOME, tale.record)
    assert [dispute.reason for dispute in row.disputes] == ["it is behind the wall"]
    assert row.undo_request is not None
    tale.answer("blue", agree=False)
    tale.settle(1, "referee", withdrawn=True)
    assert desk_row(HOME, tale.record).undo_request is None
    assert desk_row(HOME, tale.record).disputes == ()


def test_an_ended_battle_and_a_closed_one_say_so() -> None:
    tale = Tale(gang())
    tale.act("referee", do="concede", side="blue")
    row = desk_row(HOME, tale.record)
    assert (row.status, row.winner, row.sides["blue"].conceded) == ("ended", "red", True)
    tale.close()
    assert desk_row(HOME, tale.record).status == "closed"


def test_a_what_if_names_its_parent_and_has_no_tags() -> None:
    branch = Tale(gang(policy={"private": True})).branch(7)
    row = desk_row(branch.battle, branch.record)
    assert (row.parent, row.tags, row.private) == (HOME, {}, True)
