"""A definition knows what it refers to, as far as that can be known without values."""

import pytest

from hotplate.template import ResourceDefinition
from hotplate.template.definition import reference_path
from tests.unit.template.templates import compiled


def definition(parts: str) -> ResourceDefinition:
    text = f"""
        parameters: {{p: {{type: string}}}}
        resources: {{a: {{type: X}}, b: {{type: X}}, r: {{type: X, {parts}}}}}
        """
    return compiled(text).resources["r"]


@pytest.mark.parametrize(
    ("parts", "names"),
    [
        ("properties: {}", set()),
        ("properties: {x: {get_resource: a}}, metadata: {y: {get_attr: [b, z]}}", {"a", "b"}),
        ("external_id: {get_resource: a}", {"a"}),
        ("update_policy: {x: {get_resource: a}}", set()),
        ("depends_on: a", set()),
    ],
)
def test_references_that_no_value_decides_are_known(parts: str, names: set[str]) -> None:
    assert definition(parts).static_references == frozenset(names)


@pytest.mark.parametrize(
    "value", ["{if: [true, {get_resource: a}, 1]}", "{get_resource: {get_param: p}}"]
)
def test_references_that_values_decide_are_left_open(value: str) -> None:
    assert definition(f"properties: {{x: {value}}}").static_references is None


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ("depends_on: [b, a]", ("depends_on",)),
        ("properties: {x: [{get_resource: a}]}", ("properties", "x", 0, "get_resource")),
        ("metadata: {x: {get_attr: [a, y]}}", ("metadata", "x", "get_attr")),
        ("properties: {x: {get_resource: {get_param: p}}}", ()),
    ],
)
def test_the_place_of_a_reference_is_found(parts: str, path: tuple[str | int, ...]) -> None:
    assert reference_path(definition(parts), "a", "depends_on") == ("resources", "r", *path)
