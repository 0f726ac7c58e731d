"""Jinja2 that ends: a sandbox whose steps are counted and whose values may not grow without end.

Jinja's own sandbox keeps templates away from Python's insides. What it leaves open is closed
here, by a change of the parsed template before it is compiled: every turn of a loop, every call
and every written text is counted, every list and map is weighed, and what makes large values out
of small ones (operators, filters, methods of texts) is asked for its size before it is done.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, cast

import jinja2
from jinja2 import nodes
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from hotplate.bounded.jinja_filters import bounded_filters, check_format
from hotplate.bounded.plain import NotPlain, plain
from hotplate.bounded.spending import Spending
from hotplate.bounded.time_limit import timed

_LONGEST: Final = 65_536
_LONGEST_KEPT: Final = 4096
_LONGEST_RANGE: Final = 100_000
_CALL_COST: Final = 50
_TURN_COST: Final = 10
_SECONDS: Final = 2.0
# Names that no template can write, so that none can call these filters or replace them.
_COUNTED: Final = "counted loop"
_WEIGHED: Final = "weighed value"
_JOINED: Final = "joined texts"
# Methods of texts that make much of little; the others make at most as much as they are given.
_GROWING: Final = {"center", "ljust", "rjust", "zfill", "expandtabs"}


class _Spending(Spending):
    """Knows also how much a macro can write in one call: no more than the template is long."""

    written = 0


_spending: ContextVar[_Spending] = ContextVar("spending")


class BadJinja(ValueError):
    """The text is not Jinja, fails on this data, or asks for too much."""


@dataclass(frozen=True, slots=True)
class JinjaLimits:
    """What one evaluation may cost."""

    units: int = 4_000_000
    """Turns of loops (10 each), calls (50 each), characters and items produced."""

    functions: tuple[str, ...] = ()
    """Names of functions that may also be written as filters; what they are applied to is lost."""


class Jinja:
    """A compiled template, or a compiled expression whose value keeps its kind. Shared."""

    __slots__ = ("_limits", "_run", "_written", "text")

    def __init__(self, text: str, whole: bool, limits: JinjaLimits) -> None:
        self.text = text
        self._limits = limits
        self._written = 0 if whole else len(text)
        if len(text) > _LONGEST:
            raise BadJinja(f"the expression is longer than {_LONGEST} characters")
        environment = _environment(limits.functions)
        try:
            if whole:
                self._run: Callable[..., Any] = environment.compile_expression(
                    text, undefined_to_none=False
                )
            else:
                self._run = environment.from_string(text).render
        except jinja2.TemplateError as error:
            raise BadJinja(f"the expression is not Jinja: {error}") from None
        except (RecursionError, SyntaxError, MemoryError):
            raise BadJinja("the expression is nested too deeply") from None

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        """Return plain data: what the text makes of the named values and functions."""
        with timed(_SECONDS) as seconds:
            spending = _Spending(self._limits.units, seconds, BadJinja)
            spending.written = self._written
            token = _spending.set(spending)
            try:
                return self._evaluate(names, spending)
            finally:
                _spending.reset(token)

    def _evaluate(self, names: Mapping[str, Any], spending: Spending) -> Any:
        try:
            result = self._run(**names)
            if isinstance(result, jinja2.Undefined):
                raise BadJinja(result._undefined_message)
            spending.check_weight(result)
            return plain(result, spending.spend, times=True)
        except BadJinja:
            raise
        except NotPlain as error:
            raise BadJinja(str(error)) from None
        except RecursionError:
            raise BadJinja("the expression is nested too deeply") from None
        except MemoryError:
            raise BadJinja("the expression takes too much memory") from None
        except jinja2.TemplateError as error:
            raise BadJinja(str(error)) from None
        except Exception as error:  # filters and methods raise what Python raises
            raise BadJinja(f"{type(error).__name__}: {error}") from None


def compile_jinja(
    text: str,
    whole: bool,
    limits: JinjaLimits = JinjaLimits(),  # noqa: B008 (frozen)
) -> Jinja:
    """Return the compiled text; short ones are kept. Raises BadJinja.

    A ``whole`` text is one expression, without braces around it.
    """
    return (_kept if len(text) <= _LONGEST_KEPT else Jinja)(text, whole, limits)


@lru_cache(maxsize=1024)
def _kept(text: str, whole: bool, limits: JinjaLimits) -> Jinja:
    return Jinja(text, whole, limits)


class _Counting(NodeTransformer):
    """Puts the counting into a parsed template."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 (the library's way)
        written = sum(len(data.data) for data in node.find_all(nodes.TemplateData))
        self.generic_visit(node)
        node.iter = _filtered(
            cast(nodes.Expr, node.iter), _COUNTED, nodes.Const(_TURN_COST + written)
        )
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        first, *others = node.nodes
        return _filtered(first, _JOINED, *others)

    def visit_List(self, node: nodes.List) -> nodes.Node:  # noqa: N802
        return self._weighed(node)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:  # noqa: N802
        return self._weighed(node)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:  # noqa: N802
        return self._weighed(node) if node.ctx == "load" else node

    def _weighed(self, node: nodes.Expr) -> nodes.Node:
        self.generic_visit(node)
        return _filtered(node, _WEIGHED)


