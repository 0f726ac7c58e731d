"""Plain data to expressions: finds the calls in it and checks them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from hotplate.document import Data, Path, Problem, Severity, did_you_mean
from hotplate.template.dialect import Dialect
from hotplate.template.errors import BadCall, Problems, UnknownName
from hotplate.template.expression import (
    Call,
    Constant,
    Expression,
    Faulty,
    ListExpression,
    MapExpression,
)
from hotplate.template.functions.cfn import ParameterRef
from hotplate.template.functions.logic import If, check_condition
from hotplate.template.functions.references import GetAttr, GetResource
from hotplate.template.site import Site
from hotplate.template.versions import DIALECTS, first_version_with

_PREFIXES = ("get_", "str_", "list_", "map_", "make_url", "Fn::")


@lru_cache(maxsize=1)
def _all_function_names() -> frozenset[str]:
    return frozenset(name for dialect in DIALECTS for name in dialect.functions)


def _warner(problems: Problems, path: Sequence[str | int]) -> Callable[[str, str, Path], None]:
    """Return what takes a warning about the call at a path that moves on."""

    def warn(message: str, hint: str, steps: Path) -> None:
        problems.add(f"{path[-1]}: {message}", (*path, *steps), hint, Severity.WARNING)

    return warn


class ExpressionCompiler:
    """Compiles the values of one template. Problems are collected, none is raised."""

    def __init__(self, dialect: Dialect, site: Site, problems: Problems) -> None:
        self._dialect = dialect
        self._problems = problems
        self._path: list[str | int] = []
        # Not a method of this object: the two would keep each other, and the text, alive.
        self._site = replace(site, warn=_warner(problems, self._path))
        self._branch_depth = 0
        self._functions: Mapping[str, type[Call]] = dialect.functions
        self._in_condition = False
        self._in_output = False
        self._suspects = _all_function_names() - set(dialect.functions)
        # Words like "filter" or "if" are ordinary keys as well; these can only be meant as calls.
        self._distinctive = frozenset(n for n in dialect.functions if "_" in n or ":" in n)
        self._warned: set[str] = set()
        self._texts: dict[str, Constant] = {}

    def compile(self, value: Data, path: Path) -> Expression:
        """Return the expression for a value in which functions may be called."""
        self._path[:] = path
        return self._compile(value)

    def compile_output(self, value: Data, path: Path) -> Expression:
        """Return the expression for an output, where an unknown name spoils only the output."""
        self._path[:] = path
        self._in_output = True
        try:
            return self._compile(value)
        finally:
            self._in_output = False

    def compile_condition(self, value: Data, path: Path) -> Expression:
        """Return the expression for a condition: a boolean, a name, or a condition function."""
        self._path[:] = path
        return self._condition(value)

    def _condition(self, value: Data) -> Expression:
        functions, in_condition = self._functions, self._in_condition
        self._functions, self._in_condition = self._dialect.condition_functions, True
        try:
            return self._compile(value)
        finally:
            self._functions, self._in_condition = functions, in_condition

    def _compile(self, value: Data) -> Expression:
        if isinstance(value, dict):
            if len(value) == 1:
                name, arguments = next(iter(value.items()))
                function = self._functions.get(name)
                if function is not None:
                    return self._call(function, name, arguments)
                if name in self._suspects or self._in_condition or name.startswith(_PREFIXES):
                    refused = self._refuse_lookalike(name, arguments)
                    if refused is not None:
                        return refused
            return self._map(value)
        if isinstance(value, list):
            return self._list(value)
        return self._scalar(value)

    def _scalar(self, value: Data) -> Constant:
        """Return a constant, one for each text: templates say the same thing many times."""
        if not isinstance(value, str):
            return Constant(value)
        constant = self._texts.get(value)
        if constant is None:
            constant = self._texts[value] = Constant(value)
        return constant

    def _map(self, value: dict[str, Any]) -> Expression:
        if len(value) > 1 and not self._distinctive.isdisjoint(value):
            self._warn_of_uncalled(value)
        calls = self._with_calls(value.items())
        if not calls:
            return Constant(value)
        return MapExpression(
            {key: calls.get(key) or self._scalar(item) for key, item in value.items()}
        )

    def _list(self, value: list[Any]) -> Expression:
        calls = self._with_calls(enumerate(value))
        if not calls:
            return Constant(value)
        return ListExpression(
            tuple(calls.get(index) or self._scalar(item) for index, item in enumerate(value))
        )

    def _with_calls(self, items: Iterable[tuple[Any, Any]]) -> dict[Any, Expression]:
        """Return the items that have a call somewhere inside, compiled."""
        calls: dict[Any, Expression] = {}
        path = self._path
        for step, item in items:
            if isinstance(item, dict | list):
                path.append(step)
                expression = self._compile(item)
                path.pop()
                if type(expression) is not Constant:
                    calls[step] = expression
        return calls

    def _call(self, function: type[Call], name: str, arguments: Data) -> Expression:
        self._path.append(name)
        try:
            if issubclass(function, If):
                call: Call = self._if(name, arguments)
            else:
                call = self._build(function, name, self._compile(arguments))
            call.check(self._site)
            return call
        except BadCall as fault:
            path = (*self._path, *fault.path)
            problem = Problem(
                f"{name}: {fault.message}",
                path,
                fault.hint,
                cause=fault.cause,
                subject=fault.subject,
            )
            spoils_output = isinstance(fault, UnknownName) and not issubclass(function, GetAttr)
            return self._fault(problem, spoils_output)
        finally:
            self._path.pop()

    def _build(self, function: type[Call], name: str, arguments: Expression) -> Call:
        path = tuple(self._path)
        if (
            function is ParameterRef
            and not self._in_condition
            and isinstance(arguments, Constant)
            and isinstance(arguments.value, str)
            and arguments.value in self._site.resources
        ):
            return GetResource(name, arguments, path)
        return function(name, arguments, path)

    def _if(self, name: str, arguments: Data) -> If:
        fewest = 2 if self._dialect.optional_else else 3
        if not isinstance(arguments, list) or not fewest <= len(arguments) <= 3:
            raise BadCall(
                "takes a list of a condition and the values to choose from",
                f"write {name}: [CONDITION, VALUE IF TRUE, VALUE IF FALSE]",
            )
        branches: list[Expression] = []
        for index, argument in enumerate(arguments):
            self._path.append(index)
            if index == 0:
                branches.append(self._condition(argument))
            else:
                self._branch_depth += 1
                branches.append(self._compile(argument))
                self._branch_depth -= 1
            self._path.pop()
        otherwise = branches[2] if len(branches) > 2 else None
        return If(name, branches[0], branches[1], otherwise, tuple(self._path))

    def _fault(self, problem: Problem, spoils_output: bool = False) -> Expression:
        """Report a problem: in a branch that may never be chosen it is only a warning.

        So it is where it spoils no more than one output. Heat draws that line after get_attr.
        """
        harmless = self._branch_depth or (self._in_output and spoils_output)
        severity = Severity.WARNING if harmless else Severity.ERROR
        self._problems.take(replace(problem, severity=severity))
        return Faulty(problem)

    def _refuse_lookalike(self, name: str, arguments: Data) -> Expression | None:
        """Return a fault if a map was meant as a call that this version does not have.

        Data may have a single key named like a function, so the arguments must fit as well.
        """
        here = self._dialect.version
        path = (*self._path, name)
        if self._in_condition:
            return self._refuse_in_condition(name, path)
        if name in self._dialect.removed:
            since = self._dialect.removed[name]
            return self._fault(
                Problem(f"the function {name} was removed in version {since}", path, _use(name))
            )
        origin = first_version_with(name, self._dialect.is_cfn) or first_version_with(name, True)
        if origin is None:
            self._warn_if_misspelt(name, path)
            return None
        function = origin.functions.get(name)
        if function is None or not _fits(function, name, arguments):
            return None
        if origin.is_cfn != self._dialect.is_cfn:
            message = f"the function {name} belongs to CFN templates, this one is HOT"
            return self._fault(Problem(message, path, _use(name)))
        return self._fault(
            Problem(
                f"the function {name} does not exist in version {here}",
                path,
                f"it exists since {origin.keywords.version}: {origin.version}",
            )
        )

    def _refuse_in_condition(self, name: str, path: Path) -> Expression | None:
        known = self._dialect.condition_functions
        if name in self._dialect.functions or name in self._suspects:
            return self._fault(
                Problem(
                    f"the function {name} cannot be used in a condition",
                    path,
                    f"a condition can use {', '.join(known)}",
                )
            )
        return None

    def _warn_of_uncalled(self, value: dict[str, Any]) -> None:
        for name in value:
            if name in self._distinctive:
                self._problems.add(
                    f"{name} is not called here, because the map has other keys beside it",
                    (*self._path, name),
                    "a call is a map with one key",
                    Severity.WARNING,
                )

    def _warn_if_misspelt(self, name: str, path: Path) -> None:
        if name in self._warned:
            return
        self._warned.add(name)
        hint = did_you_mean(name, self._functions)
        if hint or name.startswith("Fn::"):
            self._problems.add(
                f"{name} is not a function and is passed on as it is", path, hint, Severity.WARNING
            )

    def check_condition_name(self, expression: Expression, path: Path) -> bool:
        """Report a condition that is neither a boolean, a known name nor a call."""
        try:
            check_condition(expression, self._site)
        except BadCall as fault:
            self._problems.add(fault.message, path, fault.hint)
            return False
        return True


def _fits(function: type[Call], name: str, arguments: Data) -> bool:
    if issubclass(function, If):
        return isinstance(arguments, list) and len(arguments) in (2, 3)
    try:
        function(name, _opaque(arguments), ()).check(Site())
    except BadCall as fault:
        return isinstance(fault, UnknownName)
    return True


def _opaque(arguments: Data) -> Expression:
    """Return the arguments with every inner map that may be a call treated as unknown."""
    if isinstance(arguments, list):
        return ListExpression(tuple(_opaque_item(item) for item in arguments))
    if isinstance(arguments, dict):
        return MapExpression({key: _opaque_item(item) for key, item in arguments.items()})
    return Constant(arguments)


def _opaque_item(item: Data) -> Expression:
    if isinstance(item, dict) and len(item) == 1:
        return Faulty(Problem("not resolved here"))
    return Constant(item)


_SUBSTITUTES = {
    "Ref": "use get_param or get_resource",
    "Fn::GetAtt": "use get_attr",
    "Fn::Select": "use get_param or get_attr with a path, or yaql",
    "Fn::Join": "use list_join",
    "Fn::Split": "use str_split",
    "Fn::Replace": "use str_replace",
    "Fn::If": "use if",
    "Fn::Base64": "leave it out: user data is encoded where it is used",
    "Fn::ResourceFacade": "use resource_facade",
}


def _use(name: str) -> str:
    return _SUBSTITUTES.get(name, "")
