"""Waits, retries and timeouts of tasks, and what a pause makes of them."""

from dataclasses import replace

import pytest

from hotplate.workflow.machine import CancelAction, Ended, Machine, Result, Rows, Step, WakeAt
from hotplate.workflow.model import State
from tests.unit.workflow.machine.bench import FAILED, Bench, performed


def test_waits_and_retries_have_their_due_times() -> None:
    bench = Bench(
        "t1: {action: a, wait-before: 5, wait-after: 7, retry: {count: 1, delay: 3}, timeout: 60}"
    )
    step = bench.machine.begin()
    assert step.effects == (WakeAt(bench.task("t1").id, 105.0),)
    early = bench.machine.timer(bench.task("t1").id, 104.0)
    assert early == Step(effects=(WakeAt(bench.task("t1").id, 105.0),))
    assert performed(bench.wake("t1", 5)) == ["a"]
    assert bench.task("t1").wake_at == 160.0
    bench.finish("t1", FAILED)
    assert (bench.task("t1").state, bench.task("t1").wake_at) == (State.DELAYED, 112.0)
    bench.wake("t1", 7)
    assert (bench.task("t1").state, bench.task("t1").wake_at) == (State.DELAYED, 115.0)
    assert performed(bench.wake("t1", 3)) == ["a"]
    assert bench.actions("t1")[1].attempt == 1
    bench.finish("t1", Result(9))
    assert bench.state is State.SUCCESS
    assert bench.machine.task_result(bench.task("t1").id) == 9


def test_a_timeout_gives_up_the_call_and_a_retry_has_a_timeout_of_its_own() -> None:
    bench = Bench("t1: {action: a, timeout: 10, retry: {count: 1, delay: 0}}")
    bench.machine.begin()
    step = bench.wake("t1", 10)
    assert CancelAction(bench.actions("t1")[0].id) in step.effects
    assert performed(bench.wake("t1", 0)) == ["a"]
    assert bench.task("t1").timeout_at == 120.0
    bench.wake("t1", 10)
    assert bench.state is State.ERROR
    assert "the task timed out" in str(bench.machine.run.state_info)


def test_a_call_whose_outcome_is_unknown_is_not_tried_again_unless_that_is_safe() -> None:
    lost = Result(error="outcome unknown", failed=True, unknown=True)
    bench = Bench("t1: {action: a, retry: {count: 3, delay: 1}}")
    bench.machine.begin()
    bench.finish("t1", lost)
    assert (bench.state, bench.task("t1").state) == (State.ERROR, State.ERROR)
    safe = Bench("t1: {action: a, safe-rerun: true, retry: {count: 3, delay: 1}}")
    safe.machine.begin()
    safe.finish("t1", lost)
    assert safe.task("t1").state is State.DELAYED


def test_a_wish_for_the_same_time_is_a_new_one_once_the_clock_has_spoken() -> None:
    bench = Bench(
        """
t1:
  with-items: i in <% [] %>
  retry: {count: 2, delay: 0, continue-on: <% true %>}
"""
    )
    step = bench.machine.begin()
    wake = WakeAt(bench.task("t1").id, bench.now)
    assert wake in step.effects
    assert wake in bench.wake("t1", 0).effects
    assert Ended(State.SUCCESS, None, {}) in bench.wake("t1", 0).effects


@pytest.mark.parametrize(
    "policy",
    ["wait-before: 5", "wait-after: 5", "retry: {count: 1, delay: 5}"],
)
def test_a_wait_that_ends_in_a_pause_is_over_for_the_clock(policy: str) -> None:
    """Else every look at the clock would find it again, and in their crowd no other."""
    bench = Bench(f"t1: {{action: a, {policy}}}")
    bench.machine.begin()
    if "before" not in policy:
        bench.finish("t1", FAILED if "retry" in policy else Result())
    assert bench.task("t1").wake_at == bench.now + 5
    bench.machine.pause()
    step = bench.wake("t1", 5)
    assert [task.wake_at for task in step.tasks] == [None]
    assert bench.wake("t1", 5) == Step()
    bench.now += 100
    reread = Machine(
        bench.definition,
        Rows(
            replace(bench.machine.run),
            [replace(task) for task in bench.machine.tasks.values()],
            [replace(action) for action in bench.machine.actions.values()],
        ),
        bench.tools,
    )
    bench.machine = reread
    bench.machine.resume()
    if "after" not in policy:
        assert bench.task("t1").state is State.RUNNING
        bench.finish("t1")
    assert bench.state is State.SUCCESS


def test_a_timeout_does_not_wait_for_the_end_of_a_pause() -> None:
    bench = Bench("t1: {action: a, timeout: 5}")
    bench.machine.begin()
    bench.machine.pause()
    bench.wake("t1", 5)
    assert bench.task("t1").state is State.ERROR
