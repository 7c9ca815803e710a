"""Threats to the dice, the seats and the undo (docs/audit.md): an operator with the log's key, and what shows him."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from replays.audit.dicechain import Chain, ChainId
from replays.audit.verify.canon import canonical
from replays.audit.verify.checks import CHECKS
from replays.audit.verify.ending import person
from replays.audit.verify.run import verify
from replays.audit.weakkeys import LOW_ORDER
from replays.reexamine import reexamine
from tests.replays.audit.wrapped import (
    POLICY,
    Doc,
    agreed,
    alone,
    branched,
    by_hand,
    forfeited,
    forged,
    refused,
    said,
    sound,
    together,
    unsettled,
)

ZERO = "00" * 32


def change(kind: str, nth: int = 0, **members: Any) -> Any:
    """Overwrite members of the body of the nth entry of a type."""

    def rewrite(docs: list[Doc]) -> None:
        found = [doc for doc in docs if doc["type"] == kind]
        found[nth]["body"].update(members)

    return rewrite


def repeat(docs: list[Doc], first: int, last: int, at: int) -> None:
    """Insert copies of entries first..last (from 0) as a batch of their own before `at`."""
    action = 100_000 + at
    copies = [doc | {"action": action, "body": dict(doc["body"])} for doc in docs[first : last + 1]]
    docs[at:at] = copies


def batch_of(docs: list[Doc], seq: int) -> list[Doc]:
    """The batch with that action."""
    return [doc for doc in docs if doc["action"] == seq]


# --- what the service throws ------------------------------------------------------------------------------------------


def test_threat_the_service_writes_other_dice() -> None:
    def six(docs: list[Doc]) -> None:
        rolled = next(doc for doc in docs if doc["type"] == "HitRolled")
        faces = rolled["body"]["dice"][0]["faces"]
        faces[0] = 6 if faces[0] != 6 else 1

    found = refused(forged(alone(), six), "E-DICE-VALUE", "value")
    assert found.seq == alone().first("HitRolled") + 1


def test_threat_the_service_swaps_its_link() -> None:
    refused(forged(alone(), change("DiceDrawn", link=ZERO)), "E-DICE-LINK", "link")


def test_threat_a_chain_of_another_battle_or_epoch() -> None:
    played = alone()
    battle = bytes.fromhex(played.battle)
    for of in (ChainId(bytes(16)), ChainId(battle, epoch=1), ChainId(battle, 1)):
        chain = Chain(of, bytes(32))

        def swap(docs: list[Doc], chain: Chain = chain) -> None:
            change("DiceAnchored", anchor=chain.anchor.hex())(docs)
            change("DiceDrawn", link=chain.link(1).hex())(docs)

        refused(forged(played, swap), "E-DICE-LINK", "link")


def test_threat_an_index_is_used_twice_or_skipped() -> None:
    refused(forged(alone(), change("DiceDrawn", 1, index=1)), "E-DICE-INDEX", "index")
    refused(forged(alone(), change("DiceDrawn", 0, index=2)), "E-DICE-INDEX", "index")
    refused(forged(alone(), change("DiceAnchored", epoch=1)), "E-DICE-INDEX", "index")
    refused(forged(together(), change("RollRequested", index=2)), "E-DICE-INDEX", "index")


def test_threat_undo_puts_the_index_back() -> None:
    played = alone()
    undone = played.first("ActionsUndone")
    again = next(n for n, doc in enumerate(played.docs) if n > undone and doc["type"] == "DiceDrawn")
    nth = [n for n, doc in enumerate(played.docs) if doc["type"] == "DiceDrawn"].index(again)
    used = played.docs[again]["body"]["index"]
    assert used > 1
    refused(forged(played, change("DiceDrawn", nth, index=used - 1)), "E-DICE-INDEX", "index")


def test_threat_links_are_burnt_until_the_dice_are_good() -> None:
    played = alone()
    at = played.first("DiceDrawn")

    def burn(docs: list[Doc]) -> None:
        spare = docs[at] | {"body": docs[at]["body"] | {"index": 2}}
        docs.insert(at + 1, spare)

    bundle = forged(played, burn)
    found = refused(bundle, "E-DICE-OPEN", "single")
    assert ("E-DICE-OPEN", found.seq) in {(f.code, f.seq) for f in reexamine(bundle.entries).findings}


def test_the_rules_half_opens_one_link_for_one_action() -> None:
    played = alone()
    at = played.first("DiceDrawn")

    def again(docs: list[Doc]) -> None:
        docs.insert(at + 1, docs[at])

    [found] = [f for f in reexamine(forged(played, again).entries).findings if f.code.startswith("E-DICE")]
    assert (found.code, found.seq) == ("E-DICE-OPEN", at + 2)


def test_threat_the_service_grinds_times_and_texts() -> None:
    def grind(docs: list[Doc]) -> None:
        for doc in docs:
            doc["time"] += 12_345
        docs[0]["body"]["title"] = "a luckier title"

    assert verify(forged(alone(), grind), POLICY).status == "valid"  # the same dice: nothing of it is in the derivation


def test_threat_a_new_chain_in_place_of_one_that_was_not_used_up() -> None:
    played = alone()
    at = played.first("ActionsUndone")

    def anew(docs: list[Doc]) -> None:
        chain = Chain(ChainId(bytes.fromhex(played.battle), epoch=1), bytes(32))
        body = {"party": 0, "epoch": 1, "length": 4096, "anchor": chain.anchor.hex()}
        docs.insert(at, docs[at] | {"type": "DiceAnchored", "body": body, "action": 90_000})

    found = verify(forged(played, anew), POLICY)
    assert said(found, "W-CHAIN")
    assert found.tally.replaced == 1


# --- those who contribute ---------------------------------------------------------------------------------------------


def test_threat_the_other_seat_is_left_out() -> None:
    refused(forged(together(), change("RollRequested", parties=[1])), "E-DICE-CONTRIB", "contributors")
    refused(forged(together(), change("DiceDrawn", contributors=[])), "E-DICE-CONTRIB", "contributors")


def test_threat_a_result_without_a_request() -> None:
    played = together()
    start, end = played.first("RollRequested"), played.first("DiceDrawn") - 1

    def unasked(docs: list[Doc]) -> None:
        change("DiceDrawn", contributors=[])(docs)
        del docs[start:end]

    refused(forged(played, unasked), "E-DICE-CONTRIB", "contributors")


def test_threat_a_second_request_for_one_index() -> None:
    played = together()
    at = played.first("RollRequested")

    def peek(docs: list[Doc]) -> None:
        repeat(docs, at, at + 1, at + 2)

    refused(forged(played, peek), "E-DICE-OPEN", "single_open")


def test_threat_a_release_for_another_request() -> None:
    played = together()

    def other(docs: list[Doc]) -> None:
        request = docs[played.first("RollRequested")]["body"]["request"]
        request["fig"] = "red-1"

    refused(forged(played, other), "E-DICE-RELEASE", "released")


def test_threat_another_action_than_was_requested() -> None:
    def other(docs: list[Doc]) -> None:
        at = next(n for n, doc in enumerate(docs) if doc["type"] == "DiceDrawn") - 1
        docs[at]["body"]["request"] = docs[at]["body"]["request"] | {"target": "blue-1"}

    refused(forged(together(), other), "E-DICE-OPEN", "single_open")


def test_threat_a_link_that_its_party_did_not_commit_to() -> None:
    refused(forged(together(), change("LinkReleased", link=ZERO)), "E-DICE-LINK", "share")


def test_threat_an_answer_to_nothing() -> None:
    played = together()
    at = played.first("LinkReleased")

    def again(docs: list[Doc]) -> None:
        end = max(n for n, doc in enumerate(docs) if doc["type"] == "LinkReleased") + 5
        repeat(docs, at, at, min(end, len(docs) - 4))

    refused(forged(played, again), "E-DICE-OPEN", "single_open")


def test_threat_a_roll_is_abandoned() -> None:
    def close(docs: list[Doc]) -> None:
        doc = docs[-1] | {"actor": "referee", "action": 90_000, "type": "BattleClosed", "body": {"reason": "rain"}}
        docs.append(doc)

    refused(forged(unsettled(), close), "E-ABANDONED", "abandoned")


def test_threat_the_last_revealer_aborts() -> None:
    found = verify(sound(forfeited()), POLICY)
    assert found.status == "valid"
    [forfeit] = found.tally.forfeits
    assert (forfeit.seat, forfeit.reason) == ("side:blue", "went home")
    assert forfeit.withheld  # its next link brought them to light

    def by_red(docs: list[Doc]) -> None:
        next(doc for doc in docs if doc["type"] == "RollForfeited")["actor"] = "side:red"

    refused(forged(forfeited(), by_red), "E-FORFEIT", "forfeited")
    refused(forged(forfeited(), change("DiceDrawn", source="chain")), "E-FORFEIT", "forfeited")
    refused(forged(together(), change("DiceDrawn", source="forfeit")), "E-FORFEIT", "forfeited")


# --- seats ------------------------------------------------------------------------------------------------------------


def test_threat_a_key_without_its_owner_or_anybodys() -> None:
    other = together().docs[together().first("SeatJoined")]["body"]
    weak = min(key.hex() for key in LOW_ORDER)
    for members in (
        {"proof": "00" * 64},
        {"key": weak},
        {"key": other["key"]},
        {"anchor": other["anchor"]},
        {"party": 1},
        {"epoch": 3},
        {"seat": "side:green"},
        {"length": 0},
    ):
        refused(forged(together(), change("SeatJoined", 1, **members)), "E-SEAT", "joined")


def test_threat_a_seat_joins_into_an_open_roll() -> None:
    played = unsettled()
    at = played.first("SeatJoined", 1)

    def late(docs: list[Doc]) -> None:
        body = docs[at]["body"] | {"epoch": 1, "anchor": "11" * 32}
        docs.append(docs[at] | {"body": body, "action": 90_000})

    assert "too late" in refused(forged(played, late), "E-SEAT", "joined").text


def test_threat_the_operator_rewrites_a_players_act() -> None:
    def other(docs: list[Doc]) -> None:
        last = [doc for doc in docs if doc["type"] == "ActionDeclared" and doc["body"]["do"] == "end_turn"]
        last[0]["body"]["request"] = last[0]["body"]["request"] | {"waive": "x"}

    refused(forged(together(), other), "E-COMMAND", "command")


def test_threat_the_operator_inserts_a_players_act() -> None:
    played = together()

    def strip(docs: list[Doc]) -> None:
        docs[:] = [doc for doc in docs if doc["type"] != "RequestSigned"]

    assert "not signed by side:red" in refused(forged(played, strip), "E-COMMAND", "command").text


def test_threat_the_operator_replays_a_players_act() -> None:
    played = together()
    end = next(n for n, doc in enumerate(played.docs) if doc["body"].get("do") == "end_turn")
    seq = played.docs[end]["action"]

    def again(docs: list[Doc]) -> None:
        batch = batch_of(docs, seq)
        repeat(docs, end, end + len(batch) - 1, end + len(batch))

    found = refused(forged(played, again), "E-COMMAND", "command")
    assert found.seq == end + 2 * len(batch_of(played.docs, seq))


def test_threat_a_true_signature_beside_another_act() -> None:
    played = together()
    at = played.first("RequestSigned")

    def wash(docs: list[Doc]) -> None:
        head = next(doc for doc in docs if doc["seq"] == docs[at]["action"])
        docs[at]["body"]["request"] = head["body"]["request"]  # what was signed
        head["body"]["request"] = head["body"]["request"] | {"fig": "red-2"}  # what is written

    found = refused(forged(played, wash), "E-COMMAND", "command")
    assert (found.seq, found.field) == (at + 1, "request")


# --- undo -------------------------------------------------------------------------------------------------------------


def test_threat_dice_that_were_seen_are_not_counted() -> None:
    assert verify(sound(alone()), POLICY).tally.undone_dice > 0
    refused(forged(alone(), change("ActionsUndone", dice=0)), "E-UNDO", "seen_dice")


def test_threat_players_undo_and_reroll() -> None:
    def strict(docs: list[Doc]) -> None:
        docs[0]["body"]["policy"]["undo_dice"] = "referee"

    assert "only the referee" in refused(forged(agreed(), strict), "E-UNDO", "seen_dice").text


def test_threat_a_one_sided_undo() -> None:
    played = agreed()
    at = played.first("UndoAgreed")

    def alone_then(docs: list[Doc]) -> None:
        del docs[at]
        docs[at]["action"] = 90_000
        docs[at]["actor"] = "side:red"

    refused(forged(played, alone_then), "E-UNDO", "consent")
    refused(forged(played, change("UndoAgreed", side="red")), "E-UNDO", "consent")


def test_threat_an_old_consent_is_used_again() -> None:
    refused(forged(agreed(), change("ActionsUndone", 1, request=1)), "E-UNDO", "consent")
    refused(forged(agreed(), change("UndoAgreed", 1, request=1)), "E-UNDO", "consent")


def test_threat_an_action_is_struck_out_twice() -> None:
    first = agreed().docs[agreed().first("ActionsUndone")]["body"]
    again = change("ActionsUndone", 1, actions=first["actions"], dice=first["dice"])
    refused(forged(agreed(), again), "E-UNDO", "struck_once")


# --- other dice -------------------------------------------------------------------------------------------------------


def test_threat_a_what_if_shows_dice_to_come() -> None:
    refused(forged(branched(), change("DiceDrawn", 1, source="chain")), "E-DICE-LINK", "link")
    refused(forged(alone(), change("DiceDrawn", source="whatif")), "E-DICE-LINK", "link")
    refused(forged(branched(), change("DiceDrawn", 1, link=ZERO)), "E-DICE-VALUE", "value")


def test_threat_dice_typed_in_alone() -> None:
    played = by_hand()

    def alone_then(docs: list[Doc]) -> None:
        docs[:] = [doc for doc in docs if doc["type"] not in ("DiceTyped", "DiceConfirmed")]

    refused(forged(played, alone_then), "E-PHYS", "physical")

    def own(docs: list[Doc]) -> None:
        next(doc for doc in docs if doc["type"] == "DiceConfirmed")["actor"] = "side:red"

    refused(forged(played, own), "E-PHYS", "physical")


def test_threat_other_dice_than_were_confirmed() -> None:
    refused(forged(by_hand(), change("DiceConfirmed", faces=[6, 6])), "E-PHYS", "physical")

    def better(docs: list[Doc]) -> None:
        rolled = next(doc for doc in docs if any(isinstance(t, dict) for t in doc["body"].get("dice") or ()))
        rolled["body"]["dice"][0]["faces"][0] = 6

    refused(forged(by_hand(), better), "E-PHYS", "physical")


def test_threat_dice_thrown_by_hand_after_the_services_were_seen() -> None:
    played = alone()

    def by_hand_then(docs: list[Doc]) -> None:
        del docs[played.first("DiceDrawn", 1)]

    refused(forged(played, by_hand_then), "E-PHYS", "physical")

    def by_machine(docs: list[Doc]) -> None:
        docs[0]["body"]["dice"] = "table"

    refused(forged(alone(), by_machine), "E-PHYS", "physical")


# --- names ------------------------------------------------------------------------------------------------------------


def named(docs: list[Doc]) -> None:
    body = {"seat": "side:red", "person": person(b"s" * 32, "Ada").hex()}
    docs.insert(-1, docs[-1] | {"type": "SeatNamed", "action": 90_000, "body": body})


def test_threat_a_wrong_name_is_shown_and_names_can_be_erased() -> None:
    salt = (b"s" * 32).hex()
    right = canonical({"side:red": {"name": "Ada", "salt": salt}})
    bundle = forged(alone(), named, names=right)
    assert verify(bundle, POLICY).status == "valid"
    assert verify(replace(bundle, names=b""), POLICY).status == "valid"
    for wrong in (
        {"side:red": {"name": "Bob", "salt": salt}},
        {"side:red": {"name": "Ada", "salt": "00" * 32}},
        {"side:red": {"name": "Ada", "salt": "xx"}},
        {"side:red": {"name": "Ada"}},
        {"side:blue": {"name": "Ada", "salt": salt}},
    ):
        refused(replace(bundle, names=canonical(wrong)), "E-NAME", "names")
    refused(replace(bundle, names=b"no names"), "E-NAME", "names")


def test_a_commitment_cannot_be_guessed_without_its_salt() -> None:
    assert person(b"a" * 32, "Ada") != person(b"b" * 32, "Ada")


# --- the rules half ---------------------------------------------------------------------------------------------------


def test_threat_a_result_that_does_not_follow() -> None:
    def winner(docs: list[Doc]) -> None:
        next(doc for doc in docs if doc["type"] == "BattleEnded")["body"]["winner"] = "blue"

    bundle = forged(alone(), winner)
    assert verify(bundle, POLICY).status == "valid"
    assert {finding.code for finding in reexamine(bundle.entries).findings} >= {"E-RESULT", "E-STATE"}


def test_threat_a_hit_that_was_none() -> None:
    played = alone()

    def hit(docs: list[Doc]) -> None:
        rolled = next(doc for doc in docs if doc["type"] == "HitRolled")
        rolled["body"]["hits"] += 1

    bundle = forged(played, hit)
    assert verify(bundle, POLICY).status == "valid"
    [found] = [f for f in reexamine(bundle.entries).findings if f.code == "E-RULE"]
    assert (found.seq, found.field) == (played.first("HitRolled") + 1, "HitRolled.hits")


def test_threat_a_table_that_is_another() -> None:
    def move(docs: list[Doc]) -> None:
        docs[20]["state"] = ZERO

    bundle = forged(alone(), move)
    assert verify(bundle, POLICY).status == "valid"
    [found] = reexamine(bundle.entries).findings
    assert (found.code, found.seq) == ("E-STATE", 21)


def test_threat_entries_that_no_release_knows() -> None:
    def unknown(docs: list[Doc]) -> None:
        docs[20]["type"] = "FigTeleported"

    assert reexamine(forged(alone(), unknown).entries).findings[0].code == "E-TYPE"

    def future(docs: list[Doc]) -> None:
        docs[0]["body"]["rules"] = "nme.99"

    assert reexamine(forged(alone(), future).entries).findings[0].code == "E-RULES"


def test_every_check_is_needed() -> None:
    """Each `refused(...)` shows that a verifier without that check takes the file, or says something else."""
    here = Path(__file__).parent
    text = "".join((here / name).read_text("utf-8") for name in ("test_threats_file.py", "test_threats_dice.py"))
    shown = [check.name for check in CHECKS if f'", "{check.name}"' in text]
    sys.stdout.write(f"{len(shown)} of {len(CHECKS)} checks are shown to be needed\n")
    assert shown == [check.name for check in CHECKS]
