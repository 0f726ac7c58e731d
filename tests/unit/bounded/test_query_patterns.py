"""YAQL's functions on patterns do what YAQL's manual says."""

import pytest

from hotplate.bounded import BadQuery, compile_query


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("regex('b+').matches('abbc')", True),
        ("regex('B+').matches('abbc')", False),
        ("regex('B+', ignoreCase => true).matches('abbc')", True),
        ("regex('^b', multiLine => true).matches($)", True),
        ("regex('a.b', dotAll => true).matches($)", True),
        ("regex('a.b').matches($)", False),
        ("'abbc'.matches('b+')", True),
        ("'abbc' =~ 'b+'", True),
        ("'abbc' =~ regex('x')", False),
        ("'abbc' !~ 'b+'", False),
        ("'abbc' !~ regex('x')", True),
        ("regex('b+').search('abbc')", "bb"),
        ("regex('x').search('abbc')", None),
        ("regex('b(.)').search('abc', $2.value)", "c"),
        ("regex('b(?P<next>.)').search('abc', $next.start)", 2),
        ("regex('b.').searchAll('abcbd')", ["bc", "bd"]),
        ("regex('b(.)').searchAll('abcbd', $2.value)", ["c", "d"]),
        ("regex('').searchAll('ab')", ["", "", ""]),
        ("regex(',').split('a,b,c')", ["a", "b", "c"]),
        ("regex(',').split('a,b,c', 1)", ["a", "b,c"]),
        ("regex('(,)').split('a,b')", ["a", ",", "b"]),
        ("'a,b'.split(regex(','))", ["a", "b"]),
        ("regex('b').replace('abb', 'x')", "axx"),
        ("regex('b').replace('abb', 'x', 1)", "axb"),
        ("regex('(b)').replace('ab', '<\\\\1>')", "a<b>"),
        ("'abb'.replace(regex('b'), 'x')", "axx"),
        ("regex('b').replaceBy('ab', $.value.toUpper())", "aB"),
        ("'ab'.replaceBy(regex('b'), $1.value + '!')", "ab!"),
        ("escapeRegex('a.b')", "a\\.b"),
        ("isRegex(regex('a'))", True),
        ("isRegex('a')", False),
    ],
)
def test_a_function_on_patterns(expression: str, value: object) -> None:
    assert compile_query(expression).evaluate("a\nb") == value


def test_a_bad_pattern_is_refused() -> None:
    with pytest.raises(BadQuery, match="is not a regular expression"):
        compile_query("regex('(').matches('a')").evaluate(None)


def test_a_pattern_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(BadQuery, match="takes too long to match"):
        compile_query("regex('(?=a)(?:a|aa)+$').replace($, x)").evaluate("a" * 60 + "b")
