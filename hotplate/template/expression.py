"""Compiled values: a constant, a map or list with calls inside, or a call of a function."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from hotplate.document import Data, Path, Problem
from hotplate.template.errors import BadCall, ResolveError
from hotplate.template.scope import Scope
from hotplate.template.site import Site


class _Omitted:
    """Result of an ``if`` without a value: what holds it disappears."""

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED: Final[Any] = _Omitted()


class Expression(ABC):
    """Part of a compiled template. Immutable, shared between stacks and threads."""

    __slots__ = ()

    @abstractmethod
    def resolve(self, scope: Scope) -> Data:
        """Return a value that belongs to the caller. Raises ResolveError."""

    def resolve_alone(self, scope: Scope) -> Data:
        """Resolve what does not stand in a map or list: an omitted value is null there."""
        value = self.resolve(scope)
        return None if value is OMITTED else value

    def parts(self) -> tuple["Expression", ...]:
        """Return the expressions directly inside, on every branch."""
        return ()

    def active_parts(self, scope: Scope) -> tuple["Expression", ...]:
        """Return the expressions directly inside that count under the scope's conditions."""
        return self.parts()


class Constant(Expression):
    """A value without calls inside."""

    __slots__ = ("value",)

    def __init__(self, value: Data) -> None:
        self.value = value

    def __reduce__(self) -> Any:
        return Constant, (self.value,)

    def resolve(self, scope: Scope) -> Data:
        return own_copy(self.value)


def own_copy(value: Any) -> Any:
    """Return the value as one that belongs to the caller: collections inside are copied."""
    return _copy(value) if isinstance(value, dict | list) else value


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _copy(item) if isinstance(item, dict | list) else item
            for key, item in value.items()
        }
    return [_copy(item) if isinstance(item, dict | list) else item for item in value]


class MapExpression(Expression):
    """A map with a call somewhere inside."""

    __slots__ = ("entries",)

    def __init__(self, entries: Mapping[str, Expression]) -> None:
        self.entries = entries

    def resolve(self, scope: Scope) -> Data:
        result = {}
        for key, expression in self.entries.items():
            value = expression.resolve(scope)
            if value is not OMITTED:
                result[key] = value
        return result

    def parts(self) -> tuple[Expression, ...]:
        return tuple(self.entries.values())


class ListExpression(Expression):
    """A list with a call somewhere inside."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Expression, ...]) -> None:
        self.items = items

    def resolve(self, scope: Scope) -> Data:
        values = [expression.resolve(scope) for expression in self.items]
        return [value for value in values if value is not OMITTED]

    def parts(self) -> tuple[Expression, ...]:
        return self.items


class Call(Expression):
    """A call of a template function.

    A subclass says how to check its arguments when the template is compiled (``check``) and how
    to compute its value (``evaluate``); both raise BadCall, to which the place is added here.

    What is made of a secret is one, whatever the function: that is decided here, and costs nothing
    where none was used.
    """

    __slots__ = ("arguments", "name", "path")

    hands_on: ClassVar[bool] = False
    """Whether its value is made of its arguments' leaves as they are; each is secret or not."""

    def __init__(self, name: str, arguments: Expression, path: Path) -> None:
        self.name = name
        self.arguments = arguments
        self.path = path

    def check(self, site: Site) -> None:
        """Refuse arguments that cannot be right whatever the values will be."""

    @abstractmethod
    def evaluate(self, scope: Scope) -> Data:
        """Return the value of the call."""

    def resolve(self, scope: Scope) -> Data:
        fetches = scope.fetches
        try:
            value = self.evaluate(scope)
        except BadCall as fault:
            raise ResolveError(scope.without_secrets(self.problem(fault))) from None
        except RecursionError:
            too_deep = BadCall("the value is nested too deeply")
            raise ResolveError(self.problem(too_deep)) from None
        return value if scope.fetches == fetches or self.hands_on else scope.derived(value)

    def problem(self, fault: BadCall) -> Problem:
        """Return the fault as a problem at this call."""
        return Problem(
            f"{self.name}: {fault.message}",
            self.path + fault.path,
            fault.hint,
            cause=fault.cause,
            subject=fault.subject,
        )

    def parts(self) -> tuple[Expression, ...]:
        return (self.arguments,)


class Faulty(Expression):
    """Stands where a branch of an ``if`` is wrong. Harmless until that branch is chosen."""

    __slots__ = ("problem",)

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def resolve(self, scope: Scope) -> Data:
        raise ResolveError(self.problem)


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and all inside it, on every branch."""
    waiting = [expression]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.parts()))


def walk_active(expression: Expression, scope: Scope) -> Iterator[Expression]:
    """Yield the expression and all inside it that counts under the scope's conditions."""
    waiting = [expression]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.active_parts(scope)))


def items_of(expression: Expression) -> tuple[Expression, ...] | None:
    """Return the items of a written list; None if it is something else."""
    if isinstance(expression, ListExpression):
        return expression.items
    if isinstance(expression, Constant) and isinstance(expression.value, list):
        return tuple(Constant(item) for item in expression.value)
    return None


def entries_of(expression: Expression) -> Mapping[str, Expression] | None:
    """Return the entries of a written map; None if it is something else."""
    if isinstance(expression, MapExpression):
        return expression.entries
    if isinstance(expression, Constant) and isinstance(expression.value, dict):
        return {key: Constant(value) for key, value in expression.value.items()}
    return None


def is_call(expression: Expression) -> bool:
    """Return whether the value is only known when resolved."""
    return isinstance(expression, Call | Faulty)
