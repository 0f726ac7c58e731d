"""Expressions in workflows are recognised, keep the kind of their values, and end."""

from collections.abc import Mapping
from time import thread_time
from typing import Any

import pytest

from hotplate.workflow.expressions import BadExpression, Expressions

DATA = {
    "number": 1,
    "list": [3, 1, 2],
    "map": {"deep": {"key": "here"}},
    "text": "words",
    "nothing": None,
    "yes": True,
    "__env": {"key": "from env"},
}


class Scene:
    """A scope whose answers tell what was asked."""

    data: Mapping[str, Any] = DATA

    def env(self) -> Any:
        return self.data["__env"]

    def execution(self) -> Any:
        return {"id": "e-1", "name": "flow"}

    def task(self, name: str | None) -> Any:
        return None if name == "unknown" else {"name": name or "current", "result": {"ip": "1.2"}}

    def tasks(
        self, execution_id: str | None, recursive: bool, state: str | None, flat: bool
    ) -> list[Any]:
        return [{"name": "one", "asked": [execution_id, recursive, state, flat]}]

    def executions(
        self,
        execution_id: str | None,
        root_execution_id: str | None,
        state: str | None,
        from_time: str | None,
        to_time: str | None,
    ) -> list[Any]:
        return [[execution_id, root_execution_id, state, from_time, to_time]]

    def global_value(self, name: str) -> Any:
        return {"shared": 7}.get(name)

    def uuid(self) -> str:
        return "11111111-2222-4333-8444-555555555555"


def evaluate(value: Any) -> Any:
    return Expressions().evaluate(value, Scene())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("no expression", "no expression"),
        (5, 5),
        (None, None),
        ("<% $.number %>", 1),
        ("<% $.list.select($ + 1) %>", [4, 2, 3]),
        ("<% $.map.deep %>", {"key": "here"}),
        ("<% $.nothing %>", None),
        ("{{ _.list }}", [3, 1, 2]),
        ("{{ _.map.deep.key }}", "here"),
        ("{{ _.nothing }}", None),
        (" <% 1 %>", " 1"),
        ("<% 1 %><% 2 %>", "12"),
        ("{{ 1 }}{{ 2 }}", "12"),
        ("is <% $.list %> and <% $.nothing %>", "is [3, 1, 2] and None"),
        ("is {{ _.list }} and {{ _.yes }}", "is [3, 1, 2] and True"),
        ("{% if _.yes %}a{% endif %}", "a"),
        ("{% for x in _.list %}{{ x }},{% endfor %}", "3,1,2,"),
        # The first }} ends the expression, so this is a text with an expression in it.
        ("{{ {'a': {'b': 1}} }}", "{'a': {'b': 1}}"),
        ("<% \n1 %>", "<% \n1 %>"),
        ("{{ \n1 }}", "{{ \n1 }}"),
        ("{# c #}{{ 1 }}", "1"),
        ({"<% $.number %>": ["<% $.number %>", {"a": "{{ _.text }}"}]},
         {"<% $.number %>": [1, {"a": "words"}]}),
        ("<% '<%' + '>' %>", "<%>"),
        ("{{ _.list | length }}<% 1 %>", "3<% 1 %>"),
        ("<% datetime(2020, 1, 2) %>", "2020-01-02T00:00:00.000000"),
        ("<% timespan(hours => 1) %>", 3600.0),
        ("<% set(1) %>", [1]),
        ("<% {1 => 2} %>", {"1": 2}),
    ],
)  # fmt: skip
def test_values_are_evaluated_through_maps_and_lists(value: Any, expected: Any) -> None:
    assert evaluate(value) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("env()", {"key": "from env"}),
        ("env().key", "from env"),
        ("execution().id", "e-1"),
        ("task().name", "current"),
        ("task('one').result.ip", "1.2"),
        ("task('unknown')", None),
        ("global('shared')", 7),
        ("global('other')", None),
        ("uuid()", "11111111-2222-4333-8444-555555555555"),
        ("json_dump([1])", "[\n    1\n]"),
        ("json_parse('{\"a\": [1]}').a", [1]),
        ("yaml_dump([1])", "- 1\n"),
        ("yaml_parse('a: [1, 2001-01-01]').a", [1, "2001-01-01"]),
        # An anchor is text: nothing can multiply.
        ("yaml_parse('[&a, *a]')", ["&a", "*a"]),
        ("executions()", [[None, None, None, None, None]]),
        ("executions('e', 'r', 'ERROR', 'f', 't')", [["e", "r", "ERROR", "f", "t"]]),
        ("tasks()[0].asked", [None, False, None, False]),
        ("tasks('e', true, 'ERROR', true)[0].asked", ["e", True, "ERROR", True]),
    ],
)
def test_every_function_is_known_to_both_languages(call: str, expected: Any) -> None:
    assert evaluate(f"<% {call} %>") == expected
    assert evaluate("{{ " + call + " }}") == expected


