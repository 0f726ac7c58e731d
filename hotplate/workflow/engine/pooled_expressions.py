"""The expressions of workflows, evaluated in the engine's pool of processes.

What only names values is looked up on the spot. The pool knows no runs: an expression that asks for
a task or an execution ends there with the question, which is answered here from the run's rows;
then it is evaluated again, with the answers so far. Expressions change nothing, so they may be.
"""

import asyncio
import pickle
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from hotplate.bounded import Evaluation
from hotplate.document import InvalidDocument
from hotplate.engine.context import Tools
from hotplate.workflow.expressions import BadExpression, ExpressionLimits, Expressions, Scope

_EXPRESSION: Final = re.compile(r"<%(.*?)%>")
_NAMES_A_VALUE: Final = re.compile(
    r"""\s*(?:\$|execution\(\s*\)|task\(\s*(?:[\w-]*|'[\w-]+'|"[\w-]+")\s*\))(?:\.[A-Za-z_]\w*)*\s*"""
)
_NAMES_A_TASK: Final = re.compile(r"""\btask\(\s*['"]?([\w-]*)['"]?\s*\)""")
_ASKS_FOR_THE_RUN: Final = re.compile(r"\bexecution\(\s*\)")
_MOST_QUESTIONS: Final = 200
_TIMES: Final = 4
"""How often an expression may be evaluated that takes all the time it has."""

_LARGEST_ANSWERS: Final = 16_000_000
"""Bytes of all that an expression is given of tasks and executions."""

_Question = tuple[Any, ...]
"""The name of a method of a scope, and what it is given."""


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
        answers = {each: _answer(scope, each) for each in set(_questions_in(value))}
        seconds = self._limits.seconds * _TIMES
        for _ in range(_MOST_QUESTIONS):
            answered = _AnsweredScope(scope.data, scope.env(), answers)
            found = self._sent(value, answered)
            if found.question is None:
                return found.value
            seconds -= found.seconds
            if seconds <= 0:
                raise BadExpression(
                    "the expressions take too long: they are evaluated anew for each task and "
                    "each execution that they ask for"
                )
            answers[found.question] = _answer(scope, found.question)
            if sum(map(len, answers.values())) > _LARGEST_ANSWERS:
                raise BadExpression(
                    f"tasks and executions of more than {_LARGEST_ANSWERS} bytes are asked for"
                )
        raise BadExpression(f"more than {_MOST_QUESTIONS} tasks and executions are asked for")

    def _sent(self, value: Any, scope: "_AnsweredScope") -> "_Found":
        evaluation = Evaluation(self._project, _evaluated, (self._limits, value, scope))
        asked = asyncio.run_coroutine_threadsafe(self._tools.evaluate(evaluation), self._loop)
        try:
            return asked.result()
        except InvalidDocument as fault:
            raise BadExpression(str(fault)) from None


@dataclass(frozen=True, slots=True)
class _Found:
    """What became of an evaluation: a value, or a question that must be answered first."""

    value: Any = None
    question: _Question | None = None
    seconds: float = 0.0
    """Of the processor, until there was a question."""


def _evaluated(
    tools: Tools, limits: ExpressionLimits, value: Any, scope: "_AnsweredScope"
) -> _Found:
    begun = time.thread_time()
    try:
        found = _Found(Expressions(limits).evaluate(value, scope))
    except BadExpression:
        if scope.question is None:
            raise
        found = _Found()
    if scope.question is None:
        return found
    # Whatever came of it, perhaps something was done about the failure.
    return _Found(question=scope.question, seconds=time.thread_time() - begun)


class _NotAnswered(Exception):
    """An expression asks for what is not known here."""


@dataclass(slots=True)
class _AnsweredScope:
    """The part of a scope that is sent, with answers to what was asked so far."""

    data: Mapping[str, Any]
    environment: Any
    answers: Mapping[_Question, bytes]
    question: _Question | None = field(default=None, init=False)
    """What was asked first of that which has no answer yet."""

    known: dict[_Question, Any] = field(default_factory=dict, init=False)

    def env(self) -> Any:
        """Return the environment of the execution."""
        return self.environment

    def uuid(self) -> str:
        """Return a new unique id."""
        return str(uuid4())

    def execution(self) -> Any:
        """Return the execution."""
        return self._ask("execution")

    def task(self, name: str | None) -> Any:
        """Return a task."""
        return self._ask("task", name)

    def tasks(
        self, execution_id: str | None, recursive: bool, state: str | None, flat: bool
    ) -> list[Any]:
        """Return tasks."""
        found: list[Any] = self._ask("tasks", execution_id, recursive, state, flat)
        return found

    def executions(self, *filters: str | None) -> list[Any]:
        """Return executions."""
        found: list[Any] = self._ask("executions", *filters)
        return found

    def global_value(self, name: str) -> Any:
        """Return a variable of the whole run."""
        return self._ask("global_value", name)

    def _ask(self, *question: Any) -> Any:
        if not all(isinstance(each, str | bool | int | float | None) for each in question):
            raise ValueError(f"{question[0]}() is asked with texts")
        if question not in self.answers:
            self.question = self.question or question
            raise _NotAnswered(f"{question[0]}() has no answer yet")
        if question not in self.known:
            self.known[question] = pickle.loads(self.answers[question])  # noqa: S301 (our own)
        return self.known[question]


def _answer(scope: Scope, question: _Question) -> bytes:
    """Return an answer, pickled once however often it is sent. Raises BadExpression."""
    name, *given = question
    try:
        return pickle.dumps(getattr(scope, name)(*given), pickle.HIGHEST_PROTOCOL)
    except (ValueError, TypeError, LookupError) as error:
        raise BadExpression(f"{name}() failed: {error}") from None


def _questions_in(value: Any) -> Iterator[_Question]:
    """Yield what the expressions in a value are seen to ask for, so that nobody must be asked."""
    for text in _texts(value):
        for name in _NAMES_A_TASK.findall(text):
            yield "task", name or None
        if _ASKS_FOR_THE_RUN.search(text):
            yield ("execution",)


def _is_heavy(value: Any) -> bool:
    """Tell whether something in a value is more than the name of a value."""
    return any(
        "{{" in text
        or "{%" in text
        or not all(_NAMES_A_VALUE.fullmatch(each) for each in _EXPRESSION.findall(text))
        for text in _texts(value)
    )


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
