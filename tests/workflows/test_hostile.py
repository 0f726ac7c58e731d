"""Hostile workflows end soon, in ERROR, with a reason that a person can read."""

import pytest

from hotplate.testing.workflow import MemoryWorkflows
from hotplate.workflow.machine import RunLimits
from hotplate.workflow.model import State

LIMITS = RunLimits(task_runs=300, family=60)


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ("t: {with-items: 'i in <% range(100000000) %>'}", "exceeds"),
        ("t: {action: std.echo, input: {output: \"<% 'x' * 1000000000 %>\"}}", "too much memory"),
        ("t: {action: std.echo, input: {output: \"{{ 'x' * 1000000000 }}\"}}", "too many steps"),
        ("b: {on-success: t}\n    t: {on-success: t}", "is it a loop?"),
        ("b: {on-success: [x, y]}\n    x: {on-success: [x, y]}\n    y: {on-success: x}", "a loop?"),
        ("t: {workflow: w}", "nested 21 levels deep; 20 are allowed"),
        ("t: {with-items: 'i in <% range(9) %>', workflow: w}", "60 sub-workflows, more are not"),
        (
            "b: {publish: {s: xxxxxxxxxx}, on-success: t}\n"
            "    t: {publish: {s: <% $.s + $.s %>}, on-success: t}",
            "1000000 are allowed",
        ),
        ("t: {action: std.fail, retry: {count: 1000000000, delay: 0}}", "10000 are allowed"),
    ],
)
def test_it_ends(tasks: str, said: str) -> None:
    world = MemoryWorkflows(limits=LIMITS)
    world.add_workflows(f"version: '2.0'\nw:\n  tasks:\n    {tasks}\n")
    run_id = world.start("w")
    world.settle()
    run = world.run(run_id)
    assert run.state is State.ERROR
    assert said in str(run.state_info)
    assert len(str(run.state_info)) < 100_000
