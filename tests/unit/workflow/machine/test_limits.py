"""Whatever a workflow says, its run is bounded."""

import pytest

from hotplate.testing.workflow import MemoryWorkflows
from hotplate.workflow.machine import Result, RunLimits
from hotplate.workflow.model import State
from tests.unit.workflow.machine.bench import FAILED, Bench


def test_a_loop_of_tasks_that_take_no_time_lets_others_have_a_turn() -> None:
    limits = RunLimits(work_per_step=10, task_runs=35)
    bench = Bench(
        """
begin: {on-success: t1}
t1: {with-items: 'i in <% [] %>', on-success: t1}
""",
        limits,
    )
    bench.machine.begin()
    bench.finish("begin")
    steps = 1
    while bench.state is State.RUNNING:
        bench.wake("t1", 0)
        steps += 1
    assert steps == 4
    assert bench.state is State.ERROR
    assert "had 35 tasks" in str(bench.machine.run.state_info)


@pytest.mark.parametrize(
    ("tasks", "limits", "said"),
    [
        ("t1: {with-items: 'i in <% range(11) %>'}", RunLimits(items=10), "11 items; 10 are"),
        ("t1: {action: a x=<% 'y' * 200 %>}", RunLimits(value_bytes=100), "an input has"),
        ("t1: {publish: {a: <% 'y' * 200 %>}}", RunLimits(value_bytes=100), "t1 publishes has"),
        ("t1: {retry: {count: 9, delay: 1}}", RunLimits(retries=8), "retry asks for 9 tries"),
        (
            "t1: {publish: {a: <% 'y' * 70 %>}, on-success: t2}\nt2: {action: a}",
            RunLimits(value_bytes=100, total_bytes=150),
            "the data of the run is larger than 150 bytes",
        ),
    ],
)
def test_a_run_is_bounded(tasks: str, limits: RunLimits, said: str) -> None:
    bench = Bench(tasks, limits)
    bench.machine.begin()
    if bench.state is State.RUNNING:
        bench.finish("t1", FAILED if "retry" in tasks else Result())
    assert bench.state is State.ERROR
    assert said in str(bench.machine.run.state_info)


def test_a_result_that_is_too_large_fails_the_run() -> None:
    bench = Bench("t1: {action: a, on-error: noop}", RunLimits(value_bytes=100))
    bench.machine.begin()
    bench.finish("t1", Result("x" * 200))
    assert bench.state is State.ERROR
    assert "the result of a has 202 bytes" in str(bench.machine.run.state_info)


def test_sub_workflows_end_at_a_depth() -> None:
    world = MemoryWorkflows(limits=RunLimits(depth=4))
    world.add_workflows("version: '2.0'\nw: {tasks: {t: {workflow: w}}}")
    run_id = world.start("w")
    world.settle()
    assert world.run(run_id).state is State.ERROR
    assert "nested 5 levels deep; 4 are allowed" in str(world.run(run_id).state_info)


def test_sub_workflows_that_multiply_end_at_a_number() -> None:
    world = MemoryWorkflows(limits=RunLimits(family=30))
    world.add_workflows(
        """
version: '2.0'
w:
  tasks:
    t:
      with-items: i in <% range(3) %>
      workflow: w
"""
    )
    run_id = world.start("w")
    world.settle()
    run = world.run(run_id)
    assert (run.state, run.family) == (State.ERROR, 30)


def test_tries_times_items_are_bounded() -> None:
    limits = RunLimits(total_bytes=60_000)
    bench = Bench(
        "t1: {with-items: 'i in <% range(10) %>', retry: {count: 1000, delay: 0}}", limits
    )
    bench.machine.begin()
    while bench.state is State.RUNNING:
        for action in [each for each in bench.actions("t1") if not each.state.is_final]:
            bench.machine.action_finished(action.id, FAILED)
        bench.wake("t1", 0)
    assert len(bench.actions("t1")) < 150
    assert "larger than 60000 bytes" in str(bench.machine.run.state_info)
