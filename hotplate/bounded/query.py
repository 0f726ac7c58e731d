"""YAQL expressions that end: bounded iterators, memory, calls, numbers and patterns.

The library bounds iterators and the memory of single values. What it leaves open is closed here:
the number of calls and of iterated items is counted, numbers, texts and collections may not grow
without end, the whole has a time limit.
"""

import collections.abc  # yaql uses it without importing it
import functools
import inspect
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import yaql
from yaql.language import contexts, exceptions, runner, specs, utils, yaqltypes

from hotplate.bounded.pattern import BadPattern, PatternTimeout
from hotplate.bounded.plain import NotPlain, plain
from hotplate.bounded.query_patterns import FUNCTIONS as PATTERN_FUNCTIONS
from hotplate.bounded.query_texts import FUNCTIONS as TEXT_FUNCTIONS
from hotplate.bounded.query_texts import concat
from hotplate.bounded.spending import Spending
from hotplate.bounded.time_limit import timed

_LONGEST_EXPRESSION: Final = 65_536
_LONGEST_KEPT: Final = 4096
_KEY_OF_NO_MAP: Final = re.compile(r'Unknown function "#property#(.*)"')
_OPERATOR: Final = re.compile(
    r'No function "#(?:unary_)?operator_(.*?)" matches supplied arguments'
)
_CALL_COST: Final = 50
_SECONDS: Final = 2.0
_PARSER_IN_USE: Final = threading.Lock()
"""The library's lexer and parser keep where they are in attributes of their own: one at a time."""


class BadQuery(ValueError):
    """The expression is not YAQL, fails on this data, or asks for too much."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Heat allows 200 items and 10,000 bytes by default; large sites need more."""

    iterators: int = 10_000
    memory: int = 2_000_000
    units: int = 4_000_000
    """Items iterated, characters and items produced, and 50 for each call."""

    workflow: bool = False
    """As in workflows: times become texts, and there is no first item of nothing."""


class _Context(contexts.Context):  # type: ignore[misc]
    """Counts every call. Children are made by the library with ``type(self)(self)``."""

    def __init__(self, parent: Any, spending: Spending | None = None, tools: Any = None) -> None:
        super().__init__(parent)
        self._spending: Spending = spending or parent._spending
        self.spend = self._spending.spend
        self.check_bits = self._spending.check_bits
        # What functions of the caller's own work with; no expression can name it.
        self.tools = tools if spending else parent.tools

    def __call__(
        self,
        name: str,
        engine: Any,
        receiver: Any = utils.NO_VALUE,
        data_context: Any = None,
        use_convention: bool = False,
        function_filter: Any = None,
    ) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.spend(_CALL_COST)
            result = runner.call(
                name,
                self,
                args,
                kwargs,
                engine,
                receiver,
                data_context,
                use_convention,
                function_filter,
            )
            return self._measured(result)

        return call

    def _measured(self, result: Any) -> Any:
        if isinstance(result, str | bytes | collections.abc.Sized):
            self.spend(len(result))
            self._spending.check_weight(result)
        elif isinstance(result, int):
            self.check_bits(result.bit_length())
        elif isinstance(result, collections.abc.Iterator):
            return self._counted(result)
        return result

    def _counted(self, items: Iterator[Any]) -> Iterator[Any]:
        for item in items:
            self.spend(1)
            yield item


@specs.parameter("a", yaqltypes.Number())
@specs.parameter("b", yaqltypes.Number())
@specs.parameter("c", yaqltypes.Number(nullable=True))
@specs.inject("context", yaqltypes.Context())
@specs.name("pow")
def _pow(context: Any, a: Any, b: Any, c: Any = None) -> Any:
    if isinstance(a, int) and isinstance(b, int) and c is None:
        context.check_bits(a.bit_length() * abs(b))
    return pow(a, b, c)


@specs.parameter("value", int)
@specs.parameter("bits_number", int)
@specs.inject("context", yaqltypes.Context())
def _shift_bits_left(context: Any, value: int, bits_number: int) -> int:
    context.check_bits(value.bit_length() + bits_number)
    return value << bits_number


