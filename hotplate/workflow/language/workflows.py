"""One workflow, and whether its tasks fit together."""

import re
from typing import Any, Final

from hotplate.document import Path, did_you_mean
from hotplate.workflow.language.definition import ENGINE_COMMANDS, REQUIRED, Task, Workflow
from hotplate.workflow.language.faults import Faults
from hotplate.workflow.language.tasks import TaskReader, read_defaults

_KEYS: Final = (
    "name",
    "version",
    "type",
    "description",
    "tags",
    "input",
    "output",
    "output-on-error",
    "vars",
    "task-defaults",
    "tasks",
)
_UUID: Final = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)


def read_workflow(
    name: str, value: Any, path: Path, faults: Faults, most_tasks: int
) -> Workflow | None:
    """Return the workflow, or nothing if it is no map. ``name`` is as in the text."""
    faults.name(name, path, "a workflow")
    if _UUID.fullmatch(name):
        faults.add("the name of a workflow must not look like an id", path)
    if not isinstance(value, dict):
        faults.add(f'the workflow "{name}" must be a map', path)
        return None
    faults.keys(value, _KEYS, path, "a workflow")
    kind = value.get("type", "direct")
    if kind not in ("direct", "reverse"):
        faults.add("the type of a workflow is direct or reverse", (*path, "type"))
    tasks = _tasks(value, kind == "reverse", path, faults, most_tasks)
    inbound = _inbound(tasks)
    workflow = Workflow(
        name=name,
        reverse=kind == "reverse",
        tasks=tasks,
        inputs=read_inputs(value.get("input"), (*path, "input"), faults),
        output=_expressions(value, "output", path, faults),
        output_on_error=_expressions(value, "output-on-error", path, faults),
        vars=_expressions(value, "vars", path, faults),
        description=str(value.get("description") or ""),
        tags=faults.texts(value.get("tags"), (*path, "tags"), "tags"),
        data=value,
        inbound=inbound,
    )
    if tasks:
        check_graph(workflow, (*path, "tasks"), faults)
    return workflow


def read_inputs(value: Any, path: Path, faults: Faults) -> dict[str, Any]:
    """Return inputs with their defaults: a list of names and of maps with one key."""
    inputs: dict[str, Any] = {}
    if value is None:
        return inputs
    if not isinstance(value, list):
        faults.add("input must be a list of names, or of maps from a name to its default", path)
        return inputs
    for index, entry in enumerate(value):
        if isinstance(entry, str) and entry:
            inputs[entry] = REQUIRED
        elif isinstance(entry, dict) and len(entry) == 1:
            inputs.update(entry)
        else:
            faults.add("an input is a name, or a map from the name to its default", (*path, index))
    return inputs


def _expressions(value: dict[str, Any], key: str, path: Path, faults: Faults) -> dict[str, Any]:
    here = (*path, key)
    return dict(faults.expressions(faults.a_map(value.get(key), here, key), here))


def _tasks(
    value: dict[str, Any], reverse: bool, path: Path, faults: Faults, most: int
) -> dict[str, Task]:
    here = (*path, "tasks")
    defaults = read_defaults(value.get("task-defaults"), (*path, "task-defaults"), faults)
    data = value.get("tasks")
    if not isinstance(data, dict) or not data:
        faults.add("a workflow needs tasks: a map from names to tasks", here)
        return {}
    if len(data) > most:
        faults.add(f"{len(data)} tasks are more than the {most} that are allowed", here)
        return {}
    reader = TaskReader(reverse, defaults, faults)
    read = ((name, reader.read(name, task, (*here, name))) for name, task in data.items())
    return {name: task for name, task in read if task is not None}


def _inbound(tasks: dict[str, Task]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {name: {} for name in tasks}
    for task in tasks.values():
        for clause in task.clauses.values():
            for target in clause.targets:
                if target.name in found:
                    found[target.name][task.name] = None
    return {name: tuple(names) for name, names in found.items()}


def check_graph(workflow: Workflow, path: Path, faults: Faults) -> None:
    """Every name must be a task, joins must be possible, and there must be a beginning."""
    for task in workflow.tasks.values():
        for event, clause in task.clauses.items():
            for target in clause.targets:
                if target.name not in workflow.tasks and target.name not in ENGINE_COMMANDS:
                    _no_such_task(workflow, target.name, (*path, task.name, event.value), faults)
        for name in task.requires:
            if name not in workflow.tasks:
                _no_such_task(workflow, name, (*path, task.name, "requires"), faults)
        if task.join is not None:
            _check_join(task, len(workflow.inbound[task.name]), (*path, task.name, "join"), faults)
    if workflow.reverse:
        _check_requires(workflow, path, faults)
    elif all(workflow.inbound.values()):
        hint = "at least one task must have no other that leads to it"
        faults.add("the workflow has no task to begin with", path, hint)


def _no_such_task(workflow: Workflow, name: str, path: Path, faults: Faults) -> None:
    hint = did_you_mean(name, workflow.tasks)
    faults.add(f'there is no task "{name[:80]}" in this workflow', path, hint)


def _check_join(task: Task, inbound: int, path: Path, faults: Faults) -> None:
    needed = task.join if isinstance(task.join, int) else 1
    if inbound < needed:
        faults.add(f"join waits for {needed} tasks, but {inbound} lead here", path)


def _check_requires(workflow: Workflow, path: Path, faults: Faults) -> None:
    """Tasks that require each other would wait for ever."""
    waits = {
        name: {required for required in task.requires if required in workflow.tasks}
        for name, task in workflow.tasks.items()
    }
    needed_by: dict[str, list[str]] = {name: [] for name in waits}
    for name, required in waits.items():
        for other in required:
            needed_by[other].append(name)
    free = [name for name, required in waits.items() if not required]
    while free:
        done = free.pop()
        for name in needed_by[done]:
            waits[name].discard(done)
            if not waits[name]:
                free.append(name)
    stuck = [name for name, required in waits.items() if required]
    if stuck:
        faults.add(f"these tasks require each other: {', '.join(stuck[:10])}", path)
