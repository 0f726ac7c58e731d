"""The calls of a task that has items."""

from hotplate.workflow.machine import CancelAction, Result, RunLimits, WakeAt
from hotplate.workflow.model import State
from tests.unit.workflow.machine.bench import Bench, performed


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
