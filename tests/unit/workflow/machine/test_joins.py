"""When a task that joins others may begin."""

from hotplate.workflow.machine import Result
from hotplate.workflow.model import State
from tests.unit.workflow.machine.bench import FAILED, Bench, performed


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
