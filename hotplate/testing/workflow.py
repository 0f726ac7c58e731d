"""Workflows without a server: definitions, a clock that jumps, and the std actions in memory.

For trying workflows out, and for the tests of the machine: the order of what happens at the same
time can be chosen, and every step can be followed by a crash.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from hotplate.workflow.actions import Actions, Pause
from hotplate.workflow.expressions import Expressions
from hotplate.workflow.language import (
    AdhocAction,
    Workflow,
    read_actions,
    read_workbook,
    read_workflows,
    workflow_of,
)
from hotplate.workflow.machine import (
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
    RunLimits,
    StartChild,
    Step,
    Tools,
    WakeAt,
    new_run,
)
from hotplate.workflow.model import ActionRun, State, TaskKind, TaskRun, Wait, WorkflowRun

RowT = TypeVar("RowT", WorkflowRun, TaskRun, ActionRun)

MOST_EVENTS = 100_000


@dataclass(slots=True)
class _Stored:
    """The rows of a run as a database would have them: as text."""

    run: str = ""
    tasks: dict[str, str] = field(default_factory=dict)
    actions: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Event:
    """Something that happens to a run at some time."""

    due: float
    run_id: str
    about: str
    apply: Callable[[Machine], Step]


class MemoryWorkflows:
    """Runs workflows in memory.

    ``choose`` picks one of so many events that could happen now; the first one unless told
    otherwise. With ``crashing`` every step is followed by a crash: machines are made anew from
    their rows, and what was under way begins again.
    """

    def __init__(
        self,
        actions: Actions | None = None,
        choose: Callable[[int], int] | None = None,
        crashing: bool = False,
        limits: RunLimits | None = None,
    ) -> None:
        self.now = 1_000_000.0
        self.performed: list[tuple[str, dict[str, Any]]] = []
        """Name and input of every action, in the order of their beginning."""
        self._actions = actions or Actions()
        self._choose = choose or (lambda count: 0)
        self._crashing = crashing
        self._expressions = Expressions()
        self._tools = Tools(
            self._expressions,
            lambda: self.now,
            self._new_id,
            limits=limits or RunLimits(),
        )
        self._ids = 0
        self._workflows: dict[str, Workflow] = {}
        self._adhoc: dict[str, AdhocAction] = {}
        self._machines: dict[str, Machine] = {}
        self._stored: dict[str, _Stored] = {}
        self._events: list[_Event] = []
        self._count = 0

    def _new_id(self) -> str:
        self._ids += 1
        return f"00000000-0000-4000-8000-{self._ids:012d}"

    # -- definitions

    def add_workflows(self, text: str) -> None:
        """Take a list of workflows. Raises InvalidDocument."""
        for workflow in read_workflows(text, self._expressions.check):
            self._workflows[workflow.name] = workflow

    def add_workbook(self, text: str) -> None:
        """Take a workbook. Raises InvalidDocument."""
        book = read_workbook(text, self._expressions.check)
        self._workflows.update({workflow.name: workflow for workflow in book.workflows})
        self._adhoc.update({action.name: action for action in book.actions})

    def add_actions(self, text: str) -> None:
        """Take a list of ad-hoc actions. Raises InvalidDocument."""
        for action in read_actions(text, self._expressions.check):
            self._adhoc[action.name] = action

    # -- runs

    def start(self, workflow: str, values: dict[str, Any] | None = None, **params: Any) -> str:
        """Begin a run and return its id. Raises InvalidInput."""
        order = Order(self._new_id(), values or {}, params)
        return self._begin(self._workflows[workflow], order)

    def _begin(self, definition: Workflow, order: Order) -> str:
        run = new_run(definition, order, self._tools)
        self._stored[run.id] = _Stored(_text(run))
        self.apply(run.id, Machine.begin)
        return run.id

    def machine(self, run_id: str) -> Machine:
        """Return the machine of a run, made from its rows if need be."""
        found = self._machines.get(run_id)
        if found is None:
            stored = self._stored[run_id]
            run = _row(WorkflowRun, stored.run)
            rows = Rows(
                run,
                [_row(TaskRun, text) for text in stored.tasks.values()],
                [_row(ActionRun, text) for text in stored.actions.values()],
            )
            definition = workflow_of(run.definition, run.workflow_name, run.workbook)
            found = self._machines[run_id] = Machine(definition, rows, self._tools)
        return found

    def run(self, run_id: str) -> WorkflowRun:
        """Return a run as it stands."""
        return self.machine(run_id).run

    def apply(self, run_id: str, event: Callable[[Machine], Step]) -> None:
        """Let something happen to a run, write what it changes and do what it asks for."""
        for effect in self._stepped(run_id, event).effects:
            self._do(run_id, effect)
        if self._crashing:
            self._crash()

    def _stepped(self, run_id: str, event: Callable[[Machine], Step]) -> Step:
        step = event(self.machine(run_id))
        stored = self._stored[run_id]
        if step.run is not None:
            stored.run = _text(step.run)
        stored.tasks.update({task.id: _text(task) for task in step.tasks})
        stored.actions.update({action.id: _text(action) for action in step.actions})
        return step

    def _crash(self) -> None:
        """Forget all but the rows; what they say is under way begins again, in the same order."""
        self._machines.clear()
        before = self._events
        self._events = [event for event in before if event.about.startswith("family")]
        for run_id in self._stored:
            machine = self.machine(run_id)
            if not machine.run.state.is_final:
                for effect in machine.outstanding():
                    self._do(run_id, effect, again=True)
        places = {(event.run_id, event.about): place for place, event in enumerate(before)}
        self._events.sort(key=lambda event: places.get((event.run_id, event.about), len(places)))

    def settle(self, until: float | None = None) -> None:
        """Let everything happen that will, up to a moment if one is given."""
        while self._events:
            self._count += 1
            if self._count > MOST_EVENTS:
                raise RuntimeError(f"more than {MOST_EVENTS} events: does this ever end?")
            soonest = min(event.due for event in self._events)
            if until is not None and soonest > until:
                break
            self.now = max(self.now, soonest)
            ready = [event for event in self._events if event.due <= self.now]
            event = ready[self._choose(len(ready))]
            self._events.remove(event)
            self.apply(event.run_id, event.apply)
        if until is not None:
            self.now = max(self.now, until)

    # -- effects

    def _expect(
        self, due: float, run_id: str, about: str, apply: Callable[[Machine], Step]
    ) -> None:
        self._events = [
            event for event in self._events if event.about != about or event.run_id != run_id
        ]
        self._events.append(_Event(due, run_id, about, apply))

    def _do(self, run_id: str, effect: Effect, again: bool = False) -> None:
        match effect:
            case Perform(action):
                self._perform(run_id, action, again)
            case StartChild() as start:
                if start.child_id not in self._stored:
                    self._start_child(run_id, start)
            case WakeAt(task_id, due) if due is not None:
                self._expect(due, run_id, f"time {task_id}", lambda m: m.timer(task_id, self.now))
            case WakeAt(task_id):
                self._forget(run_id, f"time {task_id}")
            case CancelAction(action_id):
                self._forget(run_id, f"action {action_id}")
            case CancelChild(child_id, reason):
                self._order(child_id, "cancel", lambda m: m.cancel(reason))
            case PauseChild(child_id):
                self._order(child_id, "pause", _pause)
            case ResumeChild(child_id):
                self._order(child_id, "resume", _resume)
            case Paused():
                self._report(run_id, "paused", State.PAUSED)
            case Resumed():
                self._report(run_id, "resumed", State.RUNNING)
            case Ended(state, info, output):
                self._end(run_id, state, info, output)

    def _forget(self, run_id: str, about: str) -> None:
        self._events = [
            event for event in self._events if event.about != about or event.run_id != run_id
        ]

    def _order(self, child_id: str, what: str, apply: Callable[[Machine], Step]) -> None:
        if child_id in self._stored:
            self._expect(self.now, child_id, f"family {what}", apply)

    def _report(self, run_id: str, what: str, state: State) -> None:
        run = self._run_of(run_id)
        if run.parent_action_id is not None:
            action_id = run.parent_action_id
            self._expect(
                self.now,
                self._parent_of(run),
                f"family {what} {action_id}",
                lambda m: m.child_changed(action_id, state),
            )

    def _end(self, run_id: str, state: State, info: str | None, output: dict[str, Any]) -> None:
        run = self._run_of(run_id)
        if run.parent_action_id is not None:
            action_id = run.parent_action_id
            self._expect(
                self.now,
                self._parent_of(run),
                f"family ended {action_id}",
                lambda m: m.child_finished(action_id, state, info, output),
            )

    def _run_of(self, run_id: str) -> WorkflowRun:
        return _row(WorkflowRun, self._stored[run_id].run)

    def _parent_of(self, run: WorkflowRun) -> str:
        return next(
            run_id
            for run_id, stored in self._stored.items()
            if run.parent_action_id in stored.actions
        )

    def _start_child(self, run_id: str, start: StartChild) -> None:
        parent = self._run_of(run_id)
        action = _row(ActionRun, self._stored[run_id].actions[start.action_id])
        short = f"{parent.workbook}.{start.workflow}"
        definition = self._workflows.get(short) or self._workflows.get(start.workflow)
        if not self.machine(run_id).is_wanted(start.action_id):
            return
        try:
            self._stepped(parent.root_id or parent.id, Machine.take_in)
        except NotAllowed as full:
            said = str(full)
            about = f"family ended {start.action_id}"
            self._expect(self.now, run_id, about, lambda m: m.child_refused(start.action_id, said))
            return
        try:
            if definition is None:
                raise InvalidInput(f"there is no workflow {start.workflow}")
            order = Order(start.child_id, start.values, parent=(parent, action))
            run = new_run(definition, order, self._tools)
        except InvalidInput as invalid:
            reason = str(invalid)
            self._expect(
                self.now,
                run_id,
                f"family ended {start.action_id}",
                lambda m: m.child_finished(start.action_id, State.ERROR, reason, {}),
            )
            return
        self._stored[run.id] = _Stored(_text(run))
        self._expect(self.now, run.id, "family begin", Machine.begin)

    def _perform(self, run_id: str, action: ActionRun, again: bool) -> None:
        if not again:
            self.performed.append((action.name, action.input))
        book = self._run_of(run_id).workbook

        def find(name: str) -> AdhocAction | None:
            return self._adhoc.get(f"{book}.{name}") or self._adhoc.get(name)

        due, result = action.created_at, Result()
        try:
            call = self.machine(run_id).unfold(action.id, find)
            found = self._actions.find(call.name)
            if found is None:
                result = Result(error=f"there is no action {call.name}", broken=True)
            elif found.complaint(call.values):
                result = Result(error=found.complaint(call.values), broken=True)
            elif found.at_once is None:
                result = Result(error=f"{call.name} needs the world", failed=True)
            else:
                outcome = found.at_once(found.filled(call.values))
                if isinstance(outcome, Pause):
                    if outcome.seconds is None:
                        return
                    due += outcome.seconds
                    outcome = outcome.result
                result = self.machine(run_id).converted(action.id, call, outcome)
        except InvalidCall as invalid:
            result = Result(error=str(invalid), broken=True)
        about = f"action {action.id}"
        self._expect(due, run_id, about, lambda m: m.action_finished(action.id, result))


def _pause(machine: Machine) -> Step:
    return machine.pause() if machine.run.state is State.RUNNING else Step()


def _resume(machine: Machine) -> Step:
    return machine.resume() if machine.run.state is State.PAUSED else Step()


def _text(row: WorkflowRun | TaskRun | ActionRun) -> str:
    return json.dumps(asdict(row))


_ENUMS = {"state": State, "end_state": State, "kind": TaskKind, "waiting_for": Wait}


def _row(kind: type[RowT], text: str) -> RowT:
    data = json.loads(text)
    known = {each.name for each in fields(kind)}
    for name, enum in _ENUMS.items():
        if name in known and data[name] is not None:
            data[name] = enum(data[name])
    return kind(**data)
