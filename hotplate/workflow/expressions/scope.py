"""What an expression can see."""

from collections.abc import Mapping
from typing import Any, Protocol


class Scope(Protocol):
    """The data and the run that an expression is evaluated in.

    The workflow engine implements it. All answers are plain data, are read only, and are those
    of one moment. A task and an execution are maps as Mistral shows them to expressions.
    """

    @property
    def data(self) -> Mapping[str, Any]:
        """The context: ``$`` in YAQL, ``_`` in Jinja."""
        ...

    def env(self) -> Any:
        """Return the environment of the execution."""
        ...

    def execution(self) -> Any:
        """Return the execution itself: id, name, spec, input, params, times."""
        ...

    def task(self, name: str | None) -> Any:
        """Return a task by name, or the current one; None if there is none of that name.

        The current one is returned also for its own name, however often it ran.
        """
        ...

    def tasks(
        self, execution_id: str | None, recursive: bool, state: str | None, flat: bool
    ) -> list[Any]:
        """Return the tasks of an execution, or of all; with those of sub-workflows if recursive.

        With ``flat``, tasks are left out that only have the state of their sub-workflow.
        """
        ...

    def executions(
        self,
        execution_id: str | None,
        root_execution_id: str | None,
        state: str | None,
        from_time: str | None,
        to_time: str | None,
    ) -> list[Any]:
        """Return the executions of the same project that fit all that is given."""
        ...

    def global_value(self, name: str) -> Any:
        """Return a variable that was published to the whole execution, or None."""
        ...

    def uuid(self) -> str:
        """Return a new unique id."""
        ...
