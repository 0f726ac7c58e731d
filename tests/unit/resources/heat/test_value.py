"""OS::Heat::Value, as a running Heat 27 answered."""

import asyncio
from typing import Any

import pytest

from hotplate.resources import BadProperty, Done
from hotplate.resources.heat.value import Value
from tests.unit.resources.acting import resource

KIND = Value()


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (None, "text"),
        (None, 1.5),
        (None, {"a": [1, None]}),
        (None, None),
        ("string", "text"),
        ("string", ""),
        ("string", 5),
        ("string", True),
        ("string", None),
        ("number", "12"),
        ("number", "1.5"),
        ("number", 3),
        ("number", True),
        ("comma_delimited_list", ["a", 1]),
        ("json", {"a": 1}),
        ("boolean", True),
        ("boolean", "True"),
    ],
)
def test_the_attribute_is_the_value_as_given(kind: str | None, value: Any) -> None:
    it = resource(KIND, {"type": kind, "value": value})
    done = asyncio.run(KIND.create(it))
    assert done == Done("app-it-0f6f8f0e1111", attributes={"value": value})
    assert asyncio.run(KIND.update(it)) == Done(attributes={"value": value})


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("number", "abc", "'abc' is not a number"),
        ("number", [1], "a number is needed, not a list"),
        ("comma_delimited_list", "a,b", '"a,b" is not a list'),
        ("json", '{"a": 1}', '"{"a": 1}" is not a map'),
        ("json", [1], '"[1]" is not a map'),
        ("boolean", "yes", '"yes" is not a valid boolean'),
        ("boolean", 1, '"1" is not a valid boolean'),
        ("string", 1.5, "must be a text, not a number"),
        ("string", [1], "must be a text, not a list"),
    ],
)
def test_a_value_that_is_not_of_the_type_is_refused(kind: str, value: Any, text: str) -> None:
    with pytest.raises(BadProperty) as fault:
        KIND.convert({"type": kind, "value": value})
    assert (fault.value.message, fault.value.path) == (text, ("value",))


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(BadProperty) as fault:
        KIND.convert({"type": "weird", "value": "x"})
    assert fault.value.message == (
        '"weird" is not an allowed value '
        '["string", "number", "comma_delimited_list", "json", "boolean"]'
    )


def test_a_value_must_be_given() -> None:
    with pytest.raises(BadProperty, match="Property value not assigned"):
        KIND.convert({})


def test_everything_is_changed_in_place() -> None:
    assert all(declared.updatable for declared in KIND.properties.values())
