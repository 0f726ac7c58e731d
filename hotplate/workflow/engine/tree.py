"""A run and its sub-workflows: one step of them all, from what happened to what has to be written.

Runs in any one thread at a time. Nothing here waits or writes: a step gives a `TreeChange`, and
what is to be done once that is committed. If it cannot be committed, the tree is thrown away and
read again.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from hotplate.store.workflows.runs import HELD, READY, Placed, TreeChange
from hotplate.workflow.engine.library import Flow, Library
from hotplate.workflow.engine.refusals import no_execution
from hotplate.workflow.language import AdhocAction, workflow_of
from hotplate.workflow.machine import (
    Call,
    CancelAction,
    CancelChild,
    Effect,
    Ended,
    InvalidCall,
    InvalidInput,
    Machine,
    NotAllowed,
    Order,
    PauseChild,
    Paused,
    Perform,
    Result,
    ResumeChild,
    Resumed,
    Rows,
    StartChild,
    Step,
    Tools,
    WakeAt,
    new_run,
)
from hotplate.workflow.model import ActionRun, State, TaskRun, WorkflowRun

MOST_AT_ONCE = 500
"""Actions that are carried out within one step, because they touch nothing."""


Transition = Callable[[Machine], Step]
"""Something that happens to one run."""


@dataclass(frozen=True, slots=True)
class Later:
    """An action that only waits: it ends at ``due``, or without one when its end is reported."""

    due: float | None


class CallGateway(Protocol):
    """The way to the actions: which there are, and which calls need not be performed."""

    def knows(self, name: str) -> bool:
        """Return whether an action of the program has this name."""
        ...

    def at_once(self, call: Call, now: float) -> Result | Later | None:
        """Return the end of a call that touches nothing; None if it must be performed."""
        ...

    def after_wait(self, call: Call) -> Result:
        """Return how a call ends that only waited."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """An action that has to be performed, and what it comes down to."""

    run: WorkflowRun
    action: ActionRun
    call: Call


@dataclass(slots=True)
class Outcome:
    """What is to be done when a step has been committed."""

    perform: list[Job] = field(default_factory=list)
    """In this worker's hands."""

    due_now: list[tuple[str, str]] = field(default_factory=list)
    """Runs and tasks of them that want to go on at once, in a step of their own."""

    are_more_ready: bool = False
    cancelled: list[str] = field(default_factory=list)
    """Actions whose outcome does not matter any more."""

    due: float | None = None
    """The earliest time that something new waits for."""

    ended: list[WorkflowRun] = field(default_factory=list)