def _filtered(node: nodes.Expr, name: str, *arguments: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, list(arguments), [], None, None, lineno=node.lineno)


class _Environment(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset(["+", "-", "*", "/", "//", "**", "%"])

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        return super()._generate(_Counting().visit(source), *args, **kwargs)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        spending = _spending.get()
        spending.spend(1)
        if operator == "*":
            _check_product(spending, left, right)
            _check_product(spending, right, left)
        elif operator == "**" and isinstance(left, int) and isinstance(right, int):
            spending.check_bits(left.bit_length() * abs(right))
        elif operator == "%" and isinstance(left, str):
            check_format(left, BadJinja)
        result = super().call_binop(context, operator, left, right)
        return _measured(result)

    def call(
        __self,  # noqa: N805 (arguments of the call may have any name)
        __context: Any,
        __obj: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        spending = _spending.get()
        spending.spend(_CALL_COST + spending.written)
        if isinstance(__obj, LoopContext) and args:  # the next level of a recursive loop
            args = (_loop(args[0], _TURN_COST + spending.written), *args[1:])
        owner, name = getattr(__obj, "__self__", None), getattr(__obj, "__name__", "")
        if isinstance(owner, str):
            _check_method(spending, owner, name, args)
        return _measured(super().call(__context, __obj, *args, **kwargs))

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None
        format_text = wrapped

        def checked(*args: Any, **kwargs: Any) -> str:
            check_format(value.__self__, BadJinja)
            return format_text(*args, **kwargs)

        return checked


def _check_product(spending: Spending, many: Any, times: Any) -> None:
    if isinstance(many, str | list | tuple) and isinstance(times, int) and times > 0:
        spending.spend(len(many) * times)


def _check_method(spending: Spending, owner: str, name: str, args: tuple[Any, ...]) -> None:
    """Take off what a method of a text will make, where that is more than the text."""
    spending.spend(len(owner) // 16)
    if name in _GROWING:
        sizes = [arg for arg in args if isinstance(arg, int)]
        repeats = owner.count("\t") + 1 if name == "expandtabs" else 1
        spending.spend(max(sizes, default=8) * repeats)
    elif name == "replace" and len(args) > 1 and all(isinstance(arg, str) for arg in args[:2]):
        spending.spend(owner.count(args[0]) * len(args[1]))
    elif name == "join" and args and isinstance(args[0], list | tuple | dict):
        spending.spend(sum(len(part) if isinstance(part, str) else 1 for part in args[0]))
        spending.spend(len(owner) * len(args[0]))
    elif name == "translate" and args and isinstance(args[0], Mapping):
        longest = max((len(part) for part in args[0].values() if isinstance(part, str)), default=1)
        spending.spend(longest * len(owner))


def _measured(value: Any) -> Any:
    """Return the value, paid for: by its length now, or item by item while it is used."""
    spending = _spending.get()
    if isinstance(value, str | list | tuple | dict | set | range):
        spending.spend(len(value))
        spending.check_weight(value)
    elif isinstance(value, int):
        spending.check_bits(value.bit_length())
    elif isinstance(value, Iterator):
        return _counted(value, 1)
    return value


def _counted(items: Iterable[Any], cost: int) -> Iterator[Any]:
    spend = _spending.get().spend
    for item in items:
        spend(cost)
        yield item


def _loop(items: Any, cost: int) -> Any:
    """Return the items of a loop, counted; a list stays one, so that its length is known."""
    if isinstance(items, jinja2.Undefined):
        return items
    if isinstance(items, str | list | tuple | dict | range):
        _spending.get().spend(len(items) * cost)
        return items
    return _counted(items, cost)


def _joined(*parts: Any) -> str:
    texts = [_written_text(part) for part in parts]
    return "".join(texts)


@jinja2.pass_context
def _written(context: Any, value: Any) -> str:
    return _written_text(value)


def _written_text(value: Any) -> str:
    if not isinstance(value, str):
        _spending.get().check_weight(value)
    text = str(value)
    _spending.get().spend(len(text))
    return text


def _range(*args: int) -> range:
    numbers = range(*args)
    if len(numbers) > _LONGEST_RANGE:
        raise BadJinja(f"a range of more than {_LONGEST_RANGE} numbers")
    return numbers


def _as_filter(name: str) -> Callable[..., Any]:
    @jinja2.pass_context
    def called(context: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        return context.environment.call(context, context[name], *args, **kwargs)

    return called


@lru_cache(maxsize=8)
def _environment(functions: tuple[str, ...]) -> _Environment:
    environment = _Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Constants are not computed at compile time: nothing counts there.
        optimized=False,
        finalize=_written,
    )
    del environment.globals["lipsum"]
    environment.globals["range"] = _range
    environment.filters = bounded_filters(environment.filters, _measured, BadJinja)
    environment.filters.update({name: _as_filter(name) for name in functions})
    environment.filters[_COUNTED] = _loop
    environment.filters[_WEIGHED] = _measured
    environment.filters[_JOINED] = _joined
    return environment
