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
    """Levels of sub-workflows."""

    family: int = 500
    """Sub-workflows below one root, at all levels."""

    value_bytes: int = 1_000_000
    """What a task publishes, an input, a result or an output, written as JSON."""

    total_bytes: int = 64_000_000
    """All data of one run together; each task and each call weighs something beside its data."""

    retries: int = 10_000
    """The largest count of a retry policy."""

    work_per_step: int = 200
    """Tasks started or items prepared before the machine lets others have a turn."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The world as the machine sees it."""

    expressions: Evaluator
    now: Callable[[], float]
    new_id: Callable[[], str]
    relatives: Relatives | None = None
    limits: RunLimits = field(default_factory=RunLimits)
