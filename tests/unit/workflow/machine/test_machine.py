"""What the machine asks for, and what it makes of the news."""

from dataclasses import replace

import pytest

from hotplate.testing.workflow import MemoryWorkflows
from hotplate.workflow.machine import (
    CancelAction,
    CancelChild,
    Ended,
    InvalidInput,
    Machine,
    NotAllowed,
    Order,
    Result,
    Rows,
    RunLimits,
    StartChild,
    Step,
    WakeAt,
    new_run,
)
from hotplate.workflow.model import State
from tests.unit.workflow.machine.bench import FAILED, Bench, performed


def test_a_step_holds_the_rows_that_changed_and_what_is_to_be_done() -> None:
    bench = Bench("t1: {action: a, on-success: t2}\nt2: {action: b}")
    step = bench.machine.begin()
    assert step.run is not None
    assert step.run.state is State.RUNNING
    assert [(task.name, task.state) for task in step.tasks] == [("t1", State.RUNNING)]
    assert performed(step) == ["a"]
    step = bench.finish("t1", Result(1))
    assert {task.name: task.state for task in step.tasks} == {
        "t1": State.SUCCESS,
        "t2": State.RUNNING,
    }
    assert performed(step) == ["b"]
    step = bench.finish("t2")
    assert step.effects == (Ended(State.SUCCESS, None, {}),)
    assert step.run is not None
    assert step.run.finished_at == bench.now


def test_rows_of_a_step_are_pictures_of_their_moment() -> None:
    bench = Bench("t1: {action: a}")
    before = bench.machine.begin().tasks[0]
    bench.finish("t1")
    assert before.state is State.RUNNING


def test_news_that_comes_twice_or_too_late_changes_nothing() -> None:
    bench = Bench("t1: {action: a, on-success: t2}\nt2: {action: b}")
    bench.machine.begin()
    assert bench.machine.begin() == Step()
    first = bench.actions("t1")[0].id
    bench.machine.action_finished(first, Result(1))
    assert bench.machine.action_finished(first, FAILED) == Step()
    assert bench.machine.action_finished("unknown", Result(1)) == Step()
    assert bench.machine.child_finished(first, State.SUCCESS, None, {}) == Step()
    assert bench.machine.timer("unknown", 0.0) == Step()
    bench.machine.cancel("enough")
    assert bench.finish("t2") == Step()
    assert bench.machine.cancel("again") == Step()


def test_cancelling_gives_up_what_is_under_way() -> None:
    bench = Bench("t1: {action: a}\nt2: {workflow: sub}\nt3: {action: std.noop, wait-before: 5}")
    bench.machine.begin()
    step = bench.machine.cancel("enough")
    child = bench.actions("t2")[0].child_id
    assert CancelAction(bench.actions("t1")[0].id) in step.effects
    assert CancelChild(child or "", "the workflow ended") in step.effects
    assert WakeAt(bench.task("t3").id, None) in step.effects
    assert Ended(State.CANCELLED, "enough", {"result": "enough"}) in step.effects
    assert all(task.state.is_final for task in bench.machine.tasks.values())


def test_what_begins_and_ends_in_one_step_is_never_performed() -> None:
    bench = Bench("t1: {action: a, on-success: [t2, fail]}\nt2: {action: b}")
    bench.machine.begin()
    step = bench.finish("t1")
    assert performed(step) == []
    assert not any(isinstance(effect, CancelAction) for effect in step.effects)
    assert bench.state is State.ERROR


def test_outstanding_repeats_what_the_rows_say() -> None:
    bench = Bench("t1: {action: a}\nt2: {action: b, wait-before: 5}\nt3: {workflow: c}")
    begun = bench.machine.begin()
    machine = Machine(
        bench.definition,
        Rows(
            replace(bench.machine.run),
            [replace(task) for task in bench.machine.tasks.values()],
            [replace(action) for action in bench.machine.actions.values()],
        ),
        bench.tools,
    )
    assert set(map(repr, machine.outstanding())) == set(map(repr, begun.effects))
    bench.machine.cancel("x")
    assert bench.machine.outstanding() == (Ended(State.CANCELLED, "x", {"result": "x"}),)


def test_a_pause_starts_nothing_new_until_the_run_goes_on() -> None:
    bench = Bench(
        "t1: {action: a, on-success: t2}\nt2: {action: b}\nt3: {action: c, wait-before: 5}"
    )
    bench.machine.begin()
    bench.machine.pause("a moment")
    assert bench.machine.pause() == Step()
    assert bench.machine.run.state_info == "a moment"
    assert performed(bench.finish("t1")) == []
    assert performed(bench.wake("t3", 5)) == []
    assert sorted(performed(bench.machine.resume())) == ["b", "c"]
    with pytest.raises(NotAllowed):
        bench.machine.resume()


def test_an_action_that_is_broken_cannot_be_handled() -> None:
    bench = Bench("t1: {action: a, on-error: t2}\nt2: {action: b}")
    bench.machine.begin()
    step = bench.finish("t1", Result(error="there is no such action", broken=True))
    assert performed(step) == []
    assert bench.state is State.ERROR