def test_arguments_may_be_named_as_each_language_names_them() -> None:
    asked = ["e", True, None, False]
    assert evaluate("<% tasks(workflowExecutionId => e, recursive => true)[0].asked %>") == asked
    assert evaluate("{{ tasks(workflow_execution_id='e', recursive=true)[0].asked }}") == asked


def test_functions_may_be_filters_of_the_context() -> None:
    assert evaluate("{{ _ | env }}") == {"key": "from env"}
    assert evaluate("{{ (_ | task('one')).name }}") == "one"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("<% $.missing %>", r"'\$\.missing' failed: there is no key 'missing'"),
        ("{{ _.missing }}", "no attribute 'missing'"),
        ("<% 1/0 %>", "division"),
        ("<% [].first() %>", "no first or last of nothing"),
        ("<% 1 + %>", "not YAQL"),
        ("{{ 1 + }}", "not Jinja"),
        ("<% %>", "not YAQL"),
        ("<% json_parse('{') %>", "JSONDecodeError"),
        ("{{ yaml_parse('[') }}", "ParserError"),
        ("<% json_parse(5) %>", "a text is needed"),
        ("<% nosuch() %>", "Unknown function"),
    ],
)
def test_what_fails_says_which_expression_and_why(value: str, words: str) -> None:
    with pytest.raises(BadExpression, match=words):
        evaluate(value)


@pytest.mark.parametrize(
    "value",
    [
        "<% range(100000000) %>",
        "<% range(100000000).sum() %>",
        "<% 'x' * 1000000000 %>",
        "<% range(9000).select(range(9000).sum()) %>",
        "<% let(a => 'xxxxxxxxxx') -> $a" + ".replace(x, 'xxxxxxxxxx')" * 12 + " %>",
        "{{ range(100000000) | list }}",
        "{{ 'x' * 1000000000 }}",
        "{{ 'x'.center(1000000000) }}",
        "{% for a in range(100000) %}{% for b in range(100000) %}{{ b }}{% endfor %}{% endfor %}",
        "{{ json_parse('[' * 100000) }}",
        "{{ yaml_parse('[' * 100000) }}",
        "<% yaml_dump(range(9000).select(range(9000).toList())) %>",
        "{{ yaml_parse('{a: b, &a c: d},' * 10000) }}",
        "{{ yaml_dump([[1] * 1000] * 1000) }}",
    ],
)
def test_hostile_expressions_end_soon(value: str) -> None:
    started = thread_time()
    with pytest.raises(BadExpression):
        evaluate(value)
    assert thread_time() - started < 6


def test_many_small_expressions_share_one_time() -> None:
    dear = "<% range(9000).select($ * 2).where($ > 1).sum() %>"
    started = thread_time()
    with pytest.raises(BadExpression, match="too long"):
        evaluate([dear] * 1000)
    assert thread_time() - started < 6


def test_a_value_nested_very_deeply_is_refused() -> None:
    value: Any = "<% 1 %>"
    for _ in range(5000):
        value = [value]
    for act in (evaluate, Expressions().check):
        with pytest.raises(BadExpression, match="levels deep"):
            act(value)


def test_check_reads_without_evaluating() -> None:
    Expressions().check({"a": ["<% $.missing %>", "{{ _.missing }}", 1, "text"]})
    with pytest.raises(BadExpression, match="not YAQL"):
        Expressions().check({"a": ["<% 1 + %>"]})
    with pytest.raises(BadExpression, match="not Jinja"):
        Expressions().check({"a": ["{% for %}"]})
    with pytest.raises(BadExpression, match="both YAQL and Jinja"):
        Expressions().check("<% 1 %> {{ 2 }}")


def test_a_bare_query_needs_no_marks() -> None:
    assert Expressions().query("$.list.len()", Scene()) == 3


@pytest.mark.parametrize(
    ("text", "found"), [("a", False), ("<% a %>", True), ("x {{ a }}", True), ("{% a %}", True)]
)
def test_it_tells_where_expressions_are(text: str, found: bool) -> None:
    assert Expressions.has_expression(text) is found
