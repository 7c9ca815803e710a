"""Threats to the file and its signatures (docs/audit.md): what shows each, and that nothing else does."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from replays.audit.bundle import Bundle, Meta
from replays.audit.checkpoint import Checkpoint, battle_origin
from replays.audit.merkle import leaf_hash, node_hash, root
from replays.audit.note import written
from replays.audit.unproven import Unproven
from replays.audit.verify.policy import Policy
from replays.audit.verify.run import verify
from replays.audit.vkey import COSIGNATURE
from tests.replays.audit.notes import HOST, LOG, WITNESS, secret
from tests.replays.audit.wrapped import (
    GLOBAL,
    POLICY,
    REFEREE_KEY,
    Forge,
    alone,
    branched,
    forged,
    refused,
    said,
    sound,
    together,
    with_global,
    wrap,
)

OTHER = secret("elsewhere.example", 9)
FAKE = secret(HOST, 66)


def test_a_bundle_as_it_was_played_is_valid() -> None:
    policy = replace(POLICY, global_keys=(GLOBAL.public,))
    for played in (alone(), together(), branched()):
        assert verify(with_global(sound(played)), policy).findings == ()


def test_threat_an_outsider_alters_an_entry() -> None:
    bundle = sound(alone())
    entries = list(bundle.entries)
    entries[20] = entries[20].replace(b'"time":1', b'"time":2')
    refused(replace(bundle, entries=tuple(entries)), "E-ROOT", "root")


def test_threat_an_outsider_drops_the_last_entry() -> None:
    bundle = sound(alone())
    refused(replace(bundle, entries=bundle.entries[:-1]), "E-SIZE", "size")


def test_threat_an_outsider_reorders_entries() -> None:
    bundle = sound(alone())
    one, two, *rest = bundle.entries
    refused(replace(bundle, entries=(two, one, *rest)), "E-ROOT", "root")


def test_threat_an_entry_was_dropped_and_the_log_signed_again() -> None:
    def drop(docs: list[dict[str, object]]) -> None:
        del docs[20]

    found = refused(forged(alone(), drop, relink=False), "E-SEQ", "number")
    assert found.seq == 21


def test_threat_an_entry_was_altered_and_the_log_signed_again() -> None:
    def alter(docs: list[dict[str, object]]) -> None:
        docs[20]["time"] = int(str(docs[20]["time"])) + 1
        for doc in docs[21:]:
            doc["time"] = max(int(str(doc["time"])), int(str(docs[20]["time"])))

    found = [f for f in verify(forged(alone(), alter, relink=False), POLICY).findings if f.error]
    assert found[0].code in {"E-PREV", "E-FORMAT"}
    played = alone()
    docs = played.docs
    docs[-1]["prev"] = "00" * 32
    entries = (*played.data[:-1], json.dumps(docs[-1], separators=(",", ":"), sort_keys=True).encode())
    assert refused(wrap(played.battle, entries), "E-PREV", "prev").seq == len(entries)


def test_threat_the_log_is_cut_at_an_old_checkpoint() -> None:
    played = alone()
    cut = wrap(played.battle, played.data[:-1], is_closed=False)
    assert verify(cut, POLICY).status == "open"
    refused(cut, "E-OPEN", "closed")
    lie = wrap(played.battle, played.data[:-1], is_closed=True)
    refused(lie, "E-BUNDLE", "closed")


def receipt(entries: tuple[bytes, ...]) -> bytes:
    head = Checkpoint(battle_origin(HOST, alone().battle), len(entries), root(map(leaf_hash, entries)))
    return written(head.text, [LOG.sign(head.text)])


def test_threat_the_log_is_cut_and_the_owner_of_a_receipt_looks() -> None:
    bundle = wrap(alone().battle, alone().data[:-2])
    policy = replace(POLICY, receipts=(("mine", receipt(sound(alone()).entries)),))
    refused(bundle, "E-ROLLBACK", "receipts", policy)
    assert verify(sound(alone()), policy).status == "valid"


def test_threat_fork() -> None:
    other = forged(alone(), lambda docs: docs[30]["body"].update(reason="another"))
    policy = replace(POLICY, receipts=(("mine", receipt(sound(alone()).entries[:40])),))
    refused(other, "E-FORK", "receipts", policy)
    assert verify(other, replace(POLICY, receipts=(("mine", receipt(other.entries[:20])),))).status == "valid"


def test_threat_a_receipt_is_of_another_log_or_forged() -> None:
    head = Checkpoint(battle_origin(HOST, "ab" * 16), 1, root([bytes(32)]))
    for note in (written(head.text, [LOG.sign(head.text)]), receipt(sound(alone()).entries).replace(b"\n\n", b"\n \n")):
        refused(sound(alone()), "E-RECEIPT", "receipts", replace(POLICY, receipts=(("note", note),)))


def test_threat_the_operator_closes_early() -> None:
    played = together()
    policy = replace(POLICY, cosigned=True)
    refused(sound(played), "E-COSIGN", "cosigned", policy)
    one = sound(played, cosigners=[played.players["red"].cosigner()])
    refused(one, "E-COSIGN", "cosigned", policy)
    both = sound(played, cosigners=[player.cosigner() for player in played.players.values()])
    assert (verify(both, policy).status, verify(both, policy).ending) == ("valid", "C")
    by_referee = sound(played, cosigners=[REFEREE_KEY])
    assert verify(by_referee, replace(policy, referees=(REFEREE_KEY.public,))).ending == "R"
    refused(by_referee, "E-COSIGN", "cosigned", policy)  # a referee whom the reader does not know


def test_threat_entries_after_the_end() -> None:
    def go_on(docs: list[dict[str, object]]) -> None:
        dispute = {"dispute": 1, "about": 1, "reason": "late"}
        docs.append(docs[-1] | {"type": "DisputeOpened", "body": dispute, "action": 10_000})

    refused(forged(alone(), go_on), "E-AFTER-END", "after_end")

    def go_on_behind_a_signature(docs: list[dict[str, object]]) -> None:
        body = {"kind": "close", "request": None, "sig": "00" * 64}
        docs.append(docs[-1] | {"type": "RequestSigned", "body": body})
        go_on(docs)

    assert refused(forged(alone(), go_on_behind_a_signature), "E-AFTER-END", "after_end").seq == len(alone().data) + 2


def test_threat_another_key_of_the_log() -> None:
    found = refused(sound(alone(), signers=[FAKE]), "E-CHECKPOINT", "checkpoint")
    assert found.text == f"signed by {FAKE.public.label}; you gave {LOG.public.label}"


def test_a_head_that_does_not_hold_is_said_once() -> None:
    text = sound(alone()).checkpoint.partition(b"\n\n")[0].decode() + "\n"
    line = LOG.sign(text)
    spoiled = written(text, [replace(line, blob=line.blob[:-1] + bytes([line.blob[-1] ^ 1]))])
    for bundle in (
        sound(alone(), signers=[FAKE], cosigners=[WITNESS], declared=[]),
        sound(alone(), cosigners=[WITNESS, REFEREE_KEY], declared=[]),
        replace(sound(alone()), checkpoint=spoiled),
        replace(sound(alone()), checkpoint=b"nonsense"),
    ):
        assert len(said(verify(bundle, POLICY), "E-CHECKPOINT")) == 1
    signers = refused(sound(alone(), signers=[FAKE], cosigners=[WITNESS]), "E-CHECKPOINT", "checkpoint").text
    assert WITNESS.public.label not in signers  # it was declared, and never was a key of the log


def test_a_receipt_says_which_entries_are_intact() -> None:
    whole = sound(alone())
    last = whole.entries[-1].replace(b'"time":1', b'"time":2')
    bundle = replace(whole, entries=(*whole.entries[:-1], last))
    [blind] = said(verify(bundle, POLICY), "E-ROOT")
    assert "receipt" not in blind.text
    kept = tuple((str(size), receipt(whole.entries[:size])) for size in (9, 20, 12))
    kept += (("of another history", receipt((*whole.entries[:29], last))),)
    [found] = said(verify(bundle, replace(POLICY, receipts=kept)), "E-ROOT")
    assert found.text.endswith("; entries 1 to 20 are those of a receipt")


def test_threat_the_key_is_shipped_in_the_bundle() -> None:
    refused(sound(alone(), signers=[FAKE], declared=[FAKE]), "E-CHECKPOINT", "checkpoint")


def test_threat_a_signature_that_nobody_accounts_for() -> None:
    refused(sound(alone(), cosigners=[WITNESS], declared=[]), "E-CHECKPOINT", "declared")
    refused(sound(alone(), declared=[WITNESS]), "E-CHECKPOINT", "declared")
    assert verify(sound(alone(), cosigners=[WITNESS]), POLICY).status == "valid"


def test_threat_a_malleable_signature() -> None:
    bundle = sound(alone(), cosigners=[WITNESS])
    broken = bundle.checkpoint[:-6] + b"AAA==\n"
    for note in (broken, bundle.checkpoint.replace(b"=\n", b"\n", 1), bundle.checkpoint + b"\n"):
        assert verify(replace(bundle, checkpoint=note), POLICY).status == "invalid"
    text = bundle.checkpoint.partition(b"\n\n")[0].decode() + "\n"
    line = WITNESS.cosign(text, 5)
    changed = replace(line, blob=line.blob[:-1] + bytes([line.blob[-1] ^ 1]))
    refused(replace(bundle, checkpoint=written(text, [LOG.sign(text), changed])), "E-CHECKPOINT", "declared")


def test_threat_a_signature_of_the_wrong_type() -> None:
    as_witness = secret(HOST, 1, COSIGNATURE)
    refused(sound(alone(), signers=[], cosigners=[as_witness]), "E-CHECKPOINT", "checkpoint")


def test_threat_the_checkpoint_of_another_battle() -> None:
    played = alone()
    head = Checkpoint(battle_origin(HOST, "ab" * 16), len(played.data), root(map(leaf_hash, played.data)))
    refused(sound(played, head=head), "E-ORIGIN", "origin")
    refused(sound(played), "E-ORIGIN", "origin", replace(POLICY, origin=battle_origin(HOST, "cd" * 16)))


def test_threat_entries_of_another_battle() -> None:
    def alien(docs: list[dict[str, object]]) -> None:
        docs[30]["battle"] = "ab" * 16

    refused(forged(alone(), alien), "E-BATTLE", "battle")
    meta = Meta("ab" * 16, HOST, "nme.1", closed=True)
    assert verify(replace(sound(alone()), meta=meta), POLICY).status == "invalid"


def test_threat_a_branch_without_its_past() -> None:
    at = branched().first("BranchOpened")
    refused(forged(branched(), lambda docs: docs[at]["body"].update(leaf="00" * 32)), "E-BATTLE", "battle")


def test_threat_the_battle_is_not_in_the_log_of_battles() -> None:
    policy = replace(POLICY, global_keys=(GLOBAL.public,))
    bundle = sound(alone())
    assert verify(with_global(bundle), policy).findings == ()
    refused(bundle, "E-GLOBAL", "included", policy)
    refused(with_global(bundle, text=b"another checkpoint\n"), "E-GLOBAL", "included", policy)
    refused(with_global(bundle), "E-GLOBAL", "included", replace(POLICY, global_keys=(OTHER.public,)))
    refused(replace(with_global(bundle), global_proof=b"nonsense"), "E-GLOBAL", "included", policy)
    refused(with_global(bundle), "W-GLOBAL", "included")
    assert "taken out" in refused(bundle, "W-GLOBAL", "included").text


def test_threat_leaves_taken_for_nodes_and_the_last_leaf_twice() -> None:
    played = alone()
    hashes = [leaf_hash(entry) for entry in played.data]
    pairs = [node_hash(a, b) for a, b in zip(hashes[::2], hashes[1::2], strict=False)]
    twice = Checkpoint(battle_origin(HOST, played.battle), len(played.data), root([*hashes, hashes[-1]]))
    halved = Checkpoint(battle_origin(HOST, played.battle), len(pairs), root(pairs))
    refused(sound(played, head=twice), "E-ROOT", "root")
    refused(sound(played, head=halved), "E-SIZE", "size")


SPELLINGS: dict[str, Callable[[bytes], bytes]] = {
    "a space": lambda entry: entry.replace(b'"v":', b'"v": '),
    "a key twice": lambda entry: entry.replace(b'"v":1', b'"v":1,"v":1'),
    "another order": lambda entry: b'{"v":1,' + entry[1:].replace(b',"v":1}', b"}"),
    "a float": lambda entry: entry.replace(b'"v":1}', b'"v":1.0}'),
    "an exponent": lambda entry: entry.replace(b'"v":1}', b'"v":1e0}'),
    "an escaped slash": lambda entry: entry.replace(b'"referee"', b'"refere\\u0065"'),
    "minus zero": lambda entry: entry.replace(b'"v":1}', b'"v":-0}'),
    "a large number": lambda entry: entry.replace(b'"v":1}', b'"v":9007199254740993}'),
    "not a number": lambda entry: entry.replace(b'"v":1}', b'"v":NaN}'),
    "a lone surrogate": lambda entry: entry.replace(b'"referee"', b'"\\ud800"'),
    "a mark at the front": lambda entry: b"\xef\xbb\xbf" + entry,
    "no UTF-8": lambda entry: entry.replace(b'"referee"', b'"\xff"'),
    "deep nesting": lambda entry: entry.replace(b'"v":1}', b'"v":' + b"[" * 60_000),
    "no object": lambda _entry: b"[]",
    "nothing": lambda _entry: b"",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_threat_parsers_that_differ(spelling: str) -> None:
    played = alone()
    entries = [*played.data[:-1], SPELLINGS[spelling](played.data[-1])]
    assert entries[-1] != played.data[-1]
    bundle = sound(played)
    head = Checkpoint(battle_origin(HOST, played.battle), len(entries), root(map(leaf_hash, entries)))
    text = head.text
    broken = replace(bundle, entries=tuple(entries), checkpoint=written(text, [LOG.sign(text)]))
    assert refused(broken, "E-CANON", "canon").seq == len(entries)


def test_threat_unknown_members() -> None:
    refused(forged(alone(), lambda docs: docs[30].update(more=1)), "E-FORMAT", "envelope")
    refused(forged(alone(), lambda docs: docs[30].update(actor="nobody")), "E-FORMAT", "envelope")
    at = alone().first("DiceDrawn")
    refused(forged(alone(), lambda docs: docs[at]["body"].update(link="no link")), "E-FORMAT", "shape")
    at = alone().first("HitRolled")
    refused(forged(alone(), lambda docs: docs[at]["body"].update(dice=[{"faces": ["6"]}])), "E-FORMAT", "shape")


def test_threat_entries_of_one_action_that_do_not_belong_together() -> None:
    played = alone()
    docs = played.docs
    docs[30]["action"] = 7
    entries = Forge(played).entries()
    entries[-1] = entries[-1].replace(b'"action":%d' % len(entries), b'"action":3')
    assert refused(wrap(played.battle, entries), "E-FORMAT", "action").field == "action"


def test_threat_a_clock_that_was_set_back() -> None:
    def back(docs: list[dict[str, object]]) -> None:
        docs[-1]["time"] = 5

    bundle = forged(alone(), back)
    refused(bundle, "W-TIME", "time")
    assert verify(bundle, POLICY).status == "valid"


def test_threat_a_log_without_its_beginning() -> None:
    def behead(docs: list[dict[str, object]]) -> None:
        del docs[0]

    refused(forged(alone(), behead), "E-START", "start")
    assert said(verify(replace(sound(alone()), entries=()), POLICY), "E-START")


def test_threat_other_rules_than_were_played() -> None:
    bundle = sound(alone())
    found = refused(replace(bundle, meta=replace(bundle.meta, rules="nme.2")), "E-RULES", "rules")
    assert (found.seq, found.field) == (0, "meta")


def test_a_time_stamp_is_said_to_be_unchecked() -> None:
    refused(replace(sound(alone()), tsr=b"stamp"), "W-TSA", "stamp")


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "a byte more": lambda data: data + b"\n",
    "a byte less": lambda data: data[:-1],
    "another version": lambda data: data.replace(b"wlog-bundle/1", b"wlog-bundle/2"),
    "a zero in front": lambda data: data.replace(b"\ntsr 0\n", b"\ntsr 00\n"),
    "a longer length": lambda data: data.replace(b"\ntsr 0\n", b"\ntsr 1\n"),
    "no such section": lambda data: data.replace(b"\ntsr 0\n\n", b"\n"),
    "another name": lambda data: data.replace(b"meta ", b"Meta "),
    "a number for a truth": lambda data: data.replace(b'"closed":true', b'"closed":1111'),
    "a cosigner of another kind": lambda data: data.replace(b'"cosigners":[]', b'"cosigners":{}'),
    "a host that is none": lambda data: data.replace(b'"host":"w', b'"host":"/'),
    "no line feed at the end": lambda data: data.replace(b"}\n\ncheckpoint", b"}}\n\ncheckpoint"),
    "half of it": lambda data: data[: len(data) // 2],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_threat_a_file_that_can_be_read_in_two_ways(damage: str) -> None:
    data = sound(alone()).to_bytes()
    broken = DAMAGE[damage](data)
    assert broken != data
    with pytest.raises(Unproven, match="E-BUNDLE"):
        Bundle.parse(broken)


def test_without_a_key_nothing_is_trusted() -> None:
    assert verify(sound(alone(), signers=[FAKE]), Policy()).status == "valid"
    assert verify(replace(sound(alone()), checkpoint=b"x\n\n"), Policy()).status == "invalid"
