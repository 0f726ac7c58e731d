"""What a task publishes when it ends, and what it leads to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hotplate.workflow.language import Event, Target, Task
from hotplate.workflow.machine.context import merged, outbound
from hotplate.workflow.machine.ledger import Ledger
from hotplate.workflow.machine.scope import Evaluation
from hotplate.workflow.model import State, TaskRun

_OWN_EVENT = {
    State.SUCCESS: Event.SUCCESS,
    State.ERROR: Event.ERROR,
    State.SKIPPED: Event.SKIP,
}


@dataclass(frozen=True, slots=True)
class Command:
    """A task to start or an engine command to obey, because a task ended."""

    name: str
    event: Event
    message: str | None = None


def publish(defined: Task, task: TaskRun, ledger: Ledger, evaluation: Evaluation) -> None:
    """Evaluate what the task publishes in its state: to its branch, and to the whole run."""
    branch, shared = _variables(defined, task.state)
    if branch:
        published = evaluation.of_task(branch, task)
        evaluation.weigh(published, f"what {task.name} publishes")
        ledger.change(task, published=published)
    if shared:
        values = evaluation.of_task(shared, task)
        evaluation.weigh(values, f"what {task.name} publishes")
        ledger.change_run(globals=merged(ledger.run.globals, values))


def _variables(defined: Task, state: State) -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables of the clause, over them those of on-complete, over them the task's own."""
    simple = {
        State.SUCCESS: defined.publish,
        State.ERROR: defined.publish_on_error,
        State.SKIPPED: defined.publish_on_skip,
    }.get(state, {})
    branch: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    events = [_OWN_EVENT[state]] if state in _OWN_EVENT else []
    if state in (State.SUCCESS, State.ERROR):
        events.append(Event.COMPLETE)
    for event in events:
        clause = defined.clauses.get(event)
        if clause is not None and clause.publish is not None:
            if event is Event.COMPLETE:
                branch = {**branch, **simple}
                simple = {}
            branch = merged(branch, clause.publish.branch)
            shared = merged(shared, clause.publish.global_)
            shared = merged(shared, clause.publish.atomic)
    return {**branch, **simple}, shared


def commands(defined: Task, task: TaskRun, evaluation: Evaluation) -> Iterator[Command]:
    """Yield what a task that has ended leads to: first by its outcome, then by on-complete.

    Nothing comes behind a command that ends the run.
    """
    for command in _all_commands(defined, task, evaluation):
        yield command
        if command.name in ("fail", "succeed"):
            return


def _all_commands(defined: Task, task: TaskRun, evaluation: Evaluation) -> Iterator[Command]:
    if task.state is State.CANCELLED:
        return
    known = outbound(task).data
    own = _OWN_EVENT[task.state]
    found = list(_followed(defined, own, task, known, evaluation))
    if task.state is State.SKIPPED and not found:
        found = list(_followed(defined, Event.SUCCESS, task, known, evaluation))
    yield from found
    if task.state is not State.SKIPPED:
        yield from _followed(defined, Event.COMPLETE, task, known, evaluation)


def _followed(
    defined: Task, event: Event, task: TaskRun, known: dict[str, Any], evaluation: Evaluation
) -> Iterator[Command]:
    clause = defined.clauses.get(event)
    targets: tuple[Target, ...] = clause.targets if clause is not None else ()
    for target in targets:
        if target.guard and not evaluation.of_task(target.guard, task, known):
            continue
        params = evaluation.of_task(target.params, task, known) if target.params else {}
        message = params.get("msg")
        yield Command(target.name, event, None if message is None else str(message))
