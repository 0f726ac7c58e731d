"""Actions that no workflow runs: somebody asked for just them."""

from functools import partial
from typing import Final

from hotplate.engine.store import Store
from hotplate.flows.library import Library
from hotplate.flows.runner import MakeTools, Performer, Runner
from hotplate.flows.tools import FlowTools
from hotplate.flows.tree import Desk, Job, Later
from hotplate.store.workflow_actions import (
    end_lone_action,
    insert_lone_action,
    lay_action_aside,
)
from hotplate.store.workflow_runs import (
    HELD,
    Placed,
    read_action,
)
from hotplate.workflow.language import AdhocAction, workflow_of
from hotplate.workflow.machine import InvalidCall, Machine, Result, Rows
from hotplate.workflow.model import ActionRun, State, TaskRun, WorkflowRun

_ALONE: Final = "version: '2.0'\nalone: {tasks: {alone: {action: std.noop}}}\n"


class Unfolding:
    """Ad-hoc actions outside of workflows, seen as the only task of a run. For threads."""

    def __init__(self, library: Library, tools: MakeTools, desk: Desk) -> None:
        self._library = library
        self._tools = tools
        self._desk = desk

    def job(self, project: str, action: ActionRun) -> Job | Result:
        """Return what an action comes down to, or how it ends because it cannot be called."""

        def find(name: str) -> AdhocAction | None:
            return None if self._desk.knows(name) else self._library.adhoc(project, name, "", "")

        machine = self._machine(project, action)
        try:
            return Job(machine.run, action, machine.unfold(action.id, find))
        except InvalidCall as error:
            return Result(failed=True, error=str(error))

    def converted(self, project: str, job: Job, result: Result) -> Result:
        """Return a result as the ad-hoc actions around a call give it."""
        return self._machine(project, job.action).converted(job.action.id, job.call, result)

    def after_wait(self, project: str, job: Job) -> Result:
        """Return how an action ends that only waited."""
        return self.converted(project, job, self._desk.after_wait(job.call))

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
        self._runner = runner
        self._performer = performer
        self._unfolding = unfolding

    async def at_once(self, project: str, action: ActionRun) -> Result | Later:
        """Perform an action that nobody keeps, and return how it ended."""
        job = await self._in_thread(lambda: self._unfolding.job(project, action))
        if isinstance(job, Result):
            return job
        result = await self._performer.perform(job.run, action, job.call)
        if isinstance(result, Later):
            return result
        return await self._in_thread(lambda: self._unfolding.converted(project, job, result))

    async def start(self, project: str, action: ActionRun) -> None:
        """Keep an action and begin it."""
        placed = Placed(action, HELD, self._identity.id)
        await self._store.transact(partial(insert_lone_action, placed=placed, project=project))
        self._runner.hold(action.id, self._performed(project, action))

    async def go_on(self, project: str, action_id: str) -> None:
        """Perform a kept action that is in this worker's hands."""
        found = await self._store.read(partial(read_action, action_id=action_id))
        if found is not None:
            await self._performed(project, found[0])

    async def wait_over(self, project: str, action_id: str) -> None:
        """End a kept action that has waited long enough."""
        found = await self._store.read(partial(read_action, action_id=action_id))
        if found is None:
            return
        job = await self._in_thread(lambda: self._unfolding.job(project, found[0]))
        if isinstance(job, Job):
            ready = job
            job = await self._in_thread(lambda: self._unfolding.after_wait(project, ready))
        await self.end(action_id, job)

    async def end(self, action_id: str, result: Result) -> bool:
        """Note how an action ended; False if it had ended already."""
        output = {"result": result.error if result.state is State.ERROR else result.value}
        end = partial(
            end_lone_action,
            action_id=action_id,
            state=result.state,
            output=output,
            now=self._now(),
        )
        return await self._store.transact(end)

    async def _performed(self, project: str, action: ActionRun) -> None:
        result = await self.at_once(project, action)
        if isinstance(result, Result):
            await self.end(action.id, result)
            return
        lay = partial(lay_action_aside, action_id=action.id, due=result.due)
        await self._store.transact(lay)
        if result.due is not None:
            self._runner.wake(result.due)
