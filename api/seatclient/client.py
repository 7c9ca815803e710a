"""A seat at work. Law: it opens a link once, for one request, and writes that down before the link leaves the machine.

Reading, joining and releasing can be cut off anywhere and are gone through again: what was sent before is sent again as
it was, and the service takes it once.
"""

from collections.abc import Callable
from typing import Final

from api.seatclient.requests import signed_part
from api.seatclient.seatkey import SIGNATURE, SeatKey
from api.seatclient.service import Answer, NotHere, Service
from api.seatclient.sight import Sight, Suspicion
from api.seatclient.statefile import State, StateFile
from api.seatclient.telling import Told, joined_line, lines_of
from domain.commitments import Joined, Pending
from domain.draft import Seat
from domain.record import Record
from domain.rolls import contributes
from replays.audit.dicechain import LENGTH, Chain, ChainId
from replays.roller import new_seed

MOST_TRIES: Final = 50
"""How often a request that came too late is signed again."""


class SeatClient:
    """One seat of one battle. What there is to tell goes to `tell`; `new_key` takes the place of one that is lost."""

    def __init__(
        self, service: Service, file: StateFile, *, tell: Callable[[Told], None], new_key: bool = False
    ) -> None:
        self.service = service
        self.sight = Sight(file.state.size, file.state.root)
        self._file = file
        self._tell = tell
        self._new_key = new_key
        self._seat = Seat.of(file.state.seat)
        self._key = SeatKey(file.state.battle, bytes.fromhex(file.state.key))
        self._chain: Chain | None = None

    @property
    def state(self) -> State:
        """What this seat must not forget."""
        return self._file.state

    @property
    def record(self) -> Record:
        """The battle as it stands."""
        assert self.sight.record is not None
        return self.sight.record

    @property
    def over(self) -> bool:
        """Whether nothing more will ever be written."""
        return self.record.docket.closed

    # --- reading ---------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Read what is new, and do what this seat has to do. Raises `Suspicion`, `Unreachable` and `NotHere`."""
        self.catch_up()
        while self._file.held and (self._join() or self._release()):
            self.catch_up()

    def catch_up(self) -> None:
        """Read and check what is new."""
        lines, head = self.service.entries(max(0, self.sight.size - 1))
        known = self.state.size
        for record, batch in self.sight.take(lines, head):
            if batch[-1].seq > known:
                for told in lines_of(record, batch):
                    self._tell(told)
        if self.sight.record is None:
            raise Suspicion("there is no entry in this log")
        if self._seat.role == "side" and self._seat.side not in self.record.battle.sides:
            raise NotHere(f"this battle has no {self._seat.actor}")
        self._check_key()
        if self._file.held and self.sight.size > known:
            self.state.size, self.state.root = self.sight.size, self.sight.root
            self._file.save()

    def _check_key(self) -> None:
        joined = self._joined
        if joined is None or joined.key == self._key.public or self._new_key:
            return
        raise Suspicion(
            f"{joined.seat} has joined with another key than that of {self._file.path}: use the file that it joined "
            "with, or say --new-key if that one is lost"
        )

    # --- joining ---------------------------------------------------------------------------------------------------

    @property
    def _joined(self) -> Joined | None:
        return self.record.seats.get(self._seat.actor)

    @property
    def _party(self) -> int:
        sides = self.record.battle.sides
        return sides[self._seat.side].party if self._seat.role == "side" else len(sides) + 1

    def _join(self) -> bool:
        """Join, or join again where the chain is used up; whether that was done."""
        record, joined, state = self.record, self._joined, self.state
        wanted = LENGTH if contributes(record) and self._seat.role == "side" else 0
        own = joined is not None and joined.key == self._key.public
        if own and joined is not None and (joined.asked < joined.length or not wanted):
            self._new_key = False
            if state.epoch != joined.epoch:
                raise Suspicion(f"{joined.seat} is in epoch {joined.epoch}, this file in {state.epoch}")
            return False
        if record.origin is not None or record.pending is not None or record.status != "playing":
            return False
        epoch = 0 if joined is None else joined.epoch + 1
        if (state.epoch, state.length) != (epoch, wanted):
            if state.length:
                state.seed = new_seed().hex()
            state.epoch, state.length, self._chain = epoch, wanted, None
            self._file.save()
        join = self._key.join(self._party, epoch, self._own_chain() if wanted else None)
        body, kind = join.model_dump_json(), f"seats/{self._seat.actor}/join"
        # A new chain under the key that is known here is signed for; a new key is the referee's to vouch for.
        answer = self.act(kind, body.encode(), f"join-{join.proof[:32]}", sign=own)
        if answer.rule == "SEAT-03" and joined is not None:
            raise NotHere(f"the referee has to vouch for a new key: as the referee, POST {kind} with {body}")
        if answer.done:
            self._tell(joined_line(self._seat.actor, epoch, wanted))
        elif answer.rule == "SEAT-01" or answer.status == 401:
            raise NotHere(answer.detail)
        return answer.done

    def _own_chain(self) -> Chain:
        if self._chain is None:
            of = ChainId(bytes.fromhex(self.state.battle), self._party, self.state.epoch)
            self._chain = Chain(of, bytes.fromhex(self.state.seed))
        return self._chain

    # --- releasing -------------------------------------------------------------------------------------------------

    def _release(self) -> bool:
        """Open the link that the open roll waits for; whether there was one to open."""
        waits, joined = self.record.pending, self._joined
        if waits is None or joined is None or joined.party not in waits.missing:
            return False
        return self._opened(waits, joined)

    def _opened(self, waits: Pending, joined: Joined) -> bool:
        state, leaf = self.state, self.sight.leaf_at(waits.seq)
        if joined.key != self._key.public or joined.epoch != state.epoch:
            return False
        place = f"{joined.epoch}:{joined.asked}"
        before = state.released.get(place)
        if before not in (None, leaf):
            raise Suspicion(f"link {place} was opened for another request already; roll {waits.seq} asks for it again")
        later = [at for at in state.released if _after(at, joined.epoch, joined.asked)]
        if later:
            raise Suspicion(f"roll {waits.seq} asks for link {place}, and {later[0]} was opened before")
        release = self._key.release(self._own_chain(), joined.asked, waits.seq, leaf)
        if before is None:
            state.released[place] = leaf
            self._file.save()
        answer = self.service.post(f"rolls/{waits.seq}/release", release.model_dump_json().encode(), {})
        if not answer.done and answer.rule == "DICE-05":
            raise Suspicion(f"the service takes no link of {joined.seat}: {answer.detail}")
        return True

    # --- acting ----------------------------------------------------------------------------------------------------

    def act(self, kind: str, body: bytes, name: str, *, sign: bool = True) -> Answer:
        """Send a request, signed where this seat has joined; where the battle moved on meanwhile, signed again.

        With the same `name` it may be sent again after `Unreachable`: it is carried out once.
        """
        request, tries = signed_part(kind, body), 0
        while True:
            headers = {"Idempotency-Key": name}
            if sign and self._joined is not None:
                headers[SIGNATURE] = self._key.header(self.sight.size + 1, self.sight.tail, kind, request)
            answer = self.service.post(kind, body, headers)
            before, tries = self.sight.size, tries + 1
            if answer.status != 412 or tries == MOST_TRIES:
                return answer
            self.step()
            if self.sight.size == before:
                return answer


def _after(place: str, epoch: int, index: int) -> bool:
    its_epoch, _, its_index = place.partition(":")
    return (int(its_epoch), int(its_index)) > (epoch, index)
