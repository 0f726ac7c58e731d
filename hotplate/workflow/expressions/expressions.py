"""Values with expressions in them: recognised, checked and evaluated."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

from hotplate.bounded import (
    BadJinja,
    BadQuery,
    Functions,
    JinjaLimits,
    QueryLimits,
    compile_jinja,
    compile_query,
    time_limit,
)
from hotplate.workflow.expressions.functions import FUNCTIONS
from hotplate.workflow.expressions.scope import Scope

# An expression ends on the line that it began on; over lines it is text, as in Mistral.
_YAQL: Final = re.compile(r"<%(.*?)%>")
_JINJA: Final = re.compile(r"\{\{(.*?)\}\}")
_BLOCK: Final = re.compile(r"\{%.*?%\}")
_SHOWN: Final = 200
_DEEPEST: Final = 100


class BadExpression(ValueError):
    """An expression that cannot be read, fails on its data, or asks for too much."""


@dataclass(frozen=True, slots=True)
class ExpressionLimits:
    """What one value with its expressions may cost."""

    iterators: int = 10_000
    memory: int = 16_000_000
    units: int = 8_000_000
    seconds: float = 2.0
    """Processor time of all expressions in the value together."""

    longest_text: int = 4_000_000


class Expressions:
    """Evaluates the expressions in values. Immutable; one may serve all runs of a process."""

    def __init__(self, limits: ExpressionLimits = ExpressionLimits()) -> None:  # noqa: B008
        self._limits = limits
        self._yaql = QueryLimits(limits.iterators, limits.memory, limits.units, workflow=True)
        self._jinja = JinjaLimits(limits.units, tuple(FUNCTIONS))

    @staticmethod
    def has_expression(text: str) -> bool:
        """Return whether there is an expression in a text."""
        return _is_jinja(text) or _YAQL.search(text) is not None

    def check(self, value: Any) -> None:
        """Raise BadExpression if an expression anywhere in the value cannot be read."""
        with time_limit(self._limits.seconds):
            self._check(value, 0)

    def evaluate(self, value: Any, scope: Scope) -> Any:
        """Return the value with its expressions evaluated; keys of maps stay as they are.

        A text that is one expression becomes what the expression gives, of whatever kind; in any
        other text, expressions become part of the text. Raises BadExpression.
        """
        with time_limit(self._limits.seconds):
            return self._evaluate(value, scope, 0)

    def query(self, expression: str, scope: Scope) -> Any:
        """Return what a bare YAQL expression gives, without marks around it."""
        with time_limit(self._limits.seconds):
            return self._query(expression, scope)

    def _check(self, value: Any, depth: int) -> None:
        _check_depth(depth)
        if isinstance(value, Mapping):
            for item in value.values():
                self._check(item, depth + 1)
        elif isinstance(value, list | tuple):
            for item in value:
                self._check(item, depth + 1)
        elif isinstance(value, str):
            self._check_text(value)

    def _check_text(self, text: str) -> None:
        queries = _YAQL.findall(text)
        if _is_jinja(text):
            if queries:
                raise BadExpression(
                    f"{_shown(text)} has expressions of both YAQL and Jinja; keep to one of them"
                )
            self._compiled_jinja(text)
        for query in queries:
            self._compiled_query(query)

    def _evaluate(self, value: Any, scope: Scope, depth: int) -> Any:
        _check_depth(depth)
        if isinstance(value, Mapping):
            return {key: self._evaluate(item, scope, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._evaluate(item, scope, depth + 1) for item in value]
        if not isinstance(value, str):
            return value
        if _is_jinja(value):
            return self._rendered(value, scope)
        if "<%" in value:
            return self._queried(value, scope)
        return value

    def _queried(self, text: str, scope: Scope) -> Any:
        whole = _YAQL.fullmatch(text)
        if whole and "%>" not in whole[1]:
            return self._query(whole[1], scope)
        parts: list[str] = []
        length = end = 0
        for match in _YAQL.finditer(text):
            parts += (text[end : match.start()], str(self._query(match[1], scope)))
            end = match.end()
            length += len(parts[-1])
            if length > self._limits.longest_text:
                raise BadExpression(f"{_shown(text)} makes a text that is too long")
        return "".join([*parts, text[end:]])

    def _query(self, expression: str, scope: Scope) -> Any:
        query = self._compiled_query(expression)
        try:
            return query.evaluate(scope.data, _functions(), scope)
        except BadQuery as error:
            raise BadExpression(f"the YAQL {_shown(query.text)} failed: {error}") from None

    def _rendered(self, text: str, scope: Scope) -> Any:
        jinja = self._compiled_jinja(text)
        named = {name: partial(function, scope) for name, function in FUNCTIONS.items()}
        try:
            result = jinja.evaluate({**named, "_": scope.data})
        except BadJinja as error:
            raise BadExpression(f"the Jinja {_shown(text)} failed: {error}") from None
        if isinstance(result, str) and len(result) > self._limits.longest_text:
            raise BadExpression(f"{_shown(text)} makes a text that is too long")
        return result

    def _compiled_query(self, expression: str) -> Any:
        expression = expression.strip()
        try:
            return compile_query(expression, self._yaql)
        except BadQuery as error:
            raise BadExpression(f"{_shown(expression)}: {error}") from None

    def _compiled_jinja(self, text: str) -> Any:
        first = _JINJA.match(text)
        try:
            if first and first.end() == len(text):
                return compile_jinja(first[1], True, self._jinja)
            return compile_jinja(text, False, self._jinja)
        except BadJinja as error:
            raise BadExpression(f"{_shown(text)}: {error}") from None


@lru_cache(maxsize=1)
def _functions() -> Functions:
    return Functions(FUNCTIONS)


def _is_jinja(text: str) -> bool:
    return "{" in text and (_JINJA.search(text) or _BLOCK.search(text)) is not None


def _check_depth(depth: int) -> None:
    if depth > _DEEPEST:
        raise BadExpression(f"the value is nested more than {_DEEPEST} levels deep")


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")
