"""The three rows of a running workflow: the run, its tasks, their actions.

All values are plain JSON, so that a store can write them. A value inside a row is never changed in
place: the machine puts a new one, therefore a shallow copy of a row is a picture of its moment.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final


class State(StrEnum):
    """Where a run, a task or an action stands, as Mistral's API names it."""

    IDLE = "IDLE"
    WAITING = "WAITING"
    RUNNING = "RUNNING"
    DELAYED = "DELAYED"
    PAUSED = "PAUSED"
    SUCCESS = "SUCCESS"
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"
    SKIPPED = "SKIPPED"

    @property
    def is_final(self) -> bool:
        """Nothing more happens by itself; only a rerun leaves such a state."""
        return self in _FINAL


_FINAL: Final = frozenset((State.SUCCESS, State.ERROR, State.CANCELLED, State.SKIPPED))


class TaskKind(StrEnum):
    """What a task does: call an action, or start another workflow."""

    ACTION = "ACTION"
    WORKFLOW = "WORKFLOW"


class Wait(StrEnum):
    """What the due time of a delayed task is for."""

    BEFORE = "wait-before"
    AFTER = "wait-after"
    RETRY = "retry"
    RESUME = "pause-before"
    """No time at all: the run was paused before this task."""
    TURN = "turn"
    """Nothing but its turn: a step does a bounded amount of work, the rest follows at once."""


@dataclass(slots=True)
class WorkflowRun:
    """One execution of a workflow.

    ``definition`` is the text that `hotplate.workflow.language` reads back to the one workflow
    called ``workflow_name``. ``globals`` holds the workflow's vars and what tasks published
    globally. ``env`` is the environment of the root run, evaluated. ``backlog`` holds what was to
    start behind a pause command. ``task_runs`` and ``weight`` count tasks and bytes of data;
    ``family`` counts, in a root, all runs below it.
    """

    id: str
    workflow_name: str
    definition: str
    workflow_id: str = ""
    namespace: str = ""
    workbook: str = ""
    project: str = ""
    description: str = ""
    state: State = State.IDLE
    state_info: str | None = None
    input: dict[str, Any] = field(default_factory=dict)
    output: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    env: dict[str, Any] = field(default_factory=dict)
    globals: dict[str, Any] = field(default_factory=dict)
    backlog: list[dict[str, Any]] = field(default_factory=list)
    root_id: str | None = None
    parent_task_id: str | None = None
    parent_action_id: str | None = None
    index: int = 0
    depth: int = 0
    task_runs: int = 0
    family: int = 0
    weight: int = 0
    secrets: list[str] = field(default_factory=list, repr=False)
    """What no reason may repeat: secrets of the stack that the run is for."""

    created_at: float = 0.0
    updated_at: float = 0.0
    finished_at: float | None = None


@dataclass(slots=True)
class TaskRun:
    """One run of a task; a task in a loop has one row for each round.

    ``number`` counts the tasks of the run from 1 in the order of creation. ``next_tasks`` holds
    [name, event] of the tasks that it leads to, once it has ended. ``triggered_by`` holds
    {"task_id", "event"}. ``versions`` counts how often each variable of ``in_context`` was
    published on the way here: where branches meet, the higher count wins. ``unique_key`` is set for
    a join: the run has at most one such row; ``satisfied`` says that enough tasks led here.
    ``end_state`` and ``end_info`` are what the task will end with after its wait-after.
    ``items`` holds the variables of each item of a with-items task, once known.
    """

    id: str
    run_id: str
    number: int
    name: str
    kind: TaskKind = TaskKind.ACTION
    state: State = State.IDLE
    state_info: str | None = None
    in_context: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    published: dict[str, Any] = field(default_factory=dict)
    next_tasks: list[list[str]] = field(default_factory=list)
    error_handled: bool = False
    processed: bool = False
    triggered_by: list[dict[str, Any]] = field(default_factory=list)
    unique_key: str | None = None
    satisfied: bool = False
    retries: int = 0
    waiting_for: Wait | None = None
    due_at: float | None = None
    timeout_at: float | None = None
    waited_after: bool = False
    end_state: State | None = None
    end_info: str | None = None
    items: list[dict[str, Any]] | None = None
    concurrency: int | None = None
    created_at: float = 0.0
    updated_at: float = 0.0
    started_at: float | None = None
    finished_at: float | None = None

    @property
    def wake_at(self) -> float | None:
        """When the machine wants to be woken for this task; None for never."""
        times = [at for at in (self.due_at, self.timeout_at) if at is not None]
        return min(times) if times and not self.state.is_final else None


@dataclass(slots=True)
class ActionRun:
    """One call of an action, or one child run of a task that starts a workflow.

    ``name`` and ``input`` are as the task wrote them: an ad-hoc action is not unfolded here. For a
    child, ``name`` is the workflow's and ``child_id`` the id its run has or will get. ``index`` is
    the item's, ``attempt`` counts from 0 and grows with retries and reruns. ``accepted`` says that
    the outcome counts for the task's result; a retry takes it back. ``output`` is
    {"result": value} once the action has ended.
    """

    id: str
    run_id: str
    task_id: str
    number: int
    name: str
    input: dict[str, Any] = field(default_factory=dict)
    state: State = State.RUNNING
    output: dict[str, Any] = field(default_factory=dict)
    accepted: bool = False
    safe_rerun: bool = False
    timeout: float | None = None
    target: str | None = None
    index: int = 0
    attempt: int = 0
    child_id: str | None = None
    created_at: float = 0.0
    updated_at: float = 0.0
    finished_at: float | None = None
