"""Two thousand random runs, and every run that once failed."""

import os
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


@pytest.mark.parametrize("seed", FOUND, ids=lambda seed: f"{seed}")
def test_what_was_once_found(seed: int) -> None:
    run(seed)


@pytest.mark.parametrize("start", range(0, SEEDS, CHUNK))
def test_random_runs(start: int) -> None:
    """Whatever crashes, gets lost, comes twice or fails: the invariants hold."""
    seeds = range(start, min(start + CHUNK, SEEDS))
    # Under pytest-xdist the chunks run side by side already.
    processes = 1 if "PYTEST_XDIST_WORKER" in os.environ else None
    with get_context("spawn").Pool(processes) as pool:
        failed = [(seed, text) for seed, text in pool.imap_unordered(play, seeds, 8) if text]
    assert not failed, f"seeds {sorted(seed for seed, _ in failed)}\n{failed[0][1]}"
