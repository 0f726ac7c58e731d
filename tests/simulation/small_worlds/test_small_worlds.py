"""Small worlds: at most three resources, two operations, two workers, one crash."""

import os
from dataclasses import replace

import pytest

from hotplate.testing import Violation
from hotplate.testing.loop import TookTooLong
from tests.simulation.defects.engine import (
    Defect,
    dead_workers_keep_their_nodes,
    no_look_up_before_create,
    no_release_list,
)
from tests.simulation.small_worlds.exploration import Exploration
from tests.simulation.small_worlds.play import Limits, World
from tests.simulation.small_worlds.worlds import worlds
from tests.simulation.starts import choose_start

SECONDS = float(os.environ.get("SMALL_WORLD_SECONDS", "1"))
"""Of processor time for each world that is too large to be gone through here."""

ONE = {world.name: world for world in worlds((1,))}
TWO = {world.name: world for world in worlds((2,))}
THREE = {world.name: world for world in worlds((3,))}
# Every change of the code goes through another sixth of them; `make worlds` goes through all.
SIXTH = dict(list(THREE.items())[choose_start() % 6 :: 6])
SOME = {name: world for name, world in THREE.items() if "change in place" in name}


@pytest.mark.slow
@pytest.mark.parametrize("world", ONE.values(), ids=ONE)
def test_one_resource(world: World) -> None:
    """No order of steps and no crash leads to anything but what was asked for last."""
    exploration = Exploration(world, Limits(delays=1))
    exploration.explore()
    assert exploration.is_exhausted
    assert len(exploration.seen) > 300


@pytest.mark.slow
@pytest.mark.parametrize("world", TWO.values(), ids=TWO)
def test_two_resources_with_everything_in_turn(world: World) -> None:
    """All moments of the second operation, and for each all moments of a crash."""
    exploration = Exploration(world, Limits(delays=0))
    exploration.explore()
    assert exploration.is_exhausted


@pytest.mark.slow
@pytest.mark.parametrize("world", TWO.values(), ids=TWO)
def test_two_resources_in_portions(world: World) -> None:
    """The second operation may come, and a worker crash, between any two portions of a graph.

    As far as there is time; `python -m tests.simulation.small_worlds.exploration --portion 1` goes
    on.
    """
    exploration = Exploration(replace(world, portion=1), Limits(delays=0))
    exploration.explore(SECONDS)
    assert exploration.runs


@pytest.mark.slow
@pytest.mark.parametrize("world", SIXTH.values(), ids=SIXTH)
def test_three_resources_with_everything_in_turn(world: World) -> None:
    """All moments of the second operation, and for each all moments of a crash."""
    exploration = Exploration(world, Limits(delays=0))
    exploration.explore()
    assert exploration.is_exhausted


@pytest.mark.slow
@pytest.mark.parametrize("world", SOME.values(), ids=SOME)
def test_three_resources_as_far_as_there_is_time(world: World) -> None:
    """A part of those with one step out of turn; all of it takes too long for every day."""
    exploration = Exploration(world, Limits(delays=1))
    exploration.explore(SECONDS)
    assert exploration.runs


@pytest.mark.parametrize(
    ("defect", "name"),
    [
        (no_look_up_before_create, "one, deletion"),
        (no_release_list, "one, change in place"),
        (dead_workers_keep_their_nodes, "one, no change"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_defect_is_found(defect: Defect, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exploration can fail: it meets a known defect in the smallest of worlds."""
    defect(monkeypatch)
    with pytest.raises((Violation, TookTooLong)) as caught:
        Exploration(ONE[name], Limits(delays=0)).explore()
    assert any("tape" in note for note in caught.value.__notes__)


def test_a_tape_repeats_its_run() -> None:
    """What a tape leads to does not depend on what was played before."""
    exploration = Exploration(ONE["one, deletion"])
    tape = (0, 0, 0, 1)
    assert Exploration(ONE["one, deletion"]).replay(tape)[:12] == exploration.replay(tape)[:12]
