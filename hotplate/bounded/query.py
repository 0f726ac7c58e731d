"""YAQL expressions that end: bounded iterators, memory, calls, numbers and patterns.

The library bounds iterators and the memory of single values. What it leaves open is closed here:
the number of calls and of iterated items is counted, numbers and texts may not grow without end,
patterns have a time limit.
"""

import collections.abc  # yaql uses it without importing it
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import yaql
from yaql.language import contexts, exceptions, runner, specs, utils, yaqltypes

from hotplate.bounded.pattern import BadPattern, PatternTimeout
from hotplate.bounded.query_patterns import FUNCTIONS

_LONGEST_EXPRESSION: Final = 65_536
_MOST_BITS: Final = 4096
_CALL_COST: Final = 50


class BadQuery(ValueError):
    """The expression is not YAQL, fails on this data, or asks for too much."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Heat allows 200 items and 10,000 bytes unless told otherwise; large sites need more."""

    iterators: int = 10_000
    memory: int = 2_000_000
    units: int = 4_000_000
    """Items iterated, characters and items produced, and 50 for each call."""


class _Context(contexts.Context):  # type: ignore[misc]
    """Counts every call. Children are made by the library with ``type(self)(self)``."""

    def __init__(self, parent: Any, spend: Callable[[int], None] | None = None) -> None:
        super().__init__(parent)
        self.spend: Callable[[int], None] = spend or parent.spend

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


@specs.parameter("string", yaqltypes.String())
@specs.parameter("old", yaqltypes.String())
@specs.parameter("new", yaqltypes.String())
@specs.parameter("count", int)
@specs.inject("context", yaqltypes.Context())
@specs.name("replace")
@specs.method
def _replace(context: Any, string: str, old: str, new: str, count: int = -1) -> str:
    context.spend(string.count(old) * len(new))
    return string.replace(old, new, count)


@specs.parameter("string", yaqltypes.String())
@specs.parameter("replacements", utils.MappingType)
@specs.parameter("count", int)
@specs.inject("context", yaqltypes.Context())
@specs.inject("to_text", yaqltypes.Delegate("str"))
@specs.name("replace")
@specs.method
def _replace_many(
    context: Any, string: str, to_text: Any, replacements: Any, count: int = -1
) -> str:
    for key, value in replacements.items():
        string = _replace(context, string, to_text(key), to_text(value), count)
    return string


@lru_cache(maxsize=1)
def _base_context() -> Any:
    context = yaql.create_context(regex=False)
    for function in FUNCTIONS:
        context.register_function(function)
    guarded = context.create_child_context()
    guarded.register_function(_pow, exclusive=True)
    guarded.register_function(_shift_bits_left, name="shiftBitsLeft", exclusive=True)
    for name in ("replace",):
        for layer in context.collect_functions(name):
            for definition in layer:
                if definition.payload.__module__.endswith("strings"):
                    context.delete_function(definition)
    guarded.register_function(_replace)
    guarded.register_function(_replace_many)
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

    def evaluate(self, data: Any) -> Any:
        """Return plain data: what the expression makes of ``data``, which it calls ``$``."""
        left = self._limits.units

        def spend(units: int) -> None:
            nonlocal left
            left -= units
            if left < 0:
                raise BadQuery("the expression takes too many steps")

        try:
            result = self._statement.evaluate(data, _Context(_base_context(), spend))
            return _plain(result, spend)
        except StopIteration:
            return None  # first() and last() of nothing
        except (BadQuery, BadPattern, PatternTimeout) as error:
            raise BadQuery(str(error)) from None
        except RecursionError:
            raise BadQuery("the expression is nested too deeply") from None
        except exceptions.YaqlException as error:
            raise BadQuery(str(error) or type(error).__name__) from None
        except Exception as error:  # functions of the language raise what Python raises
            raise BadQuery(f"{type(error).__name__}: {error}") from None


def _plain(value: Any, spend: Callable[[int], None]) -> Any:
    """Return the value as JSON could carry it."""
    spend(1)
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


@lru_cache(maxsize=1024)
def compile_query(text: str, limits: QueryLimits = QueryLimits()) -> Query:  # noqa: B008 (frozen)
    """Return the parsed expression. Raises BadQuery."""
    return Query(text, limits)
