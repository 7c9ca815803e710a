"""The notary. Law: it signs what was committed, one head after the other, and lets the world keep the heads of battles.

A battle's log has the origin `<host>/battle/<id>`, the log of battles `<host>/global`. The global log gets a leaf, the
three lines of a battle's checkpoint, when a battle begins, ends or is closed, and whenever its referee asks for one;
`publish_owed` catches up with what a crash or another program has left. Entries of a battle never enter it.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Final

from replays.audit.checkpoint import Checkpoint
from replays.audit.merkle import Frontier, leaf_hash
from replays.audit.note import parsed
from replays.audit.unproven import Unproven
from replays.audit.verify.globally import LEAF, written_proof
from replays.audit.vkey import COSIGNATURE, PublicKey, Signature
from replays.keyring import Keyring
from replays.signedlog import CannotSign, Head, LogForked, OtherSize, SignedLog
from replays.store import CosignatureRow, Store, StoreUnavailable
from replays.tlog import HEIGHT, Tile, consistency_text, entry_bundle

MOST_LEAVES: Final = 200_000
"""How many leaves of battles are in memory before the trees that were used least go (about 150 bytes each)."""

_AT_ONCE: Final = 200

MOST_LOGS: Final = 1_000
"""How many battles have a tree in memory."""


class BadCosignature(Exception):  # noqa: N818 - an answer
    """A signature that is of no joined seat, or does not hold."""


class Malformed(Exception):  # noqa: N818 - an answer
    """Bytes that are not of the form that they should have."""


class _Battle:
    """The leaves of a battle."""

    def __init__(self, store: Store, battle: str) -> None:
        self._store = store
        self._battle = battle

    def head(self) -> Frontier:
        return self._store.frontier(self._battle)

    def leaves(self, after: int) -> list[bytes]:
        return self._store.leaf_hashes(self._battle, after=after)


class _Battles:
    """The leaves of the log of battles."""

    def __init__(self, store: Store) -> None:
        self._ledger = store.ledger
        self._frontier = Frontier()

    def head(self) -> Frontier:
        self._frontier = self._frontier.extended(self._ledger.published_hashes(self._frontier.size))
        return self._frontier

    def leaves(self, after: int) -> list[bytes]:
        return self._ledger.published_hashes(after)


class Notary:
    """Signs for the battles of a store and for its global log. `clock` gives UTC milliseconds. Threads may share it."""

    def __init__(self, store: Store, keyring: Keyring, clock: Callable[[], int], most: int = MOST_LEAVES) -> None:
        self.keyring = keyring
        self._store = store
        self._now = lambda: clock() // 1000
        self._most = most
        self._logs: OrderedDict[str, SignedLog] = OrderedDict()
        self._lock = Lock()
        self._forked: frozenset[str] = frozenset()
        self._looked = 0
        self._global = SignedLog(keyring.global_origin, _Battles(store), keyring.signer, self._now)

    # --- one battle ---

    def signed(self, battle: str) -> tuple[Checkpoint, bytes, Sequence[PublicKey]]:
        """The battle's head, its note, and who has cosigned it. Raises `LogForked` and `CannotSign`."""
        head = self._log(battle).head()
        rows = self._cosigned(battle, head)
        return head.checkpoint, _with(head, rows), [PublicKey.parse(row.vkey) for row in rows]

    def checkpoint(self, battle: str) -> bytes:
        """The note of the battle's head, with the cosignatures that it has. Raises `LogForked` and `CannotSign`."""
        return self._whole(battle, self._log(battle).head())

    def head(self, battle: str) -> Checkpoint:
        """The battle's head, once it is signed. Raises alike."""
        return self._log(battle).head().checkpoint

    def inclusion(self, battle: str, index: int, size: int | None = None) -> bytes:
        """A tlog-proof that entry `index` + 1 is in the battle's log. Raises alike, and `NoProof` and `OtherSize`."""
        proof, head = self._log(battle).inclusion(index, size)
        return written_proof(index, proof, self._whole(battle, head))

    def consistency(self, battle: str, old: int, new: int | None = None) -> bytes:
        """What a witness is sent who knows the first `old` entries. Raises alike, and `NoProof` and `OtherSize`."""
        proof, head = self._log(battle).consistency(old, new)
        return consistency_text(old, proof, self._whole(battle, head))

    def cosign(self, battle: str, seats: Mapping[str, str], lines: bytes, size: int | None = None) -> bytes:
        """Keep signature lines of joined seats (their keys in hex) under the battle's head, and give its note.

        All of them or none. Raises `Malformed`, `BadCosignature`, `OtherSize`, `LogForked` and `CannotSign`.
        """
        signatures = _signatures(lines)
        head = self._log(battle).head()
        checkpoint = head.checkpoint
        if size is not None and size != checkpoint.size:
            raise OtherSize(size, checkpoint.size)
        keys = [seat_key(checkpoint.origin, seat, bytes.fromhex(key)) for seat, key in seats.items()]
        rows = []
        for signature in signatures:
            key = next((key for key in keys if (key.name, key.id) == (signature.name, signature.id)), None)
            if key is None:
                raise BadCosignature(f"{signature.label} is the key of no seat that has joined")
            if not key.accepts(checkpoint.text, signature.blob):
                raise BadCosignature(f"the signature of {key.label} does not hold for the head of {checkpoint.size}")
            rows.append(CosignatureRow(battle, checkpoint.size, key.name, checkpoint.root, signature.line, key.vkey))
        self._store.ledger.cosign(rows)
        return self._whole(battle, head)

    def _cosigned(self, battle: str, head: Head) -> list[CosignatureRow]:
        return self._store.ledger.cosignatures(battle, head.checkpoint.size, head.checkpoint.root)

    def _whole(self, battle: str, head: Head) -> bytes:
        return _with(head, self._cosigned(battle, head))

    def _log(self, battle: str) -> SignedLog:
        with self._lock:
            log = self._logs.get(battle)
            if log is None:
                source = _Battle(self._store, battle)
                log = SignedLog(self.keyring.origin(battle), source, self.keyring.signer, self._now)
                self._logs[battle] = log
                held = sum(each.held for each in self._logs.values())
                while len(self._logs) > 1 and (held > self._most or len(self._logs) > MOST_LOGS):
                    _, oldest = self._logs.popitem(last=False)
                    held -= oldest.held
            self._logs.move_to_end(battle)
            return log

    # --- battles that contradict what was signed ---

    @property
    def forked(self) -> frozenset[str]:
        """The battles that were found to contradict what was signed for them, by the last look of this process."""
        return self._forked

    def look_for_forks(self, found: Callable[[str], None]) -> None:
        """Hold battles against what was signed for them, and sign nothing; each that contradicts it is `found` once.

        Every battle once in a process (a database is put back while none runs), and again those that were forked.
        """
        self._forked = frozenset(battle for battle in self._forked if self._contradicts(battle))
        while rows := self._store.summaries(self._looked, _AT_ONCE):
            for self._looked, row in rows:
                if self._contradicts(row.battle):
                    self._forked |= {row.battle}
                    found(row.battle)

    def _contradicts(self, battle: str) -> bool:
        try:
            signed = self.keyring.signer.last(self.keyring.origin(battle))
            if signed is None:
                return False
            size, root = signed
            now = self._store.frontier(battle)
            if now.size <= size:
                return (now.size, now.root) != (size, root)
            return Frontier().extended(self._store.leaf_hashes(battle, upto=size)).root != root
        except StoreUnavailable:
            raise
        except Exception:  # noqa: BLE001 - what cannot be read is told to whoever wants it signed, and holds up no other
            return False

    # --- the log of battles ---

    def publish(self, battle: str) -> tuple[int, Checkpoint]:
        """Have the battle's head in the global log; its index there. Raises `LogForked` and `CannotSign`."""
        checkpoint = self.head(battle)
        return self._store.ledger.publish(battle, checkpoint.size, _leaf(checkpoint)), checkpoint

    def publish_owed(self, refused: Callable[[str, Exception], None]) -> int:
        """Publish every battle that began, ended or was closed since; how many. Those that cannot are `refused`."""
        done = 0
        for battle in self._store.ledger.owed():
            try:
                self.publish(battle)
                done += 1
            except (LogForked, CannotSign, ValueError) as no:
                refused(battle, no)
        return done

    def global_checkpoint(self) -> bytes:
        """The note of the global log's head. Raises `LogForked` and `CannotSign`."""
        return self._global.head().note

    def global_proof(self, checkpoint: Checkpoint) -> bytes | None:
        """A tlog-proof that a battle's checkpoint is in the global log, None if it is not. Raises alike."""
        place = self._store.ledger.place(leaf_hash(_leaf(checkpoint)))
        if place is None:
            return None
        proof, head = self._global.inclusion(place, None)
        return written_proof(place, proof, head.note)

    def tile(self, tile: Tile) -> bytes | None:
        """A tile of the global log, None if there is not so much of it yet."""
        if tile.level is None:
            rows = self._store.ledger.published(tile.start, tile.end)
            return entry_bundle(row.data for row in rows) if len(rows) == tile.width else None
        try:
            nodes = [self._global.node(HEIGHT * tile.level, tile.end - 1)]
            nodes = [self._global.node(HEIGHT * tile.level, n) for n in range(tile.start, tile.end - 1)] + nodes
        except IndexError:
            return None
        return b"".join(nodes)


def seat_key(origin: str, seat: str, public: bytes) -> PublicKey:
    """The key with which a seat cosigns a battle: `<origin>/<seat>`, `side-red` for `side:red`, of type 0x04."""
    return PublicKey(f"{origin}/{seat.replace(':', '-')}", public, COSIGNATURE)


def _with(head: Head, rows: Sequence[CosignatureRow]) -> bytes:
    return head.note + "".join(row.line for row in rows).encode()


def _leaf(checkpoint: Checkpoint) -> bytes:
    return LEAF + checkpoint.text.encode()


def _signatures(lines: bytes) -> Sequence[Signature]:
    try:
        return parsed(b"-\n\n" + lines).signatures
    except Unproven as fault:
        raise Malformed(fault.text.removeprefix("malformed note: ")) from None