def test_a_child_is_started_heard_of_and_counted() -> None:
    bench = Bench("t1: {workflow: sub a=1, publish: {r: <% task().result.r %>}}")
    step = bench.machine.begin()
    (start,) = step.effects
    assert isinstance(start, StartChild)
    assert (start.workflow, start.values) == ("sub", {"a": 1})
    bench.machine.child_changed(start.action_id, State.PAUSED)
    assert (bench.state, bench.task("t1").state) == (State.PAUSED, State.PAUSED)
    bench.machine.child_changed(start.action_id, State.RUNNING)
    assert (bench.state, bench.task("t1").state) == (State.RUNNING, State.RUNNING)
    bench.machine.child_finished(start.action_id, State.SUCCESS, None, {"r": 5})
    assert bench.machine.run.output == {"r": 5}


def test_a_rerun_of_a_child_revives_its_parent() -> None:
    world = MemoryWorkflows()
    world.add_workflows(
        """
version: '2.0'
sub: {tasks: {s: {action: <% env().act %>}}}
w: {tasks: {t: {workflow: sub}}}
"""
    )
    run_id = world.start("w", env={"act": "std.fail"})
    world.settle()
    assert world.run(run_id).state is State.ERROR
    (action,) = world.machine(run_id).actions.values()
    child = action.child_id or ""
    (task,) = world.machine(child).tasks
    world.apply(child, lambda m: m.rerun(task, env={"act": "std.noop"}))
    world.settle()
    assert world.run(child).state is State.SUCCESS
    assert world.run(run_id).state is State.SUCCESS


def test_only_failed_tasks_can_be_run_again_or_skipped() -> None:
    bench = Bench("t1: {action: a}\nt2: {action: b}")
    bench.machine.begin()
    bench.finish("t1")
    for task_id in (bench.task("t1").id, bench.task("t2").id, "unknown"):
        with pytest.raises(NotAllowed):
            bench.machine.rerun(task_id)
        with pytest.raises(NotAllowed):
            bench.machine.skip(task_id)


def test_a_rerun_after_fail_is_not_spoilt_by_tasks_that_were_given_up() -> None:
    bench = Bench("t1: {action: a, on-error: fail}\nt2: {action: b}")
    bench.machine.begin()
    bench.finish("t1", FAILED)
    assert bench.state is State.ERROR
    assert bench.task("t2").state is State.CANCELLED
    bench.machine.rerun(bench.task("t1").id)
    bench.finish("t1")
    assert bench.machine.run.state is State.SUCCESS


def test_input_that_does_not_fit_is_refused() -> None:
    bench = Bench("t1: {action: a}", a=1)
    for values, said in (({}, r"missing=\['a'\]"), ({"a": 1, "b": 2}, r"unexpected=\['b'\]")):
        with pytest.raises(InvalidInput, match=said):
            new_run(bench.definition, Order("x", values), bench.tools)
    with pytest.raises(InvalidInput, match="env must be a map"):
        new_run(bench.definition, Order("x", {"a": 1}, {"env": "stored"}), bench.tools)
    with pytest.raises(InvalidInput, match="the input has"):
        new_run(bench.definition, Order("x", {"a": "x" * 2_000_000}), bench.tools)


def test_an_environment_is_changed_at_rest_and_within_bounds() -> None:
    bench = Bench("t1: {action: a, on-success: t2}\nt2: {action: b}", RunLimits(value_bytes=100))
    bench.machine.begin()
    with pytest.raises(NotAllowed, match="state RUNNING"):
        bench.machine.change_env({"a": 1})
    bench.machine.pause()
    step = bench.machine.change_env({"a": {"b": 1}})
    assert step.run is not None
    assert step.run.params == {"env": {"a": {"b": 1}}}
    bench.machine.change_env({"a": {"c": 2}})
    assert bench.machine.run.env == {"a": {"b": 1, "c": 2}}
    for change in (bench.machine.change_env, bench.machine.resume):
        with pytest.raises(NotAllowed, match="100 are allowed"):
            change({"long": "x" * 90})
    assert bench.state is State.PAUSED
    assert bench.machine.run.env == {"a": {"b": 1, "c": 2}}
    bench.machine.resume({"d": 3})
    assert bench.machine.run.env["d"] == 3


def test_a_reason_is_written_without_the_secrets_of_the_stack() -> None:
    bench = Bench("a:\n  action: std.noop")
    bench.machine.run.secrets = ["hunter2"]
    bench.machine.begin()
    bench.finish("a", Result(error="login with hunter2 failed", failed=True))
    assert bench.task("a").state_info == "login with ****** failed"
    assert "hunter2" not in (bench.machine.run.state_info or "")


def test_a_sub_workflow_has_the_secrets_of_its_parent() -> None:
    bench = Bench("a:\n  workflow: w")
    bench.machine.run.secrets = ["hunter2"]
    bench.machine.begin()
    order = Order("child", parent=(bench.machine.run, bench.actions("a")[0]))
    assert new_run(bench.definition, order, bench.tools).secrets == ["hunter2"]
