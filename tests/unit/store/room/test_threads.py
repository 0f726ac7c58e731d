"""Threads of a database: what nobody waits for any more."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hotplate.store.room.threads import Threads


@pytest.mark.parametrize(("is_reading", "done"), [(True, ["first"]), (False, ["first", "second"])])
def test_a_read_that_nobody_waits_for_is_left_out_but_never_a_write(
    is_reading: bool, done: list[str]
) -> None:
    found: list[str] = []
    begun, goes_on = threading.Event(), threading.Event()

    def first(connection: Any) -> None:
        begun.set()
        goes_on.wait(10)
        found.append("first")

    threads: Threads[Callable[[Any], None]] = Threads(
        lambda work: work(None),
        1,
        lambda seconds: None,
        1,
        is_reading,
    )

    async def play() -> None:
        ahead = asyncio.create_task(threads.run(first))
        await asyncio.to_thread(begun.wait, 10)
        left = asyncio.create_task(threads.run(lambda connection: found.append("second")))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.gather(left, return_exceptions=True)
        goes_on.set()
        await ahead

    asyncio.run(play())
    threads.close()
    assert found == done
