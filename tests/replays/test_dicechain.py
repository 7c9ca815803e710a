"""The dice chain against its published vectors, against forgeries, and against an oracle written another way."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from hmac import new as hmac_new
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import domain.dice
from replays.audit.dicechain import (
    FACES,
    LENGTH,
    MOST_DICE,
    SERVER,
    Chain,
    ChainId,
    DiceStream,
    TooManyDice,
    leads_back,
    link_before,
    roll_key,
    whatif_key,
)

TESTS: Final = Path(__file__).parents[1]
VECTORS: Final[dict[str, Any]] = json.loads((TESTS / "vectors" / "dice.json").read_text(encoding="utf-8"))
BATTLE: Final = bytes.fromhex(VECTORS["battle"])
OTHER_BATTLE: Final = bytes(16)
ROLLS: Final[list[dict[str, Any]]] = VECTORS["rolls"] + VECTORS["server_only_n0"]
ROLL_IDS: Final = [f"i{roll['i']}-n{len(roll['contributors'])}" for roll in ROLLS]
PARTIES: Final = [0, 1, 2]

seeds = st.binary(min_size=32, max_size=32)
ids = st.binary(min_size=16, max_size=16)
sides = st.sampled_from(FACES)


def of(party: int = SERVER) -> ChainId:
    return ChainId(BATTLE, party, VECTORS["epoch"])


@pytest.fixture(scope="module")
def chains() -> dict[int, Chain]:
    return {party: Chain(of(party), bytes.fromhex(VECTORS["seeds"][str(party)])) for party in PARTIES}


def thrown(key: bytes, groups: list[list[int]]) -> list[int]:
    stream = DiceStream(key)
    return [face for count, die in groups for face in stream.dice(count, die)]


def links_of(roll: dict[str, Any]) -> dict[int, bytes]:
    return {int(party): bytes.fromhex(link) for party, link in roll.get("links", {}).items()}


# --- the published vectors ---


@pytest.mark.parametrize("party", PARTIES)
def test_seed_gives_the_published_anchor_and_first_link(chains: dict[int, Chain], party: int) -> None:
    assert chains[party].anchor.hex() == VECTORS["anchors"][str(party)]
    assert chains[party].link(1).hex() == VECTORS["link1"][str(party)]


@pytest.mark.parametrize("roll", ROLLS, ids=ROLL_IDS)
def test_chains_hold_the_published_links_of_a_roll(chains: dict[int, Chain], roll: dict[str, Any]) -> None:
    assert chains[SERVER].link(roll["i"]).hex() == roll["server_link"]
    assert {party: chains[party].link(roll["i"]) for party in roll["contributors"]} == links_of(roll)


@pytest.mark.parametrize("roll", ROLLS, ids=ROLL_IDS)
def test_links_alone_give_the_published_key_and_dice(roll: dict[str, Any]) -> None:
    key = roll_key(of(), roll["i"], bytes.fromhex(roll["server_link"]), links_of(roll))
    assert key.hex() == roll["key"]
    assert thrown(key, roll["groups"]) == roll["dice"]


@pytest.mark.parametrize("roll", ROLLS, ids=ROLL_IDS)
def test_published_links_lead_back_to_the_published_anchors(roll: dict[str, Any]) -> None:
    opened = {SERVER: bytes.fromhex(roll["server_link"])} | links_of(roll)
    for party, link in opened.items():
        assert leads_back(of(party), roll["i"], link, bytes.fromhex(VECTORS["anchors"][str(party)]))


def test_whatif_branch_gives_the_published_key_and_dice() -> None:
    vector = VECTORS["whatif"]
    key = whatif_key(bytes.fromhex(vector["secret"]), bytes.fromhex(vector["branch"]), vector["ordinal"])
    assert key.hex() == vector["key"]
    assert thrown(key, vector["groups"]) == vector["dice"]


@pytest.mark.parametrize(("die", "limits"), VECTORS["map"].items())
def test_bytes_from_the_published_limit_on_are_skipped(die: str, limits: dict[str, int]) -> None:
    key = bytes(32)
    raw = [byte for byte, _ in zip(stream_bytes(key), range(2000), strict=False)]
    kept = [byte % int(die) + 1 for byte in raw if byte < limits["limit"]][:MOST_DICE]
    assert limits["limit"] + limits["reject"] == 256
    assert any(byte >= limits["limit"] for byte in raw[:MOST_DICE]) == (limits["reject"] > 0)
    assert list(DiceStream(key).dice(MOST_DICE, int(die))) == kept


def test_vectors_cover_every_die_and_the_length_of_a_chain() -> None:
    assert {int(die) for die in VECTORS["map"]} | {2, 3, 4, 8, 12} == set(FACES)
    assert VECTORS["length"] == LENGTH


# --- forgeries ---

WRONG_CHAINS: Final = {
    "battle": ChainId(OTHER_BATTLE, 1, 0),
    "party": ChainId(BATTLE, 2, 0),
    "epoch": ChainId(BATTLE, 1, 1),
}


@pytest.mark.parametrize("wrong", WRONG_CHAINS.values(), ids=WRONG_CHAINS.keys())
def test_link_does_not_lead_back_under_a_wrong(chains: dict[int, Chain], wrong: ChainId) -> None:
    link, anchor = chains[1].link(5), chains[1].anchor
    assert leads_back(of(1), 5, link, anchor)
    assert not leads_back(wrong, 5, link, anchor)


@pytest.mark.parametrize("index", [-1, 0, 4, 6, LENGTH, LENGTH + 1, 2**40])
def test_link_does_not_lead_back_from_a_wrong_index(chains: dict[int, Chain], index: int) -> None:
    assert not leads_back(of(1), index, chains[1].link(5), chains[1].anchor)


@pytest.mark.parametrize("known_index", [-1, 0, 2, 4, 5, 6])
def test_link_does_not_lead_back_to_a_wrong_known_index(chains: dict[int, Chain], known_index: int) -> None:
    assert leads_back(of(1), 5, chains[1].link(5), chains[1].link(3), 3)
    assert not leads_back(of(1), 5, chains[1].link(5), chains[1].link(3), known_index)


def test_link_proves_nothing_about_itself_or_a_later_link(chains: dict[int, Chain]) -> None:
    assert not leads_back(of(1), 5, chains[1].link(5), chains[1].link(5), 5)
    assert not leads_back(of(1), 5, chains[1].link(5), chains[1].link(6), 6)


def test_link_of_another_size_is_no_proof(chains: dict[int, Chain]) -> None:
    for forged in (b"", chains[1].link(5)[:-1], chains[1].link(5) + b"\0"):
        assert not leads_back(of(1), 5, forged, chains[1].anchor)


def raw_step(index: int, link: bytes) -> bytes:
    return sha256(b"wlog/v1/link\n" + BATTLE + bytes(5) + index.to_bytes(4) + link).digest()


def test_hashes_that_match_outside_of_the_format_are_no_proof(chains: dict[int, Chain]) -> None:
    seed, anchor = chains[SERVER].link(LENGTH), chains[SERVER].anchor
    assert leads_back(of(), LENGTH, seed, raw_step(LENGTH, seed), LENGTH - 1)
    assert not leads_back(of(), LENGTH + 1, seed, raw_step(LENGTH + 1, seed), LENGTH)
    assert not leads_back(of(), 1, chains[SERVER].link(1), raw_step(0, anchor), -1)
    assert not leads_back(of(), 1, b"short", raw_step(1, b"short"))


def test_copied_anchor_cannot_be_opened_by_the_party_that_copied_it(chains: dict[int, Chain]) -> None:
    copied = chains[1].anchor
    assert not any(leads_back(of(2), index, chains[1].link(index), copied) for index in (1, 2, 57))


def wrong_keys(chains: dict[int, Chain]) -> Iterator[tuple[str, bytes]]:
    server, one, two = (chains[party].link(3) for party in PARTIES)
    both = {1: one, 2: two}
    yield "battle", roll_key(ChainId(OTHER_BATTLE), 3, server, both)
    yield "epoch", roll_key(ChainId(BATTLE, epoch=1), 3, server, both)
    yield "index", roll_key(of(), 4, server, both)
    yield "party", roll_key(of(), 3, server, {1: one, 3: two})
    yield "parties changed over", roll_key(of(), 3, server, {1: two, 2: one})
    yield "contributor missing", roll_key(of(), 3, server, {1: one})
    yield "contributors all missing", roll_key(of(), 3, server)
    yield "contributor added", roll_key(of(), 3, server, both | {3: two})
    yield "link of the server", roll_key(of(), 3, chains[SERVER].link(4), both)
    yield "link of a contributor", roll_key(of(), 3, server, {1: chains[1].link(4), 2: two})


def test_every_wrong_ingredient_gives_another_key(chains: dict[int, Chain]) -> None:
    right = next(bytes.fromhex(roll["key"]) for roll in VECTORS["rolls"] if roll["i"] == 3)
    keys = dict(wrong_keys(chains))
    assert [name for name, key in keys.items() if key == right] == []
    assert len(set(keys.values())) == len(keys)


def test_whatif_key_depends_on_secret_branch_and_ordinal() -> None:
    keys = {
        whatif_key(bytes(32), bytes(16), 1),
        whatif_key(b"\1" * 32, bytes(16), 1),
        whatif_key(bytes(32), b"\1" * 16, 1),
        whatif_key(bytes(32), bytes(16), 2),
    }
    assert len(keys) == 4


LINK: Final = bytes(32)
IMPOSSIBLE: Final[dict[str, Callable[[], object]]] = {
    "battle as hex digits": lambda: ChainId(BATTLE.hex().encode()),
    "party below 0": lambda: ChainId(BATTLE, -1),
    "party above a byte": lambda: ChainId(BATTLE, 256),
    "epoch below 0": lambda: ChainId(BATTLE, 0, -1),
    "epoch above u32": lambda: ChainId(BATTLE, 0, 2**32),
    "short seed": lambda: Chain(of(), LINK[1:]),
    "chain without links": lambda: Chain(of(), LINK, 0),
    "chain too long": lambda: Chain(of(), LINK, LENGTH + 1),
    "anchor asked for as a link": lambda: Chain(of(), LINK, 3).link(0),
    "link past the end": lambda: Chain(of(), LINK, 3).link(4),
    "link before the anchor": lambda: link_before(of(), 0, LINK),
    "link before one past the end": lambda: link_before(of(), LENGTH + 1, LINK),
    "short link": lambda: link_before(of(), 1, LINK[1:]),
    "key of a contributor's chain": lambda: roll_key(of(1), 1, LINK),
    "key of the public anchor": lambda: roll_key(of(), 0, LINK),
    "key past the end": lambda: roll_key(of(), LENGTH + 1, LINK),
    "key of a short link": lambda: roll_key(of(), 1, LINK[1:]),
    "server as its own contributor": lambda: roll_key(of(), 1, LINK, {0: LINK}),
    "contributor above a byte": lambda: roll_key(of(), 1, LINK, {256: LINK}),
    "contributor with a short link": lambda: roll_key(of(), 1, LINK, {1: LINK[1:]}),
    "short what-if secret": lambda: whatif_key(LINK[1:], bytes(16), 1),
    "branch as hex digits": lambda: whatif_key(LINK, b"0" * 32, 1),
    "ordinal below 0": lambda: whatif_key(LINK, bytes(16), -1),
    "ordinal above u32": lambda: whatif_key(LINK, bytes(16), 2**32),
    "short key": lambda: DiceStream(LINK[1:]),
    "die with 7 sides": lambda: DiceStream(LINK).dice(1, 7),
    "no dice": lambda: DiceStream(LINK).dice(0, 6),
    "less than no dice": lambda: DiceStream(LINK).dice(-1, 6),
}


@pytest.mark.parametrize("impossible", IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_value_error_for(impossible: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"must be|no such dice"):
        impossible()


# --- laws ---


@given(battle=ids, party=st.integers(0, 255), epoch=st.integers(0, 2**32 - 1), seed=seeds, data=st.data())
def test_every_link_leads_back_to_every_earlier_one(
    battle: bytes, party: int, epoch: int, seed: bytes, data: st.DataObject
) -> None:
    whose = ChainId(battle, party, epoch)
    chain = Chain(whose, seed, 12)
    index = data.draw(st.integers(1, 12))
    earlier = data.draw(st.integers(0, index - 1))
    known = chain.link(earlier) if earlier else chain.anchor
    assert leads_back(whose, index, chain.link(index), known, earlier)


@given(seed=seeds, index=st.integers(1, 12), bit=st.integers(0, 255))
def test_one_flipped_bit_anywhere_in_a_link_breaks_the_proof(seed: bytes, index: int, bit: int) -> None:
    chain = Chain(of(), seed, 12)
    forged = bytearray(chain.link(index))
    forged[bit // 8] ^= 1 << bit % 8
    assert not leads_back(of(), index, bytes(forged), chain.anchor)


@given(seed=seeds)
def test_chain_agrees_with_single_steps_and_ends_in_its_seed(seed: bytes) -> None:
    chain = Chain(of(), seed, 12)
    assert chain.link(12) == seed
    assert link_before(of(), 1, chain.link(1)) == chain.anchor
    assert all(link_before(of(), index, chain.link(index)) == chain.link(index - 1) for index in range(2, 13))


@given(shares=st.dictionaries(st.integers(1, 255), seeds, min_size=2), link=seeds)
def test_order_of_naming_the_contributors_does_not_matter(shares: dict[int, bytes], link: bytes) -> None:
    assert roll_key(of(), 1, link, shares) == roll_key(of(), 1, link, dict(reversed(shares.items())))


def stream_bytes(key: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac_new(key, b"wlog/v1/dice\n" + block.to_bytes(4, "big"), sha256).digest()
        block += 1


@given(key=seeds, groups=st.lists(st.tuples(st.integers(1, 40), sides), max_size=12))
def test_stream_gives_what_a_plain_reading_of_its_bytes_gives(key: bytes, groups: list[tuple[int, int]]) -> None:
    raw = stream_bytes(key)
    dice = [die for count, die in groups for _ in range(count)]
    plain = [next(byte for byte in raw if byte // die < 256 // die) % die + 1 for die in dice]
    assert thrown(key, [list(group) for group in groups]) == plain


@given(key=seeds, counts=st.lists(st.integers(1, 30), min_size=1, max_size=10), die=sides)
def test_dice_do_not_depend_on_how_many_are_thrown_at_once(key: bytes, counts: list[int], die: int) -> None:
    together = DiceStream(key).dice(sum(counts), die)
    assert thrown(key, [[count, die] for count in counts]) == list(together)


@given(key=seeds, count=st.integers(1, MOST_DICE), die=sides)
def test_one_die_too_many_is_refused_and_throws_nothing(key: bytes, count: int, die: int) -> None:
    stream = DiceStream(key)
    first = stream.dice(count, die)
    with pytest.raises(TooManyDice) as refused:
        stream.dice(MOST_DICE - count + 1, die)
    assert refused.value.wanted == MOST_DICE + 1
    assert stream.thrown == count
    if count < MOST_DICE:
        assert first + stream.dice(MOST_DICE - count, die) == DiceStream(key).dice(MOST_DICE, die)


# --- fairness; the streams are fixed, so these cannot fail by bad luck ---

CRITICAL: Final = {2: 10.83, 3: 13.82, 4: 16.27, 6: 20.52, 8: 24.32, 10: 27.88, 12: 31.26, 20: 43.82, 100: 148.23}
"""Chi-square with sides - 1 degrees of freedom that fair dice exceed once in 1000 times."""


def chi_square(faces: Counter[int], die: int) -> float:
    fair = faces.total() / die
    return sum((faces[face] - fair) ** 2 / fair for face in range(1, die + 1))


def keys(count: int) -> Iterator[bytes]:
    chain = Chain(of(), bytes.fromhex(VECTORS["seeds"]["0"]))
    return (roll_key(of(), index, chain.link(index)) for index in range(1, count + 1))


@pytest.mark.parametrize("die", FACES)
def test_sixty_thousand_dice_look_fair(die: int) -> None:
    faces = Counter(face for key in keys(60) for face in DiceStream(key).dice(MOST_DICE, die))
    assert faces.keys() == set(range(1, die + 1))
    assert chi_square(faces, die) < CRITICAL[die]


@pytest.mark.parametrize("die", [20, 100])
def test_the_fairness_test_catches_plain_modulo(die: int) -> None:
    raw = (byte for key in keys(60) for byte, _ in zip(stream_bytes(key), range(MOST_DICE), strict=False))
    assert chi_square(Counter(byte % die + 1 for byte in raw), die) > CRITICAL[die]


def test_first_dice_of_successive_actions_look_fair() -> None:
    faces = Counter(DiceStream(key).dice(1, 6)[0] for key in keys(LENGTH))
    assert chi_square(faces, 6) < CRITICAL[6]


# --- the room it stands in ---


def test_same_dice_exist_here_and_in_the_rules() -> None:
    assert domain.dice.FACES == FACES
    assert domain.dice.MOST_DICE == MOST_DICE


def test_secrets_do_not_show_when_a_chain_or_a_stream_is_printed(chains: dict[int, Chain]) -> None:
    key = bytes.fromhex(ROLLS[0]["key"])
    shown = f"{chains[0]!r} {chains[0]} {DiceStream(key)!r}"
    assert not any(secret.hex()[:8] in shown or repr(secret)[2:10] in shown for secret in (chains[0].link(LENGTH), key))


def test_dice_chain_runs_on_the_standard_library_alone_and_draws_nothing() -> None:
    program = (
        f"import sys; sys.path.append({str(TESTS.parent)!r}); import replays.audit.dicechain;"
        "print({'msgspec', 'domain', 'random', 'secrets', 'uuid'} & {name.split('.')[0] for name in sys.modules})"
    )
    ran = subprocess.run([sys.executable, "-BIS", "-c", program], capture_output=True, text=True, check=False)
    assert (ran.stdout.strip(), ran.stderr) == ("set()", "")