class Tree:
    """All runs below one root. Nothing else may change their rows while it is used."""

    def __init__(
        self,
        root_id: str,
        project: str,
        revision: int | None,
        library: Library,
        tools: Tools,
        gateway: CallGateway,
    ) -> None:
        self.root_id = root_id
        self.project = project
        self.weight = 0
        """Characters of data in memory, when a step was last committed."""

        self._revision = revision
        self._library = library
        self._tools = tools
        self._gateway = gateway
        self._machines: dict[str, Machine] = {}
        self._parents: dict[str, str] = {}
        self._stored: set[str] = set()
        self._not_begun: set[str] = set()
        """Children that this step asked for and that have not begun."""
        self._runs: dict[str, WorkflowRun] = {}
        self._tasks: dict[str, TaskRun] = {}
        self._actions: dict[str, ActionRun] = {}
        self._tags: dict[str, tuple[str, ...]] = {}
        self._waiting: dict[str, Later] = {}
        self._performs: dict[str, Job] = {}
        self._queue: deque[tuple[str, Effect]] = deque()
        self._at_once = 0
        self._outcome = Outcome()

    @property
    def root(self) -> WorkflowRun:
        """The run that all others are below."""
        return self._machine(self.root_id).run

    @property
    def is_over(self) -> bool:
        """Whether the root has ended."""
        return self.root.state.is_final

    def run(self, run_id: str) -> WorkflowRun:
        """Return a run of the tree as it stands. Raises Unknown."""
        return self._machine(run_id).run

    def begin(self, flow: Flow, order: Order) -> WorkflowRun:
        """Start the root. Raises InvalidInput."""
        run = new_run(flow.workflow, order, self._tools)
        self._add(run, flow)
        self.apply(run.id, Machine.begin)
        return self.root

    def apply(self, run_id: str, transition: Transition) -> None:
        """Let something happen to a run, and do all that follows in the whole tree.

        Raises NotAllowed, and then nothing has changed.
        """
        self._record(run_id, transition(self._machine(run_id)))
        while self._queue:
            owner, effect = self._queue.popleft()
            self._follow(owner, effect)

    def action_finished(self, job: Job, result: Result) -> None:
        """An action that was performed has ended."""
        action_id = job.action.id

        def finish(machine: Machine) -> Step:
            return machine.action_finished(
                action_id, machine.converted(action_id, job.call, result)
            )

        self.apply(job.run.id, finish)

    def wait_over(self, run_id: str, action_id: str) -> None:
        """An action has waited long enough."""
        found = self.job(run_id, action_id)
        if isinstance(found, Job):
            self.action_finished(found, self._gateway.after_wait(found.call))
        elif found is not None:
            self.apply(run_id, lambda machine: machine.action_finished(action_id, found))

    def job(self, run_id: str, action_id: str) -> Job | Result | None:
        """Return what an action comes down to, or how it ends because it cannot be called.

        None if it has ended.
        """
        machine = self._machine(run_id)
        action = machine.actions.get(action_id)
        if action is None or action.state.is_final:
            return None
        return self._job(machine, action)

    def _job(self, machine: Machine, action: ActionRun) -> Job | Result:
        run = machine.run

        def find(name: str) -> AdhocAction | None:
            if self._gateway.knows(name):
                return None
            return self._library.adhoc(self.project, name, run.namespace, run.workbook)

        try:
            return Job(run, action, machine.unfold(action.id, find))
        except InvalidCall as error:
            return Result(broken=True, error=str(error))

    def task_result(self, run_id: str, task_id: str) -> Any:
        """Return the result of a task."""
        return self._machine(run_id).task_result(task_id)

    def change(self, worker_id: int | None, free: int) -> TreeChange | None:
        """Return what the step changed, None for nothing.

        Up to ``free`` actions are put into the hands of the worker, the others wait for anyone.
        """
        if not (self._runs or self._tasks or self._actions):
            return None
        change = TreeChange(self.root_id, self.project, self._revision, tags=self._tags)
        for run in self._runs.values():
            (change.runs if run.id in self._stored else change.new_runs).append(run)
        for task in self._tasks.values():
            (change.tasks if task.id in self._stored else change.new_tasks).append(task)
            if task.wake_at is not None:
                self._note_due(task.wake_at)
        for action in self._actions.values():
            if action.id in self._stored:
                change.actions.append(action)
                continue
            placed = self._placed(action, worker_id if free > 0 else None)
            free -= placed.hand == HELD
            change.new_actions.append(placed)
        return change

    def committed(self) -> Outcome:
        """Take the step as written; return what is to be done now."""
        self._revision = 0 if self._revision is None else self._revision + 1
        outcome, self._outcome = self._outcome, Outcome()
        self._stored.update(self._runs, self._tasks, self._actions)
        for run in outcome.ended:
            if run.id != self.root_id:
                self._machines.pop(run.id, None)
        self.weight = sum(machine.run.weight for machine in self._machines.values())
        for kept in (
            self._runs, self._tasks, self._actions, self._tags, self._waiting, self._performs,
            self._not_begun,
        ):  # fmt: skip
            kept.clear()
        self._at_once = 0
        return outcome

    def _placed(self, action: ActionRun, worker_id: int | None) -> Placed:
        if action.state.is_final or action.id not in self._performs:
            later = self._waiting.get(action.id)
            if later is None or action.state.is_final:
                return Placed(action)
            if later.due is not None:
                self._note_due(later.due)
            return Placed(action, due=later.due)
        if worker_id is None:
            self._outcome.are_more_ready = True
            return Placed(action, READY)
        self._outcome.perform.append(self._performs[action.id])
        return Placed(action, HELD, worker_id)

    def _note_due(self, at: float) -> None:
        due = self._outcome.due
        self._outcome.due = at if due is None else min(due, at)

    def _machine(self, run_id: str) -> Machine:
        machine = self._machines.get(run_id)
        if machine is None:
            stored = self._library.stored(run_id)
            if stored is None or stored.tree != self.root_id:
                raise no_execution(run_id)
            run = stored.run
            machine = Machine(
                workflow_of(run.definition, run.workflow_name, run.workbook),
                Rows(run, stored.tasks, stored.actions),
                self._tools,
            )
            self._machines[run_id] = machine
            self._stored.add(run_id)
            self._stored.update(task.id for task in stored.tasks)
            self._stored.update(action.id for action in stored.actions)
        return machine

    def _add(self, run: WorkflowRun, flow: Flow) -> None:
        self._machines[run.id] = Machine(flow.workflow, Rows(run), self._tools)
        self._not_begun.discard(run.id)
        self._runs[run.id] = run
        self._tags[run.id] = flow.workflow.tags

    def _record(self, run_id: str, step: Step) -> None:
        if step.run is not None:
            self._runs[run_id] = step.run
        self._tasks.update((task.id, task) for task in step.tasks)
        self._actions.update((action.id, action) for action in step.actions)
        self._not_begun.update(
            action.child_id
            for action in step.actions
            if action.child_id is not None
            and action.child_id not in self._machines
            and action.id not in self._stored
        )
        self._queue.extend((run_id, effect) for effect in step.effects)

    def _apply(self, run_id: str, transition: Transition) -> None:
        self._record(run_id, transition(self._machine(run_id)))

    def _apply_to_child(self, run_id: str, transition: Transition) -> None:
        """Do it to a child, unless that was given up before it began: then there is no such run."""
        if run_id not in self._not_begun:
            self._apply(run_id, transition)

    def _follow(self, owner: str, effect: Effect) -> None:
        match effect:
            case Perform():
                self._perform(owner, effect)
            case StartChild():
                self._start_child(owner, effect)
            case Ended():
                self._end(owner, effect)
            case CancelAction():
                self._performs.pop(effect.action_id, None)
                self._waiting.pop(effect.action_id, None)
                self._outcome.cancelled.append(effect.action_id)
            case CancelChild():
                self._apply_to_child(effect.child_id, lambda machine: machine.cancel(effect.reason))
            case PauseChild():
                self._apply_to_child(effect.child_id, _pause)
            case ResumeChild():
                self._apply_to_child(effect.child_id, _resume)
            case Paused():
                self._notify_parent(owner, State.PAUSED)
            case Resumed():
                self._notify_parent(owner, State.RUNNING)
            case WakeAt():
                # The row has it; what wants to go on at once need not wait for a sweep.
                if effect.due is not None and effect.due <= self._tools.now():
                    self._outcome.due_now.append((owner, effect.task_id))

    def _perform(self, owner: str, effect: Perform) -> None:
        action = effect.action
        job = self._job(self._machine(owner), action)
        if isinstance(job, Result):
            self._apply(owner, lambda machine: machine.action_finished(action.id, job))
            return
        found: Result | Later | None = None
        if self._at_once < MOST_AT_ONCE:
            self._at_once += 1
            found = self._gateway.at_once(job.call, self._tools.now())
        if isinstance(found, Result):
            result = found
            self._apply(
                owner,
                lambda machine: machine.action_finished(
                    action.id, machine.converted(action.id, job.call, result)
                ),
            )
        elif found is not None:
            self._waiting[action.id] = found
        else:
            self._performs[action.id] = job

    def _start_child(self, owner: str, effect: StartChild) -> None:
        if not self._machine(owner).is_wanted(effect.action_id):
            return
        try:
            self._apply(self.root_id, Machine.take_in)
        except NotAllowed as full:
            refusal = str(full)
            self._apply(owner, lambda machine: machine.child_refused(effect.action_id, refusal))
            return
        parent = self._machine(owner).run
        reason = ""
        flow = self._library.flow(self.project, effect.workflow, parent.namespace, parent.workbook)
        if flow is None:
            reason = (
                f"Workflow not found [workflow_identifier={effect.workflow}, "
                f"namespace={parent.namespace}]"
            )
        else:
            order = Order(
                run_id=effect.child_id,
                values=effect.values,
                workflow_id=flow.stored.id,
                namespace=parent.namespace,
                project=self.project,
                description="sub-workflow execution",
                parent=(parent, self._machine(owner).actions[effect.action_id]),
            )
            try:
                child = new_run(flow.workflow, order, self._tools)
            except InvalidInput as error:
                reason = str(error)
        if flow is None or reason:
            self._apply(
                owner,
                lambda machine: machine.child_finished(effect.action_id, State.ERROR, reason, {}),
            )
            return
        self._parents[child.id] = owner
        self._add(child, flow)
        self._apply(child.id, Machine.begin)

    def _end(self, owner: str, effect: Ended) -> None:
        run = self._machine(owner).run
        self._outcome.ended.append(run)
        action_id = run.parent_action_id
        parent = self._parent(run)
        if parent is None or action_id is None:
            return
        self._apply(
            parent,
            lambda machine: machine.child_finished(
                action_id, effect.state, effect.state_info, effect.output
            ),
        )

    def _notify_parent(self, owner: str, state: State) -> None:
        run = self._machine(owner).run
        action_id = run.parent_action_id
        parent = self._parent(run)
        if parent is not None and action_id is not None:
            self._apply(parent, lambda machine: machine.child_changed(action_id, state))

    def _parent(self, run: WorkflowRun) -> str | None:
        if run.parent_task_id is None:
            return None
        found = self._parents.get(run.id)
        if found is None:
            found = self._library.parent_of(run.parent_task_id)
            if found is not None:
                self._parents[run.id] = found
        return found


def _pause(machine: Machine) -> Step:
    return machine.pause() if machine.run.state is State.RUNNING else Step()


def _resume(machine: Machine) -> Step:
    return machine.resume() if machine.run.state is State.PAUSED else Step()


Handler = Callable[[Tree], Any]
"""What a tree does with a message; returns the answer for the sender."""
