"""Merge strategies do what the manual says for every type."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotplate.document import InvalidDocument
from hotplate.document import parse as read
from hotplate.environment import EnvironmentFile, merge, parse
from hotplate.template.parameter_type import ParameterType

STRING, NUMBER, LIST, JSON, BOOLEAN = (
    ParameterType.STRING,
    ParameterType.NUMBER,
    ParameterType.LIST,
    ParameterType.JSON,
    ParameterType.BOOLEAN,
)
often = settings(max_examples=200, deadline=None)


def file(value: Any, strategy: str | None, name: str = "env.yaml") -> EnvironmentFile:
    data: dict[str, Any] = {"parameters": {"p": value}}
    if strategy:
        data["parameter_merge_strategies"] = {"p": strategy}
    return parse(read(json.dumps(data), name))


def joined(kind: ParameterType, strategy: str, *values: Any) -> Any:
    files = [file(value, strategy) for value in values]
    return merge(files, types={"p": kind}).parameters["p"]


@pytest.mark.parametrize(
    ("kind", "strategy", "old", "new", "result"),
    [
        (STRING, "merge", "a", "b", "ab"),
        (STRING, "deep_merge", "a", "b", "ab"),
        (STRING, "merge", "a", 1, "a1"),
        (NUMBER, "merge", 1, 2, 3),
        (NUMBER, "deep_merge", "1", 2.5, 3.5),
        (LIST, "merge", [1], [2], [1, 2]),
        (LIST, "merge", "a,b", "c", "a,b,c"),
        (LIST, "deep_merge", "a", ["b"], ["a", "b"]),
        (LIST, "merge", ["a"], "b,c", ["a", "b", "c"]),
        (LIST, "merge", "a", "", "a"),
        (LIST, "merge", [], "a", ["a"]),
        (JSON, "merge", {"a": {"x": 1}, "b": 1}, {"a": {"y": 2}}, {"a": {"y": 2}, "b": 1}),
        (JSON, "merge", {"a": 1}, {"a": None, "b": 2}, {"a": 1, "b": 2}),
        (JSON, "merge", '{"a": 1}', {"b": 2}, {"a": 1, "b": 2}),
        (JSON, "merge", {"a": 1}, "", {"a": 1}),
        (JSON, "merge", "", {"a": 1}, {"a": 1}),
        (JSON, "merge", [1], "[2]", [1, 2]),
        (JSON, "merge", {"a": 1}, [1], [1]),
        (JSON, "deep_merge", {"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
        (JSON, "deep_merge", {"a": [1], "b": "x"}, {"a": [2], "b": "y"}, {"a": [1, 2], "b": "xy"}),
        (JSON, "deep_merge", {"a": 1, "b": "x"}, {"a": 2, "b": 3}, {"a": 2, "b": 3}),
        (JSON, "deep_merge", {"a": {"x": 1}}, {"a": {"x": None}}, {"a": {"x": 1}}),
        (JSON, "deep_merge", {"a": None}, {"a": {"x": 1}}, {"a": {"x": 1}}),
        (BOOLEAN, "overwrite", True, False, False),
        (STRING, "overwrite", "a", "b", "b"),
        (JSON, "overwrite", {"a": 1}, {"b": 2}, {"b": 2}),
        (JSON, "overwrite", {"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"y": 2}}),
        (JSON, "overwrite", {"a": 1}, {}, {}),
        (JSON, "overwrite", [1], [2], [2]),
    ],
)
def test_two_values_become_one(
    kind: ParameterType, strategy: str, old: Any, new: Any, result: Any
) -> None:
    assert json.dumps(joined(kind, strategy, old, new)) == json.dumps(result)


@pytest.mark.parametrize(
    ("kind", "old", "new", "message"),
    [
        (BOOLEAN, True, False, 'two booleans cannot be merged; state the strategy "overwrite"'),
        (STRING, "a", {"b": 1}, "a map cannot be joined to a text"),
        (NUMBER, 1, "x", '"x" is not a number'),
        (NUMBER, 1, True, "a boolean is not a number"),
        (NUMBER, 1, "nan", '"nan" is not a number'),
        (NUMBER, 1e308, 1e308, "the sum is too large"),
        (NUMBER, 10**350, 1.5, "the sum is too large"),
        (LIST, ["a"], 1, "a number is not a list"),
        (JSON, {"a": 1}, "{oops", "is not JSON"),
        (JSON, {"a": 1}, "[" * 300 + "]" * 300, "nested deeper"),
        (JSON, {"a": 1}, "[" * 100_000, "is not JSON"),
        (JSON, {"a": 1}, '{"a": NaN}', "the JSON text is refused"),
    ],
)
def test_values_that_cannot_be_merged_are_refused_with_their_place(
    kind: ParameterType, old: Any, new: Any, message: str
) -> None:
    files = [file(old, None, "a.yaml"), file(new, "merge", "b.yaml")]
    with pytest.raises(InvalidDocument) as refusal:
        merge(files, types={"p": kind})
    (problem,) = refusal.value.problems
    assert message in str(problem)
    assert str(problem).startswith("b.yaml:1:17: parameters.p: ")


def test_a_boolean_given_once_needs_no_merging() -> None:
    assert joined(BOOLEAN, "merge", True) is True


@pytest.mark.parametrize("strategy", ["overwrite", "merge", "deep_merge"])
@pytest.mark.parametrize("kind", [STRING, NUMBER, LIST, JSON, BOOLEAN])
def test_nulls_are_ignored_when_a_strategy_is_stated(kind: ParameterType, strategy: str) -> None:
    value = {STRING: "a", NUMBER: 1, LIST: ["a"], JSON: {"a": 1}, BOOLEAN: True}[kind]
    assert joined(kind, strategy, None, value, None) == value


def strategies(name: str, value: Any, **stated: str) -> EnvironmentFile:
    data: dict[str, Any] = {"parameter_merge_strategies": stated} if stated else {}
    return parse(read(json.dumps({**data, "parameters": {"p": value}}), name))


def test_the_default_of_a_file_holds_for_parameters_it_does_not_name() -> None:
    files = [strategies("a", "a"), strategies("b", "b", default="merge")]
    assert merge(files).parameters == {"p": "ab"}


def test_a_strategy_for_the_parameter_is_stronger_than_the_default_of_its_file() -> None:
    files = [strategies("a", "a"), strategies("b", "b", default="merge", p="overwrite")]
    assert merge(files).parameters == {"p": "b"}


def test_a_strategy_stated_by_an_earlier_file_is_stronger_than_a_later_default() -> None:
    files = [strategies("a", "a", p="merge"), strategies("b", "b", default="overwrite")]
    assert merge(files).parameters == {"p": "ab"}


def test_a_strategy_stated_once_holds_for_later_files() -> None:
    files = [strategies("a", "a", default="merge"), strategies("b", "b"), strategies("c", "c")]
    assert merge(files).parameters == {"p": "abc"}


def test_a_file_without_strategies_leaves_the_choice_to_later_ones() -> None:
    files = [strategies("a", "a"), strategies("b", "b"), strategies("c", "c", p="merge")]
    assert merge(files).parameters == {"p": "bc"}


def test_contradicting_strategies_are_refused_naming_both_places() -> None:
    a = read("parameters: {p: a}\nparameter_merge_strategies:\n  p: merge\n", "a.yaml")
    b = read("parameter_merge_strategies:\n  p: deep_merge\nparameters: {p: a}\n", "b.yaml")
    with pytest.raises(InvalidDocument) as refusal:
        merge([parse(a), parse(b)])
    assert [str(problem) for problem in refusal.value.problems] == [
        'b.yaml:2:3: parameter_merge_strategies.p: the strategy "deep_merge" contradicts "merge", '
        "which a.yaml:3:3 states for the same parameter; state the same in both files"
    ]


def test_all_contradictions_are_reported_at_once() -> None:
    first = {"parameters": {"p": "a", "q": "a"}, "parameter_merge_strategies": {"default": "merge"}}
    second = {
        "parameters": {"p": "b", "q": "b"},
        "parameter_merge_strategies": {"p": "overwrite", "q": "overwrite"},
    }
    files = [parse(read(json.dumps(data), "x")) for data in (first, second)]
    with pytest.raises(InvalidDocument) as refusal:
        merge(files)
    assert len(refusal.value.problems) == 2


def test_defaults_are_merged_apart_from_parameters_but_share_strategies() -> None:
    first = {"parameters": {"p": "a"}, "parameter_merge_strategies": {"p": "merge"}}
    second = {"parameters": {"p": "b"}, "parameter_defaults": {"p": "x"}}
    third = {"parameter_defaults": {"p": "y"}}
    merged = merge([parse(read(json.dumps(data), "x")) for data in (first, second, third)])
    assert (merged.parameters, merged.parameter_defaults) == ({"p": "ab"}, {"p": "xy"})


@pytest.mark.parametrize(
    ("values", "result"),
    [
        (("1", "2"), "12"),
        ((1, 2), 3),
        ((1, "2"), "12"),
        (("a", ["b"]), ["a", "b"]),
        (({"a": 1}, '{"b": 2}'), {"a": 1, "b": 2}),
    ],
)
def test_the_type_of_an_undeclared_parameter_follows_from_all_its_values(
    values: tuple[Any, ...], result: Any
) -> None:
    assert merge([file(value, "merge") for value in values]).parameters == {"p": result}


TEXTS = st.text("abc,", max_size=4)
LISTS = st.one_of(TEXTS, st.lists(st.sampled_from(["a", "b"]), max_size=3))
MAPS = st.dictionaries(
    st.sampled_from(["a", "b"]),
    st.recursive(
        st.one_of(st.sampled_from(["x", "y"]), st.lists(st.integers(0, 2), max_size=2)),
        lambda inner: st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
        max_leaves=4,
    ),
    max_size=3,
)


def associates(kind: ParameterType, strategy: str, a: Any, b: Any, c: Any) -> None:
    left = joined(kind, strategy, joined(kind, strategy, a, b), c)
    right = joined(kind, strategy, a, joined(kind, strategy, b, c))
    if kind is LIST:
        left, right = (v.split(",") if isinstance(v, str) else v for v in (left, right))
    assert left == right == _as(kind, joined(kind, strategy, a, b, c))


def _as(kind: ParameterType, value: Any) -> Any:
    return value.split(",") if kind is LIST and isinstance(value, str) else value


@often
@given(st.sampled_from(["merge", "deep_merge"]), TEXTS, TEXTS, TEXTS)
def test_joining_texts_is_associative(strategy: str, a: str, b: str, c: str) -> None:
    associates(STRING, strategy, a, b, c)


@often
@given(st.sampled_from(["merge", "deep_merge"]), st.integers(), st.integers(), st.integers())
def test_numbers_are_summed_in_any_order(strategy: str, a: int, b: int, c: int) -> None:
    associates(NUMBER, strategy, a, b, c)
    assert joined(NUMBER, strategy, a, b, c) == joined(NUMBER, strategy, c, a, b) == a + b + c


@often
@given(st.sampled_from(["merge", "deep_merge"]), LISTS, LISTS, LISTS)
def test_joining_lists_is_associative(strategy: str, a: Any, b: Any, c: Any) -> None:
    associates(LIST, strategy, a, b, c)


@often
@given(MAPS, MAPS, MAPS)
def test_merging_top_keys_is_associative(a: Any, b: Any, c: Any) -> None:
    associates(JSON, "merge", a, b, c)


VALUES = st.recursive(
    st.one_of(st.integers(0, 3), st.sampled_from(["x", "y"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=5,
)


@often
@given(st.lists(VALUES, min_size=1, max_size=4))
def test_a_stated_overwrite_leaves_the_last_value_alone(values: list[Any]) -> None:
    stated = merge([file(value, "overwrite") for value in values])
    assert stated.parameters["p"] == values[-1]
    origin = stated.origin(("parameters", "p"))
    assert origin is not None
    assert len(origin.overridden) == len(values) - 1


@often
@given(st.sampled_from(["merge", "deep_merge"]), MAPS, MAPS)
def test_the_last_file_wins_key_by_key(strategy: str, a: Any, b: Any) -> None:
    result = joined(JSON, strategy, a, b)
    assert result.keys() == a.keys() | b.keys()
    for key, value in result.items():
        if key not in b:
            assert value == a[key]
        elif strategy == "merge" or key not in a:
            assert value == b[key]
