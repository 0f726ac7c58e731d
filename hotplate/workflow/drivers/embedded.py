"""This very engine as the workflow service of resource types."""

import json
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

from sqlalchemy.exc import DBAPIError

from hotplate.document import InvalidDocument
from hotplate.store.workflows.definitions import Definition, DefinitionKind
from hotplate.store.workflows.definitions import Trigger as StoredTrigger
from hotplate.workflow.drivers.driver import (
    Execution,
    ExecutionState,
    Refused,
    Start,
    StoredWorkflow,
    Trigger,
    Unreachable,
)
from hotplate.workflow.engine import (
    FlowRefused,
    Place,
    Unknown,
    Wanted,
    Workflows,
    read_time,
    written_time,
)

T = TypeVar("T")

_WORKFLOW = DefinitionKind.WORKFLOW


class EmbeddedWorkflows:
    """Runs workflows in this process; nodes that wait for an execution are woken by its end."""

    def __init__(self, flows: Workflows) -> None:
        self._flows = flows

    async def start(self, project: str, request: Start) -> Execution:
        """Start an execution; if there is one of this id already, return that."""
        self._flows.watch(request.id)
        wanted = Wanted(
            request.workflow,
            request.id,
            input=dict(request.input),
            params=dict(request.params),
            description=request.description,
            secrets=list(request.secrets),
        )
        try:
            return _execution(await _asked(self._flows.start(project, wanted)))
        except Refused:
            self._flows.unwatch(request.id)
            raise

    async def show(self, project: str, execution_id: str) -> Execution | None:
        """Return an execution, None if there is none."""
        row = await _found(self._flows.execution(project, execution_id))
        if row is None:
            return None
        execution = _execution(row)
        if execution.state.is_final:
            # It may have ended in another process, which did not know who watches here.
            self._flows.unwatch(execution_id)
        else:
            self._flows.watch(execution_id)
        return execution

    async def cancel(self, project: str, execution_id: str, reason: str) -> None:
        """Ask for the end of an execution. That it has ended, or is not there, is no error."""
        await _found(self._flows.set_state(project, execution_id, ExecutionState.CANCELLED, reason))

    async def delete_execution(self, project: str, execution_id: str) -> None:
        """Forget an execution. That there is none is no error."""
        await _found(self._flows.delete_execution(project, execution_id, force=True))

    async def environment(self, project: str, name: str) -> Mapping[str, Any] | None:
        """Return the variables of a stored environment, None if there is none."""
        found = await _found(self._flows.environment(project, name))
        return None if found is None else found.variables

    async def find_workflow(self, project: str, name_or_id: str) -> StoredWorkflow | None:
        """Return a workflow, None if there is none."""
        found = await _found(self._flows.definitions.find(_WORKFLOW, project, name_or_id))
        return None if found is None else _workflow(found)

    async def create_workflow(self, project: str, definition: str) -> StoredWorkflow:
        """Store the one workflow of a definition. Refused if there is one of its name."""
        made = await _asked(self._flows.definitions.create(_WORKFLOW, definition, Place(project)))
        return _workflow(made[0])

    async def update_workflow(self, project: str, definition: str) -> StoredWorkflow:
        """Put the one workflow of a definition in the place of that with the same name."""
        made = await _asked(self._flows.definitions.update(_WORKFLOW, definition, Place(project)))
        return _workflow(made[0])

    async def delete_workflow(self, project: str, name_or_id: str) -> None:
        """Forget a workflow. That there is none is no error."""
        await _found(self._flows.definitions.delete(_WORKFLOW, project, name_or_id))

    async def create_trigger(self, project: str, trigger: Trigger) -> Trigger:
        """Store a trigger. Refused if there is one of its name."""
        try:
            first = None if trigger.first_time is None else read_time(trigger.first_time)
        except (ValueError, OverflowError):
            raise Refused(f'"{trigger.first_time}" is not a time') from None
        wanted = StoredTrigger(
            id="",
            project=project,
            name=trigger.name,
            pattern=trigger.pattern,
            workflow_name=trigger.workflow,
            workflow_id="",
            workflow_input=dict(trigger.input),
            workflow_params={},
            first_at=first,
            next_at=0.0,
            remaining=trigger.count,
            scope="private",
            created_at=0.0,
        )
        return _trigger(await _asked(self._flows.create_trigger(wanted)))

    async def find_trigger(self, project: str, name: str) -> Trigger | None:
        """Return a trigger, None if there is none: it may have fired for the last time."""
        found = await _found(self._flows.trigger(project, name))
        return None if found is None else _trigger(found)

    async def delete_trigger(self, project: str, name: str) -> None:
        """Forget a trigger. That there is none is no error."""
        await _found(self._flows.delete_trigger(project, name))


async def _asked(work: Awaitable[T]) -> T:
    """Return what the work returns. Raises Refused or Unreachable."""
    try:
        return await work
    except (FlowRefused, InvalidDocument) as error:
        raise Refused(str(error)) from None
    except DBAPIError as error:
        raise Unreachable(f"the database is away ({type(error).__name__})") from None


async def _found(work: Awaitable[T]) -> T | None:
    """Return what the work returns, None if what it is about does not exist."""
    try:
        return await work
    except Unknown:
        return None
    except FlowRefused as error:
        raise Refused(str(error)) from None
    except DBAPIError as error:
        raise Unreachable(f"the database is away ({type(error).__name__})") from None


def _execution(row: Mapping[str, Any]) -> Execution:
    return Execution(
        row["id"],
        row["workflow_name"],
        ExecutionState(row["state"]),
        row["state_info"] or "",
        json.loads(row["input"]),
        json.loads(row["output"]),
        written_time(row["created_at"]) or "",
        written_time(row["updated_at"]) or "",
    )


def _workflow(found: Definition) -> StoredWorkflow:
    return StoredWorkflow(found.id, found.name, found.definition)


def _trigger(found: StoredTrigger) -> Trigger:
    return Trigger(
        found.name,
        found.workflow_name,
        found.workflow_input,
        found.pattern,
        written_time(found.first_at),
        found.remaining,
        written_time(found.next_at),
    )
