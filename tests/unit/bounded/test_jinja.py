"""Jinja gives what Jinja gives, and ends whatever it is asked."""

from time import thread_time
from typing import Any

import pytest

from hotplate.bounded import BadJinja, JinjaLimits, compile_jinja


def value(text: str, **names: Any) -> Any:
    return compile_jinja(text, True).evaluate(names)


def text(template: str, **names: Any) -> Any:
    return compile_jinja(template, False).evaluate(names)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 + 1", 2),
        ("7 / 2", 3.5),
        ("7 // 2", 3),
        ("2 ** 10", 1024),
        ("7 % 4", 3),
        ("'%s-%s' % (1, 2)", "1-2"),
        ("'%05d' | format(7)", "00007"),
        ("'{:>5}'.format('a')", "    a"),
        ("'a' ~ 1 ~ none", "a1None"),
        ("'ab' * 3", "ababab"),
        ("[1] * 3", [1, 1, 1]),
        ("[3, 1, 2] | sort", [1, 2, 3]),
        ("{'a': (1, 2)}", {"a": [1, 2]}),
        ("{1: 2}", {"1": 2}),
        ("range(3) | list", [0, 1, 2]),
        ("[1, -2] | map('abs')", [1, 2]),
        ("['a', 'b'] | map('center', 3) | list", [" a ", " b "]),
        ("['a', 'b'] | join(', ')", "a, b"),
        ("(1, 2) | map('string') | join('-')", "1-2"),
        ("[[1], [2]] | sum(start=[])", [1, 2]),
        ("'a b' | title", "A B"),
        ("'a-b'.replace('-', '+')", "a+b"),
        ("', '.join(['a', 'b'])", "a, b"),
        ("{'a': 1}.items() | list", [["a", 1]]),
        ("[1, 2, 3, 4] | batch(2) | list", [[1, 2], [3, 4]]),
        ("[{'n': 1}, {'n': 2}] | selectattr('n', 'gt', 1) | list", [{"n": 2}]),
        ("[{'n': 1}] | map(attribute='n') | first", 1),
        ("missing | default('d')", "d"),
        ("'<' | escape", "&lt;"),
        ("1 if true else 2", 1),
        ("3.14159 | round(2)", 3.14),
        ("dict(a=1)", {"a": 1}),
        ("given.x[0]", "here"),
    ],
)
def test_an_expression_keeps_its_kind(expression: str, expected: Any) -> None:
    assert value(expression, given={"x": ["here"]}) == expected


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("a {{ 1 }} b", "a 1 b"),
        ("{% for x in [1, 2] %}{{ loop.index }}/{{ loop.length }}:{{ x }} {% endfor %}",
         "1/2:1 2/2:2 "),
        ("{% for k, v in {'a': 1}.items() %}{{ k }}={{ v }}{% endfor %}", "a=1"),
        ("{% for x in [] %}x{% else %}none{% endfor %}", "none"),
        ("{% for x in [1, 2, 3] if x > 1 %}{{ x }}{% endfor %}", "23"),
        ("{% for x in [[1, [2]]] recursive %}{% if x is iterable %}({{ loop(x) }}){% else %}{{ x }}"
         "{% endif %}{% endfor %}", "(1(2))"),
        ("{% set x = [1, 2] %}{% set a, b = x %}{{ b }}", "2"),
        ("{% set x %}a{{ 1 }}{% endset %}{{ x ~ x }}", "a1a1"),
        ("{% macro m(a, b='!') %}{{ a }}{{ b }}{% endmacro %}{{ m('x') }}{{ m('y', b='?') }}",
         "x!y?"),
        ("{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}in{% endcall %}", "<in>"),
        ("{% filter upper %}a{{ 'b' }}{% endfilter %}", "AB"),
        ("{% set ns = namespace(n=0) %}{% for x in range(3) %}{% set ns.n = ns.n + x %}{% endfor %}"
         "{{ ns.n }}", "3"),
        ("{% with a = 1 %}{{ a }}{% endwith %}", "1"),
        ("{% if false %}a{% elif true %}b{% endif %}", "b"),
        ("{% raw %}{{ a }}{% endraw %}", "{{ a }}"),
        ("{# note #}{{ none }}", "None"),
    ],
)  # fmt: skip
def test_a_template_becomes_text(template: str, expected: str) -> None:
    assert text(template) == expected


DOUBLING = "{% set x = 'x' * 1000 %}" + "{% set x = x ~ x %}" * 40 + "{{ x }}"
NESTED_LOOPS = "{% for a in range(10000) %}" * 3 + "x" + "{% endfor %}" * 3


