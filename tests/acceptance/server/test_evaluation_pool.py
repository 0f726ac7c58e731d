"""A pool of real processes: what takes too much is ended, and nobody else notices."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hotplate.bounded import Evaluation
from hotplate.document import InvalidDocument
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook, StackFacts
from hotplate.engine.wanted_definition import bind_recipe
from hotplate.engine.world import RealWorld
from hotplate.evaluation import PoolSettings, ProcessPool, Zygote
from hotplate.evaluation.settings import MEGABYTE
from hotplate.resources.catalogue import installed
from tests.acceptance.server.niceness import niceness

STACK = StackFacts("id", "name", "project")
SMALL = json.dumps(
    {"heat_template_version": "wallaby", "resources": {"a": {"type": "OS::Heat::None"}}}
)


def spin(tools: Tools) -> None:
    while True:
        pass


def spin_in_c(tools: Tools) -> bool:
    return (10**7) ** (10**7) == 0


def fill(tools: Tools) -> int:
    kept = []
    while True:
        kept.append(bytearray(MEGABYTE))


def grow(tools: Tools, size: int) -> int:
    return len(bytearray(size))


def sleep(tools: Tools, seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def sleep_for_long(tools: Tools, told: Path) -> None:
    told.write_text(str(os.getpid()), "ascii")
    time.sleep(600)


def refuse(tools: Tools) -> None:
    raise InvalidDocument([])


def small(project: str = "project") -> Evaluation[Any]:
    return Evaluation(project, bind_recipe, (STACK, Recipe(SMALL), "digest"))


@asynccontextmanager
async def pool(tmp_path: Path, **settings: Any) -> AsyncIterator[ProcessPool]:
    catalogue = installed()
    tools = Tools(RealWorld(), RecipeBook(catalogue), catalogue)
    made = ProcessPool(PoolSettings(f"sqlite:///{tmp_path / 'x.db'}", **settings), tools)
    try:
        yield made
    finally:
        await made.close()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("work", [spin, spin_in_c, fill])
def test_what_takes_too_much_is_ended_and_the_next_is_answered(tmp_path: Path, work: Any) -> None:
    async def story() -> None:
        async with pool(tmp_path, seconds=1.0, memory=256 * MEGABYTE) as evaluator:
            with pytest.raises(
                InvalidDocument, match="takes more than 1 s of processor time or 256 MB"
            ):
                await evaluator.run(Evaluation("project", work))
            assert evaluator.ended == 1
            assert (await evaluator.run(small())).template.resources.keys() == {"a"}

    asyncio.run(story())


def test_what_nobody_waits_for_any_more_is_ended(tmp_path: Path) -> None:
    async def story() -> None:
        async with pool(tmp_path, processes=1) as evaluator:
            told = tmp_path / "pid"
            waiting = asyncio.create_task(
                evaluator.run(Evaluation("project", sleep_for_long, (told,)))
            )
            # Another process writes it: there is nothing in this one to wait for.
            while not (told.exists() and told.read_text("ascii")):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            pid = int(told.read_text("ascii"))
            assert is_alive(pid)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            assert not is_alive(pid)
            await evaluator.run(small())

    asyncio.run(story())


def test_a_busy_project_leaves_a_process_to_the_others(tmp_path: Path) -> None:
    async def story() -> None:
        async with pool(tmp_path, processes=2, seconds=30.0) as evaluator:
            greedy = [
                asyncio.create_task(evaluator.run(Evaluation("greedy", sleep, (600,))))
                for _ in range(20)
            ]
            await asyncio.sleep(0.1)
            async with asyncio.timeout(30):
                await evaluator.run(small("modest"))
            assert evaluator.waiting == 19
            for each in greedy:
                each.cancel()
            await asyncio.gather(*greedy, return_exceptions=True)

    asyncio.run(story())


def test_a_refusal_is_raised_where_it_was_asked_for(tmp_path: Path) -> None:
    async def story() -> None:
        async with pool(tmp_path) as evaluator:
            with pytest.raises(InvalidDocument):
                await evaluator.run(Evaluation("project", refuse))
            assert evaluator.ended == 0

    asyncio.run(story())


def test_a_process_that_has_grown_is_replaced(tmp_path: Path) -> None:
    async def story() -> None:
        async with pool(tmp_path, processes=1, kept=0) as evaluator:
            first = await evaluator.run(Evaluation("project", sleep, (0,)))
            second = await evaluator.run(Evaluation("project", sleep, (0,)))
            assert first != second

    asyncio.run(story())


def test_evaluations_that_take_long_come_last_and_those_of_others_do_not(tmp_path: Path) -> None:
    async def story() -> list[int]:
        async with pool(tmp_path, processes=1) as evaluator:
            wanted = [("a", 0.0), ("a", 0.6), ("b", 0.0), ("a", 0.0), ("b", 0.0)]
            return [
                await evaluator.run(Evaluation(project, niceness, (seconds,)))
                for project, seconds in wanted
            ]

    usual = os.getpriority(os.PRIO_PROCESS, 0)
    found = asyncio.run(story())
    # Who has taken long once counts as one who does, for a while.
    assert [each - usual for each in found] == [5, 10, 5, 10, 5]


def test_the_pool_outlives_its_zygote(tmp_path: Path) -> None:
    async def story() -> None:
        async with pool(tmp_path) as evaluator:
            await evaluator.run(small())
            os.kill(evaluator.pids[0], signal.SIGKILL)
            for _ in range(3):
                await evaluator.run(small())

    asyncio.run(story())


def test_nothing_is_left_of_a_closed_pool(tmp_path: Path) -> None:
    async def story() -> list[int]:
        async with pool(tmp_path) as evaluator:
            await evaluator.run(small())
            return evaluator.pids

    pids = asyncio.run(story())
    assert len(pids) == 2
    assert not any(map(is_alive, pids))


def test_a_forked_zygote_works_as_a_started_one(tmp_path: Path) -> None:
    async def story(zygote: Zygote) -> None:
        catalogue = installed()
        tools = Tools(RealWorld(), RecipeBook(catalogue), catalogue)
        settings = PoolSettings(f"sqlite:///{tmp_path / 'x.db'}")
        evaluator = ProcessPool(settings, tools, zygote)
        try:
            await evaluator.run(small())
            assert evaluator.pids[0] == zygote.pid
        finally:
            await evaluator.close()

    asyncio.run(story(Zygote.forked()))
