"""Bundles of real battles, and an operator who holds the log's key and rewrites what he likes.

Battles are played by the real referee, with real keys and chains; `Forge` takes the entries apart, links them anew and
signs the new root, so that only the check in question can see it.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from hashlib import sha256
from itertools import count
from typing import Any, ParamSpec, TypeVar

import replays.roller
from bench.battles import opening
from domain.commands import COMMAND, request_of
from domain.draft import REFEREE, Seat
from domain.refusals import Refused
from domain.rolls import Confirm, Forfeit
from replays.asking import Asked, Signed
from replays.audit.bundle import Bundle, Meta
from replays.audit.checkpoint import Checkpoint, battle_origin, global_origin
from replays.audit.findings import Finding
from replays.audit.merkle import leaf_hash, root
from replays.audit.merkle_tree import Tree
from replays.audit.note import written
from replays.audit.secretkey import SecretKey
from replays.audit.statements import command_message
from replays.audit.verify.checks import CHECKS
from replays.audit.verify.globally import LEAF, written_proof
from replays.audit.verify.policy import Policy
from replays.audit.verify.run import Verified, verify
from replays.audit.vkey import COSIGNATURE
from replays.codec import canonical
from tests.replays.audit.notes import HOST, LOG, secret
from tests.replays.rooms import Room, gangs, volley
from tests.replays.seats import Player

GLOBAL = secret(f"{HOST}/global", 7)
REFEREE_KEY = secret(f"{HOST}/referee", 8, COSIGNATURE)
POLICY = Policy(keys=(LOG.public,))
Doc = dict[str, Any]
P = ParamSpec("P")
T = TypeVar("T")


class Signer(Player):
    """A player who signs every request."""

    def asked(self, room: Room, kind: str, request: Doc) -> Asked:
        """How the referee is asked."""
        book = room.book(self.battle)
        seq = book.record.seq + 1
        message = command_message(self.battle, seq, book.tail, kind, canonical(request))
        return Asked(self.seat, kind=kind, request=request, signed=Signed(seq, self.secret.sign(message).hex()))

    def act(self, room: Room, **command: Any) -> None:
        """Carry out an action, or ask for its roll."""
        asked = COMMAND.validate_python(command)
        dice = {} if asked.dice is None else {"dice": list(asked.dice)}
        room.referee.act(self.battle, asked, self.asked(room, "actions", request_of(asked) | dice))

    def cosigner(self) -> SecretKey:
        """The key under which this seat cosigns checkpoints."""
        name = f"{battle_origin(HOST, self.battle)}/side-{self.side}"
        return SecretKey(name, self.secret.private_bytes_raw(), COSIGNATURE)


@dataclass
class Played:
    """A battle that was played: its id, its entries, its players."""

    battle: str
    data: list[bytes]
    players: dict[str, Signer] = field(default_factory=dict)

    @property
    def docs(self) -> list[Doc]:
        """The entries, taken apart."""
        return [json.loads(entry) for entry in self.data]

    def first(self, kind: str, nth: int = 0) -> int:
        """Where (from 0) the nth entry of a type stands."""
        return [at for at, doc in enumerate(self.docs) if doc["type"] == kind][nth]


def by_seed(play: "Callable[P, T]") -> "Callable[P, T]":
    """The service's chance comes from a counter, so that a battle is the same each time."""

    @wraps(play)
    def seeded(*args: P.args, **kwargs: P.kwargs) -> T:
        seeds, drawn = count(1), replays.roller.new_seed
        replays.roller.new_seed = lambda: next(seeds).to_bytes(32)
        try:
            return play(*args, **kwargs)
        finally:
            replays.roller.new_seed = drawn

    return seeded


def closed(room: Room, battle: str, players: Iterable[Signer] = ()) -> Played:
    """End and close a battle."""
    room.act(battle, do="end_battle", winner="red", reason="time")
    room.referee.close(battle, "played", Asked(REFEREE, kind="close"))
    return Played(battle, list(room.book(battle).data()), {p.side: p for p in players})


@cache
@by_seed
def alone() -> Played:
    """The service throws alone (L0); with an undo, a dispute and a ruling."""
    room = Room()
    battle = room.open(gangs())
    volley(room, battle)
    struck = room.book(battle).record.tip
    assert struck is not None
    room.referee.undo(battle, struck.seq, "a slip", Asked(REFEREE, kind="undo"))
    volley(room, battle)
    room.act(battle, do="end_turn")
    return closed(room, battle)


