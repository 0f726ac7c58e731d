"""Threads that compute steps: projects take turns."""

import asyncio
import threading

import pytest

from hotplate.workflow.engine.threads import Threads


def test_a_project_with_little_work_is_not_kept_waiting_by_one_with_much() -> None:
    async def story() -> list[str]:
        threads, done = Threads(), []
        gate = threading.Event()

        async def step(project: str) -> None:
            await threads(gate.wait, project)
            done.append(project)

        tasks = [asyncio.ensure_future(step("greedy")) for _ in range(50)]
        await asyncio.sleep(0)
        tasks += [asyncio.ensure_future(step("modest")) for _ in range(2)]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*tasks)
        threads.close()
        return done

    order = asyncio.run(story())
    assert len(order) == 52
    assert "modest" in order[:6]
    assert max(place for place, name in enumerate(order) if name == "modest") < 10


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
