"""Random runs that nobody has played before, and every run that once failed."""

import os
from dataclasses import dataclass

import pytest

from tests.simulation.__main__ import play
from tests.simulation.runs import run
from tests.simulation.starts import SIMULATION_START

SEEDS = int(os.environ.get("SIMULATION_SEEDS", "400"))
"""How many runs to play in all; `make simulate` plays thousands."""

START = int(os.environ[SIMULATION_START])
"""Somewhere new in every test run; the header of the run tells where."""


@dataclass(frozen=True, slots=True)
class Weather:
    """What goes on in a run, and how many of all runs are of this sort."""

    percent: int
    flags: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return "-".join(self.flags) or "flat"


WEATHERS = (
    Weather(5),
    Weather(5, ("nested",)),
    # Traversals are written in portions, with crashes between any two of them.
    Weather(5, ("large",)),
    Weather(5, ("nested", "large")),
    # Resources wait until somebody lets them go on, at whatever moment.
    Weather(5, ("hooked",)),
    Weather(5, ("nested", "hooked")),
    # Objects are handed over and returned, and a second stack is after them.
    Weather(5, ("external",)),
    # Resources are marked as unhealthy, anywhere in the tree.
    Weather(5, ("nested", "marked")),
    # Processes are stopped past their lease while many calls wait in them.
    Weather(5, ("frozen",)),
    Weather(5, ("nested", "frozen")),
    # Work goes on elsewhere, and nobody but the engine stops what was stopped.
    Weather(5, ("elsewhere",)),
    Weather(5, ("nested", "elsewhere")),
    # Objects have keys that only one can have, and old ones give them up for their replacements.
    Weather(5, ("exclusive",)),
    Weather(5, ("nested", "exclusive")),
    # Objects come up broken, and are deleted and made anew.
    Weather(5, ("retried",)),
    Weather(5, ("nested", "retried")),
    # Resources are nothing but rows, and end in the transaction that makes them ready.
    Weather(3, ("instant",)),
    Weather(2, ("nested", "instant")),
    # Groups go in batches and lose members that an update names.
    Weather(5, ("nested", "paced")),
    # Signals end waits and scale groups, at whatever moment they come.
    Weather(5, ("signalled",)),
    Weather(5, ("nested", "signalled")),
)

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
    10007018: "what the next traversal took over in the same transaction was taken for a mistake",
}


FOUND_PACED = {
    88: "members of a template were taken for those of the group that came in its place",
}


FOUND_PACED_STORMY = {
    10005580: "a member whose turn had not come was expected to be what the update makes of it",
    10011005: "the same, for an update that overtook another",
    10012505: "a check of a group whose creation was cancelled was expected to make the others",
}


@pytest.mark.parametrize("seed", FOUND_PACED_STORMY, ids=lambda seed: f"{seed}")
def test_what_was_once_found_in_batches_in_a_storm(seed: int) -> None:
    run(seed, stormy=True, nested=True, paced=True)


FOUND_EXCLUSIVE_STORMY = {
    10000102: "a search stayed open after its node had gone and the next traversal had failed",
}


@pytest.mark.parametrize("seed", FOUND_EXCLUSIVE_STORMY, ids=lambda seed: f"{seed}")
def test_what_was_once_found_among_keys_in_a_storm(seed: int) -> None:
    _, text = play(seed, stormy=True, exclusive=True)
    assert not text, text


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


FOUND_ELSEWHERE_NESTED_STORMY = {
    7200015: "work that a rollback had stopped was begun and stopped again and again, for ever",
}


@pytest.mark.parametrize("seed", FOUND_ELSEWHERE_NESTED_STORMY, ids=lambda seed: f"{seed}")
def test_what_was_once_found_among_work_elsewhere(seed: int) -> None:
    _, text = play(seed, stormy=True, nested=True, elsewhere=True)
    assert not text, text


FOUND_EXTERNAL = {
    12509265: "a run ended with an object that went with a resource which was removed",
}


@pytest.mark.parametrize("seed", FOUND_EXTERNAL, ids=lambda seed: f"{seed}")
def test_what_was_once_found_among_external_objects(seed: int) -> None:
    _, text = play(seed, external=True)
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


@pytest.mark.parametrize("weather", WEATHERS, ids=lambda weather: weather.name)
def test_random_runs(weather: Weather) -> None:
    """Whatever crashes, gets lost, comes twice or fails: the invariants hold."""
    seeds = range(START, START + max(1, SEEDS * weather.percent // 100))
    played = (play(seed, **dict.fromkeys(weather.flags, True)) for seed in seeds)
    failed = {seed: text for seed, text in played if text}
    flags = " ".join(f"--{flag}" for flag in weather.flags)
    shape = "" if "nested" in weather.flags else " --flat"
    for seed in failed:
        print(f"python -m tests.simulation --start {seed} --seeds 1 {flags}{shape}")
    assert not failed, f"seeds {sorted(failed)}\n{next(iter(failed.values()))}"


def test_the_shares_of_the_weathers_are_all_runs() -> None:
    assert sum(weather.percent for weather in WEATHERS) == 100