@lru_cache(maxsize=1)
def _base_context() -> Any:
    context = yaql.create_context(regex=False)
    for function in PATTERN_FUNCTIONS:
        context.register_function(function)
    guarded = context.create_child_context()
    guarded.register_function(_pow, exclusive=True)
    guarded.register_function(_shift_bits_left, name="shiftBitsLeft", exclusive=True)
    for name in {function.__yaql_function__.name for function in TEXT_FUNCTIONS} | {"#operator_+"}:
        for layer in context.collect_functions(name):
            for definition in layer:
                if definition.payload.__module__.endswith("strings"):
                    context.delete_function(definition)
    for function in TEXT_FUNCTIONS:
        guarded.register_function(function)
    guarded.register_function(concat, name="#operator_+")
    return guarded


class Functions:
    """Functions that expressions may call besides YAQL's own. Made once and shared.

    Each is called with the tools of the evaluation and the arguments of the call.
    """

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self.context = _base_context().create_child_context()
        for name, function in functions.items():
            self.context.register_function(_with_tools(function), name=name)


def _with_tools(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as YAQL calls it: with the context in the place of the tools."""

    @functools.wraps(function)
    def called(context: Any, *args: Any, **kwargs: Any) -> Any:
        return function(context.tools, *args, **kwargs)

    signature = inspect.signature(function)
    first, *others = signature.parameters.values()
    parameters = [first.replace(name="context"), *others]
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return called


@lru_cache(maxsize=8)
def _engine(iterators: int, memory: int) -> Any:
    options = {"yaql.limitIterators": iterators, "yaql.memoryQuota": memory}
    return yaql.YaqlFactory().create(options)


class Query:
    """A parsed expression. Shared between threads."""

    __slots__ = ("_limits", "_statement", "text")

    def __init__(self, text: str, limits: QueryLimits) -> None:
        self.text = text
        self._limits = limits
        if len(text) > _LONGEST_EXPRESSION:
            raise BadQuery(f"the expression is longer than {_LONGEST_EXPRESSION} characters")
        try:
            with _PARSER_IN_USE:
                self._statement = _engine(limits.iterators, limits.memory)(text)
        except exceptions.YaqlException as error:
            raise BadQuery(f"the expression is not YAQL: {error}") from None
        except RecursionError:
            raise BadQuery("the expression is nested too deeply") from None
        except Exception as error:  # the lexer raises what Python raises
            raise BadQuery(f"the expression is not YAQL: {error}") from None

    def evaluate(self, data: Any, functions: "Functions | None" = None, tools: Any = None) -> Any:
        """Return plain data: what the expression makes of ``data``, which it calls ``$``.

        ``tools`` is handed to the functions, which are the caller's own.
        """
        base = _base_context() if functions is None else functions.context
        with timed(_SECONDS) as seconds:
            spending = Spending(self._limits.units, seconds, BadQuery)
            return self._evaluate(data, _Context(base, spending, tools), spending.spend)

    def _evaluate(self, data: Any, context: _Context, spend: Callable[[int], None]) -> Any:
        try:
            return plain(self._statement.evaluate(data, context), spend, self._limits.workflow)
        except StopIteration as end:
            if end.args or self._limits.workflow:
                raise BadQuery(str(end) or "there is no first or last of nothing") from None
            return None  # first() and last() of nothing
        except (BadQuery, BadPattern, NotPlain, PatternTimeout) as error:
            raise BadQuery(str(error)) from None
        except RecursionError:
            raise BadQuery("the expression is nested too deeply") from None
        except exceptions.YaqlException as error:
            raise BadQuery(_words(error)) from None
        except KeyError as error:
            raise BadQuery(f"there is no key {error}") from None
        except IndexError:
            raise BadQuery("an index is beyond the end of its list") from None
        except Exception as error:  # functions of the language raise what Python raises
            raise BadQuery(f"{type(error).__name__}: {error}") from None


def _words(error: Exception) -> str:
    """Return what the library says, without its own names for operators and keys."""
    said = str(error) or type(error).__name__
    said = _KEY_OF_NO_MAP.sub(r'".\1" is asked of something that is not a map', said)
    return _OPERATOR.sub(r"the operator \1 does not fit its arguments", said)


def compile_query(text: str, limits: QueryLimits = QueryLimits()) -> Query:  # noqa: B008 (frozen)
    """Return the parsed expression; short ones are kept. Raises BadQuery."""
    return (_kept if len(text) <= _LONGEST_KEPT else Query)(text, limits)


@lru_cache(maxsize=1024)
def _kept(text: str, limits: QueryLimits) -> Query:
    return Query(text, limits)
