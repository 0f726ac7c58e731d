"""Streams of events: the more a project has open, the seldomer each looks."""

import asyncio
from collections.abc import AsyncGenerator
from contextvars import copy_context
from typing import Any, cast

from hotplate.api.http.event_waiter import EventWaiter
from hotplate.store.fairness.fair_queue import on_behalf_of, project_of


async def _endless() -> AsyncGenerator[bytes, None]:
    while True:
        yield b"x"


def test_a_stream_alone_does_not_wait() -> None:
    waited, _ = asyncio.run(_turns(1))
    assert waited == 0


def test_each_other_stream_of_the_project_makes_it_wait_longer() -> None:
    few, _ = asyncio.run(_turns(5))
    many, elsewhere = asyncio.run(_turns(20))
    assert 0 < few < many <= 2
    assert elsewhere == 0


def test_a_stream_that_is_closed_does_not_count_any_more() -> None:
    async def story() -> None:
        waiter = EventWaiter()
        streams = [waiter.counted("p", _endless()) for _ in range(10)]
        for each in streams:
            await anext(each)
        for each in streams[1:]:
            await each.aclose()
        assert await _seconds(waiter, "p") == 0

    asyncio.run(story())


def test_it_is_looked_for_events_on_behalf_of_nobody_in_particular() -> None:
    seen: list[str] = []

    class Listed:
        async def settled_event_number(self, after: int) -> int:
            seen.append(project_of(copy_context()))
            return 1

    async def story() -> bool:
        with on_behalf_of("a"):
            return await EventWaiter().wait_after(cast(Any, Listed()), 0, 5)

    assert asyncio.run(story())
    assert seen == [""]


async def _turns(number: int) -> tuple[float, float]:
    waiter = EventWaiter()
    streams = [waiter.counted("p", _endless()) for _ in range(number)]
    for each in streams:
        await anext(each)
    found = await _seconds(waiter, "p"), await _seconds(waiter, "other")
    for each in streams:
        await each.aclose()
    return found


async def _seconds(waiter: EventWaiter, project: str) -> float:
    """Return how long the loop was asked to wait, by its own schedule."""
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(waiter.turn(project))
    await asyncio.sleep(0)
    times = [each.when() - loop.time() for each in loop._scheduled if not each.cancelled()]  # type: ignore[attr-defined]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return round(max(times, default=0.0), 2)
