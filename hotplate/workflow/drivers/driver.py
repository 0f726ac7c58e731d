"""What resource types need of a workflow service: a remote Mistral, or this very engine.

All methods are coroutines that take a few seconds at most. Each raises Refused for what will not
work however often it is tried, and Unreachable for what may work later.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

SERVICE: Final = "workflows"
"""The name under which the types find it in the world."""


class Refused(Exception):
    """The workflow service refuses the request; the text says why."""


class Unreachable(Exception):
    """The workflow service cannot be reached, or has failed; another try may succeed."""


class ExecutionState(StrEnum):
    """Where an execution stands, in Mistral's words."""

    IDLE = "IDLE"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    SUCCESS = "SUCCESS"
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen to it."""
        return self in (ExecutionState.SUCCESS, ExecutionState.ERROR, ExecutionState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a workflow."""

    id: str
    workflow_name: str
    state: ExecutionState
    state_info: str = ""
    input: Mapping[str, Any] = field(default_factory=dict)
    output: Mapping[str, Any] = field(default_factory=dict)
    created_at: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class Start:
    """What to execute. ``id`` is the client's: the same request twice is one execution."""

    id: str
    workflow: str
    """Name or id."""

    input: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    """``env`` in it is a map, or the name of a stored environment."""

    description: str = ""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts that nobody may see; what the service says of the execution does not repeat them."""


@dataclass(frozen=True, slots=True)
class StoredWorkflow:
    """A workflow that is known by name and id."""

    id: str
    name: str
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A workflow to be executed at certain times."""

    name: str
    workflow: str
    """Name or id."""

    input: Mapping[str, Any] = field(default_factory=dict)
    pattern: str | None = None
    first_time: str | None = None
    count: int | None = None
    next_execution_time: str | None = None
    """Reported by the service; as is what is left of ``count``."""


class WorkflowService(Protocol):
    """Runs workflows for projects."""

    async def start(self, project: str, request: Start) -> Execution:
        """Start an execution; if there is one of this id already, return that."""
        ...

    async def show(self, project: str, execution_id: str) -> Execution | None:
        """Return an execution, None if there is none."""
        ...

    async def cancel(self, project: str, execution_id: str, reason: str) -> None:
        """Ask for the end of an execution. That it has ended, or is not there, is no error."""
        ...

    async def delete_execution(self, project: str, execution_id: str) -> None:
        """Forget an execution. That there is none is no error."""
        ...

    async def environment(self, project: str, name: str) -> Mapping[str, Any] | None:
        """Return the variables of a stored environment, None if there is none."""
        ...

    async def find_workflow(self, project: str, name_or_id: str) -> StoredWorkflow | None:
        """Return a workflow, None if there is none."""
        ...

    async def create_workflow(self, project: str, definition: str) -> StoredWorkflow:
        """Store the one workflow of a definition. Refused if there is one of its name."""
        ...

    async def update_workflow(self, project: str, definition: str) -> StoredWorkflow:
        """Put the one workflow of a definition in the place of that with the same name."""
        ...

    async def delete_workflow(self, project: str, name_or_id: str) -> None:
        """Forget a workflow. That there is none is no error."""
        ...

    async def create_trigger(self, project: str, trigger: Trigger) -> Trigger:
        """Store a trigger. Refused if there is one of its name."""
        ...

    async def find_trigger(self, project: str, name: str) -> Trigger | None:
        """Return a trigger, None if there is none: it may have fired for the last time."""
        ...

    async def delete_trigger(self, project: str, name: str) -> None:
        """Forget a trigger. That there is none is no error."""
        ...
