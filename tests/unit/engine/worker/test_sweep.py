"""A sweep comes every second; what is due in between is woken without one."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hotplate.engine.context import Tools
from hotplate.engine.recipes.book import RecipeBook
from hotplate.engine.worker import sweep as module
from hotplate.engine.worker.due import DueNodes
from hotplate.engine.worker.in_hand import InHand
from hotplate.engine.worker.sweep import SWEEP, Sweep
from hotplate.resources.catalogue import Catalogue
from hotplate.testing.loop import START, RandomChoices, SimulatedLoop
from hotplate.testing.world import SimulatedWorld

NOBODY: Any = None


class Noting(Sweep):
    """Notes when it sweeps and wakes, and what else happens meanwhile."""

    def __init__(self, tools: Tools) -> None:
        due = DueNodes(NOBODY, tools, NOBODY, InHand(), NOBODY)
        super().__init__(NOBODY, tools, NOBODY, NOBODY, NOBODY, lambda name: False, due)
        self.times: list[float] = []
        self.woken: list[float] = []
        self.due: list[float] = []
        """When the next node is due, each time that somebody asks; none in the end."""

        self.meanwhile: Callable[[], None] = lambda: None

    async def once(self) -> float | None:
        return self._noted(self.times)

    async def wake(self) -> float | None:
        return self._noted(self.woken)

    def _noted(self, times: list[float]) -> float | None:
        times.append(round(asyncio.get_running_loop().time() - START, 3))
        self.meanwhile()
        return START + self.due.pop(0) if self.due else None


@pytest.fixture
def loop() -> Iterator[SimulatedLoop]:
    made = SimulatedLoop(RandomChoices(1))
    yield made
    made.dispose()


def sweeping(loop: SimulatedLoop) -> Noting:
    catalogue = Catalogue(())
    tools = Tools(SimulatedWorld(loop=loop), RecipeBook(catalogue), catalogue)
    return Noting(tools)


def swept(loop: SimulatedLoop, sweep: Noting, *parked: tuple[float, float]) -> list[float]:
    """Return when a sweep came within three seconds; what is parked when is due when."""

    async def play() -> None:
        for at, due in parked:
            loop.call_at(START + at, sweep.hasten, START + due)
        repeating = asyncio.create_task(sweep.repeat())
        await asyncio.sleep(3 * SWEEP - 0.5)
        repeating.cancel()

    loop.run_to_end(play())
    return sweep.times


def test_a_sweep_comes_every_second(loop: SimulatedLoop) -> None:
    sweep = sweeping(loop)
    assert swept(loop, sweep) == [0.0, 1.0, 2.0]
    assert sweep.woken == []


def test_thousands_that_park_for_long_cause_nothing(loop: SimulatedLoop) -> None:
    parked = [(number / 1000, 10.0) for number in range(1000)]
    sweep = sweeping(loop)
    assert swept(loop, sweep, *parked) == [0.0, 1.0, 2.0]
    assert sweep.woken == []


def test_a_node_that_is_due_between_two_sweeps_is_woken_without_one(loop: SimulatedLoop) -> None:
    sweep = sweeping(loop)
    assert swept(loop, sweep, (0.1, 0.8), (0.2, 0.4), (0.3, 0.6)) == [0.0, 1.0, 2.0]
    assert sweep.woken == [0.4]


def test_what_is_due_already_waits_a_moment(loop: SimulatedLoop) -> None:
    sweep = sweeping(loop)
    assert swept(loop, sweep, (0.5, 0.2)) == [0.0, 1.0, 2.0]
    assert sweep.woken == [0.51]


def test_nodes_that_are_due_one_after_the_other_are_woken_together(loop: SimulatedLoop) -> None:
    sweep = sweeping(loop)
    sweep.due = [0.3, 0.301, 0.302]
    swept(loop, sweep)
    assert sweep.woken == [0.3, 0.35, 0.4]


def test_what_is_parked_during_a_sweep_is_not_forgotten(loop: SimulatedLoop) -> None:
    sweep = sweeping(loop)

    def park() -> None:
        if not sweep.woken and len(sweep.times) == 1:
            sweep.hasten(START + 0.3)

    sweep.meanwhile = park
    assert swept(loop, sweep) == [0.0, 1.0, 2.0]
    assert sweep.woken == [0.3]


def test_what_is_ready_is_not_read_every_second_while_it_is_much(
    loop: SimulatedLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To read it again and again would hold it up. What is little is read by every sweep."""
    found = [*([1] * 20_000 for _ in range(2)), [1], [1], [1]]
    monkeypatch.setattr(module, "ready_nodes", lambda connection: found.pop(0))
    sweep = sweeping(loop)
    read: list[float] = []

    async def play() -> None:
        for second in range(9):
            if sweep._ready(NOBODY) is not None:
                read.append(second)
            await asyncio.sleep(1)

    loop.run_until_complete(play())
    assert read == [0, 3, 6, 7, 8]
