"""Functions on maps and lists."""

from typing import Any

import pytest

from tests.unit.template.templates import fault, resolved

MAP = """
    parameters:
      m: {type: json, default: {a: 1, b: {c: 2}}}
      l: {type: json, default: [a, 1]}
      maps: {type: json, default: [{x: 1}, {x: 2}]}
      lists: {type: json, default: [[a], [b]]}
      change: {type: json, default: [{a: 1}, {keys: {a: b}}]}
    """


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("{map_merge: [{a: 1, b: 1}, {b: 2}]}", {"a": 1, "b": 2}),
        ("{map_merge: [{a: {x: 1}}, {a: {y: 2}}]}", {"a": {"y": 2}}),
        ("{map_merge: [null, {get_param: m}, {a: 0}]}", {"a": 0, "b": {"c": 2}}),
        ("{map_merge: []}", {}),
        ("{map_replace: [{a: x, b: y}, {keys: {a: z}}]}", {"z": "x", "b": "y"}),
        ("{map_replace: [{a: x, b: y}, {values: {y: 5}}]}", {"a": "x", "b": 5}),
        ("{map_replace: [{a: x}, {keys: {a: x}, values: {x: a}}]}", {"x": "a"}),
        ("{map_replace: [{a: [x]}, {values: {x: y}}]}", {"a": ["x"]}),
        ("{map_replace: [{a: x}, {keys: {a: a}}]}", {"a": "x"}),
        ("{map_replace: [null, {keys: {a: b}}]}", {}),
        ("{list_concat: [[1, 2], [2]]}", [1, 2, 2]),
        ("{list_concat: [null, {get_param: l}]}", ["a", 1]),
        ("{list_concat_unique: [[b, a], [a, c, b]]}", ["b", "a", "c"]),
        ("{list_concat_unique: [[{a: 1}, 1], [{a: 1}, 1, '1']]}", [{"a": 1}, 1, "1"]),
        ("{filter: [[a], [a, b, a]]}", ["b"]),
        ("{filter: [[null, ''], [a, null, '']]}", ["a"]),
        ("{filter: [[a], null]}", None),
        ("{filter: [null, [a]]}", ["a"]),
        ("{contains: [a, [a, b]]}", True),
        ("{contains: [c, [a, b]]}", False),
        ("{contains: [ell, hello]}", True),
        ("{contains: [{x: 1}, [{x: 1}]]}", True),
        ("{map_merge: {get_param: maps}}", {"x": 2}),
        ("{list_concat: {get_param: lists}}", ["a", "b"]),
        ("{map_replace: {get_param: change}}", {"b": 1}),
    ],
)
def test_a_function_on_collections(expression: str, value: Any) -> None:
    assert resolved(expression, MAP) == value


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("{map_merge: {a: 1}}", "the arguments must be a list of maps, not a map"),
        ("{map_merge: [[a]]}", "what is merged must be a map, not a list"),
        ("{map_merge: [{get_param: l}]}", "what is merged must be a map, not a list"),
        ("{map_replace: [{a: 1}]}", "takes 2 arguments, 1 given"),
        ("{map_replace: [[a], {}]}", "the first argument must be a map, not a list"),
        ("{map_replace: [{a: 1}, {kyes: {}}]}", 'there is no argument "kyes"'),
        ("{map_replace: [{a: 1}, {keys: [a]}]}", '"keys" must be a map, not a list'),
        ("{map_replace: [{a: 1, b: 2}, {keys: {a: b}}]}", 'the new key "b" collides with another'),
        ("{map_replace: [{a: 1, b: 2}, {keys: {a: x, b: x}}]}", 'the new key "x" collides'),
        ("{list_concat: text}", "the arguments must be a list of lists, not a text"),
        ("{list_concat: [a]}", "what is joined must be a list, not a text"),
        ("{list_concat: [{get_param: m}]}", "what is joined must be a list, not {"),
        ("{filter: [a, [b]]}", "the values must be a list, not a text"),
        ("{filter: [[a], b]}", "what is filtered must be a list, not a text"),
        ("{contains: [a, {b: 1}]}", "the second argument must be a list or a text, not a map"),
        ("{contains: [1, '123']}", "a text can only contain a text, not a number"),
        ("{map_merge: {get_param: m}}", "the arguments must be a list of maps, not a map"),
        ("{map_replace: {get_param: m}}", "takes 2 arguments"),
        ("{list_concat: {get_param: m}}", "the arguments must be a list of lists, not a map"),
        ("{filter: [{get_param: m}, [a]]}", "the values must be a list, not a map"),
        ("{filter: [[a], {get_param: m}]}", "what is filtered must be a list, not a map"),
        ("{contains: [a, {get_param: m}]}", "the second argument must be a list or a text, not"),
    ],
)
def test_a_function_refuses_what_is_no_collection(expression: str, words: str) -> None:
    assert words in fault(expression, MAP)
