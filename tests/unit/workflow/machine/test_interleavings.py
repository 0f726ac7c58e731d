"""Whatever the order of the news, and wherever a crash falls, a run comes to its end."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotplate.document import InvalidDocument
from hotplate.testing.workflow import MemoryWorkflows
from hotplate.workflow.language.reading import text_of
from hotplate.workflow.machine import RunLimits
from hotplate.workflow.model import State

LIMITS = RunLimits(task_runs=60, depth=3, items=10, work_per_step=4)
NAMES = ("a", "b", "c", "d", "e")
CALLS = (
    {"action": "std.noop"},
    {"action": "std.fail"},
    {"action": "std.sleep", "input": {"seconds": 2}},
    {"action": "std.echo", "input": {"output": "<% $.x %>"}},
    {"action": "std.echo", "with-items": "i in <% [1, 2, 3] %>", "input": {"output": "<% $.i %>"}},
    {"with-items": "i in <% [] %>"},
    {
        "action": "<% $.which %>",
        "with-items": "which in <% ['std.noop', 'std.fail'] %>",
        "concurrency": 1,
    },
    {"workflow": "sub"},
    {"action": "std.async_noop", "timeout": 3},
)
POLICIES: tuple[dict[str, Any], ...] = (
    {},
    {"wait-before": 1},
    {"wait-after": 1},
    {"retry": {"count": 1, "delay": 1}},
    {"retry": {"count": 2, "delay": 0, "continue-on": "<% $.x < 2 %>"}},
    {"fail-on": "<% $.x = 1 %>"},
    {"keep-result": False},
)
targets = st.lists(
    st.one_of(
        st.sampled_from(NAMES),
        st.sampled_from(NAMES).map(lambda name: {name: "<% $.x < 3 %>"}),
        st.sampled_from(("noop", "fail", "succeed", "fail msg='no'")),
    ),
    min_size=1,
    max_size=3,
    unique_by=str,
)


@st.composite
def workflows(draw: st.DrawFn) -> dict[str, Any]:
    """Workflows of a few tasks that lead anywhere, with joins, loops, items and children."""
    tasks: dict[str, Any] = {"begin": {"on-complete": draw(targets), "publish": {"x": 0}}}
    for name in NAMES:
        task: dict[str, Any] = dict(draw(st.sampled_from(CALLS)))
        task.update(draw(st.sampled_from(POLICIES)))
        for clause in ("on-success", "on-error", "on-complete"):
            if draw(st.booleans()):
                task[clause] = draw(targets)
        if draw(st.booleans()):
            task["publish"] = {"x": "<% $.x + 1 %>", name: "<% task().state %>"}
        if draw(st.integers(0, 3)) == 0:
            task["join"] = draw(st.sampled_from(("all", "one", 2)))
        tasks[name] = task
    return {"tasks": tasks, "input": [{"x": 0}]}


def world_of(workflow: dict[str, Any], **options: Any) -> MemoryWorkflows:
    world = MemoryWorkflows(limits=LIMITS, **options)
    world.add_workflows("version: '2.0'\nsub: {tasks: {s: {action: std.sleep seconds=1}}}")
    world.add_workflows(text_of("w", workflow))
    return world


def is_definition(workflow: dict[str, Any]) -> bool:
    try:
        world_of(workflow)
    except InvalidDocument:
        return False
    return True


def ended(world: MemoryWorkflows) -> tuple[Any, ...]:
    """Run the workflow to its end, and return all that is to be known of it."""
    run_id = world.start("w")
    world.settle()
    machine = world.machine(run_id)
    run = machine.run
    assert run.state.is_final
    assert all(task.state.is_final for task in machine.tasks.values())
    assert all(action.state.is_final for action in machine.actions.values())
    assert run.state is not State.SUCCESS or run.state_info in (None, "no")
    tasks = [(task.name, task.state, task.published) for task in machine.tasks.values()]
    actions = [(action.name, action.state, action.output) for action in machine.actions.values()]
    return run.state, run.state_info, run.output, tasks, actions, world.now


@given(workflows().filter(is_definition), st.data())
@settings(max_examples=80, deadline=None)
def test_every_order_of_news_comes_to_an_end(workflow: dict[str, Any], data: st.DataObject) -> None:
    ended(world_of(workflow, choose=lambda count: data.draw(st.integers(0, count - 1))))


@pytest.mark.slow
@given(workflows().filter(is_definition), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_a_crash_after_every_step_changes_nothing(workflow: dict[str, Any], random: Any) -> None:
    seed = random.random()

    def chooser() -> Any:
        state = [seed]

        def choose(count: int) -> int:
            state[0] = (state[0] * 9301 + 0.49297) % 1
            return int(state[0] * count)

        return choose

    whole = ended(world_of(workflow))
    broken = ended(world_of(workflow, crashing=True))
    assert broken == whole
    ended(world_of(workflow, crashing=True, choose=chooser()))
