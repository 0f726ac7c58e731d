"""YAQL expressions give plain data, and none runs without end."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hotplate.bounded import BadQuery, QueryLimits, compile_query


def evaluate(expression: str, data: Any = None) -> Any:
    return compile_query(expression).evaluate(data)


def refusal(expression: str, data: Any = None, limits: QueryLimits | None = None) -> str:
    with pytest.raises(BadQuery) as refused:
        compile_query(expression, limits or QueryLimits()).evaluate(data)
    return str(refused.value)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("$.list.where($ > 1)", [2, 3]),
        ("$.list.select($ * 2)", [2, 4, 6]),
        ("$.list.sum()", 6),
        ("$.map.keys().orderBy($)", ["a", "b"]),
        ("$.map.items().select([$[0], $[1]]).orderBy($[0])", [["a", 1], ["b", 2]]),
        ("dict($.list.select([str($), $]))", {"1": 1, "2": 2, "3": 3}),
        ("dict([[1, x]])", {"1": "x"}),
        ("$.get(missing)", None),
        ("[].first()", None),
        ("$.list.toSet().len()", 3),
        ("pow(2, 10)", 1024),
        ("pow(2, 10, 1000)", 24),
        ("pow(2, -1)", 0.5),
        ("shiftBitsLeft(1, 8)", 256),
        ("let(x => 5) -> $x + 1", 6),
        ("range(3)", [0, 1, 2]),
    ],
)
def test_an_expression_gives_plain_data(expression: str, value: object) -> None:
    data = {"list": [1, 2, 3], "map": {"a": 1, "b": 2}}
    assert evaluate(expression, data) == value


def test_the_same_expression_is_parsed_once() -> None:
    assert compile_query("$.a + 1") is compile_query("$.a + 1")


def test_evaluating_leaves_the_data_as_it_was() -> None:
    data = {"list": [3, 1, 2]}
    assert evaluate("$.list.orderBy($)", data) == [1, 2, 3]
    assert data == {"list": [3, 1, 2]}


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("$.(", "the expression is not YAQL: "),
        ("1 +", "the expression is not YAQL: "),
        ("nothing($)", 'Unknown function "nothing"'),
        ("dict(a => 1).missing", "there is no key 'missing'"),
        ("dict(a => null).a.b", '".b" is asked of something that is not a map'),
        ("[1][5]", "an index is beyond the end of its list"),
        ("1 + a", "the operator + does not fit its arguments"),
        ("int(x)", "ValueError: "),
        ("1 / 0", "ZeroDivisionError: "),
        ("now()", "the result is of the kind datetime, which no template can hold"),
        ("float(nan)", "the result nan is not a number that JSON can carry"),
    ],
)
def test_a_failing_expression_says_why(expression: str, fault: str) -> None:
    assert refusal(expression).startswith(fault)


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("range(100000000)", "Collection length exceeds 100 elements"),
        ("generate(1, true, $ + 1).toList()", "Collection length exceeds 100 elements"),
        ("'aaaaaaaaaa' * 100000000", "Expression consumed too much memory"),
        ("[1] * 100000000", "Expression consumed too much memory"),
        ("pow(10, 100000)", "a number is too large"),
        ("pow(10, pow(10, 10))", "a number is too large"),
        ("shiftBitsLeft(1, 100000000)", "a number is too large"),
        ("range(90).aggregate($1 * 1000000000000000, 1)", "a number is too large"),
        ("range(90).select(range(90).len()).sum()", "the expression takes too many steps"),
        ("range(90).select(range(90).select($ + 1).sum())", "the expression takes too many steps"),
        ("$.replace(a, $).replace(a, $)", "the expression takes too many steps"),
        ("$.replace({a => $})", "the expression takes too many steps"),
        ("a" + "+a" * 40_000, "the expression is longer than 65536 characters"),
        ("(" * 30_000, "the expression is "),
        ("($ + b) =~ '(?=a)(?:a|aa)+$'", "the pattern '(?=a)(?:a|aa)+$' takes too long to match"),
    ],
)
def test_an_expression_that_asks_for_too_much_is_stopped(expression: str, fault: str) -> None:
    limits = QueryLimits(iterators=100, memory=100_000, units=20_000)
    assert refusal(expression, "a" * 300, limits).startswith(fault)


def test_a_recursive_function_is_stopped() -> None:
    assert refusal("def(f, f($)) -> f(1)")


def test_limits_can_be_set() -> None:
    assert "exceeds 10 elements" in refusal("range(11)", limits=QueryLimits(iterators=10))
    assert "too many steps" in refusal("1 + 1", limits=QueryLimits(units=10))


@pytest.fixture
def threads_that_interrupt_each_other() -> Iterator[ThreadPoolExecutor]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    with ThreadPoolExecutor(8) as threads:
        yield threads
    sys.setswitchinterval(before)


def test_expressions_are_parsed_in_many_threads(
    threads_that_interrupt_each_other: ThreadPoolExecutor,
) -> None:
    expressions = [f"[$.a{number}, {number}, $.b + {number}]" for number in range(400)]
    data = {"b": 1, **{f"a{number}": f"value {number}" for number in range(400)}}

    found = threads_that_interrupt_each_other.map(lambda text: evaluate(text, data), expressions)

    assert list(found) == [[f"value {number}", number, number + 1] for number in range(400)]
