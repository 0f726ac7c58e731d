"""Places are shared fairly between projects."""

import asyncio

import pytest

from hotplate.evaluation.fair_semaphore import FairSemaphore


async def _settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_no_project_has_all_places() -> None:
    async def story() -> None:
        turns = FairSemaphore(3)
        await turns.take("greedy")
        await turns.take("greedy")
        third = asyncio.create_task(turns.take("greedy"))
        await _settled()
        assert not third.done()
        await asyncio.wait_for(turns.take("modest"), 1)
        turns.give_back("greedy")
        await asyncio.wait_for(third, 1)

    asyncio.run(story())


@pytest.mark.parametrize(
    ("seconds", "order"),
    [(0.0, "ababaa"), (1.0, "abbaaa")],
    ids=["in turn, if all had the same", "first who had the least"],
)
def test_projects_that_wait_are_served_fairly(seconds: float, order: str) -> None:
    now = [100.0]

    async def story() -> list[str]:
        turns = FairSemaphore(1, lambda: now[0])
        await turns.take("first")
        served: list[str] = []

        async def wait(project: str) -> None:
            await turns.take(project)
            served.append(project)
            now[0] += seconds if project == "a" else seconds / 4
            turns.give_back(project)

        waiting = [asyncio.create_task(wait(each)) for each in ("a", "a", "a", "b", "a", "b")]
        await _settled()
        assert turns.waiting == 6
        turns.give_back("first")
        await asyncio.gather(*waiting)
        return served

    assert asyncio.run(story()) == list(order)


@pytest.mark.parametrize("is_given", [False, True])
def test_who_gives_up_waiting_takes_no_place(is_given: bool) -> None:
    async def story() -> None:
        turns = FairSemaphore(1)
        await turns.take("a")
        waiting = asyncio.create_task(turns.take("b"))
        await _settled()
        if is_given:
            turns.give_back("a")
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        if not is_given:
            turns.give_back("a")
        await asyncio.wait_for(turns.take("c"), 1)
        assert turns.waiting == 0

    asyncio.run(story())
