"""Channels: what is held ready, and the bell of a follower."""

import asyncio

from api.channels import KEPT, Channel, Chunk, Follower
from api.seats import Visit
from domain.draft import SPECTATOR
from replays.shelf import Book


def follower() -> Follower:
    return Follower(Visit(Book("b", None, 0), SPECTATOR, None), 0)


def test_a_channel_holds_the_latest_chunks_only() -> None:
    channel = Channel("b")
    for n in range(KEPT + 5):
        channel.hold(Chunk(2 * n + 1, 2 * n + 2, b"%d" % n))
    assert channel.ready(8) is None
    latest = channel.ready(10)
    assert latest is not None
    assert (latest.first, latest.last, latest.data) == (11, 12, b"5")
    assert channel.ready(2 * KEPT + 8) is not None
    assert channel.ready(2 * KEPT + 10) is None
    assert channel.ready(11) is None


def test_a_bell_that_rang_while_nobody_waited_is_heard() -> None:
    async def work() -> None:
        one = follower()
        one.ring()
        one.ring()
        async with asyncio.timeout(5):
            await one.rung()
        waiting = asyncio.create_task(one.rung())
        await asyncio.sleep(0)
        assert not waiting.done()
        one.ring()
        async with asyncio.timeout(5):
            await waiting

    asyncio.run(work())


def test_who_is_told_to_leave_hears_it_at_once() -> None:
    async def work() -> None:
        one = follower()
        waiting = asyncio.create_task(one.rung())
        await asyncio.sleep(0)
        one.leave()
        async with asyncio.timeout(5):
            await waiting
        assert one.gone

    asyncio.run(work())
