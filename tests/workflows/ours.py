"""A case on our own machine, in memory."""

from typing import Any

from hotplate.document import InvalidDocument
from hotplate.testing.workflow import MemoryWorkflows
from hotplate.workflow.machine import InvalidInput, Machine, Result, Step
from hotplate.workflow.model import TaskRun
from tests.workflows.case import Case, outcome, refused


def run(case: Case, world: MemoryWorkflows | None = None) -> dict[str, Any]:
    """Return the outcome of a case."""
    world = world or MemoryWorkflows()
    try:
        if case.actions:
            world.add_actions(case.actions)
        if case.workbook:
            world.add_workbook(case.workbook)
        if case.workflows:
            world.add_workflows(case.workflows)
    except InvalidDocument:
        return refused("definition")
    try:
        run_id = world.start(case.start, case.input, **case.params)
    except InvalidInput:
        return refused("start")
    world.settle()
    for name, arguments in case.then:
        _obey(world, run_id, name, arguments)
        world.settle()
    machine = world.machine(run_id)
    tasks = [(task.name, task.state.value) for task in machine.tasks.values()]
    row = machine.run
    return outcome(case, row.state.value, row.state_info, row.output, tasks)


def _obey(world: MemoryWorkflows, run_id: str, name: str, arguments: Any) -> None:
    """Do what a case asks for. In memory nothing need be waited for, but it must be so."""
    machine = world.machine(run_id)
    match name:
        case "wait":
            assert machine.run.state == arguments, machine.run
        case "wait-task":
            assert _task(machine, arguments["name"]).state == arguments["state"]
        case "wait-actions":
            task = _task(machine, arguments["task"])
            count = sum(1 for action in machine.actions.values() if action.task_id == task.id)
            assert count == arguments["count"]
        case "resume":
            world.apply(run_id, Machine.resume)
        case "cancel":
            world.apply(run_id, Machine.cancel)
        case "rerun":
            task = _task(machine, arguments["task"])
            reset, env = arguments.get("reset", True), arguments.get("env")
            world.apply(run_id, lambda m: m.rerun(task.id, reset, env))
        case "skip":
            task = _task(machine, arguments["task"])
            world.apply(run_id, lambda m: m.skip(task.id))
        case "end-action":
            world.apply(run_id, lambda m: _end_action(m, arguments))
        case _:
            raise ValueError(f"a case cannot order {name}")


def _task(machine: Machine, name: str) -> TaskRun:
    return [task for task in machine.tasks.values() if task.name == name][-1]


def _end_action(machine: Machine, arguments: dict[str, Any]) -> Step:
    task = _task(machine, arguments["task"])
    action = next(a for a in machine.actions.values() if a.task_id == task.id)
    if arguments["state"] == "SUCCESS":
        return machine.action_finished(action.id, Result(arguments["output"]))
    return machine.action_finished(action.id, Result(error=arguments["output"], failed=True))