def two(room: Room, battle: str, length: int = 64) -> dict[str, Signer]:
    """Both seats join."""
    players = {side: Signer(battle, side, n, length=length) for n, side in enumerate(("red", "blue"), start=1)}
    for player in players.values():
        player.join(room)
    return players


SHOT = {"do": "shoot", "fig": "red-0", "weapon": "autogun", "target": "blue-0", "mode": "aimed"}


@cache
@by_seed
def together(shots: int = 3) -> Played:
    """Both seats contribute and sign (L2)."""
    room = Room()
    battle = room.open(gangs(policy={"contributors": "all"}))
    players = two(room, battle)
    for n in range(shots):
        shoot(room, players, f"red-{n % 3}", f"blue-{n % 3}")
        for player in players.values():
            player.release(room, _roll(room, battle))
    players["red"].act(room, do="end_turn")
    return closed(room, battle, players.values())


def shoot(room: Room, players: dict[str, Signer], fig: str, target: str) -> None:
    """Red asks for a shot."""
    standing = room.book(players["red"].battle).record.battle
    targets = [f.id for f in standing.enemies_of("red") if f.in_play]
    last: Exception | None = None
    for enemy in dict.fromkeys((target, *targets)):
        try:
            players["red"].act(room, **(SHOT | {"fig": fig, "target": enemy}))
        except Exception as no:  # noqa: BLE001 - the next target then
            last = no
        else:
            return
    raise AssertionError(last)


def _roll(room: Room, battle: str) -> int:
    waits = room.book(battle).record.pending
    assert waits is not None
    return waits.seq


@cache
@by_seed
def forfeited() -> Played:
    """Blue withholds a link; the referee forfeits it; the next link brings it to light."""
    room = Room()
    battle = room.open(gangs(policy={"contributors": "all"}))
    players = two(room, battle)
    shoot(room, players, "red-0", "blue-0")
    players["red"].release(room, _roll(room, battle))
    given = Forfeit(seat="side:blue", reason="went home")
    room.referee.forfeit(
        battle, _roll(room, battle), given, Asked(REFEREE, kind=f"rolls/{_roll(room, battle)}/forfeit")
    )
    shoot(room, players, "red-1", "blue-1")
    for player in players.values():
        player.release(room, _roll(room, battle))
    return closed(room, battle, players.values())


@cache
@by_seed
def unsettled() -> Played:
    """A roll that waits for both seats."""
    room = Room()
    battle = room.open(gangs(policy={"contributors": "all"}))
    players = two(room, battle)
    shoot(room, players, "red-0", "blue-0")
    return Played(battle, list(room.book(battle).data()), players)


@cache
@by_seed
def by_hand() -> Played:
    """People throw: red types, blue confirms."""
    room = Room()
    battle = room.open(gangs(dice="table", policy={"table_dice": "confirmed"}))
    seats = {side: Seat("side", side) for side in ("red", "blue")}
    typed = COMMAND.validate_python(SHOT | {"dice": [3, 3]})
    room.referee.act(battle, typed, Asked(seats["red"], kind="actions"))
    waits = _roll(room, battle)
    room.referee.confirm(battle, waits, Confirm(faces=(3, 3)), Asked(seats["blue"], kind=f"rolls/{waits}/confirm"))
    return closed(room, battle)


@cache
@by_seed
def agreed() -> Played:
    """Red asks to take a shot back, and blue agrees."""
    room = Room()
    battle = room.open(gangs())
    red, blue = Seat("side", "red"), Seat("side", "blue")
    for _ in range(2):
        room.referee.act(battle, COMMAND.validate_python(SHOT), Asked(red, kind="actions"))
        tip = room.book(battle).record.tip
        assert tip is not None
        room.referee.undo(battle, tip.seq, "wrong fig", Asked(red, kind="undo"))
        asked = room.book(battle).record.docket.request
        assert asked is not None
        head = room.book(battle).record.head
        room.referee.answer(battle, asked.request, head, Asked(blue, kind=f"undo/{asked.request}"), agree=True)
    return closed(room, battle)


@cache
@by_seed
def branched() -> Played:
    """A what-if with fresh dice, in which a shot is fired."""
    room = Room()
    battle = room.open(gangs())
    room.act(battle, **SHOT)
    branch = room.branch(battle)
    room.act(branch, **(SHOT | {"fig": "red-2", "target": "blue-2"}))
    return closed(room, branch)


# --- wrapping ---------------------------------------------------------------------------------------------------------


