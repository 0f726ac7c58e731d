"""Conditions and the choice between two values."""

from collections.abc import Mapping

from hotplate.document import Data, Path, did_you_mean
from hotplate.template.errors import BadCall, ResolveError, UnknownName
from hotplate.template.expression import OMITTED, Call, Constant, Expression, walk
from hotplate.template.functions.arguments import positional, shown
from hotplate.template.scope import Scope
from hotplate.template.site import Site


def truth(value: Data, scope: Scope) -> bool:
    """Return what a condition's value stands for: a boolean, or the name of a condition."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return scope.condition(value)
    raise BadCall(f"a condition is a boolean or a name, not {shown(value)}")


def check_condition(expression: Expression, site: Site, *steps: str | int) -> None:
    """Refuse a written condition that is neither a boolean nor a known name."""
    if not isinstance(expression, Constant):
        return
    value = expression.value
    if isinstance(value, bool):
        return
    if not isinstance(value, str) or value not in site.conditions:
        raise UnknownName(
            f"there is no condition {shown(value)}",
            did_you_mean(value, site.conditions)
            or "a condition is true, false, the name of a condition, or a condition function",
            steps,
        )


class ConditionCall(Call):
    """A call whose arguments are conditions."""

    __slots__ = ()

    def operands(self) -> tuple[Expression, ...]:
        """Return the conditions it combines."""
        return positional(self.arguments, 2, None, f"{self.name}: [condition, condition]")

    def check(self, site: Site) -> None:
        """Refuse unknown conditions."""
        operands = self.operands()
        for index, operand in enumerate(operands):
            check_condition(operand, site, *((index,) if len(operands) > 1 else ()))


def conditions_named(expression: Expression, known: Mapping[str, object]) -> list[str]:
    """Return the names of other conditions that are written in a condition."""
    names: list[str] = []
    for part in walk(expression):
        operands = part.operands() if isinstance(part, ConditionCall) else ()
        names.extend(
            operand.value
            for operand in operands
            if isinstance(operand, Constant)
            and isinstance(operand.value, str)
            and operand.value in known
        )
    return names


class And(ConditionCall):
    """True if all conditions are."""

    __slots__ = ()

    def evaluate(self, scope: Scope) -> Data:
        """Return the conjunction."""
        return all(truth(operand.resolve_alone(scope), scope) for operand in self.operands())


class Or(ConditionCall):
    """True if any condition is."""

    __slots__ = ()

    def evaluate(self, scope: Scope) -> Data:
        """Return the disjunction."""
        return any(truth(operand.resolve_alone(scope), scope) for operand in self.operands())


class Not(ConditionCall):
    """``not: condition``."""

    __slots__ = ()

    def operands(self) -> tuple[Expression, ...]:
        """Return the only condition."""
        return (self.arguments,)

    def evaluate(self, scope: Scope) -> Data:
        """Return the opposite."""
        return not truth(self.operands()[0].resolve_alone(scope), scope)


class FnNot(Not):
    """``Fn::Not: [condition]``."""

    __slots__ = ()

    def operands(self) -> tuple[Expression, ...]:
        """Return the only condition, which CFN puts into a list."""
        return positional(self.arguments, 1, 1, '{"Fn::Not": [condition]}')


class Equals(Call):
    """``equals: [one, other]``: compared with their types."""

    __slots__ = ()

    def _operands(self) -> tuple[Expression, ...]:
        return positional(self.arguments, 2, 2, f"{self.name}: [one, other]")

    def check(self, site: Site) -> None:
        """Refuse a wrong number of arguments."""
        self._operands()

    def evaluate(self, scope: Scope) -> Data:
        """Return whether the two are equal."""
        one, other = self._operands()
        return bool(one.resolve_alone(scope) == other.resolve_alone(scope))


class If(Call):
    """``if: [condition, then, otherwise]``. Only the chosen branch is ever resolved."""

    __slots__ = ("condition", "otherwise", "then")

    hands_on = True

    def __init__(
        self,
        name: str,
        condition: Expression,
        then: Expression,
        otherwise: Expression | None,
        path: Path,
    ) -> None:
        super().__init__(name, condition, path)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise

    def check(self, site: Site) -> None:
        """Refuse an unknown condition."""
        check_condition(self.condition, site, 0)

    def chosen(self, scope: Scope) -> Expression | None:
        """Return the branch that counts, None if there is none for false.

        Raises ResolveError if the condition cannot be decided. That a condition reads a secret
        makes no secret of what it chooses: true and false are none.
        """
        fetches = scope.fetches
        try:
            holds = truth(self.condition.resolve_alone(scope), scope)
        except BadCall as fault:
            placed = BadCall(fault.message, fault.hint, (0,))
            raise ResolveError(scope.without_secrets(self.problem(placed))) from None
        scope.fetches = fetches
        return self.then if holds else self.otherwise

    def evaluate(self, scope: Scope) -> Data:
        """Return the chosen value; without one, whatever holds the call disappears."""
        branch = self.chosen(scope)
        return OMITTED if branch is None else branch.resolve(scope)

    def parts(self) -> tuple[Expression, ...]:
        if self.otherwise is None:
            return (self.condition, self.then)
        return (self.condition, self.then, self.otherwise)

    def active_parts(self, scope: Scope) -> tuple[Expression, ...]:
        branch = self.chosen(scope)
        return (self.condition,) if branch is None else (self.condition, branch)
