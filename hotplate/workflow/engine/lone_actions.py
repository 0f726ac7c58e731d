"""Actions that are requested by themselves, without a workflow."""

import asyncio
from functools import partial
from typing import Final

from sqlalchemy import Connection

from hotplate.engine.store import Store
from hotplate.store.workflows.actions import (
    count_lone_actions,
    detach_action,
    end_lone_action,
    insert_lone_action,
)
from hotplate.store.workflows.runs import HELD, READY, Placed, read_action
from hotplate.workflow.engine.context import FlowTools
from hotplate.workflow.engine.library import Library
from hotplate.workflow.engine.refusals import Wrong, limit_reached
from hotplate.workflow.engine.runner import MakeTools, Performer, Runner
from hotplate.workflow.engine.tree import CallGateway, Job, Later
from hotplate.workflow.language import AdhocAction, workflow_of
from hotplate.workflow.machine import InvalidCall, Machine, Result, Rows
from hotplate.workflow.model import ActionRun, State, TaskRun, WorkflowRun

_ALONE: Final = "version: '2.0'\nalone: {tasks: {alone: {action: std.noop}}}\n"

LONGEST_WAIT: Final = 60.0
"""Seconds that the request for an action waits for the end of its pause."""


class Unfolding:
    """Ad-hoc actions without a workflow, seen as the only task of a run. For threads."""

    def __init__(self, library: Library, tools: MakeTools, gateway: CallGateway) -> None:
        self._library = library
        self._tools = tools
        self._gateway = gateway

    def job(self, project: str, action: ActionRun) -> Job | Result:
        """Return what an action comes down to, or how it ends because it cannot be called."""

        def find(name: str) -> AdhocAction | None:
            return None if self._gateway.knows(name) else self._library.adhoc(project, name, "", "")

        machine = self._machine(project, action)
        try:
            return Job(machine.run, action, machine.unfold(action.id, find))
        except InvalidCall as error:
            return Result(broken=True, error=str(error))

    def converted(self, project: str, job: Job, result: Result) -> Result:
        """Return a result as the ad-hoc actions around a call give it."""
        return self._machine(project, job.action).converted(job.action.id, job.call, result)

    def after_wait(self, project: str, job: Job) -> Result:
        """Return how an action ends that only waited."""
        return self.converted(project, job, self._gateway.after_wait(job.call))

    def _machine(self, project: str, action: ActionRun) -> Machine:
        run = WorkflowRun(action.id, "alone", _ALONE, project=project, state=State.RUNNING)
        task = TaskRun(action.id, run.id, 1, "alone", state=State.RUNNING)
        known = ActionRun(action.id, run.id, task.id, 1, action.name, action.input)
        tools = self._tools(project)
        return Machine(workflow_of(_ALONE, "alone"), Rows(run, [task], [known]), tools)


class LoneActions:
    """Performs single actions; those that are kept survive their process as others do."""

    def __init__(
        self, tools: FlowTools, runner: Runner, performer: Performer, unfolding: Unfolding
    ) -> None:
        self._store: Store = tools.store
        self._identity = tools.identity
        self._in_thread = tools.in_thread
        self._now = tools.now
        self._most = tools.settings.most_executions
        self._runner = runner
        self._performer = performer
        self._unfolding = unfolding
        self._turns = asyncio.Semaphore(tools.settings.actions_at_once)

    async def job(self, project: str, action: ActionRun) -> Job:
        """Return what an action comes down to. Raises Wrong if it cannot be called."""
        job = await self._in_thread(lambda: self._unfolding.job(project, action), project)
        refusal = str(job.error) if isinstance(job, Result) else self._performer.refusal(job.call)
        if isinstance(job, Result) or refusal:
            raise Wrong(refusal)
        return job

    async def at_once(self, project: str, job: Job) -> Result:
        """Perform an action that is not stored, and return how it ended.

        Raises Wrong if that would take long.
        """
        async with self._turns:
            result = await self._performer.perform(job.run, job.action, job.call)
        if isinstance(result, Result):
            return await self._in_thread(
                lambda: self._unfolding.converted(project, job, result), project
            )
        seconds = None if result.due is None else result.due - self._now()
        if seconds is None or seconds > LONGEST_WAIT:
            raise Wrong(
                f"{job.call.name} takes more than {LONGEST_WAIT:g} seconds; keep its result with "
                "save_result, and read it later"
            )
        await asyncio.sleep(max(0.0, seconds))
        return await self._in_thread(lambda: self._unfolding.after_wait(project, job), project)

    async def start(self, project: str, action: ActionRun) -> None:
        """Keep an action and begin it. Raises Forbidden if the project has too many."""
        await self._runner.uninterrupted(self._start(project, action))

    async def _start(self, project: str, action: ActionRun) -> None:
        is_mine = self._runner.free_for(project) > 0
        hand = (HELD, self._identity.id) if is_mine else (READY, None)

        def insert(connection: Connection) -> None:
            if count_lone_actions(connection, project) >= self._most:
                raise limit_reached("actions that no workflow runs", self._most)
            insert_lone_action(connection, Placed(action, *hand), project)

        await self._store.transact(insert)
        if is_mine:
            self._runner.hold(action.id, project, self._performed(project, action))
        else:
            self._runner.wake(None)

    async def go_on(self, project: str, action_id: str) -> None:
        """Perform a kept action that is in this worker's hands."""
        found = await self._runner.patiently(partial(read_action, action_id=action_id))
        if found is not None:
            await self._performed(project, found[0])

    async def wait_over(self, project: str, action_id: str) -> None:
        """End a kept action that has waited long enough."""
        found = await self._store.read(partial(read_action, action_id=action_id))
        if found is None:
            return
        job = await self._in_thread(lambda: self._unfolding.job(project, found[0]), project)
        if isinstance(job, Job):
            ready = job
            job = await self._in_thread(lambda: self._unfolding.after_wait(project, ready), project)
        await self.end(project, action_id, job)

    async def end(self, project: str, action_id: str, result: Result) -> bool:
        """Note how an action ended; False if it had ended already."""
        output = {"result": result.error if result.state is State.ERROR else result.value}
        end = partial(
            end_lone_action,
            project=project,
            action_id=action_id,
            state=result.state,
            output=output,
            now=self._now(),
        )
        return await self._runner.patiently(end)

    async def _performed(self, project: str, action: ActionRun) -> None:
        job = await self._in_thread(lambda: self._unfolding.job(project, action), project)
        result: Result | Later = (
            job
            if isinstance(job, Result)
            else await self._performer.perform(job.run, action, job.call)
        )
        if isinstance(result, Later):
            detach = partial(detach_action, action_id=action.id, due=result.due)
            await self._runner.patiently(detach)
            if result.due is not None:
                self._runner.wake(result.due)
            return
        if isinstance(job, Job):
            ready, plain = job, result
            result = await self._in_thread(
                lambda: self._unfolding.converted(project, ready, plain), project
            )
        await self.end(project, action.id, result)
