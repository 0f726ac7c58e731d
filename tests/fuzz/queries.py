"""Expressions, patterns and pieces of them, and what must hold of each."""

# ruff: noqa: PT017 (no test, but what tests call: whatever is raised must explain itself)

import json
from typing import Any

from hotplate.bounded import BadPattern, BadQuery, Pattern, PatternTimeout, Query, QueryLimits

DATA: dict[str, Any] = {
    "list": [3, 1, 2],
    "names": ["a", "b", "a"],
    "map": {"a": 1, "b": {"c": [1, 2]}},
    "rows": [{"k": "x", "v": 1}, {"k": "y", "v": 2}, {"k": "x", "v": 3}],
    "text": "a,b;c",
    "long": "ab" * 500,
    "none": None,
    "number": 10**300,
}

EXPRESSIONS = (
    "$.data", "$.data.list", "$.data.list.where($ > 1)", "$.data.list.select($ * 2).sum()",
    "$.data.rows.groupBy($.k)", "$.data.rows.groupBy($.k, $.v, [$[0], $[1].sum()])",
    "$.data.rows.toDict($.k, $.v)", "dict($.data.list.select([str($), $]))",
    "$.data.map.keys()", "$.data.map.items()", "$.data.map.b.c[0]", "$.data.map.mergeWith({a=>2})",
    "$.data.list.orderBy($)", "$.data.list.orderByDescending($).first()", "$.data.list.len()",
    "$.data.list.distinct()", "$.data.list.flatten()", "[$.data.list, [1, [2]]].flatten()",
    "$.data.text.split(',')", "$.data.text.replace('a', 'bb')", "$.data.text.replace({a => b})",
    "regex('([a-z]),').searchAll($.data.text)", "$.data.text =~ '[a-z]'", "$.data.text.toUpper()",
    "regex('a').replaceBy($.data.text, $.value)", "$.data.text.matches('(a+)+$')",
    "range(10).aggregate($1 + $2)", "range(5).accumulate([$1, $2])", "generate(1, $ < 9, $ + 1)",
    "generateMany(1, [$ + 1, $ + 2].where($ < 9))", "sequence().take(3)", "cycle([1,2]).limit(5)",
    "let(a => 1) -> $a + 1", "def(f, $ + 1) -> f(2)", "with(1, 2) -> $1 + $2", "$.data.none?.x",
    "switch($.data.list.len() > 2 => a, true => b)", "coalesce($.data.none, 1)", "int('5')",
    "float('1.5')", "str($.data)", "pow(2, 10)", "shiftBitsLeft(1, 10)", "'a' * 5", "[1] * 3",
    "$.data.names.join(',')", "concat(a, b, c)", "$.data.list.zip($.data.names)", "set(1, 2)",
    "$.data.list.join($.data.names, true, [$1, $2])", "now()", "datetime(2001, 1, 1).year",
    "timespan(days => 1).totalSeconds", "$.data.list.slice(2)", "$.data.list.splitAt(1)",
    "isList($.data.list)", "$.data.list.any($ > 2)", "$.data.list.all()", "$.data.long.len()",
    "'{0}-{1}'.format(1, 2)", "format('{0:9999}', 1)", "repeat(a, 5)", "$.data.list.insert(1, 9)",
    "$.data.list.delete(0)", "$.data.map.set(a, 5)", "$.data.map.deleteAll([a])", "hex(255)",
    "$.data.long.substring(1, 4)", "$.data.text.indexOf(b)", "$.data.text.toCharArray()",
    "characters(digits => true)", "$.data.number * $.data.number", "assert($.data, true)",
    "random()", "random(1, 2)", "localtz()", "datetime('2001-01-01')", "enumerate($.data.names)",
)  # fmt: skip

QUERY_PIECES = (
    "$", "$.data", ".list", ".names", ".map", ".rows", ".long", ".text", "range(9999)", "(", ")",
    "[", "]", "{", "}", ",", " => ", " + ", " * ", " - ", " / ", " mod ", " and ", " or ", "not ",
    " = ", " != ", " < ", " > ", " in ", " =~ ", ".select($)", ".select([$, $])", ".where(true)",
    ".aggregate([$1, $2])", ".aggregate($1 + $1)", ".aggregate($1 * $1)", ".accumulate($1 + $2)",
    ".sum()", ".join(',')", ".distinct()", ".toList()", ".toSet()", ".flatten()", ".first()",
    ".reverse()", ".repeat(9999)", ".cycle()", ".memorize()", ".groupBy($)", ".toDict($, $)",
    ".orderBy($)", ".selectMany(range(99))", ".zip($.data.list)", ".str()", "str(", "int(", "1",
    "float(", "'a'", "'b' * 1000", "9999", "-1", "0", "1.5", "1e308", "null", "true", "a", "$1",
    "$2", "let(x => ", ") -> ", "$x", "lambda(", "def(f, f($))", "generate(1, true, $ + 1)",
    "sequence()", "pow(", "shiftBitsLeft(", "regex('(a|b)+$')", ".searchAll(", ".replace(",
    ".replaceBy(", "set(", "dict(", "list(", ".concat(", "concat(", "switch(", "now()",
    "timespan(days => 999999999)", "datetime(1, 1, 1)", ".format(", "'\\ud800'", "'\\x00'", "'\\u'",
    "max(", "min(", "round(", "0x10", "99999999999999999999999", ".mergeWith(", ".len()", "??",
)  # fmt: skip

PATTERN_PIECES = (
    "a", "b", "(", ")", "(?:", "(?P<n>", "(?P=n)", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?|",
    "(?R)", "(?1)", "(?&n)", "(?(1)", "|", "*", "+", "?", "*?", "++", "{2,5}", "{9999}", "{0,9999}",
    "{,}", "[a-z]", "[^a]", "[[a-z]--[b]]", "[", "]", ".", "^", "$", "\\b", "\\d", "\\w", "\\1",
    "\\K", "\\R", "\\X", "\\p{L}", "\\p{IsGreek}", "\\N{DIGIT ONE}", "\\L<x>", "\\x41", "\\u0041",
    "\\", "(?i)", "(?V1)", "(?e)", "(?b)", "(?r)", "{e<=3}", "{i<=9,s<=9,d<=9,e<=20}", "(?<n>",
    "(?#", "(*FAIL)", "(*PRUNE)", "(*SKIP)", "\\G", "\\m", "\\M", "é", "😀", "\x00", ",", "<", ">",
    "(a+)+", "(a|a)*", "(.*)*", "(?:a?){50}a{50}", "((a{99}){99}){99}", "(?:(?:ab)*)*",
)  # fmt: skip

SUBJECTS = ("", "a", "a" * 40 + "!", "ab" * 2000, "aaaaabbbbb" * 6000, "é€😀\n\r\x00", "A,b;C 1")


def evaluate(expression: str, data: Any) -> None:
    """Evaluate one expression; the result must be JSON."""
    try:
        result = Query(expression, QueryLimits()).evaluate({"data": data})
    except BadQuery as error:
        assert str(error)
        return
    json.dumps(result, allow_nan=False)


def search(text: str, subject: str, flags: int) -> None:
    """Use one pattern in every way."""
    try:
        pattern = Pattern(text, flags)
        pattern.matches_whole(subject)
        pattern.search(subject)
        pattern.match(subject)
    except (BadPattern, PatternTimeout) as error:
        assert str(error)
