"""Everything that can be asked of workflows; the API and the resource types are its faces."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sqlalchemy import Connection

from hotplate.store.workflows.actions import remove_lone_action
from hotplate.store.workflows.definitions import (
    DefinitionKind,
    NameTaken,
    StoredEnvironment,
    Trigger,
    count_environments,
    count_triggers,
    find_environment,
    find_trigger,
    insert_environment,
    insert_trigger,
    remove_environment,
    remove_trigger,
    save_environment,
)
from hotplate.store.workflows.listing import ListQuery, ListRefused, listed_rows, one_row
from hotplate.store.workflows.runs import read_action, read_run_alone, remove_tree
from hotplate.workflow.actions import Actions
from hotplate.workflow.engine.calendar import next_time
from hotplate.workflow.engine.context import FlowTools
from hotplate.workflow.engine.definitions import Definitions
from hotplate.workflow.engine.library import flow_of
from hotplate.workflow.engine.lone_actions import LoneActions
from hotplate.workflow.engine.refusals import (
    Forbidden,
    Taken,
    Unknown,
    Wrong,
    limit_reached,
    no_execution,
)
from hotplate.workflow.engine.runner import Runner
from hotplate.workflow.engine.tree import Handler, Transition, Tree
from hotplate.workflow.language import REQUIRED, Workflow, workflow_of
from hotplate.workflow.machine import InvalidInput, Machine, NotAllowed, Order, Result, Step
from hotplate.workflow.model import ActionRun, State

_SETTABLE = (State.RUNNING, State.PAUSED, State.SUCCESS, State.ERROR, State.CANCELLED)


@dataclass(frozen=True, slots=True)
class Wanted:
    """An execution to be started. Without an id it gets one; with a known one it is there."""

    workflow: str
    id: str = ""
    namespace: str = ""
    input: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    description: str = ""
    secrets: list[str] = field(default_factory=list, repr=False)


class Workflows:
    """The operations of one process. All are about one project, and see no other."""

    def __init__(
        self,
        tools: FlowTools,
        runner: Runner,
        definitions: Definitions,
        lone: LoneActions,
        actions: Actions,
    ) -> None:
        self.definitions = definitions
        self.actions = actions
        self.watch: Callable[[str], None] = lambda execution_id: None
        """Called with an execution whose end a node of a stack will wait for."""

        self.unwatch: Callable[[str], None] = lambda execution_id: None
        """Called with an execution that no node waits for any more."""

        self._store = tools.store
        self._settings = tools.settings
        self._in_thread = tools.in_thread
        self._now = tools.now
        self._new_id = tools.new_id
        self._runner = runner
        self._lone = lone

    async def start(self, project: str, wanted: Wanted) -> dict[str, Any]:
        """Begin an execution and return its row; the same id twice is one execution.

        Raises Unknown without such a workflow, Wrong for input that does not fit.
        """
        if wanted.id:
            present = await self._row("executions", wanted.id, None)
            if present is not None:
                return self._owned(present, project)
        stored = await self.definitions.find(
            DefinitionKind.WORKFLOW, project, wanted.workflow, wanted.namespace
        )
        order = Order(
            run_id=wanted.id or self._new_id(),
            values=wanted.input,
            params=await self._params(project, wanted.params),
            workflow_id=stored.id,
            namespace=wanted.namespace,
            project=project,
            description=wanted.description,
            secrets=wanted.secrets,
        )
        flow = await self._in_thread(partial(flow_of, stored))
        try:
            await self._runner.start(flow, order)
        except InvalidInput as error:
            raise Wrong(str(error)) from None
        row = await self._row("executions", order.run_id, None)
        if row is None:
            raise no_execution(order.run_id)
        return self._owned(row, project)

    async def like(self, project: str, source_id: str, wanted: Wanted) -> Wanted:
        """Return what is wanted, with all that is left open taken from another execution."""
        source = await self.execution(project, source_id)
        return replace(
            wanted,
            workflow=wanted.workflow or source["workflow_id"] or source["workflow_name"],
            namespace=wanted.namespace or source["namespace"],
            input={**json.loads(source["input"]), **wanted.input},
            params={**json.loads(source["params"]), **wanted.params},
            description=f"{wanted.description} Based on the execution '{source_id}'".strip(),
        )

    async def execution(self, project: str | None, execution_id: str) -> dict[str, Any]:
        """Return the row of an execution. Raises Unknown."""
        row = await self._row("executions", execution_id, project)
        if row is None:
            raise no_execution(execution_id)
        return row

    async def workflow_of(self, project: str, execution_id: str) -> Workflow:
        """Return the workflow that an execution runs, as it was at its start. Raises Unknown."""
        await self.execution(project, execution_id)
        run = await self._store.read(partial(read_run_alone, run_id=execution_id))
        if run is None:
            raise no_execution(execution_id)
        # A long text must not keep others waiting.
        named = (run.definition, run.workflow_name, run.workbook)
        return await asyncio.to_thread(workflow_of, *named)

    async def entries(self, source: str, query: ListQuery) -> list[dict[str, Any]]:
        """Return the rows of a list. Raises Wrong if it cannot be answered."""
        try:
            return await self._store.read(partial(listed_rows, source=source, query=query))
        except ListRefused as error:
            raise Wrong(str(error)) from None

    async def set_state(
        self,
        project: str,
        execution_id: str,
        state: str,
        reason: str | None = None,
        env: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Pause an execution, let it go on, or end it. Raises Wrong if its state forbids that."""
        row = await self.execution(project, execution_id)
        if state not in _SETTABLE:
            raise Wrong(
                f"Cannot change state to {state}. Allowed states are: '{', '.join(_SETTABLE)}"
            )
        wanted = State(state)

        def transition(machine: Machine) -> Step:
            if wanted is State.PAUSED:
                return machine.pause()
            if wanted is State.RUNNING:
                return machine.resume(dict(env) if env else None)
            return machine.stop(wanted, reason)

        def handle(tree: Tree) -> None:
            run = tree.run(execution_id)
            if run.state.is_final and not wanted.is_final:
                raise Wrong(
                    f"Can't change workflow execution state from {run.state} to {wanted}. "
                    f"[workflow={run.workflow_name}, execution_id={execution_id}]"
                )
            if not run.state.is_final:
                tree.apply(execution_id, transition)

        await self._send(row["tree"], handle)
        return await self.execution(project, execution_id)

    async def describe(self, project: str, execution_id: str, description: str) -> dict[str, Any]:
        """Give an execution another description."""
        row = await self.execution(project, execution_id)

        def handle(tree: Tree) -> None:
            tree.apply(execution_id, lambda machine: machine.describe(description))

        await self._send(row["tree"], handle)
        return await self.execution(project, execution_id)

    async def set_env(
        self, project: str, execution_id: str, env: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Change variables of the environment of an execution that is not running."""
        row = await self.execution(project, execution_id)

        def handle(tree: Tree) -> None:
            tree.apply(execution_id, lambda machine: machine.change_env(dict(env)))

        await self._send(row["tree"], handle)
        return await self.execution(project, execution_id)

    async def delete_execution(self, project: str, execution_id: str, force: bool) -> None:
        """Remove an execution with all below it. Raises Forbidden if it has not ended."""
        row = await self.execution(project, execution_id)
        if force and not State(row["state"]).is_final:
            await self.set_state(project, execution_id, State.CANCELLED, "deleted")
        remove = partial(remove_tree, run_id=execution_id, root_id=row["tree"])
        found = await self._store.transact(remove)
        if found is not None:
            raise Forbidden(
                "Only completed executions can be deleted. Use --force to override this. "
                f"Execution {execution_id} is in {found} state"
            )
        self._runner.forget(row["tree"])

    async def task(self, project: str | None, task_id: str) -> dict[str, Any]:
        """Return the row of a task. Raises Unknown."""
        row = await self._row("tasks", task_id, project)
        if row is None:
            raise Unknown(f"TaskExecution not found [id={task_id}]")
        return row

    async def task_result(self, row: Mapping[str, Any]) -> Any:
        """Return the result of a task, given its row."""
        execution = await self.execution(None, row["execution_id"])
        run_id, task_id = row["execution_id"], row["id"]
        return await self._send(execution["tree"], lambda tree: tree.task_result(run_id, task_id))

    async def rerun(
        self, project: str, task_id: str, reset: bool, env: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run a failed task, and what follows it, again."""

        def rerun(machine: Machine) -> Step:
            return machine.rerun(task_id, reset, dict(env) if env else None)

        return await self._again(project, task_id, rerun)

    async def skip(self, project: str, task_id: str) -> dict[str, Any]:
        """Take a failed task as done."""
        return await self._again(project, task_id, lambda machine: machine.skip(task_id))

    async def _again(self, project: str, task_id: str, transition: Transition) -> dict[str, Any]:
        row = await self.task(project, task_id)
        execution = await self.execution(project, row["execution_id"])
        await self._send(
            execution["tree"], lambda tree: tree.apply(row["execution_id"], transition)
        )
        return await self.task(project, task_id)

    async def action(self, project: str | None, action_id: str) -> dict[str, Any]:
        """Return the row of an action. Raises Unknown."""
        row = await self._row("action_executions", action_id, project)
        if row is None:
            raise Unknown(f"ActionExecution not found [id={action_id}]")
        return row

    async def finish_action(self, project: str, action_id: str, result: Result) -> dict[str, Any]:
        """Report how an action ended that goes on without a worker; too late is no error."""
        await self.action(project, action_id)
        found = await self._store.read(partial(read_action, action_id=action_id))
        if found is not None:
            action, tree, owner = found
            if tree is None:
                await self._lone.end(owner, action_id, result)
            else:
                await self._runner.finish(tree, action.run_id, action_id, result)
        return await self.action(project, action_id)

    async def run_action(
        self, project: str, name: str, values: dict[str, Any], is_kept: bool
    ) -> ActionRun:
        """Perform a single action: kept, it goes on by itself; else how it ended is returned.

        One whose end is reported is always kept. Raises Wrong for what cannot be called.
        """
        now = self._now()
        action = ActionRun(self._new_id(), "", "", 0, name, values, created_at=now, updated_at=now)
        job = await self._lone.job(project, action)
        performed = self.actions.find(job.call.name)
        if is_kept or (performed is not None and performed.is_asynchronous):
            await self._lone.start(project, action)
            return action
        result = await self._lone.at_once(project, job)
        value = result.error if result.state is State.ERROR else result.value
        return replace(action, state=result.state, output={"result": value})

    async def delete_action(self, project: str, action_id: str) -> None:
        """Remove an action that no workflow runs and that has ended."""
        row = await self.action(project, action_id)
        if row["tree"] is not None:
            raise Forbidden("Only ad-hoc action execution can be deleted.")
        if not State(row["state"]).is_final:
            raise Forbidden("Only completed action execution can be deleted.")
        await self._store.transact(partial(remove_lone_action, action_id=action_id))

    async def environment(self, project: str, name: str) -> StoredEnvironment:
        """Return an environment. Raises Unknown."""
        found = await self._store.read(partial(find_environment, project=project, name=name))
        if found is None:
            raise Unknown(f"Environment not found [name={name}]")
        return found

    async def create_environment(self, item: StoredEnvironment) -> StoredEnvironment:
        """Keep an environment. Raises Taken."""
        made = replace(item, id=self._new_id(), created_at=self._now())
        most = self._settings.most_environments

        def insert(connection: Connection) -> None:
            if count_environments(connection, item.project) >= most:
                raise limit_reached("environments", most)
            try:
                insert_environment(connection, made)
            except NameTaken:
                raise Taken(
                    f"Duplicate entry for Environment ['name', 'project_id']: {item.name}, "
                    f"{item.project}"
                ) from None

        await self._store.transact(insert)
        return made

    async def update_environment(
        self, project: str, name: str, changes: Mapping[str, Any]
    ) -> StoredEnvironment:
        """Change an environment. Raises Unknown."""

        def save(connection: Connection) -> StoredEnvironment:
            present = find_environment(connection, project, name, to_change=True)
            if present is None:
                raise Unknown(f"Environment not found [name={name}]")
            changed = replace(present, **changes, updated_at=self._now())
            save_environment(connection, changed)
            return changed

        return await self._store.transact(save)

    async def delete_environment(self, project: str, name: str) -> None:
        """Remove an environment. Raises Unknown."""
        if not await self._store.transact(partial(remove_environment, project=project, name=name)):
            raise Unknown(f"Environment not found [name={name}]")

    async def trigger(self, project: str, name: str) -> Trigger:
        """Return a cron trigger. Raises Unknown."""
        found = await self._store.read(partial(find_trigger, project=project, name_or_id=name))
        if found is None:
            raise Unknown(f"Cron trigger not found [identifier={name}]")
        return found

    async def create_trigger(self, wanted: Trigger) -> Trigger:
        """Keep a cron trigger; its workflow may be named by id or name. Raises Wrong, Taken."""
        stored = await self.definitions.find(
            DefinitionKind.WORKFLOW, wanted.project, wanted.workflow_id or wanted.workflow_name
        )
        now = self._now()
        flow = await self._in_thread(partial(flow_of, stored))
        _check_input(flow.workflow, wanted.workflow_input)
        if wanted.first_at is not None and wanted.first_at < now:
            raise Wrong("'first_execution_time' must be in the future")
        if not wanted.pattern and wanted.first_at is None:
            raise Wrong("Pattern or first_execution_time must be specified.")
        next_at = wanted.first_at
        if wanted.pattern:
            following = next_time(wanted.pattern, now)
            next_at = following if next_at is None else next_at
        if next_at is None:
            raise Wrong(f"The specified pattern is not valid: {wanted.pattern} never comes")
        made = replace(
            wanted,
            id=self._new_id(),
            workflow_name=stored.name,
            workflow_id=stored.id,
            next_at=next_at,
            remaining=1 if not wanted.pattern else wanted.remaining,
            created_at=now,
        )
        most = self._settings.most_triggers

        def insert(connection: Connection) -> None:
            if count_triggers(connection, wanted.project) >= most:
                raise limit_reached("cron triggers", most)
            try:
                insert_trigger(connection, made)
            except NameTaken:
                raise Taken(
                    "Duplicate entry for cron trigger ['name', 'project_id']: "
                    f"{wanted.name}, {wanted.project}"
                ) from None

        await self._store.transact(insert)
        self._runner.wake(next_at)
        return made

    async def delete_trigger(self, project: str, name: str) -> None:
        """Remove a cron trigger. Raises Unknown."""
        if not await self._store.transact(
            partial(remove_trigger, project=project, name_or_id=name)
        ):
            raise Unknown(f"Cron trigger not found [identifier={name}]")

    async def start_triggered(self, trigger: Trigger, execution_id: str) -> None:
        """Start the workflow of a cron trigger as the execution with this id."""
        trigger_info = {"type": "cron_trigger", "id": trigger.id, "name": trigger.name}
        text = f"Workflow execution created by cron trigger '({trigger.id})'."
        description = json.dumps({"description": text, "triggered_by": trigger_info})
        await self.start(
            trigger.project,
            Wanted(
                trigger.workflow_id,
                execution_id,
                input=trigger.workflow_input,
                params=trigger.workflow_params,
                description=description,
            ),
        )

    async def _send(self, tree: str, handle: Handler) -> Any:
        try:
            return await self._runner.send(tree, handle)
        except NotAllowed as error:
            raise Wrong(str(error)) from None

    async def _params(self, project: str, params: Mapping[str, Any]) -> dict[str, Any]:
        env = params.get("env")
        if not isinstance(env, str):
            if env is not None and not isinstance(env, dict):
                raise Wrong("'env' must be a map, or the name of a stored environment")
            return dict(params)
        found = await self._store.read(partial(find_environment, project=project, name=env))
        if found is None:
            raise Wrong(f"Environment is not found: {env}")
        return {**params, "env": found.variables}

    async def _row(self, source: str, entry_id: str, project: str | None) -> dict[str, Any] | None:
        return await self._store.read(
            partial(one_row, source=source, entry_id=entry_id, project=project)
        )

    def _owned(self, row: dict[str, Any], project: str) -> dict[str, Any]:
        if row["project"] != project:
            raise Taken(f"Duplicate entry for WorkflowExecution ['id']: {row['id']}")
        return row


def _check_input(workflow: Workflow, given: Mapping[str, Any]) -> None:
    inputs = workflow.inputs
    missing = sorted(
        name for name, default in inputs.items() if default is REQUIRED and name not in given
    )
    unexpected = sorted(set(given) - set(inputs))
    if missing or unexpected:
        faults = [f"missing={missing}"] if missing else []
        faults += [f"unexpected={unexpected}"] if unexpected else []
        raise Wrong(f"Invalid input [name={workflow.name}, {', '.join(faults)}]")
