"""What the machine asks for, and what it makes of the news."""

from dataclasses import replace
from typing import Any

import pytest

from hotplate.testing.workflow import MemoryWorkflows
from hotplate.workflow.expressions import Expressions
from hotplate.workflow.language import read_workflows
from hotplate.workflow.machine import (
    CancelAction,
    CancelChild,
    Ended,
    InvalidInput,
    Machine,
    NotAllowed,
    Order,
    Perform,
    Result,
    Rows,
    RunLimits,
    StartChild,
    Step,
    Tools,
    WakeAt,
    new_run,
)
from hotplate.workflow.model import ActionRun, State, TaskRun

FAILED = Result(error="no", failed=True)


class Bench:
    """One machine on a bench: its clock stands still unless it is moved."""

    def __init__(self, tasks: str, limits: RunLimits | None = None, **values: Any) -> None:
        self.now = 100.0
        self._ids = 0
        body = "\n".join("    " + line for line in tasks.strip("\n").splitlines())
        text = f"version: '2.0'\nw:\n  input: [{', '.join(values)}]\n  tasks:\n{body}\n"
        expressions = Expressions()
        (self.definition,) = read_workflows(text, expressions.check)
        self.tools = Tools(
            expressions, lambda: self.now, self._new_id, limits=limits or RunLimits()
        )
        run = new_run(self.definition, Order("run", values), self.tools)
        self.machine = Machine(self.definition, Rows(run), self.tools)

    def _new_id(self) -> str:
        self._ids += 1
        return f"id-{self._ids}"

    def task(self, name: str) -> TaskRun:
        return [task for task in self.machine.tasks.values() if task.name == name][-1]

    def actions(self, name: str) -> list[ActionRun]:
        task = self.task(name)
        return [action for action in self.machine.actions.values() if action.task_id == task.id]

    def finish(self, name: str, result: Result = Result(), index: int = -1) -> Step:  # noqa: B008
        return self.machine.action_finished(self.actions(name)[index].id, result)

    def wake(self, name: str, after: float) -> Step:
        self.now += after
        return self.machine.timer(self.task(name).id, self.now)

    @property
    def state(self) -> State:
        return self.machine.run.state


def performed(step: Step) -> list[str]:
    return [effect.action.name for effect in step.effects if isinstance(effect, Perform)]


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


def test_items_begin_as_far_as_concurrency_permits() -> None:
    bench = Bench("t1: {with-items: 'i in <% range(5) %>', concurrency: 2, action: a}")
    step = bench.machine.begin()
    assert len(performed(step)) == 2
    assert len(performed(bench.finish("t1", Result("x"), 1))) == 1
    for _ in range(4):
        open_one = next(a for a in bench.actions("t1") if not a.state.is_final)
        bench.machine.action_finished(open_one.id, Result(open_one.index))
    assert bench.state is State.SUCCESS
    assert bench.machine.task_result(bench.task("t1").id) == [0, "x", 2, 3, 4]


def test_a_cancelled_item_cancels_its_task_and_the_others() -> None:
    bench = Bench("t1: {with-items: 'i in <% range(3) %>', action: a}")
    bench.machine.begin()
    step = bench.finish("t1", Result(cancelled=True), 0)
    assert bench.task("t1").state is State.CANCELLED
    assert bench.state is State.CANCELLED
    assert sum(isinstance(effect, CancelAction) for effect in step.effects) == 2


def test_many_items_are_begun_in_several_turns() -> None:
    limits = RunLimits(work_per_step=10)
    bench = Bench("t1: {with-items: 'i in <% range(25) %>', action: a}", limits)
    step = bench.machine.begin()
    counts = [len(performed(step))]
    while any(isinstance(e, WakeAt) and e.due is not None for e in step.effects) or counts[-1]:
        step = bench.wake("t1", 0)
        counts.append(len(performed(step)))
    assert counts == [10, 10, 5, 0]


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


def test_an_action_that_is_broken_cannot_be_handled() -> None:
    bench = Bench("t1: {action: a, on-error: t2}\nt2: {action: b}")
    bench.machine.begin()
    step = bench.finish("t1", Result(error="there is no such action", broken=True))
    assert performed(step) == []
    assert bench.state is State.ERROR


def test_joins_that_wait_for_each_other_fail() -> None:
    bench = Bench(
        """
begin: {on-success: [one, two]}
one: {join: all, on-success: two}
two: {join: all, on-success: one}
"""
    )
    bench.machine.begin()
    bench.finish("begin")
    assert bench.state is State.ERROR
    assert "waits for tasks that wait for it" in str(bench.machine.run.state_info)


def test_a_join_waits_while_a_loop_may_still_lead_to_it() -> None:
    bench = Bench(
        """
begin: {action: x, on-success: [a, b]}
a: {action: a, on-success: j}
b: {action: b, on-success: j, on-error: fix}
fix: {action: f, on-success: b}
j: {join: all, action: j}
"""
    )
    bench.machine.begin()
    bench.finish("begin")
    bench.finish("a")
    bench.finish("b", FAILED)
    assert bench.task("j").state is State.WAITING
    bench.finish("fix")
    assert performed(bench.finish("b")) == ["j"]
    bench.finish("j")
    assert bench.state is State.SUCCESS


def test_a_late_branch_does_not_run_a_join_of_one_again_but_a_loop_does() -> None:
    bench = Bench(
        """
a: {action: a, on-success: j}
b: {action: b, on-success: j}
j:
  join: one
  action: j
  on-success:
    - c: <% task().result = again %>
c: {action: c, on-success: j}
"""
    )
    bench.machine.begin()
    assert performed(bench.finish("a")) == ["j"]
    assert performed(bench.finish("j", Result("again"))) == ["c"]
    assert performed(bench.finish("b")) == []
    assert performed(bench.finish("c")) == ["j"]
    bench.finish("j")
    assert bench.state is State.SUCCESS


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
