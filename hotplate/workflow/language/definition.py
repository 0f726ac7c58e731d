"""Definitions as the language reads them: workflows, tasks, policies, ad-hoc actions."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from hotplate.workflow.model import TaskKind

ENGINE_COMMANDS: Final = frozenset(("noop", "fail", "succeed", "pause"))

REQUIRED: Final[Any] = type("Required", (), {"__repr__": lambda _: "REQUIRED"})()
"""Stands for the default of an input that has none."""


class Event(StrEnum):
    """Which clause of a task led to another."""

    SUCCESS = "on-success"
    ERROR = "on-error"
    COMPLETE = "on-complete"
    SKIP = "on-skip"


@dataclass(frozen=True, slots=True)
class Target:
    """One entry of a clause: a task or an engine command, perhaps with a guard."""

    name: str
    guard: str = ""
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Publish:
    """Variables by their scope. Values are expressions."""

    branch: dict[str, Any] = field(default_factory=dict)
    global_: dict[str, Any] = field(default_factory=dict)
    atomic: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Clause:
    """What follows a task, and what is published on the way."""

    targets: tuple[Target, ...] = ()
    publish: Publish | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    """Run a task again: count and delay may be expressions."""

    count: Any
    delay: Any
    break_on: str = ""
    continue_on: str = ""


@dataclass(frozen=True, slots=True)
class Policies:
    """How a task is run. None means not given; expressions are evaluated when the task starts."""

    pause_before: Any = None
    wait_before: Any = None
    wait_after: Any = None
    fail_on: Any = None
    retry: Retry | None = None
    timeout: Any = None
    concurrency: Any = None
    safe_rerun: Any = None


NO_POLICIES: Final = Policies()


@dataclass(frozen=True, slots=True)
class Task:
    """One task, with the task-defaults of its workflow worked in."""

    name: str
    kind: TaskKind
    call: str
    """The name of the action or workflow; may be an expression."""
    input: Any = field(default_factory=dict)
    """A map, or an expression that gives one."""
    with_items: dict[str, Any] = field(default_factory=dict)
    join: int | str | None = None
    requires: tuple[str, ...] = ()
    clauses: dict[Event, Clause] = field(default_factory=dict)
    publish: dict[str, Any] = field(default_factory=dict)
    publish_on_error: dict[str, Any] = field(default_factory=dict)
    publish_on_skip: dict[str, Any] = field(default_factory=dict)
    policies: Policies = NO_POLICIES
    keep_result: Any = True
    target: str | None = None
    description: str = ""
    tags: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
    """The task as written, for those who show it."""


@dataclass(frozen=True, slots=True)
class Workflow:
    """One workflow. ``inputs`` maps each name to its default or REQUIRED.

    ``text`` is a document that holds this workflow alone and reads back to it. ``name`` has the
    workbook in front, as in ``book.flow``; ``workbook`` is that book.
    """

    name: str
    reverse: bool
    tasks: dict[str, Task]
    inputs: dict[str, Any] = field(default_factory=dict)
    output: dict[str, Any] = field(default_factory=dict)
    output_on_error: dict[str, Any] = field(default_factory=dict)
    vars: dict[str, Any] = field(default_factory=dict)
    description: str = ""
    tags: tuple[str, ...] = ()
    workbook: str = ""
    text: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    inbound: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the tasks that may lead to each task, in the order of the text."""


@dataclass(frozen=True, slots=True)
class AdhocAction:
    """An action made of another one. ``inputs`` as in a workflow; ``output`` None: unchanged."""

    name: str
    base: str
    base_input: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, Any] = field(default_factory=dict)
    output: Any = None
    description: str = ""
    tags: tuple[str, ...] = ()
    workbook: str = ""
    text: str = ""
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Workbook:
    """Workflows and ad-hoc actions under one name; theirs begin with it and a dot."""

    name: str
    workflows: tuple[Workflow, ...] = ()
    actions: tuple[AdhocAction, ...] = ()
    description: str = ""
    tags: tuple[str, ...] = ()
    text: str = ""
