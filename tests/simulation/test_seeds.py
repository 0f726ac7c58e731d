"""Two thousand random runs, half of them nested, and every run that once failed."""

import os
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context

import pytest

from tests.simulation.__main__ import play
from tests.simulation.runs import run

SEEDS = int(os.environ.get("SIMULATION_SEEDS", "2000"))
CHUNK = 250

FOUND = {
    4: "an overtaken node began its work for an abandoned traversal",
    10: "a resource that was never created was marked unhealthy and replaced by its own row",
    24: "an abandoned cleanup deleted what the rollback wanted back",
    38: "the answer to a creation was lost, and the object with it",
    59: "a process that slept past its lease called the provider while another one did",
    65: "what a settled version required was not refreshed",
    175: "a creation was repeated with the definition of a newer traversal",
    1121: "a cancelled update left work without anybody to end it",
    1137: "a look for an object stayed open for ever after a failed rollback",
    200424: "a look for an object stayed open when its node was overtaken",
    100755: "an untraceable creation of an abandoned traversal was looked at again for ever",
    20340: "an overtaken node threw away what it had found out about interrupted work",
}

FOUND_NESTED = {
    629186: "a look for an object was taken for done although its update had overtaken it",
    627067: "resuming a stack that had failed hid what was broken inside it",
    0: "a stack inside was cancelled with its parent, and its resource stayed in progress",
    54: "a template in place of a group could never be updated to",
    173: "a stack inside that was being replaced was forgotten when its parent failed",
    10460: "what a stack inside offers was gone after it was resumed",
    1441: "what was asked of an unchanged group for the first time was empty",
}
FOUND_NESTED_STORMY = {
    31: "a worker that slept held the only node that would hear of a stack inside",
}


FOUND_PACED = {
    88: "members of a template were taken for those of the group that came in its place",
}


FOUND_MARKED = {
    77: "a mark and its end made what was in doubt look as if it had been made",
}


FOUND_MARKED_STORMY = {
    3500506: "a mark that was taken back made an update that had failed look complete",
}

FOUND_SIGNALLED_STORMY = {
    4101019: "a signal that was refused during a deletion was taken for one that was forgotten",
    5300063: "a signal kept during a deletion let the group grow after the deletion had failed",
}


@pytest.mark.parametrize("seed", FOUND_SIGNALLED_STORMY, ids=lambda seed: f"{seed}")
def test_what_was_once_found_among_signals_in_a_storm(seed: int) -> None:
    _, text = play(seed, stormy=True, signalled=True)
    assert not text, text


FOUND_EXTERNAL_NESTED_STORMY = {
    3500420: "a stack that nobody had made was to be the object of somebody else",
    3500670: "the same, for what had been one until then",
}


@pytest.mark.parametrize("seed", FOUND_EXTERNAL_NESTED_STORMY, ids=lambda seed: f"{seed}")
def test_what_was_once_found_among_objects_of_somebody_else(seed: int) -> None:
    _, text = play(seed, stormy=True, nested=True, external=True)
    assert not text, text


@pytest.mark.parametrize("seed", FOUND_MARKED_STORMY, ids=lambda seed: f"{seed}")
def test_what_was_once_found_among_marks_in_a_storm(seed: int) -> None:
    _, text = play(seed, stormy=True, nested=True, marked=True)
    assert not text, text


@pytest.mark.parametrize("seed", FOUND_MARKED, ids=lambda seed: f"{seed}")
def test_what_was_once_found_among_marks(seed: int) -> None:
    _, text = play(seed, nested=True, marked=True)
    assert not text, text


@pytest.mark.parametrize("seed", FOUND, ids=lambda seed: f"{seed}")
def test_what_was_once_found(seed: int) -> None:
    run(seed)


@pytest.mark.parametrize("seed", FOUND_NESTED, ids=lambda seed: f"{seed}")
def test_what_was_once_found_inside(seed: int) -> None:
    run(seed, nested=True)


@pytest.mark.parametrize("seed", FOUND_NESTED_STORMY, ids=lambda seed: f"{seed}")
def test_what_was_once_found_inside_in_a_storm(seed: int) -> None:
    run(seed, stormy=True, nested=True)


@pytest.mark.parametrize("seed", FOUND_PACED, ids=lambda seed: f"{seed}")
def test_what_was_once_found_in_batches(seed: int) -> None:
    run(seed, nested=True, paced=True)


@pytest.mark.parametrize("nested", [False, True], ids=["flat", "nested"])
@pytest.mark.parametrize("start", range(0, SEEDS // 2, CHUNK))
def test_random_runs(start: int, nested: bool) -> None:
    """Whatever crashes, gets lost, comes twice or fails: the invariants hold."""
    _play_all(range(start, min(start + CHUNK, SEEDS // 2)), partial(play, nested=nested))


@pytest.mark.parametrize("nested", [False, True], ids=["flat", "nested"])
def test_random_runs_with_hooks(nested: bool) -> None:
    """The same where resources wait until somebody lets them go on, at whatever moment."""
    _play_all(range(SEEDS // 20), partial(play, nested=nested, hooked=True))


def test_random_runs_with_objects_of_somebody_else() -> None:
    """The same where objects are handed over and returned, and a second stack is after them."""
    _play_all(range(SEEDS // 8), partial(play, external=True))


def test_random_runs_with_marks() -> None:
    """The same where resources are marked as unhealthy, anywhere in the tree."""
    _play_all(range(SEEDS // 20), partial(play, nested=True, marked=True))


@pytest.mark.parametrize("nested", [False, True], ids=["flat", "nested"])
def test_random_runs_with_frozen_processes(nested: bool) -> None:
    """The same where processes are stopped past their lease while many calls wait in them."""
    _play_all(range(SEEDS // 20), partial(play, nested=nested, frozen=True))


@pytest.mark.parametrize("nested", [False, True], ids=["flat", "nested"])
def test_random_runs_with_work_elsewhere(nested: bool) -> None:
    """The same where work goes on elsewhere, and nobody but the engine stops what was stopped."""
    _play_all(range(SEEDS // 20), partial(play, nested=nested, elsewhere=True))


def test_random_runs_in_batches() -> None:
    """The same where groups go in batches and lose members that an update names."""
    _play_all(range(SEEDS // 10), partial(play, nested=True, paced=True))


@pytest.mark.parametrize("nested", [False, True], ids=["flat", "nested"])
def test_random_runs_with_signals(nested: bool) -> None:
    """The same where signals end waits and scale groups, at whatever moment they come."""
    _play_all(range(SEEDS // 20), partial(play, nested=nested, signalled=True))


def _play_all(seeds: range, played: Callable[[int], tuple[int, str]]) -> None:
    # Under pytest-xdist the chunks run side by side already.
    processes = 1 if "PYTEST_XDIST_WORKER" in os.environ else None
    with get_context("spawn").Pool(processes) as pool:
        failed = [(seed, text) for seed, text in pool.imap_unordered(played, seeds, 8) if text]
    assert not failed, f"seeds {sorted(seed for seed, _ in failed)}\n{failed[0][1]}"
