"""Threads that compute steps: projects take turns."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from hotplate.workflow.engine.threads import Threads


class InOrder(Executor):
    """Does what it is given when it is told to, in the order in which it came."""

    def __init__(self) -> None:
        self.given: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, function: Callable[..., Any], /, *_: Any, **__: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.given.append((future, function))
        return future

    async def do_all(self) -> None:
        while self.given:
            future, function = self.given.popleft()
            future.set_result(function())
            for _ in range(5):  # whoever waited for it goes on
                await asyncio.sleep(0)


def test_a_project_with_little_work_is_not_kept_waiting_by_one_with_much() -> None:
    async def story() -> list[str]:
        pool, done = InOrder(), []
        threads = Threads(pool)

        async def step(project: str) -> None:
            await threads(lambda: None, project)
            done.append(project)

        tasks = [asyncio.ensure_future(step("greedy")) for _ in range(50)]
        await asyncio.sleep(0)
        tasks += [asyncio.ensure_future(step("modest")) for _ in range(2)]
        await asyncio.sleep(0)
        await pool.do_all()
        await asyncio.gather(*tasks)
        threads.close()
        return done

    order = asyncio.run(story())
    assert len(order) == 52
    assert "modest" in order[:3]
    assert max(place for place, name in enumerate(order) if name == "modest") < 6


def test_work_that_was_cancelled_while_it_waited_keeps_no_thread() -> None:
    async def story() -> None:
        threads = Threads()
        gate = threading.Event()
        busy = [asyncio.ensure_future(threads(gate.wait, "p")) for _ in range(3)]
        await asyncio.sleep(0)
        waiting = [asyncio.ensure_future(threads(gate.wait, "p")) for _ in range(3)]
        await asyncio.sleep(0)
        for each in waiting[:2]:
            each.cancel()
        gate.set()
        await asyncio.gather(*busy, waiting[2])
        async with asyncio.timeout(30):
            assert await asyncio.gather(*(threads(lambda: 7, "q") for _ in range(5))) == [7] * 5
        with pytest.raises(asyncio.CancelledError):
            await waiting[0]
        threads.close()

    asyncio.run(story())
