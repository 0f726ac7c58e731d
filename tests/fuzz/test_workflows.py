"""Definitions with anything in any place: refused with reasons, or run to an end."""

import copy
import json
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hotplate.document import InvalidDocument
from hotplate.testing.workflow import MemoryWorkflows
from hotplate.workflow.machine import InvalidInput, RunLimits
from tests.workflows.case import all_cases
from tests.yaml_files import parse_yaml

LIMITS = RunLimits(task_runs=50, depth=3, items=20, total_bytes=1_000_000, retries=3)
DEFINITIONS = [parse_yaml(case.workflows) for case in all_cases() if case.workflows]
WORDS = (
    "", "t1", "t2", "all", "<% $ %>", "<% $.a %>", "<% task() %>", "<% tasks() %>", "{{ _ }}",
    "noop", "fail", "fail msg=<% $ %>", "pause", "i in <% $ %>", "i in <% range(5) %>",
    "std.echo output=1", "<% $.a", "a=b", "on-success", "<% execution() %>", "<% 1 / 0 %>",
    "{{ 1 / 0 }}",
)  # fmt: skip
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(allow_nan=False), st.sampled_from(WORDS)
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All paths that lead to a value inside this one."""
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(place for key, inner in items for place in places(inner, (*path, key)))]


@st.composite
def definitions(draw: st.DrawFn) -> Any:
    """Definitions of the cases with one to three of their values replaced, moved or taken out."""
    definition = copy.deepcopy(draw(st.sampled_from(DEFINITIONS)))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(places(definition)))
        if not path:
            continue
        holder = definition
        for step in path[:-1]:
            holder = holder[step]
        act = draw(st.sampled_from(("replace", "remove", "rename")))
        if act == "replace" or isinstance(holder, list):
            holder[path[-1]] = draw(values)
        elif act == "remove":
            del holder[path[-1]]
        else:
            holder[draw(st.sampled_from(("t1", "join", "retry", "input", "on-error", "x")))] = (
                holder.pop(path[-1])
            )
    return definition


@given(definitions())
@settings(max_examples=300, deadline=None)
def test_a_mutilated_definition_is_refused_or_runs_to_an_end(definition: Any) -> None:
    world = MemoryWorkflows(limits=LIMITS)
    try:
        world.add_workflows(yaml.safe_dump(definition, sort_keys=False))
        name = [name for name in definition if name != "version"][-1]
        run_id = world.start(name)
    except (InvalidDocument, InvalidInput):
        return
    world.settle()
    machine = world.machine(run_id)
    json.dumps(machine.run.output)
    waiting = [a for a in machine.actions.values() if a.name == "std.async_noop" or a.child_id]
    assert machine.run.state.is_final or machine.run.state == "PAUSED" or waiting
