"""The live feed: every entry once and in order, whoever wrote it, however often a follower is cut off."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fastapi import FastAPI

from api import channels, live
from api.app import create_app, new_id, now
from api.seats import Visit, new_secret
from api.settings import Settings
from domain.commands import COMMAND
from domain.draft import REFEREE, SPECTATOR
from domain.muster import NEW_BATTLE
from domain.procedure import Ruling
from replays.referee import Asked, BranchAsked, Receipt, Referee
from replays.store import Store
from tests.api.feed import Listener, running
from tests.api.table import opening

ASKED = Asked(REFEREE)
LIVE = {"Accept": "text/event-stream"}


def referee_of(app: FastAPI) -> Referee:
    referee: Referee = app.state.house.referee
    return referee


def opened(referee: Referee, **more: Any) -> Receipt:
    receipt = referee.open(NEW_BATTLE.validate_python(opening("nme") | more), ASKED)
    assert isinstance(receipt, Receipt)
    return receipt


def ends_turn(referee: Referee, battle: str) -> Receipt:
    receipt = referee.act(battle, COMMAND.validate_python({"do": "end_turn"}), ASKED)
    assert isinstance(receipt, Receipt)
    return receipt


def plays(referee: Referee, battle: str) -> int:
    """Turns, a ruling, an undo and a redo; the head they lead to."""
    first = ends_turn(referee, battle)
    ends_turn(referee, battle)
    referee.undo(battle, first.action, "too early", ASKED)
    referee.redo(battle, "no, it was right", ASKED)
    ruling = {"rule": "x", "reason": "y", "changes": [{"fig": "sarge", "field": "x", "value": 11}]}
    referee.rule(battle, Ruling.model_validate(ruling), ASKED)
    return referee.shelf.book(battle).head


def expected(referee: Referee, battle: str) -> list[bytes]:
    book = referee.shelf.book(battle)
    types = [entry.type.encode() for entry in book.entries()]
    return [b"id: %d\nevent: %b\ndata: %b" % (n, types[n - 1], data) for n, data in enumerate(book.data(), start=1)]


@asynccontextmanager
async def other_process(settings: Settings) -> Any:
    """Another store on the same file, as another process has it; it tells nobody here what it writes."""
    store = Store.open(settings.database)
    try:
        yield Referee(store, clock=now, new_id=new_id, new_secret=new_secret)
    finally:
        store.close()


def url(battle: str, after: int | None = None) -> str:
    return f"/v1/battles/{battle}/entries" + (f"?after={after}" if after is not None else "")


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


def in_app(settings: Settings, work: Callable[[FastAPI], Coroutine[Any, Any, None]]) -> None:
    async def whole() -> None:
        async with running(create_app(settings)) as app:
            await work(app)

    run(whole())


def test_a_follower_sees_what_was_and_what_comes(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        referee = referee_of(app)
        battle = opened(referee).battle
        follower = Listener(app, url(battle), LIVE)
        await follower.until_seq(6)
        head = await asyncio.to_thread(plays, referee, battle)
        await follower.until_seq(head)
        assert follower.status == 200
        assert follower.answered["content-type"].startswith("text/event-stream")
        assert follower.answered["cache-control"] == "no-store"
        assert follower.text.startswith(b"retry: 1000\n\n")
        assert follower.frames == expected(referee, battle)
        await follower.hang_up()

    in_app(settings, work)


def test_two_followers_cut_off_at_every_entry_miss_nothing_and_see_nothing_twice(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        referee = referee_of(app)
        battle = opened(referee).battle
        head = await asyncio.to_thread(plays, referee, battle)
        whole = expected(referee, battle)
        for cut in range(1, head):
            for who in (0, 1):
                first = Listener(app, url(battle, who * (cut - 1)), LIVE)
                await first.until_seq(cut)
                await first.hang_up()
                second = Listener(app, url(battle), LIVE | {"Last-Event-ID": str(cut)})
                await second.until_seq(head)
                await second.hang_up()
                assert first.frames[: cut - who * (cut - 1)] + second.frames == whole[who * (cut - 1) :], cut

    in_app(settings, work)


@pytest.mark.parametrize("elsewhere", [False, True], ids=["this process", "another process"])
def test_followers_that_come_and_go_while_others_write(settings: Settings, elsewhere: bool) -> None:
    async def work(app: FastAPI) -> None:
        async with other_process(settings) as other:
            writer = other if elsewhere else referee_of(app)
            battle = opened(writer).battle
            first = await asyncio.to_thread(ends_turn, writer, battle)
            total = first.seq + 12 * (first.seq - first.action + 1)
            seen: dict[int, list[bytes]] = {0: [], 1: []}

            async def follow(who: int) -> None:
                while len(seen[who]) < total:
                    follower = Listener(app, url(battle), LIVE | {"Last-Event-ID": str(len(seen[who]))})
                    await follower.until(lambda me: bool(me.frames))
                    await follower.hang_up()
                    seen[who] += follower.frames[: 1 + who]

            async def write() -> None:
                for _ in range(12):
                    await asyncio.to_thread(ends_turn, writer, battle)
                    await asyncio.sleep(0.005)

            async with asyncio.timeout(30):
                await asyncio.gather(follow(0), follow(1), write())
            whole = expected(referee_of(app), battle)
            assert seen[0] == whole
            assert seen[1] == whole

    in_app(settings, work)


def test_a_battle_and_its_branch(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        referee = referee_of(app)
        battle = opened(referee).battle
        await asyncio.to_thread(ends_turn, referee, battle)
        receipt = referee.branch(battle, BranchAsked(at=6), ASKED)
        assert isinstance(receipt, Receipt)
        parent, branch = Listener(app, url(battle), LIVE), Listener(app, url(receipt.battle), LIVE)
        await branch.until_seq(7)
        last = await asyncio.to_thread(ends_turn, referee, receipt.battle)
        await branch.until_seq(last.seq)
        other = await asyncio.to_thread(ends_turn, referee, battle)
        await parent.until_seq(other.seq)
        assert branch.frames == expected(referee, receipt.battle)
        assert parent.frames == expected(referee, battle)
        assert branch.frames[:6] == parent.frames[:6]
        await branch.hang_up()
        await parent.hang_up()

    in_app(settings, work)


def test_everybody_gets_the_same_bytes(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        referee = referee_of(app)
        battle = opened(referee).battle
        followers = [Listener(app, url(battle), LIVE) for _ in range(50)]
        for follower in followers:
            await follower.until_seq(6)
        receipt = await asyncio.to_thread(ends_turn, referee, battle)
        for follower in followers:
            await follower.until_seq(receipt.seq)
        assert len({id(follower.chunks[-1]) for follower in followers}) == 1
        assert "battlelog_followers 50.0" in app.state.house.metrics.text().decode()
        for follower in followers:
            await follower.hang_up()
        assert app.state.house.feed.count == 0
        assert "battlelog_followers 0.0" in app.state.house.metrics.text().decode()

    in_app(settings, work)


def test_a_long_past_comes_in_pieces(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "AT_ONCE", 4)
    monkeypatch.setattr(channels, "KEPT", 2)

    async def work(app: FastAPI) -> None:
        referee = referee_of(app)
        battle = opened(referee).battle
        for _ in range(5):
            await asyncio.to_thread(ends_turn, referee, battle)
        early, late = Listener(app, url(battle), LIVE), Listener(app, url(battle, 9), LIVE)
        for _ in range(5):
            await asyncio.to_thread(ends_turn, referee, battle)
        head = referee.shelf.book(battle).head
        for follower, after in ((early, 0), (late, 9)):
            await follower.until_seq(head)
            assert follower.frames == expected(referee, battle)[after:]
            assert max(chunk.count(b"id: ") for chunk in follower.chunks) <= 4
            await follower.hang_up()

    in_app(settings, work)


def test_who_stops_reading_costs_nothing_and_catches_up(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        referee = referee_of(app)
        battle = opened(referee).battle
        slow, brisk = Listener(app, url(battle), LIVE), Listener(app, url(battle), LIVE)
        await slow.until_seq(6)
        slow.flowing.clear()
        for _ in range(100):
            await asyncio.to_thread(ends_turn, referee, battle)
        head = referee.shelf.book(battle).head
        await brisk.until_seq(head)
        assert len(slow.frames) < 20
        slow.flowing.set()
        await slow.until_seq(head)
        assert slow.frames == brisk.frames == expected(referee, battle)
        await slow.hang_up()
        await brisk.hang_up()

    in_app(settings, work)


def test_who_never_reads_again_is_dropped(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        referee = referee_of(app)
        battle = opened(referee).battle
        stuck = Listener(app, url(battle), LIVE)
        await stuck.until_seq(6)
        stuck.flowing.clear()
        await asyncio.to_thread(ends_turn, referee, battle)
        await stuck.ended()
        assert app.state.house.feed.count == 0
        assert "battlelog_followers_dropped_total 1.0" in app.state.house.metrics.text().decode()
        again = Listener(app, url(battle), LIVE | {"Last-Event-ID": str(stuck.seqs[-1])})
        await again.until_seq(referee.shelf.book(battle).head)
        assert stuck.frames + again.frames == expected(referee, battle)
        await again.hang_up()

    in_app(settings.model_copy(update={"patience": 0.1}), work)


def test_silence_is_said(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        battle = opened(referee_of(app)).battle
        follower = Listener(app, url(battle), LIVE)
        await follower.until(lambda me: me.text.count(b": still here\n\n") >= 2)
        assert follower.seqs == [1, 2, 3, 4, 5, 6]
        await follower.hang_up()

    in_app(settings.model_copy(update={"heartbeat": 0.1}), work)


def test_there_is_a_bound_on_followers(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        battle = opened(referee_of(app)).battle
        two = [Listener(app, url(battle), LIVE) for _ in range(2)]
        for follower in two:
            await follower.until_seq(6)
        third = Listener(app, url(battle), LIVE)
        await third.ended()
        assert third.status == 503
        assert json.loads(third.text)["type"] == "/problems/busy"
        assert third.answered["retry-after"] == "5"
        await two[0].hang_up()
        fourth = Listener(app, url(battle), LIVE)
        await fourth.until_seq(6)
        await fourth.hang_up()
        await two[1].hang_up()

    in_app(settings.model_copy(update={"followers": 2}), work)


def test_the_end_of_the_service_sends_everybody_home(settings: Settings) -> None:
    async def whole() -> None:
        app = create_app(settings)
        async with running(app):
            battle = opened(referee_of(app)).battle
            followers = [Listener(app, url(battle), LIVE) for _ in range(3)]
            for follower in followers:
                await follower.until_seq(6)
        for follower in followers:
            await follower.ended()
            assert follower.over

    run(whole())


def test_a_secret_that_was_replaced_hears_no_more(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        referee = referee_of(app)
        receipt = opened(referee, policy={"private": True})
        battle = receipt.battle
        headers = {seat: LIVE | {"Authorization": f"Bearer {secret}"} for seat, secret in receipt.seats.items()}
        old, other = Listener(app, url(battle), headers["spectator"]), Listener(app, url(battle), headers["side:red"])
        await old.until_seq(6)
        await other.until_seq(6)
        rotate = Listener(app, f"/v1/battles/{battle}/seats/spectator/rotate", headers["referee"], method="POST")
        await rotate.ended()
        assert rotate.status == 200
        last = await asyncio.to_thread(ends_turn, referee, battle)
        await other.until_seq(last.seq)
        await old.ended()
        assert old.over
        assert old.seqs == [1, 2, 3, 4, 5, 6]
        await other.hang_up()

    in_app(settings, work)


def test_ids_from_the_future_and_heads(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        referee = referee_of(app)
        battle = opened(referee).battle
        early = Listener(app, url(battle, 8), LIVE)
        await early.until(lambda me: b"retry" in me.text)
        last = await asyncio.to_thread(ends_turn, referee, battle)
        await early.until_seq(last.seq)
        assert early.seqs == list(range(9, last.seq + 1))
        await early.hang_up()
        head = Listener(app, url(battle), LIVE, method="HEAD")
        await head.ended()
        assert (head.status, head.text, head.over) == (200, b"", True)
        assert head.answered["content-type"].startswith("text/event-stream")

    in_app(settings, work)


def test_a_store_that_fails_ends_the_feed_cleanly(settings: Settings) -> None:
    async def work(app: FastAPI) -> None:
        referee = referee_of(app)
        battle = opened(referee).battle
        follower = Listener(app, url(battle), LIVE)
        await follower.until_seq(6)
        ends_turn(referee, battle)
        referee.store.close()
        late = Listener(app, url(battle), LIVE)
        await late.ended()
        assert late.status == 503
        await follower.hang_up()
        visit = Visit(referee.shelf._books[battle], SPECTATOR, None)
        inside: Any = live.LiveResponse(app.state.house.feed, visit, 0)
        cut = Listener(inside, url(battle), LIVE)
        await cut.ended()
        assert (cut.status, cut.text, cut.over) == (200, live.HELLO, True)

    in_app(settings, work)
