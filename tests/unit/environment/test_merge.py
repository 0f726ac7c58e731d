"""Several environments become one the way python-heatclient makes them one."""

import copy
import json
from typing import Any

import pytest
from heatclient.common import template_utils
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hotplate.document import InvalidDocument, from_data
from hotplate.document import parse as read
from hotplate.environment import EXPLICIT, EnvironmentFile, merge, parse, remainder
from hotplate.environment.merge import MOST_FILES
from hotplate.template.parameter_type import ParameterType
from tests.unit.environment.random_environments import ENVIRONMENTS

thorough = settings(max_examples=1200, deadline=None, suppress_health_check=list(HealthCheck))
often = settings(thorough, max_examples=300)


def environment(data: Any, name: str = "env.yaml") -> EnvironmentFile:
    return parse(read(json.dumps(data), name))


def client_merge(environments: list[Any]) -> Any:
    """What heatclient makes of them, None where it fails with a map over something else."""
    merged: Any = {}
    try:
        for data in environments:
            merged = template_utils.deep_update(merged, copy.deepcopy(data))
    except (AttributeError, TypeError):
        return None
    return merged


def exactly(value: Any) -> str:
    """Tell true from 1 and 1 from 1.0; the order of keys does not count."""
    return json.dumps(value, sort_keys=True)


@thorough
@given(st.lists(ENVIRONMENTS, max_size=4))
def test_the_merge_is_that_of_heatclient(environments: list[Any]) -> None:
    theirs = client_merge(environments)
    assume(theirs is not None)
    ours = merge([environment(data) for data in environments]).data()
    assert exactly(ours) == exactly({**merge([]).data(), **theirs})


@often
@given(st.lists(ENVIRONMENTS, max_size=4))
def test_an_inline_repetition_of_the_merge_has_no_remainder(environments: list[Any]) -> None:
    theirs = client_merge(environments)
    if theirs is not None:
        files = [environment(data) for data in environments]
        assert remainder(environment(theirs), files).sections == {}


@often
@given(st.lists(ENVIRONMENTS, max_size=3), ENVIRONMENTS)
def test_what_remains_of_an_inline_environment_gives_it_the_last_word(
    environments: list[Any], inline: Any
) -> None:
    """Merging the remainder comes to the same as merging all of the inline environment."""
    files = [environment(data) for data in environments]
    rest = remainder(environment(inline), files)
    assert exactly(merge(files, [rest]).data()) == exactly(
        merge([*files, environment(inline)]).data()
    )


def parameters(*files: Any, **more: Any) -> Any:
    given_files = [environment(data, f"{i}.yaml") for i, data in enumerate(files)]
    return merge(given_files, **more).parameters


def one(value: Any, **strategies: str) -> dict[str, Any]:
    data: dict[str, Any] = {"parameters": {"p": value}}
    return {**data, "parameter_merge_strategies": strategies} if strategies else data


def test_a_map_over_a_text_replaces_it_where_heatclient_fails() -> None:
    assert client_merge([one("x"), one({"a": 1})]) is None
    assert parameters(one("x"), one({"a": 1})) == {"p": {"a": 1}}
    assert parameters(one([1]), one({"a": None})) == {"p": {"a": None}}


def test_an_empty_map_over_a_text_changes_nothing_as_in_heatclient() -> None:
    assert parameters(one("x"), one({})) == client_merge([one("x"), one({})])["parameters"]


def test_explicit_parameters_win_and_replace_whole_values() -> None:
    explicit = from_data({"p": {"b": 2}}, EXPLICIT)
    assert parameters(one({"a": 1}), parameters=explicit) == {"p": {"b": 2}}
    assert parameters(one({"a": 1}, p="deep_merge"), parameters=explicit) == {"p": {"b": 2}}


def test_explicit_parameters_that_are_no_map_are_refused() -> None:
    with pytest.raises(InvalidDocument, match="must be a map, not a list"):
        merge([], parameters=from_data([1], EXPLICIT))


def test_the_order_is_files_then_inline_then_explicit() -> None:
    inline = environment({"parameters": {"p": "inline", "q": "inline"}})
    files = [environment({"parameters": {"p": "file", "q": "file", "r": "file"}})]
    explicit = from_data({"p": "explicit"}, EXPLICIT)
    assert merge(files, [inline], explicit).parameters == {
        "p": "explicit",
        "q": "inline",
        "r": "file",
    }


def test_the_same_file_may_be_listed_twice_and_the_last_place_counts() -> None:
    a, b = environment(one("a")), environment(one("b"))
    assert merge([a, b, a]).parameters == {"p": "a"}


def test_too_many_files_are_refused() -> None:
    with pytest.raises(InvalidDocument, match="more than 500 environment files"):
        merge([environment({})] * (MOST_FILES + 1))


def test_files_that_are_too_large_together_are_refused() -> None:
    large = environment(one("x" * 1_000_000))
    with pytest.raises(InvalidDocument, match="together are larger"):
        merge([large] * 40)


def test_many_files_merge_in_reasonable_time() -> None:
    big = environment({"parameters": {f"p{i}": {"a": {"b": i}} for i in range(30)}})
    merged = merge([big] * MOST_FILES)
    origin = merged.origin(("parameters", "p0", "a", "b"))
    assert origin is not None
    assert len(origin.overridden) == MOST_FILES - 1


def test_inline_environments_obey_strategies_that_files_stated() -> None:
    files = [environment(one("a")), environment(one("b", p="merge"))]
    assert merge(files, [environment(one("c"))]).parameters == {"p": "abc"}


def test_types_are_those_the_templates_declare() -> None:
    files = (one("1"), one("2", p="merge"))
    assert parameters(*files) == {"p": "12"}
    assert parameters(*files, types={"p": ParameterType.NUMBER}) == {"p": 3}
    assert parameters(*files, types={"p": ParameterType.LIST}) == {"p": "1,2"}


def test_values_as_deep_as_documents_may_be_are_merged_and_traced() -> None:
    deep: Any = {"leaf": 1}
    for _ in range(196):
        deep = {"k": deep}
    files = [environment(one(deep)), environment(one(deep)), environment(one(deep, p="deep_merge"))]
    merged = merge(files)
    assert exactly(merged.parameters) == exactly({"p": deep})
    assert len(list(merged.origins())) == 1
    assert remainder(environment(one(deep)), files[:2]).is_empty
    lists: Any = 1
    for _ in range(196):
        lists = [lists]
    assert remainder(environment(one(lists)), [environment(one(lists))]).is_empty