@pytest.mark.parametrize(
    "template",
    [
        DOUBLING,
        "{% set x %}xxxx{% endset %}" + "{% set x %}{{ x }}{{ x }}{% endset %}" * 40 + "{{ x }}",
        "{% set x = [1] %}" + "{% set x = x + x %}" * 40 + "{{ x }}",
        "{% set x = [1] %}" + "{% set x = [x, x] %}" * 40 + "{{ x }}",
        "{% set x = [1] %}" + "{% set x = {'a': x, 'b': x} %}" * 40 + "{{ x == x }}",
        "{% set x = [1] %}" + "{% set x = (x, x) %}" * 40 + "{{ x | string }}",
        "{% set x = [1] %}" + "{% set x = dict(a=x, b=x) %}" * 40 + "{{ x }}",
        NESTED_LOOPS,
        "{% for a in range(10000) %}" + "y" * 10_000 + "{% endfor %}",
        "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(40) }}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% for x in [1] recursive %}{{ loop([1, 1]) }}{% endfor %}",
        "{% filter center(10000000000) %}a{% endfilter %}",
        "{% include 'a' %}",
        "{% import 'a' as b %}",
        "{% set ns = namespace(x='ab') %}{% for i in range(60) %}"
        "{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "{% set ns = namespace(x='ab') %}{% for i in range(60) %}"
        "{% set ns.x = ns.x.replace('a', ns.x) %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(99000) %}{% set ns.x = [ns.x] %}"
        "{% endfor %}{{ ns.x }}",
    ],
)  # fmt: skip
def test_a_hostile_template_is_stopped(template: str) -> None:
    started = thread_time()
    with pytest.raises(BadJinja):
        text(template)
    assert thread_time() - started < 6


@pytest.mark.parametrize(
    "expression",
    [
        "'x' * 10 ** 9",
        "10 ** 9 * 'x'",
        "[0] * 10 ** 9",
        "10 ** (10 ** 10)",
        "2 ** 5000",
        "range(10 ** 8) | list",
        "'a' | center(10 ** 9)",
        "'a'.center(10 ** 9)",
        "'a'.ljust(10 ** 9)",
        "'a'.zfill(10 ** 9)",
        "('\t' * 1000).expandtabs(10 ** 7)",
        "'%999999999d' % 1",
        "'%*d' % (999999999, 1)",
        "'%999999999d' | format(1)",
        "'{:>999999999}'.format(1)",
        "'{:>{}}'.format(1, 999999999)",
        "(['a' * 1000] * 1000) | join('b' * 100000)",
        "('a' * 100000).replace('a', 'b' * 100000)",
        "('a' * 100000) | replace('a', 'b' * 100000)",
        "('b' * 100000).join(['a'] * 100000)",
        "('\n' * 100000) | indent('b' * 100000)",
        "[1] | batch(10 ** 9, 0) | list",
        "[1] | slice(10 ** 9) | list",
        "1.5 | round(10 ** 8, 'ceil')",
        "[1] | tojson(indent=10 ** 9)",
        "['a'] | map('center', 10 ** 9) | list",
        "('a' * 1000000) | urlize",
        "([[0] * 1000] * 1000) | sum(start=[])",
        "''.__class__",
        "''|attr('__class__')",
        "given.append(1)",
        "(1).__init__.__globals__",
        "missing",
        "lipsum(n=10 ** 6)",
        "1 / 0",
        "1e308 * 10",
        "+" * 70_000,
        "(" * 5000 + ")" * 5000,
    ],
)
def test_a_hostile_expression_is_stopped(expression: str) -> None:
    started = thread_time()
    with pytest.raises(BadJinja):
        value(expression, given=[1])
    assert thread_time() - started < 6


def test_a_refusal_says_why() -> None:
    with pytest.raises(BadJinja, match="too many steps"):
        text(NESTED_LOOPS)
    with pytest.raises(BadJinja, match="'nothing' is undefined"):
        value("nothing")
    with pytest.raises(BadJinja, match="not Jinja"):
        value("1 +")


def test_functions_are_called_with_their_arguments_and_may_be_filters() -> None:
    limits = JinjaLimits(functions=("twice",))
    names = {"twice": lambda number: number * 2}
    assert compile_jinja("twice(3)", True, limits).evaluate(names) == 6
    assert compile_jinja("'lost' | twice(4)", True, limits).evaluate(names) == 8


def test_what_it_is_given_stays_as_it_is() -> None:
    given = {"list": [1, 2]}
    assert value("given.list + [3]", given=given) == [1, 2, 3]
    assert given == {"list": [1, 2]}
