"""The tests, tested: every known defect is noticed within a bounded number of runs."""

import re

import pytest

from tests.scenarios.changes.test_shapes import (
    test_a_chain_of_replacements_does_not_keep_a_stack_from_going_on as chain_of_replacements,
)
from tests.scenarios.tellers import Teller
from tests.simulation.__main__ import play
from tests.simulation.defects.ahead import AHEAD_DEFECTS
from tests.simulation.defects.elsewhere import ELSEWHERE_DEFECTS
from tests.simulation.defects.engine import DEFECTS, FROZEN_DEFECTS, Defect, loops_not_broken
from tests.simulation.defects.exclusive import EXCLUSIVE_DEFECTS
from tests.simulation.defects.external import EXTERNAL_DEFECTS
from tests.simulation.defects.hooks import HOOK_DEFECTS
from tests.simulation.defects.large import LARGE_DEFECTS, LARGE_NESTED_DEFECTS
from tests.simulation.defects.marks import MARK_DEFECTS
from tests.simulation.defects.nesting import NESTED_DEFECTS, PACED_DEFECTS
from tests.simulation.defects.retried import RETRIED_DEFECTS
from tests.simulation.defects.signals import SIGNAL_DEFECTS

pytestmark = pytest.mark.slow

MOST = 300

KNOWN = {
    "any_worker_may_write": 72,
    "batches_end_with_the_first": 4,
    "children_are_made_twice": 1,
    "clean_up_waits_for_old_work": 40,
    "deferred_changes_are_not_looked_for": 3,
    "failed_versions_are_kept": 55,
    "failing_leaves_what_waits": 106,
    "failing_stays_at_the_top": 25,
    "failures_inside_are_swallowed": 1,
    "going_back_takes_what_was_never_managed": 22,
    "lease_is_looked_at_too_early": 35,
    "lost_answers_are_forgotten": 8,
    "newer_traversals_wait_for_hooks": 10,
    "no_fence": 157,
    "no_grace_time": 8,
    "no_lease_check": 302,
    "no_look_up_before_create": 3,
    "no_traversal_check_at_beginning": 2,
    "nobody_hears_of_the_end_of_scaling": 2,
    "nobody_looks_for_marks_inside": 5,
    "nodes_end_that_wait_for_others": 3,
    "nothing_is_compared": 24,
    "every_recipe_wants_the_same": 31,
    "everything_is_carried": 254,
    "nothing_is_prepared": 8,
    "old_failures_fail_the_stack": 3,
    "old_work_goes_on_after_a_hand_over": 5,
    "older_work_is_not_awaited": 91,
    "overtaken_graphs_are_written": 11,
    "overtaken_nodes_tell_their_children": 2,
    "overtaken_stages_count_as_the_end": 88,
    "prepared_objects_are_taken_for_healthy": 28,
    "requires_not_refreshed": 38,
    "rollback_goes_to_the_last_attempt": 8,
    "scaling_does_not_wait_for_the_traversal": 1,
    "signals_are_missed_on_the_way_to_bed": 28,
    "suspending_touches_what_is_external": 123,
    "two_may_manage_one_object": 3,
    "untraceable_created_again": 55,
    "versions_are_read_before_they_are_written": 2,
    "what_is_left_inside_goes_on": 88,
    "what_is_made_anew_is_not_searched_for": 118,
    "work_dies_with_its_traversal": 55,
    "work_has_begun_at_the_hook": 8,
    "work_of_stopped_stacks_goes_on": 28,
}
"""A seed that notices each defect which the first one does not. It is tried before the others.

`pytest -s` prints which one it is: another one, when the engine has changed, costs all up to it.
"""

OWN_FAULTS = ("AttributeError", "ImportError", "NameError", "TypeError")
"""What comes of a defect that no longer fits the engine: it notices nothing."""


def assert_noticed(defect: Defect, **weather: bool) -> None:
    """Play with a defect switched on until a run notices it."""
    for seed in (KNOWN.get(defect.__name__, 0), *range(MOST)):
        _, trouble = play(seed, **weather)
        if trouble:
            last = [line for line in trouble.splitlines() if re.match(r"[\w.]+(:|$)", line)]
            assert not last[-1].startswith(OWN_FAULTS), trouble
            print(f"{defect.__name__} is noticed by seed {seed}")
            return
    raise AssertionError(f"{MOST} seeds did not notice: {defect.__doc__}")


def test_known_seeds_are_of_defects() -> None:
    everything = (
        *DEFECTS, *FROZEN_DEFECTS, *NESTED_DEFECTS, *HOOK_DEFECTS, *EXTERNAL_DEFECTS,
        *PACED_DEFECTS, *MARK_DEFECTS, *SIGNAL_DEFECTS, *ELSEWHERE_DEFECTS,
        *EXCLUSIVE_DEFECTS, *RETRIED_DEFECTS, *LARGE_DEFECTS, *LARGE_NESTED_DEFECTS,
        *AHEAD_DEFECTS,
    )  # fmt: skip
    assert KNOWN.keys() <= {defect.__name__ for defect in everything}


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs notice it; the rarest one has a story of its own."""
    defect(monkeypatch)
    if defect is loops_not_broken:
        with pytest.raises(Exception, match="time for this is up"):
            chain_of_replacements(Teller())
        return
    assert_noticed(defect, stormy=True)


@pytest.mark.parametrize("defect", FROZEN_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_leases_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in which processes are stopped with many calls in hand notice it."""
    defect(monkeypatch)
    assert_noticed(defect, frozen=True)


@pytest.mark.parametrize("defect", NESTED_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_nesting_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs with stacks inside the stack notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, nested=True)


@pytest.mark.parametrize("defect", HOOK_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_hooks_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs in which resources wait at hooks notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, hooked=True)


@pytest.mark.parametrize("defect", EXTERNAL_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_transfers_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs in which objects are handed over and returned notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, external=True)


@pytest.mark.parametrize("defect", PACED_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_batches_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs with groups that go in batches notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, nested=True, paced=True)


@pytest.mark.parametrize("defect", MARK_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_marks_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs in which resources are marked as unhealthy notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, nested=True, marked=True)


@pytest.mark.parametrize("defect", SIGNAL_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_signals_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs with signals notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, signalled=True)


@pytest.mark.parametrize("defect", ELSEWHERE_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_work_elsewhere_is_noticed(
    defect: Defect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stormy runs in which work goes on elsewhere until it is stopped notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, elsewhere=True)


@pytest.mark.parametrize("defect", EXCLUSIVE_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_keys_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs in which objects have keys notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, exclusive=True)


@pytest.mark.parametrize("defect", AHEAD_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_going_ahead_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs in which many resources are nothing but rows notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, instant=True)


@pytest.mark.parametrize("defect", RETRIED_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_retries_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs in which objects come up broken and are made anew notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, retried=True)


@pytest.mark.parametrize("defect", LARGE_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_portions_is_noticed(defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stormy runs in which traversals are written in portions notice it."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, large=True)


@pytest.mark.parametrize("defect", LARGE_NESTED_DEFECTS, ids=lambda defect: defect.__name__)
def test_defect_of_portions_inside_is_noticed(
    defect: Defect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with stacks inside the stack."""
    defect(monkeypatch)
    assert_noticed(defect, stormy=True, large=True, nested=True)
