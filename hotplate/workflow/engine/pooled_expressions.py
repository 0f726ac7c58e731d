"""The expressions of workflows, evaluated in the engine's pool of processes.

What only names values is looked up on the spot; what asks for other tasks and executions is
evaluated in the thread that computes the step, within the same bounds: the pool knows no runs.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from hotplate.bounded import Evaluation
from hotplate.document import InvalidDocument
from hotplate.engine.context import Tools
from hotplate.workflow.expressions import BadExpression, ExpressionLimits, Expressions, Scope

_EXPRESSION: Final = re.compile(r"<%(.*?)%>")
_NAMES_A_VALUE: Final = re.compile(r"\s*\$(?:\.[A-Za-z_]\w*)*\s*")
_ASKS_FOR_RUNS: Final = re.compile(r"\b(?:tasks?|executions?|global)\s*\(")


class PooledExpressions:
    """Evaluates as `Expressions` does, for the runs of one project; called in threads only."""

    def __init__(
        self,
        project: str,
        limits: ExpressionLimits,
        tools: Tools,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._project = project
        self._limits = limits
        self._tools = tools
        self._loop = loop
        self._here = Expressions(limits)

    def evaluate(self, value: Any, scope: Scope) -> Any:
        """Return the value with its expressions evaluated. Raises BadExpression."""
        if not _is_heavy(value):
            return self._here.evaluate(value, scope)
        told = _ToldScope(scope.data, scope.env())
        evaluation = Evaluation(self._project, _evaluated, (self._limits, value, told))
        asked = asyncio.run_coroutine_threadsafe(self._tools.evaluate(evaluation), self._loop)
        try:
            return asked.result()
        except InvalidDocument as fault:
            raise BadExpression(str(fault)) from None


def _evaluated(tools: Tools, limits: ExpressionLimits, value: Any, scope: Scope) -> Any:
    return Expressions(limits).evaluate(value, scope)


@dataclass(frozen=True, slots=True)
class _ToldScope:
    """The part of a scope that can be sent; expressions that need more are not."""

    data: Mapping[str, Any]
    environment: Any

    def env(self) -> Any:
        """Return the environment of the execution."""
        return self.environment

    def uuid(self) -> str:
        """Return a new unique id."""
        return str(uuid4())

    def execution(self) -> Any:
        """Not asked for."""
        raise BadExpression("execution() cannot be asked for here")

    def task(self, name: str | None) -> Any:
        """Not asked for."""
        raise BadExpression("task() cannot be asked for here")

    def tasks(
        self, execution_id: str | None, recursive: bool, state: str | None, flat: bool
    ) -> list[Any]:
        """Not asked for."""
        raise BadExpression("tasks() cannot be asked for here")

    def executions(self, *filters: str | None) -> list[Any]:
        """Not asked for."""
        raise BadExpression("executions() cannot be asked for here")

    def global_value(self, name: str) -> Any:
        """Not asked for."""
        raise BadExpression("global() cannot be asked for here")


def _is_heavy(value: Any) -> bool:
    """Tell whether something in a value is more than the name of a value, and can be sent."""
    is_heavy = False
    for text in _texts(value):
        if _ASKS_FOR_RUNS.search(text):
            return False
        asked = _EXPRESSION.findall(text)
        is_heavy = is_heavy or "{{" in text or "{%" in text
        is_heavy = is_heavy or not all(_NAMES_A_VALUE.fullmatch(each) for each in asked)
    return is_heavy


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, Mapping):
            waiting.extend(each.values())
        elif isinstance(each, list | tuple):
            waiting.extend(each)
