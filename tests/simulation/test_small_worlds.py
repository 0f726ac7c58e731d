"""Small worlds: at most three resources, two operations, two workers, one crash."""

import os

import pytest

from hotplate.testing import Plan, plan
from tests.simulation.small_worlds import SmallWorld

MOST = int(os.environ.get("SMALL_WORLD_RUNS", "250"))
ONE = plan('A() = ! "x"')
TWO = plan('A() = "x"\nB() = ! att A')
THREE = plan('A() = "x"\nB() = ! att A\nC() = ref B')

WORLDS = {
    "create one, delete": SmallWorld(ONE, None),
    "create one, replace": SmallWorld(ONE, plan('A() = ! "y"')),
    "create two, replace one": SmallWorld(TWO, plan('A() = "y"\nB() = ! att A')),
    "create two, turn round": SmallWorld(TWO, plan('B() = "x"\nA(B) = "z"')),
    "create three, delete": SmallWorld(THREE, None),
    "create three, replace one": SmallWorld(THREE, plan('A() = "y"\nB() = ! att A\nC() = ref B')),
}


@pytest.mark.parametrize("name", WORLDS)
def test_orders_of_steps_taken_from_everywhere(name: str) -> None:
    """No order of steps and no crash leads to anything but what was asked for last."""
    world = WORLDS[name]
    world.explore(MOST)
    assert world.runs > 50


@pytest.mark.parametrize("second", [None, plan('A() = ! "y"')], ids=["delete", "replace"])
def test_all_orders_of_the_first_choices(second: Plan | None) -> None:
    """The first eight choices, all of them; after these everything takes its turn."""
    world = SmallWorld(ONE, second, depth=8)
    world.explore(4000)
    assert world.is_exhausted
