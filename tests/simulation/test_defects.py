"""The tests, tested: every known defect is noticed within a bounded number of runs."""

from collections.abc import Iterator

import pytest

from tests.scenarios.tellers import Teller
from tests.scenarios.test_shapes import (
    test_a_chain_of_replacements_does_not_keep_a_stack_from_going_on as chain_of_replacements,
)
from tests.simulation.__main__ import play
from tests.simulation.defects import DEFECTS, FROZEN_DEFECTS, Defect, loops_not_broken
from tests.simulation.elsewhere_defects import ELSEWHERE_DEFECTS
from tests.simulation.external_defects import EXTERNAL_DEFECTS
from tests.simulation.hook_defects import HOOK_DEFECTS
from tests.simulation.mark_defects import MARK_DEFECTS
from tests.simulation.nested_defects import NESTED_DEFECTS, PACED_DEFECTS
from tests.simulation.signal_defects import SIGNAL_DEFECTS

MOST = 300

RARE = {"overtaken_stages_count_as_the_end": (508,)}
"""Seeds beyond the first ones that notice a defect which few do; they are tried before."""


def _seeds(defect: Defect) -> Iterator[int]:
    yield from RARE.get(defect.__name__, ())
    yield from range(MOST)


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs notice it; the rarest one has a story of its own."""
    defect(monkeypatch)
    if defect is loops_not_broken:
        with pytest.raises(Exception, match="time for this is up"):
            chain_of_replacements(Teller())
        return
    caught = next((seed for seed in range(MOST) if play(seed, stormy=True)[1]), None)
    assert caught is not None, f"{MOST} seeds did not notice: {defect.__doc__}"


@pytest.mark.parametrize("defect", FROZEN_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_leases_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in which processes are stopped with many calls in hand notice it."""
    defect(monkeypatch)
    runs = (play(seed, frozen=True)[1] for seed in range(MOST))
    assert any(runs), f"{MOST} seeds did not notice: {defect.__doc__}"


@pytest.mark.parametrize("defect", NESTED_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_nesting_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs with stacks inside the stack notice it."""
    defect(monkeypatch)
    runs = (play(seed, stormy=True, nested=True)[1] for seed in range(MOST))
    assert any(runs), f"{MOST} seeds did not notice: {defect.__doc__}"


@pytest.mark.parametrize("defect", HOOK_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_hooks_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs in which resources wait at hooks notice it."""
    defect(monkeypatch)
    runs = (play(seed, stormy=True, hooked=True)[1] for seed in range(MOST))
    assert any(runs), f"{MOST} seeds did not notice: {defect.__doc__}"


@pytest.mark.parametrize("defect", EXTERNAL_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_transfers_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs in which objects are handed over and returned notice it."""
    defect(monkeypatch)
    runs = (play(seed, stormy=True, external=True)[1] for seed in range(MOST))
    assert any(runs), f"{MOST} seeds did not notice: {defect.__doc__}"


@pytest.mark.parametrize("defect", PACED_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_batches_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs with groups that go in batches notice it."""
    defect(monkeypatch)
    runs = (play(seed, stormy=True, nested=True, paced=True)[1] for seed in _seeds(defect))
    assert any(runs), f"{MOST} seeds did not notice: {defect.__doc__}"


@pytest.mark.parametrize("defect", MARK_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_marks_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs in which resources are marked as unhealthy notice it."""
    defect(monkeypatch)
    runs = (play(seed, stormy=True, nested=True, marked=True)[1] for seed in range(MOST))
    assert any(runs), f"{MOST} seeds did not notice: {defect.__doc__}"


@pytest.mark.parametrize("defect", SIGNAL_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_signals_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs with signals notice it."""
    defect(monkeypatch)
    runs = (play(seed, stormy=True, signalled=True)[1] for seed in range(MOST))
    assert any(runs), f"{MOST} seeds did not notice: {defect.__doc__}"


@pytest.mark.parametrize("defect", ELSEWHERE_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_work_elsewhere_is_noticed(
    defect: Defect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stormy runs in which work goes on elsewhere until it is stopped notice it."""
    defect(monkeypatch)
    runs = (play(seed, stormy=True, elsewhere=True)[1] for seed in range(MOST))
    assert any(runs), f"{MOST} seeds did not notice: {defect.__doc__}"
