"""Threats to open rolls and to seats that join again: who may end a wait, choose a chain, or change a key."""

from functools import cache
from typing import Any

import pytest

import replays.audit.verify.dice
import replays.dicebox
from domain.draft import REFEREE
from domain.procedure import DisputeAsked, Resolution
from domain.rolls import Forfeit, Join
from replays.asking import Asked
from replays.audit.dicechain import LENGTH, Chain, ChainId
from replays.audit.statements import command_message, join_message
from replays.audit.verify.canon import canonical
from replays.audit.verify.checks import CHECKS
from replays.audit.verify.dice import drawn_faces
from replays.audit.verify.line import Line, throws_of
from replays.audit.verify.run import verify
from replays.examine import examine
from replays.imports import import_log
from replays.reexamine import reexamine
from tests.replays.audit.test_threats_dice import change
from tests.replays.audit.wrapped import (
    POLICY,
    Doc,
    Played,
    Signer,
    alone,
    branched,
    by_seed,
    closed,
    forged,
    refused,
    said,
    shoot,
    sound,
    together,
    two,
    unsettled,
)
from tests.replays.rooms import Room, gangs, volley

ALL = {"contributors": "all"}


def waiting(room: Room, battle: str) -> int:
    """The number of the open roll."""
    waits = room.book(battle).record.pending
    assert waits is not None
    return waits.seq


def sit(room: Room, length: int = 64) -> tuple[str, dict[str, Signer]]:
    """A battle at L2 in which both seats have joined."""
    battle = room.open(gangs(policy=ALL))
    return battle, two(room, battle, length)


def shot(room: Room, players: dict[str, Signer], fig: str = "red-0") -> None:
    """A shot that both release for."""
    shoot(room, players, fig, "blue-0")
    for player in players.values():
        player.release(room, waiting(room, player.battle))


def umpire(room: Room, battle: str) -> Signer:
    """The referee joins, and signs from then on."""
    player = Signer(battle, "umpire", 3, length=0)
    player.seat = REFEREE
    player.join(room)
    return player


@cache
@by_seed
def settled() -> Played:
    """One roll to which both contribute."""
    room = Room()
    battle, players = sit(room)
    shot(room, players)
    return closed(room, battle, players.values())


@cache
@by_seed
def both_withhold() -> Played:
    """Red and blue withhold their links; the referee forfeits both, and signs; the next links bring them to light."""
    room = Room()
    battle, players = sit(room)
    referee = umpire(room, battle)
    shoot(room, players, "red-0", "blue-0")
    for side in ("red", "blue"):
        roll, given = waiting(room, battle), {"seat": f"side:{side}", "reason": f"{side} went home"}
        asked = referee.asked(room, f"rolls/{roll}/forfeit", given)
        room.referee.forfeit(battle, roll, Forfeit.model_validate(given), asked)
    shot(room, players, "red-1")
    return Played(battle, list(room.book(battle).data()), players)


@cache
@by_seed
def voided(*, signed: bool = False) -> Played:
    """A battle is moved while a roll is open: the new service cannot settle it, and the referee has it renewed."""
    old, room = Room(), Room()
    battle, players = sit(old)
    referee = umpire(old, battle) if signed else None
    shoot(old, players, "red-0", "blue-0")
    players["red"].release(old, waiting(old, battle))
    import_log(room.store, examine(old.book(battle).data()), lambda: "secret")
    reason = {"reason": "moved here"}
    by = Asked(REFEREE, kind="dice/renew") if referee is None else referee.asked(room, "dice/renew", reason)
    room.referee.renew(battle, "moved here", by)
    shot(room, players, "red-1")
    if referee is None:
        return closed(room, battle, players.values())
    return Played(battle, list(room.book(battle).data()), players | {"referee": referee})


@cache
@by_seed
def renewed() -> Played:
    """The same between two rolls, signed by the referee."""
    old, room = Room(), Room()
    battle, players = sit(old)
    referee = umpire(old, battle)
    shot(old, players)
    import_log(room.store, examine(old.book(battle).data()), lambda: "secret")
    room.referee.renew(battle, "moved here", referee.asked(room, "dice/renew", {"reason": "moved here"}))
    return Played(battle, list(room.book(battle).data()), players | {"referee": referee})


