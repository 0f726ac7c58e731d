"""What an action is: a name, declared parameters, and what it does."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from hotplate.workflow.machine import Result

REQUIRED: Final = object()
"""Stands in the place of a default for a parameter that must be given."""


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf an action is carried out.

    ``action_id`` stays the same however often the same call is tried.
    """

    workflow_name: str = ""
    run_id: str = ""
    task_id: str = ""
    action_id: str = ""
    project: str = ""
    callback_url: str = ""


@dataclass(frozen=True, slots=True)
class Pause:
    """The action only waits: for some seconds, then it ends so.

    Without ``seconds`` it ends when a caller of the API reports its end.
    """

    seconds: float | None
    result: Result = field(default_factory=Result)


Outcome: TypeAlias = Result | Pause


@dataclass(frozen=True, slots=True)
class Action:
    """An action that tasks can name. One of ``at_once`` and ``perform`` is given.

    ``at_once`` touches nothing and takes no time, so it may be called within a step of a run.
    ``perform`` raises nothing but CancelledError: whatever goes wrong is a result. ``parameters``
    maps names to defaults, in the order of the declaration.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    at_once: Callable[[Mapping[str, Any]], Outcome] | None = None
    perform: Callable[[Mapping[str, Any], Caller], Awaitable[Outcome]] | None = None
    is_asynchronous: bool = False
    """Whether it ends only when a caller of the API reports its end."""

    @property
    def signature(self) -> str:
        """The parameters as Mistral's API writes them."""
        return ", ".join(
            name if default is REQUIRED else f"{name}={_written(default)}"
            for name, default in self.parameters.items()
        )

    def complaint(self, given: Mapping[str, Any]) -> str:
        """Return what is wrong with the names of an input, or an empty text."""
        missing = [
            name
            for name, default in self.parameters.items()
            if default is REQUIRED and name not in given
        ]
        unexpected = [name for name in given if name not in self.parameters]
        parts = [
            f"{word}={names}"
            for word, names in (("missing", missing), ("unexpected", unexpected))
            if names
        ]
        return f"Invalid input [name={self.name}, {', '.join(parts)}]" if parts else ""

    def filled(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return values for all parameters."""
        return {**self.parameters, **given}


def failed(reason: str) -> Result:
    """Return the result of an action that went wrong."""
    return Result(error=reason, failed=True)


def _written(default: Any) -> str:
    if default is None:
        return "null"
    if isinstance(default, bool):
        return str(default).lower()
    return f'"{default}"' if isinstance(default, str) else str(default)
