"""What the machine is given of the world: time, ids, expressions and bounds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol


class Evaluator(Protocol):
    """The part of `hotplate.workflow.expressions` that the machine uses."""

    def evaluate(self, value: Any, scope: Any) -> Any:
        """Return the value with all expressions in it replaced by what they give."""
        ...


class Relatives(Protocol):
    """What expressions may learn of runs other than their own, of the same project."""

    def executions(self, filters: dict[str, Any]) -> list[dict[str, Any]]:
        """Return executions as `executions()` shows them."""
        ...

    def tasks(self, execution_id: str | None) -> list[dict[str, Any]]:
        """Return the tasks of another execution (None: of all) as `tasks()` shows them."""
        ...


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Bounds on one run. Crossing one ends the run in ERROR with the reason."""

    task_runs: int = 10_000
    """Tasks of one run, each round of a loop counted."""

    items: int = 10_000
    """Items of one with-items task."""

    depth: int = 20
    """Sub-workflows inside sub-workflows."""

    context_bytes: int = 1_000_000
    """Text of what one task publishes, of one input, of one output, written as JSON."""

    retries: int = 10_000
    """The largest count of a retry policy."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The world as the machine sees it."""

    expressions: Evaluator
    now: Callable[[], float]
    new_id: Callable[[], str]
    relatives: Relatives | None = None
    limits: RunLimits = field(default_factory=RunLimits)