def anew(player: Signer, *, seed: int = 7, length: int = 64) -> tuple[Signer, Doc]:
    """The next key and chain of a seat, and what it asks to join again with."""
    again = Signer(player.battle, player.side, player.party, epoch=player.epoch + 1, seed=seed, length=length)
    body: Doc = {"key": again.key, "epoch": again.epoch, "length": length, "anchor": again.chain.anchor.hex()}
    message = join_message(again.battle, again.party, again.epoch, length, again.key, body["anchor"])
    return again, body | {"proof": again.secret.sign(message).hex()}


@cache
@by_seed
def rejoined(by: str = "old") -> Played:
    """Red joins again with another key: by its `old` one, or by the word of a referee, who has a key or has none."""
    room = Room()
    battle, players = sit(room)
    again, body = anew(players["red"])
    kind = "seats/side:red/join"
    if by == "old":
        asked = players["red"].asked(room, kind, body)
    elif by == "referee":
        asked = Asked(REFEREE, kind=kind)
    else:
        asked = umpire(room, battle).asked(room, kind, body)
    room.referee.join(battle, "side:red", Join.model_validate(body), asked)
    shot(room, players | {"red": again})
    return Played(battle, list(room.book(battle).data()), players | {"new": again})


def again_in(docs: list[Doc]) -> int:
    """Where a seat joins again."""
    return next(n for n, doc in enumerate(docs) if doc["type"] == "SeatJoined" and doc["body"]["epoch"] == 1)


def lacking(*names: str) -> Any:
    """The checks of a verifier that lacks several."""
    assert set(names) <= {check.name for check in CHECKS}
    return tuple(check for check in CHECKS if check.name not in names)


def anchored(docs: list[Doc], at: int, **more: Any) -> Doc:
    """A commitment of the service to a new chain, as a batch of its own at that place."""
    body = {"party": 0, "epoch": 1, "length": LENGTH, "anchor": "11" * 32} | more
    return docs[at] | {"actor": "referee", "type": "DiceAnchored", "body": body, "action": 90_000}


# --- forfeits ---------------------------------------------------------------------------------------------------------


def test_several_seats_may_forfeit_one_roll_and_all_of_it_comes_to_light() -> None:
    played = both_withhold()
    found = verify(sound(played), POLICY)
    assert (found.status, found.tally.signed) == ("open", 2)
    assert [(f.seat, f.reason) for f in found.tally.forfeits] == [
        ("side:red", "red went home"),
        ("side:blue", "blue went home"),
    ]
    first, second = found.tally.forfeits
    assert first.withheld
    assert first.withheld == second.withheld
    assert reexamine(tuple(played.data)).findings == ()


def test_of_several_that_were_withheld_one_link_alone_says_nothing() -> None:
    played = both_withhold()
    last = next(n for n, doc in enumerate(played.docs) if doc["type"] == "LinkReleased")
    found = verify(sound(Played(played.battle, played.data[: last + 1])), POLICY)
    assert [forfeit.withheld for forfeit in found.tally.forfeits] == [None, None]


def test_threat_a_seat_forfeits_twice_or_beside_another() -> None:
    played = both_withhold()
    change_party = change("RollForfeited", 1, party=1)
    assert refused(forged(played, change_party), "E-FORFEIT", "forfeited").field == "party"

    def rider(docs: list[Doc]) -> None:
        first = next(n for n, doc in enumerate(docs) if doc["type"] == "RollForfeited")
        docs.insert(first + 1, docs[first] | {"body": docs[first]["body"] | {"party": 2}})

    found = refused(forged(played, rider), "E-FORFEIT", "forfeited")
    assert found.seq == played.first("RollForfeited") + 2


def test_threat_one_forfeit_settles_a_roll_for_which_another_is_awaited() -> None:
    played = both_withhold()

    def early(docs: list[Doc]) -> None:
        second = [n for n, doc in enumerate(docs) if doc["type"] == "RollForfeited"][1]
        del docs[second : second + 2]

    refused(forged(played, early), "E-DICE-OPEN", "single_open")


# --- void rolls -------------------------------------------------------------------------------------------------------


