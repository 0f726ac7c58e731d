"""An update does what its preview said it would do."""

import pytest

from hotplate.plan.decide import Step
from tests.simulation.previews import PreviewRun

RUNS = 24
LONG = (
    "paced",
    "failing",
    "nested failing",
    "visited",
    "nested visited",
    "drifting",
    "nested drifting",
    "keyed failing",
)


@pytest.mark.parametrize(
    "shape",
    ["flat", "nested", *(pytest.param(shape, marks=pytest.mark.slow) for shape in LONG)],
)
def test_an_update_does_what_its_preview_said(shape: str) -> None:
    seen: dict[Step | None, int] = {}
    for seed in range(RUNS):
        run = PreviewRun(
            seed,
            nested="nested" in shape or shape == "paced",
            paced=shape == "paced",
            failing="failing" in shape,
            visited="visited" in shape,
            drifting="drifting" in shape,
            keyed="keyed" in shape,
        )
        run.go()
        for step, times in run.seen.items():
            seen[step] = seen.get(step, 0) + times
    # Nothing was proven unless everything that can happen has happened.
    assert all(seen[step] > RUNS // 4 for step in (*Step, None) if step is not Step.REFUSE)


@pytest.mark.parametrize("seed", [26, 34, 287])
def test_seeds_that_a_preview_once_got_wrong(seed: int) -> None:
    PreviewRun(seed, nested=True).go()


@pytest.mark.parametrize("seed", [159, 282, 306, 322])
def test_seeds_with_batches_that_a_preview_once_got_wrong(seed: int) -> None:
    PreviewRun(seed, nested=True, paced=True).go()


@pytest.mark.parametrize("seed", [16, 42, 83, 152])
def test_seeds_after_failures_that_a_preview_once_got_wrong(seed: int) -> None:
    PreviewRun(seed, nested=True, paced=True, failing=True).go()
