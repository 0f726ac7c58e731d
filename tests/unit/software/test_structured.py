"""Structures that ask for inputs."""

from typing import Any

import pytest

from hotplate.software import InputMissing, filled

INPUTS = {"a": 1, "b": {"get_input": "a"}}


@pytest.mark.parametrize(
    ("config", "result"),
    [
        ({"get_input": "a"}, 1),
        ({"x": [{"get_input": "a"}, "text", 5, None]}, {"x": [1, "text", 5, None]}),
        ({"get_input": "nobody"}, None),
        # What a value says is not read again.
        ([{"get_input": "b"}], [{"get_input": "a"}]),
        # Only a map with this one key, and a name, asks for anything.
        ({"get_input": "a", "more": 1}, {"get_input": "a", "more": 1}),
        ({"get_input": ["a"]}, {"get_input": ["a"]}),
        ({"other": "a"}, {"other": "a"}),
        ("get_input", "get_input"),
        ({}, {}),
    ],
)
def test_a_map_of_the_key_alone_becomes_the_input(config: Any, result: Any) -> None:
    assert filled(config, "get_input", INPUTS, strict=False) == result


def test_the_key_can_be_another() -> None:
    config = {"x": {"wanted": "a"}, "y": {"get_input": "a"}}
    assert filled(config, "wanted", INPUTS, strict=False) == {"x": 1, "y": {"get_input": "a"}}


def test_an_input_that_is_not_there_may_be_an_error() -> None:
    assert filled({"get_input": "a"}, "get_input", INPUTS, strict=True) == 1
    with pytest.raises(InputMissing, match=r"^The Parameter \(nobody\) was not provided\.$"):
        filled({"x": [{"get_input": "nobody"}]}, "get_input", INPUTS, strict=True)
