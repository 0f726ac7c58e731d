"""Inputs and outputs as somebody wrote them down."""

from typing import Any

import pytest

from hotplate.model import Input, Output, ValueType
from hotplate.software import Unfit, read_inputs, read_outputs


def an_input(**given: Any) -> dict[str, Any]:
    return read_inputs([{"name": "i", **given}])[0].document()


def test_an_input_is_a_text_unless_it_says_otherwise() -> None:
    assert read_inputs([{"name": "i"}]) == (Input("i"),)
    assert an_input() == {"name": "i", "type": "String"}


def test_what_is_null_counts_as_left_out_except_a_value() -> None:
    given = {"type": None, "description": None, "default": None, "replace_on_change": None}
    assert an_input(**given) == {"name": "i", "type": "String"}
    assert an_input(value=None) == {"name": "i", "type": "String", "value": None}


def test_an_input_shows_all_that_it_was_given() -> None:
    given = {
        "type": "Json",
        "description": "d",
        "default": {"a": 1},
        "replace_on_change": True,
        "value": [2],
    }
    assert an_input(**given) == {"name": "i", **given}


@pytest.mark.parametrize(
    ("kind", "given", "kept"),
    [
        ("String", 5, 5),
        ("String", [1], [1]),
        ("Number", "7", 7),
        ("Number", "-7.5", -7.5),
        ("Number", "1e3", 1000.0),
        ("Number", 3, 3),
        ("Number", "", ""),
        ("Number", "9" * 30, float("9" * 30)),
        ("CommaDelimitedList", "a, b", ["a", "b"]),
        ("CommaDelimitedList", "", []),
        ("CommaDelimitedList", [1, 2], [1, 2]),
        ("Json", {"a": [1]}, {"a": [1]}),
        ("Json", '{"a": 1}', '{"a": 1}'),
        ("Boolean", "True", True),
        ("Boolean", False, False),
    ],
)
def test_a_default_becomes_a_value_of_the_type(kind: str, given: Any, kept: Any) -> None:
    default = an_input(type=kind, default=given)["default"]
    assert default == kept
    assert type(default) is type(kept)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("Number", "abc"),
        ("Number", "1_000"),
        ("Number", "٣"),
        ("Number", "nan"),
        ("Number", "1e999"),
        ("Number", "9" * 5000),
        ("Number", True),
        ("Number", [1]),
        ("CommaDelimitedList", {"a": 1}),
        ("Json", 5),
        ("Boolean", 1),
        ("Boolean", "perhaps"),
    ],
)
def test_a_default_of_another_type_is_refused(kind: str, given: Any) -> None:
    with pytest.raises(Unfit, match=r'the field "inputs\[0\]\.default" must be'):
        an_input(type=kind, default=given)


def test_a_value_is_not_converted() -> None:
    assert an_input(type="Number", value="abc")["value"] == "abc"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, 'the field "inputs[1].name" is missing'),
        ("i", 'the field "inputs[1]" must be a map'),
        ({"name": [1]}, 'the field "inputs[1].name" must be a text'),
        ({"name": True}, 'the field "inputs[1].name" must be a text'),
        (
            {"name": "i", "type": "string"},
            'the field "inputs[1].type" must be one of: '
            "String, Number, CommaDelimitedList, Json, Boolean",
        ),
        ({"name": "i", "type": ["String"]}, 'the field "inputs[1].type" must be one of'),
        (
            {"name": "i", "replace_on_change": "yes"},
            'the field "inputs[1].replace_on_change" must be true or false',
        ),
        ({"name": "i", "colour": 1}, 'the field "inputs[1].colour" is unknown; known are: name'),
    ],
)
def test_the_refusal_of_an_input_says_where(given: Any, text: str) -> None:
    with pytest.raises(Unfit) as refusal:
        read_inputs([{"name": "first"}, given])
    assert str(refusal.value).startswith(text)


def test_a_number_for_a_name_is_taken_as_text() -> None:
    """YAML reads `name: 5` as a number."""
    assert read_inputs([{"name": 5, "description": 1.5}])[0].document() == {
        "name": "5",
        "type": "String",
        "description": "1.5",
    }


def test_an_output_says_whether_it_means_failure() -> None:
    given = [{"name": "o"}, {"name": "p", "type": "Json", "description": "d", "error_output": True}]
    assert read_outputs(given) == (Output("o"), Output("p", ValueType.JSON, "d", is_error=True))
    assert [each.document() for each in read_outputs(given)] == [
        {"name": "o", "type": "String", "error_output": False},
        {"name": "p", "type": "Json", "description": "d", "error_output": True},
    ]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (5, "outputs[0]"),
        ({}, "outputs[0].name"),
        ({"name": "o", "type": "x"}, "outputs[0].type"),
        ({"name": "o", "error_output": "x"}, "outputs[0].error_output"),
        ({"name": "o", "value": 1}, "outputs[0].value"),
    ],
)
def test_the_refusal_of_an_output_says_where(given: Any, path: str) -> None:
    with pytest.raises(Unfit) as refusal:
        read_outputs([given])
    assert refusal.value.path == path
