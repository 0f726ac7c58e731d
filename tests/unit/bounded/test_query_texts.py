"""YAQL's functions that lengthen texts do what YAQL's manual says, and are paid for."""

import pytest

from hotplate.bounded import BadQuery, QueryLimits, compile_query


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'a-b'.replace('-', '+')", "a+b"),
        ("'a-b-c'.replace('-', '+', 1)", "a+b-c"),
        ("'abc'.replace({a => x, c => z})", "xbz"),
        ("[a, b].join('-')", "a-b"),
        ("[1, true, null].join(' ')", "1 true null"),
        ("'-'.join([a, b])", "a-b"),
        ("[].join('-')", ""),
        ("concat(a, b, c)", "abc"),
        ("a + b", "ab"),
    ],
)
def test_a_function_on_texts(expression: str, value: str) -> None:
    assert compile_query(expression).evaluate(None) == value


@pytest.mark.parametrize(
    "expression",
    [
        "$.replace(a, $)",
        "$.replace({a => $})",
        "range(50).select(a).join($)",
        "$.join(range(50).select(a))",
        "concat($, $, $, $, $, $, $, $, $, $, $)",
    ],
)
def test_a_short_expression_cannot_make_a_long_text(expression: str) -> None:
    with pytest.raises(BadQuery, match="the expression takes too many steps"):
        compile_query(expression, QueryLimits(units=10_000)).evaluate("a" * 1000)