def test_a_roll_that_the_service_cannot_settle_is_void_and_counted() -> None:
    for signed in (False, True):
        played = voided(signed=signed)
        found = verify(sound(played), POLICY)
        # The clock of the new service goes back; that is no matter here.
        wanted = ["W-TIME", "W-CHAIN", "E-OPEN", "W-GLOBAL"] if signed else ["W-TIME", "W-CHAIN", "W-GLOBAL"]
        assert [finding.code for finding in found.findings] == wanted
        [forfeit] = found.tally.forfeits
        assert (forfeit.seat, forfeit.reason, forfeit.withheld) == ("the service", "moved here", None)
        assert (found.tally.anchors, found.tally.replaced) == (4, 1)
        assert reexamine(tuple(played.data)).findings == ()


def test_a_void_roll_uses_up_the_links_that_were_asked_for() -> None:
    """No seat ever opens the same link for two requests."""
    played = voided()
    chain = played.players["red"].chain
    red = [doc["body"]["link"] for doc in played.docs if doc["type"] == "LinkReleased" and doc["body"]["party"] == 1]
    assert red == [chain.link(1).hex(), chain.link(2).hex()]


def test_threat_a_roll_is_void_by_somebody_else_or_without_new_dice() -> None:
    def by_red(docs: list[Doc]) -> None:
        at = next(n for n, doc in enumerate(docs) if doc["type"] == "RollForfeited")
        docs[at]["actor"] = docs[at + 1]["actor"] = "side:red"

    assert "only the referee" in refused(forged(voided(), by_red), "E-FORFEIT", "forfeited").text

    def same_dice(docs: list[Doc]) -> None:
        at = next(n for n, doc in enumerate(docs) if doc["type"] == "RollForfeited")
        del docs[at + 1]

    assert "void only" in refused(forged(voided(), same_dice), "E-FORFEIT", "forfeited").text


def test_threat_a_void_roll_where_none_is_open() -> None:
    played = voided(signed=True)

    def once_more(docs: list[Doc]) -> None:
        at = next(n for n, doc in enumerate(docs) if doc["type"] == "RollForfeited")
        docs += [doc | {"action": 90_000, "body": dict(doc["body"])} for doc in docs[at : at + 2]]
        docs[-1]["body"]["epoch"] = 2

    refused(forged(played, once_more), "E-FORFEIT", "forfeited")
    refused(forged(played, once_more), "E-DICE-OPEN", "single_open")


def test_threat_a_void_roll_is_carried_out_after_all() -> None:
    played = settled()

    def void(docs: list[Doc]) -> None:
        at = next(n for n, doc in enumerate(docs) if doc["type"] == "ActionDeclared")
        body = {"request": played.first("RollRequested") + 1, "party": 0, "reason": "no"}
        anchor = anchored(docs, at)
        docs[at:at] = [anchor | {"type": "RollForfeited", "body": body}, anchor]

    refused(forged(played, void), "E-DICE-INDEX", "index")
    refused(forged(played, void), "E-DICE-CONTRIB", "contributors")


def test_threat_the_referees_word_is_put_into_his_mouth() -> None:
    def unsigned(docs: list[Doc]) -> None:
        last = max(n for n, doc in enumerate(docs) if doc["type"] == "DiceAnchored")
        assert docs[last + 1]["type"] == "RequestSigned"
        del docs[last + 1]

    for played in (voided(signed=True), renewed()):
        assert verify(sound(played), POLICY).status == "open"
        assert "not signed by referee" in refused(forged(played, unsigned), "E-COMMAND", "command").text
    reason = change("RollForfeited", reason="he was losing")
    assert refused(forged(voided(signed=True), reason), "E-COMMAND", "command").field == "request"


# --- grinding ---------------------------------------------------------------------------------------------------------


def ground(docs: list[Doc]) -> None:
    """Who knows all released links throws again from a chain of his choice, and writes down what falls."""
    battle = docs[0]["battle"]
    at = next(n for n, doc in enumerate(docs) if doc["type"] == "ActionDeclared")
    batch = [doc for doc in docs if doc["action"] == docs[at]["action"]]
    chain = Chain(ChainId(bytes.fromhex(battle), epoch=1), b"best" * 8)
    batch[1]["body"] |= {"epoch": 1, "index": 1, "link": chain.link(1).hex()}
    lines = [Line(n, canonical(doc)) for n, doc in enumerate(batch, start=1)]
    faces = iter(drawn_faces(lines[1], throws_of(lines), "") or ())
    for doc in batch:
        for throw in doc["body"].get("dice") or ():
            throw["faces"] = [next(faces) for _ in throw["faces"]]
    docs.insert(at, anchored(docs, at, anchor=chain.anchor.hex()))


