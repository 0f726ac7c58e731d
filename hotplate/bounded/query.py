"""YAQL expressions that end: bounded iterators, memory, calls, numbers and patterns.

The library bounds iterators and the memory of single values. What it leaves open is closed here:
the number of calls and of iterated items is counted, numbers, texts and collections may not grow
without end, the whole has a time limit.
"""

import collections.abc  # yaql uses it without importing it
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from time import thread_time
from typing import Any, Final

import yaql
from yaql.language import contexts, exceptions, runner, specs, utils, yaqltypes

from hotplate.bounded.pattern import BadPattern, PatternTimeout
from hotplate.bounded.query_patterns import FUNCTIONS as PATTERN_FUNCTIONS
from hotplate.bounded.query_texts import FUNCTIONS as TEXT_FUNCTIONS
from hotplate.bounded.query_texts import concat
from hotplate.bounded.time_limit import timed

_LONGEST_EXPRESSION: Final = 65_536
_LONGEST_KEPT: Final = 4096
_MOST_BITS: Final = 4096
_KEY_OF_NO_MAP: Final = re.compile(r'Unknown function "#property#(.*)"')
_OPERATOR: Final = re.compile(
    r'No function "#(?:unary_)?operator_(.*?)" matches supplied arguments'
)
_CALL_COST: Final = 50
_UNITS_BETWEEN_LOOKS: Final = 1000
_SECONDS: Final = 2.0
_COLLECTIONS: Final = (tuple, list, utils.FrozenDict, dict, frozenset, set)


class BadQuery(ValueError):
    """The expression is not YAQL, fails on this data, or asks for too much."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Heat allows 200 items and 10,000 bytes unless told otherwise; large sites need more."""

    iterators: int = 10_000
    memory: int = 2_000_000
    units: int = 4_000_000
    """Items iterated, characters and items produced, and 50 for each call."""


class _Spending:
    """What one evaluation has left of its units and its time."""

    def __init__(self, units: int, seconds: float) -> None:
        self._units = self._left = self._next_look = units
        self._deadline = thread_time() + seconds
        self._weights: dict[int, tuple[Any, int]] = {}

    def spend(self, units: int) -> None:
        """Take units off, or raise BadQuery when they are used up."""
        self._left -= units
        if self._left < 0:
            raise BadQuery("the expression takes too many steps")
        if self._left < self._next_look:
            # Looking at the clock is dear, so not for every unit.
            self._next_look = self._left - _UNITS_BETWEEN_LOOKS
            if thread_time() > self._deadline:
                raise BadQuery("the expression takes too long")

    def check_weight(self, value: Any) -> None:
        """Refuse a collection that would be too large if it were written out.

        One that is in another twice takes no more memory than once, until it is compared, hashed
        or printed: then each step may double what there is to do.
        """
        if self._weight(value) > self._units:
            raise BadQuery("a list or map is too large")

    def _weight(self, value: Any) -> int:
        if isinstance(value, str):
            return 1 + len(value) // 16
        if not isinstance(value, _COLLECTIONS):
            return 1
        known = self._weights.get(id(value))
        if known is None:
            items = value.items() if isinstance(value, collections.abc.Mapping) else value
            known = (value, 1 + sum(map(self._weight, items)))
            self._weights[id(value)] = known  # kept alive, so that its identity stays its own
        return known[1]


class _Context(contexts.Context):  # type: ignore[misc]
    """Counts every call. Children are made by the library with ``type(self)(self)``."""

    def __init__(self, parent: Any, spending: _Spending | None = None) -> None:
        super().__init__(parent)
        self._spending: _Spending = spending or parent._spending
        self.spend = self._spending.spend

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
            _check_bits(result.bit_length())
        elif isinstance(result, collections.abc.Iterator):
            return self._counted(result)
        return result

    def _counted(self, items: Iterator[Any]) -> Iterator[Any]:
        for item in items:
            self.spend(1)
            yield item


def _check_bits(bits: float) -> None:
    if bits > _MOST_BITS:
        raise BadQuery("a number is too large")


@specs.parameter("a", yaqltypes.Number())
@specs.parameter("b", yaqltypes.Number())
@specs.parameter("c", yaqltypes.Number(nullable=True))
@specs.name("pow")
def _pow(a: Any, b: Any, c: Any = None) -> Any:
    if isinstance(a, int) and isinstance(b, int) and c is None:
        _check_bits(a.bit_length() * abs(b))
    return pow(a, b, c)


@specs.parameter("value", int)
@specs.parameter("bits_number", int)
def _shift_bits_left(value: int, bits_number: int) -> int:
    _check_bits(value.bit_length() + bits_number)
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
            self._statement = _engine(limits.iterators, limits.memory)(text)
        except exceptions.YaqlException as error:
            raise BadQuery(f"the expression is not YAQL: {error}") from None
        except RecursionError:
            raise BadQuery("the expression is nested too deeply") from None
        except Exception as error:  # the lexer raises what Python raises
            raise BadQuery(f"the expression is not YAQL: {error}") from None

    def evaluate(self, data: Any) -> Any:
        """Return plain data: what the expression makes of ``data``, which it calls ``$``."""
        with timed(_SECONDS) as seconds:
            return self._evaluate(data, _Spending(self._limits.units, seconds))

    def _evaluate(self, data: Any, spending: _Spending) -> Any:
        try:
            result = self._statement.evaluate(data, _Context(_base_context(), spending))
            return _plain(result, spending.spend)
        except StopIteration as end:
            if end.args:
                raise BadQuery(str(end)) from None
            return None  # first() and last() of nothing
        except (BadQuery, BadPattern, PatternTimeout) as error:
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


def _plain(value: Any, spend: Callable[[int], None]) -> Any:
    """Return the value as JSON could carry it."""
    spend(1)
    if isinstance(value, float) and not math.isfinite(value):
        raise BadQuery(f"the result {value} is not a number that JSON can carry")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, collections.abc.Mapping):
        return {
            key if isinstance(key, str) else str(key): _plain(item, spend)
            for key, item in value.items()
        }
    if isinstance(value, collections.abc.Iterable):
        return [_plain(item, spend) for item in value]
    raise BadQuery(f"the result is of the kind {type(value).__name__}, which no template can hold")


def compile_query(text: str, limits: QueryLimits = QueryLimits()) -> Query:  # noqa: B008 (frozen)
    """Return the parsed expression; short ones are kept. Raises BadQuery."""
    return (_kept if len(text) <= _LONGEST_KEPT else Query)(text, limits)


@lru_cache(maxsize=1024)
def _kept(text: str, limits: QueryLimits) -> Query:
    return Query(text, limits)