@dataclass
class Forge:
    """An operator with the log's key."""

    played: Played
    docs: list[Doc] = field(init=False)

    def __post_init__(self) -> None:
        self.docs = self.played.docs

    def entries(self, *, relink: bool = True) -> list[bytes]:
        """The entries, numbered and linked anew."""
        entries: list[bytes] = []
        prev, action, old = "0" * 64, 0, None
        for seq, doc in enumerate(self.docs, start=1):
            action, old = (action if doc["action"] == old else seq), doc["action"]
            linked = {"seq": seq, "action": action, "prev": prev} if relink else {}
            entries.append(canonical(doc | linked))
            prev = sha256(b"\x00" + entries[-1]).hexdigest()
        return entries

    def bundle(self, *, relink: bool = True, **more: Any) -> Bundle:
        """The bundle over them."""
        return wrap(self.played.battle, self.entries(relink=relink), **more)


def wrap(
    battle: str,
    entries: Sequence[bytes],
    *,
    signers: Sequence[SecretKey] = (LOG,),
    cosigners: Sequence[SecretKey] = (),
    declared: Sequence[SecretKey] | None = None,
    head: Checkpoint | None = None,
    is_closed: bool | None = None,
    **more: Any,
) -> Bundle:
    """A bundle, signed and cosigned."""
    first, last = json.loads(entries[0]), json.loads(entries[-1])
    head = head or Checkpoint(battle_origin(HOST, battle), len(entries), root(leaf_hash(e) for e in entries))
    lines = [key.sign(head.text) for key in signers] + [key.cosign(head.text, 1_764_460_000) for key in cosigners]
    known = tuple(key.public for key in (cosigners if declared is None else declared))
    ends = last["type"] == "BattleClosed" if is_closed is None else is_closed
    meta = Meta(battle, HOST, first["body"].get("rules", ""), ends, known)
    return replace(Bundle(meta, tuple(entries), written(head.text, lines)), **more)


def sound(played: Played, **more: Any) -> Bundle:
    """The bundle of a battle as it was played."""
    return wrap(played.battle, played.data, **more)


def with_global(bundle: Bundle, *, text: bytes | None = None, others: int = 5) -> Bundle:
    """The bundle with a proof from the log of battles, in which its checkpoint (or `text`) is leaf 3."""
    mine = bundle.checkpoint.partition(b"\n\n")[0] + b"\n" if text is None else text
    tree = Tree(leaf_hash(LEAF + (mine if n == 3 else bytes([n]))) for n in range(others))
    head = Checkpoint(global_origin(HOST), tree.size, tree.root())
    return replace(
        bundle,
        global_proof=written_proof(3, tree.inclusion(3), written(head.text, [GLOBAL.sign(head.text)])),
    )


def without(name: str) -> tuple[Any, ...]:
    """The checks of a verifier that lacks one."""
    assert any(check.name == name for check in CHECKS), name
    return tuple(check for check in CHECKS if check.name != name)


def said(verified: Verified, code: str) -> list[Finding]:
    """What was found under a code."""
    return [finding for finding in verified.findings if finding.code == code]


def refused(bundle: Bundle, code: str, check: str, policy: Policy = POLICY) -> Finding:
    """The verifier refuses with this code; one that lacks the check takes the file, or says something else."""
    whole = verify(bundle, policy)
    found = said(whole, code)
    assert found, whole.findings
    lacking = verify(bundle, policy, checks=without(check))
    assert found[0] not in lacking.findings, lacking.findings
    return found[0]


Change = Callable[[list[Doc]], None]


def forged(played: Played, change: Change, **more: Any) -> Bundle:
    """A battle that its operator has rewritten."""
    forge = Forge(played)
    change(forge.docs)
    return forge.bundle(**more)


def endless(**more: Any) -> Doc:
    """Two gangs too far apart to fell anybody, with weapons that never jam: they can shoot for ever."""
    rifle = {"id": "lasgun", "er": 20, "strength": 3, "ammo_rating": 1}
    body = opening()
    return body | {"figs": [fig | {"weapons": [rifle]} for fig in body["figs"]]} | more


@cache
@by_seed
def long_battle(entries: int) -> Played:
    """The service throws alone, for so many entries and a few more."""
    room = Room()
    battle = room.open(endless())
    while room.book(battle).head < entries - 3:
        table = room.book(battle).record.battle
        for fig in list(table.figs_of(table.side)):
            target = next(enemy for enemy in table.enemies_of(table.side) if enemy.in_play)
            with suppress(Refused):
                room.act(battle, do="shoot", fig=fig.id, weapon="lasgun", target=target.id, mode="aimed")
            if room.book(battle).head >= entries - 3:
                break
        else:
            room.act(battle, do="end_turn")
    return closed(room, battle)