def test_threat_a_chain_is_chosen_while_its_roll_is_open() -> None:
    bundle = forged(settled(), ground)
    assert verify(bundle, POLICY, checks=lacking("single_open", "index")).status == "valid"
    assert "which is open" in refused(bundle, "E-DICE-OPEN", "single_open").text
    assert "named another link" in refused(bundle, "E-DICE-INDEX", "index").text


def test_threat_a_chain_is_chosen_behind_the_last_roll_or_by_a_side() -> None:
    def behind(docs: list[Doc]) -> None:
        drawn = max(n for n, doc in enumerate(docs) if doc["type"] == "DiceDrawn")
        end = next(n for n in range(drawn, len(docs)) if docs[n]["action"] != docs[drawn]["action"])
        docs.insert(end, anchored(docs, end) | {"action": docs[drawn]["action"]})
        for member in ("time", "actor"):
            docs[end][member] = docs[drawn][member]

    assert "used up" in refused(forged(alone(), behind), "E-DICE-INDEX", "index").text

    def lone(**more: Any) -> Any:
        def insert(docs: list[Doc]) -> None:
            docs.insert(-1, anchored(docs, -1, **{k: v for k, v in more.items() if k != "actor"}))
            docs[-2]["actor"] = more.get("actor", "referee")

        return insert

    assert said(verify(forged(alone(), lone()), POLICY), "W-CHAIN")
    assert verify(forged(branched(), lone(length=0)), POLICY).status == "valid"
    for more in ({"actor": "side:red"}, {"length": 8}, {"length": 0}, {"epoch": 2}, {"party": 1}):
        refused(forged(alone(), lone(**more)), "E-DICE-INDEX", "index")
    refused(forged(branched(), lone()), "E-DICE-INDEX", "index")

    def beside(docs: list[Doc]) -> None:
        lone()(docs)
        docs.insert(-1, docs[-2] | {"type": "SeatNamed", "body": {"seat": "referee", "person": "22" * 32}})

    refused(forged(alone(), beside), "E-DICE-INDEX", "index")


def test_threat_two_chains_to_choose_from_at_the_opening() -> None:
    def second(docs: list[Doc]) -> None:
        at = next(n for n, doc in enumerate(docs) if doc["type"] == "DiceAnchored")
        docs.insert(at + 1, docs[at] | {"body": docs[at]["body"] | {"epoch": 1}})

    refused(forged(alone(), second), "E-DICE-INDEX", "index")


def test_a_chain_that_is_used_up_is_followed_by_the_next_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays.dicebox, "LENGTH", 2)
    monkeypatch.setattr(replays.audit.verify.dice, "LENGTH", 2)
    room = Room()
    battle = room.open(gangs())
    volley(room, battle)
    found = verify(sound(closed(room, battle)), POLICY)
    assert [finding.code for finding in found.findings] == ["W-GLOBAL"]
    assert (found.tally.anchors, found.tally.replaced) == (2, 0)


# --- seats that join again --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("by", "codes"), [("old", []), ("referee", ["W-SEAT"]), ("umpire", ["W-SEAT"])])
def test_a_seat_joins_again_by_its_old_key_or_by_the_referees_word(by: str, codes: list[str]) -> None:
    played = rejoined(by)
    found = verify(sound(played), POLICY)
    assert [finding.code for finding in found.findings] == [*codes, "W-CHAIN", "E-OPEN", "W-GLOBAL"]
    assert reexamine(tuple(played.data)).findings == ()


