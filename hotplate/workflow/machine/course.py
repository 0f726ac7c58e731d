"""The course of a run: tasks begin, end, and lead to others until nothing is left to do."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from hotplate.workflow.language import Event, Task, Workflow
from hotplate.workflow.machine.context import Context, confluence, outbound
from hotplate.workflow.machine.effects import PauseChild, Paused
from hotplate.workflow.machine.ending import Ending
from hotplate.workflow.machine.joins import Joins
from hotplate.workflow.machine.ledger import Ledger
from hotplate.workflow.machine.policies import PolicyKeeper
from hotplate.workflow.machine.publishing import Command, commands, publish
from hotplate.workflow.machine.scope import Broken, Evaluation
from hotplate.workflow.machine.tools import Tools
from hotplate.workflow.machine.work import Work
from hotplate.workflow.model import State, TaskKind, TaskRun, Wait

_STOPS: Final = {"fail": State.ERROR, "succeed": State.SUCCESS}


class Course:
    """Carries a run on. Nothing here recurses: tasks to begin wait in a queue."""

    def __init__(self, definition: Workflow, ledger: Ledger, tools: Tools) -> None:
        self.evaluation = Evaluation(definition, ledger, tools)
        self.work = Work(definition, ledger, self.evaluation, tools)
        self.policies = PolicyKeeper(definition, ledger, self.evaluation, tools)
        self.ending = Ending(definition, ledger, self.evaluation)
        self.joins = Joins(definition, ledger)
        self._definition = definition
        self._ledger = ledger
        self._tools = tools
        self._queue: deque[TaskRun] = deque()
        self._begun = 0

    # -- from one task to the next

    def first(self) -> None:
        """Start the tasks that a run begins with."""
        if self._definition.reverse:
            self.start_required()
            return
        for task in self._definition.tasks.values():
            if not self._definition.inbound[task.name]:
                self._create(task, Context({}, {}), [])

    def start_required(self) -> None:
        """Start each task of a reverse workflow that is needed and has all it requires."""
        ledger, tasks = self._ledger, self._definition.tasks
        todo = [str(ledger.run.params.get("task_name"))]
        needed = dict.fromkeys(todo)
        while todo:
            for name in tasks[todo.pop()].requires:
                if name not in needed:
                    needed[name] = None
                    todo.append(name)
        for name in tasks:
            if name not in needed or name in ledger.by_name:
                continue
            rows = [row for each in tasks[name].requires for row in ledger.by_name.get(each, [])]
            done = {row.name for row in rows if row.state in (State.SUCCESS, State.SKIPPED)}
            if len(done) == len(tasks[name].requires):
                self._create(tasks[name], confluence(rows), [{"task_id": r.id} for r in rows])

    def _create(self, defined: Task, context: Context, triggers: list[dict[str, Any]]) -> None:
        self._check_count()
        task = self._ledger.add_task(
            defined.name,
            defined.kind,
            in_context=context.data,
            versions=context.versions,
            triggered_by=triggers,
        )
        self._queue.append(task)
        self.evaluation.weigh(context.data, "the context of a task")

    def _check_count(self) -> None:
        most = self._tools.limits.task_runs
        if self._ledger.run.task_runs >= most:
            raise Broken(f"the run has had {most} tasks, more are not allowed; is it a loop?")

    def dispatch(self, task: TaskRun, what: Iterable[Command]) -> None:
        """Start tasks and obey engine commands. What comes behind a pause is kept for later."""
        ledger = self._ledger
        for command in what:
            state = ledger.run.state
            if state.is_final:
                return
            if state is State.PAUSED:
                kept = {
                    "task_id": task.id,
                    "name": command.name,
                    "event": command.event.value,
                    "message": command.message,
                }
                ledger.change_run(backlog=[*ledger.run.backlog, kept])
            elif command.name in _STOPS:
                self.ending.stop(_STOPS[command.name], command.message)
            elif command.name == "pause":
                self.pause(command.message)
            elif command.name != "noop":
                self._lead(task, command)

    def _lead(self, source: TaskRun, command: Command) -> None:
        defined = self._definition.tasks[command.name]
        if defined.join is not None:
            self._check_count()
            self.joins.arrive(defined, source, command.event)
        else:
            trigger = {"task_id": source.id, "event": command.event.value}
            self._create(defined, outbound(source), [trigger])

    def take_backlog(self) -> None:
        """Do what was kept behind a pause."""
        kept = self._ledger.run.backlog
        self._ledger.change_run(backlog=[])
        for each in kept:
            command = Command(each["name"], Event(each["event"]), each["message"])
            self.dispatch(self._ledger.tasks[each["task_id"]], [command])

    def pause(self, reason: str | None) -> None:
        """Bring the run to a halt, and its children with it."""
        ledger = self._ledger
        ledger.change_run(state=State.PAUSED, state_info=reason)
        ledger.effect(Paused())
        for task in ledger.open.values():
            if task.kind is TaskKind.WORKFLOW:
                for child in self.work.under_way(task):
                    if child.child_id is not None and child.state is not State.PAUSED:
                        ledger.effect(PauseChild(child.child_id))

    # -- one task

    def enqueue(self, task: TaskRun) -> None:
        """Let a task that is IDLE begin when its turn comes."""
        self._queue.append(task)

    def _begin(self, task: TaskRun) -> None:
        ledger = self._ledger
        if self._begun >= self._tools.limits.work_per_step:
            ledger.change(task, due_at=ledger.now(), waiting_for=Wait.TURN)
            return
        self._begun += 1
        resumed = task.waiting_for is Wait.RESUME
        ledger.change(task, due_at=None, waiting_for=None)
        ledger.enter(task, State.RUNNING)
        if not resumed and self.policies.pauses(task):
            ledger.change(task, waiting_for=Wait.RESUME)
            ledger.enter(task, State.IDLE, "the run was paused before this task")
            self.pause(None)
        elif not self.policies.hold_back(task):
            self.call(task)

    def call(self, task: TaskRun) -> None:
        """Begin the work of a task."""
        self._ledger.change(task, due_at=None, waiting_for=None)
        if task.state is not State.RUNNING:
            self._ledger.enter(task, State.RUNNING)
        state = self.work.call(task)
        if state is not None:
            self.attempt_over(task, state, None)
        elif not self._ledger.tally(task.id).running:
            self.judge(task)

    def judge(self, task: TaskRun) -> None:
        """Find whether the calls of a task are over, or more are to be made."""
        outcome = self.work.outcome(task)
        if outcome is not None:
            for action in self.work.under_way(task):
                self._ledger.abandon(action, "another item was cancelled")
            self.attempt_over(task, *outcome)
        elif task.items is not None and task.concurrency and task.waiting_for is None:
            self.work.continue_items(task)

    def attempt_over(self, task: TaskRun, state: State, info: str | None) -> None:
        """A task has done its work once: it waits, tries again, or ends."""
        if state is not State.CANCELLED and self.policies.hold_on(task, state, info):
            return
        self._ledger.enter(task, state, info)
        publish(self._definition.tasks[task.name], task, self._ledger, self.evaluation)
        if state is State.SUCCESS and self.policies.fails(task):
            state = State.ERROR
            self._ledger.enter(task, state, "failed by fail-on")
        delay = self.policies.again(task, state)
        if delay is None:
            self.ended(task)
            return
        self.work.forget(task)
        self._ledger.change(task, items=None)
        self.policies.delay_retry(task, delay)

    def skip(self, task: TaskRun) -> None:
        """Take a task as done without its work."""
        self._ledger.enter(task, State.SKIPPED, "the task was skipped")
        publish(self._definition.tasks[task.name], task, self._ledger, self.evaluation)
        self.ended(task)

    def ended(self, task: TaskRun) -> None:
        """A task has ended for good: find out what follows."""
        ledger = self._ledger
        defined = self._definition.tasks[task.name]
        keep = defined.keep_result
        if not (self.evaluation.of_task(keep, task) if isinstance(keep, str) else keep):
            for action in ledger.actions_of(task):
                ledger.change_action(action, output={})
        ledger.change(task, timeout_at=None)
        self.joins.reconsider()
        if ledger.run.state is State.PAUSED:
            self._find_next(task)
        else:
            self.follow(task)

    def _find_next(self, task: TaskRun) -> list[Command]:
        if self._definition.reverse:
            return []
        defined = self._definition.tasks[task.name]
        found = list(commands(defined, task, self.evaluation))
        self._ledger.change(
            task,
            next_tasks=[[c.name, c.event.value] for c in found if c.name in self._definition.tasks],
            error_handled=task.state is State.ERROR and any(c.event is Event.ERROR for c in found),
        )
        return found

    def follow(self, task: TaskRun, ignore_pause: bool = False) -> None:
        """Start what a task that has ended leads to."""
        self._ledger.change(task, processed=True)
        if self._definition.reverse:
            self.start_required()
            return
        found = self._find_next(task)
        self.dispatch(task, [c for c in found if not (ignore_pause and c.name == "pause")])

    # -- the whole run

    def guarded(self, task: TaskRun, act: Callable[[TaskRun], None]) -> None:
        """Do something for a task; if the task itself is at fault, the run fails."""
        try:
            act(task)
        except Broken as broken:
            self.break_off(task, str(broken))

    def break_off(self, task: TaskRun, reason: str) -> None:
        """Fail a task and the run; no on-error is asked."""
        ledger = self._ledger
        for action in ledger.actions_of(task):
            ledger.abandon(action, "its task failed")
        ledger.change(task, processed=True, timeout_at=None)
        ledger.enter(task, State.ERROR, reason)
        if not ledger.run.state.is_final:
            self.ending.stop(State.ERROR, f"task {task.name} failed: {reason}")

    def settle(self) -> None:
        """Go on until nothing more can be done for now; end the run if it is over."""
        ledger = self._ledger
        while ledger.run.state is State.RUNNING:
            if self._queue:
                self.guarded(self._queue.popleft(), self._begin)
                continue
            decided = self.joins.decide()
            if not decided:
                break
            for row, fault in decided:
                if ledger.run.state is State.RUNNING:
                    self.guarded(row, self._fail_join(fault) if fault else self._start_join)
        self._queue.clear()
        self._begun = 0
        self.ending.end_if_done()

    def _start_join(self, row: TaskRun) -> None:
        self._take_contexts(row)
        self._ledger.change(row, satisfied=True)
        self._ledger.enter(row, State.IDLE)
        self.enqueue(row)

    def _take_contexts(self, row: TaskRun) -> None:
        context = confluence(self._ledger.tasks[t["task_id"]] for t in row.triggered_by)
        self._ledger.change(row, in_context=context.data, versions=context.versions)
        self.evaluation.weigh(context.data, "the context of a task")

    def _fail_join(self, fault: str) -> Callable[[TaskRun], None]:
        def fail(row: TaskRun) -> None:
            self._take_contexts(row)
            self._ledger.enter(row, State.ERROR, fault)
            publish(self._definition.tasks[row.name], row, self._ledger, self.evaluation)
            self.ended(row)

        return fail