def test_threat_a_seat_is_taken_over() -> None:
    def unsigned(docs: list[Doc]) -> None:
        del docs[again_in(docs) + 1]

    for by, whose in (("old", "side:red"), ("umpire", "referee")):
        text = refused(forged(rejoined(by), unsigned), "E-SEAT", "joined").text
        assert text == f"side:red joins again, and the key of {whose} did not sign for it"

    def by_blue(docs: list[Doc]) -> None:
        docs[again_in(docs)]["actor"] = "side:blue"

    assert "vouches" in refused(forged(rejoined("referee"), by_blue), "E-SEAT", "joined").text

    def first(docs: list[Doc]) -> None:
        next(doc for doc in docs if doc["type"] == "SeatJoined")["actor"] = "referee"

    assert "itself" in refused(forged(together(), first), "E-SEAT", "joined").text


def test_threat_the_new_key_signs_for_itself() -> None:
    played = rejoined()

    def own(docs: list[Doc]) -> None:
        at = again_in(docs)
        prev, body = Line(at, played.data[at - 1]).leaf.hex(), docs[at + 1]["body"]
        message = command_message(played.battle, at + 1, prev, body["kind"], canonical(body["request"]))
        body["sig"] = played.players["new"].secret.sign(message).hex()

    assert refused(forged(played, own), "E-COMMAND", "command").field == "sig"


def test_threat_the_old_key_signed_for_another_key_or_seat() -> None:
    played = rejoined()
    old = played.players["red"]

    def another(kind: str, **members: Any) -> Any:
        def sign(docs: list[Doc]) -> None:
            at = again_in(docs)
            prev, body = Line(at, played.data[at - 1]).leaf.hex(), docs[at + 1]["body"]
            body["kind"], body["request"] = kind, body["request"] | members
            message = command_message(played.battle, at + 1, prev, kind, canonical(body["request"]))
            body["sig"] = old.secret.sign(message).hex()

        return sign

    good = another("seats/side:red/join")
    assert verify(forged(played, good), POLICY).status == "open"
    wrong = [another("seats/side:red/join", **{name: "33" * 32}) for name in ("key", "anchor", "proof")]
    wrong += [another("seats/side:red/join", length=3), another("seats/side:red/join", epoch=2)]
    for forgery in (*wrong, another("seats/side:blue/join"), another("actions")):
        assert refused(forged(played, forgery), "E-COMMAND", "command").field == "request"


def test_threat_a_second_key_in_the_shadow_of_the_first() -> None:
    played = together()

    def shadow(docs: list[Doc]) -> None:
        at = next(n for n, doc in enumerate(docs) if doc["type"] == "SeatJoined")
        other = Signer(played.battle, "red", 1, seed=9)
        anchor = other.chain.anchor.hex()
        proof = other.secret.sign(join_message(played.battle, 1, 0, 64, other.key, anchor)).hex()
        body = docs[at]["body"] | {"key": other.key, "anchor": anchor, "proof": proof}
        docs.insert(at + 1, docs[at] | {"body": body})

    assert "beside another act" in refused(forged(played, shadow), "E-SEAT", "joined").text


def test_threat_an_act_rides_along_with_what_needs_no_signature() -> None:
    def ride(docs: list[Doc]) -> None:
        at = next(n for n, doc in enumerate(docs) if doc["type"] == "RollRequested")
        name = {"seat": "side:blue", "person": "22" * 32}
        head = docs[at] | {"type": "SeatNamed", "body": name, "actor": "side:blue", "action": 90_000}
        docs[at:at] = [head, head | {"type": "SideConceded", "body": {"side": "blue", "reason": ""}}]

    found = verify(forged(unsettled(), ride), POLICY)
    assert "this was not signed by side:blue" in [finding.text for finding in said(found, "E-COMMAND")]


def test_threat_a_dispute_is_settled_in_anothers_name() -> None:
    room = Room()
    battle, players = sit(room)
    red = players["red"]
    about = {"about": 1, "reason": "is this right?"}
    room.referee.dispute(battle, DisputeAsked.model_validate(about), red.asked(room, "disputes", about))
    how = {"withdrawn": True}
    room.referee.resolve(battle, 1, Resolution.model_validate(how), red.asked(room, "disputes/1/resolve", how))
    played = Played(battle, list(room.book(battle).data()), players)
    assert verify(sound(played), POLICY).status == "open"
    for body in ({"by": "referee"}, {"how": "agreed"}, {"dispute": 2}):
        assert refused(forged(played, change("DisputeClosed", **body)), "E-COMMAND", "command").field == "request"
