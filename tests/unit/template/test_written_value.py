"""Twin of hotplate.template.written_value: what a template says before any resource exists."""

from typing import Any

from hotplate.template import UNKNOWN, Reference, written_property
from tests.unit.template.templates import CFN, bound


def written(properties: str, version: str = "wallaby", **values: Any) -> Any:
    """What is written of the property "p"."""
    sections = f"""
        parameters:
          net: {{type: string, default: private}}
          nets: {{type: json, default: {{one: [a, b]}}}}
        conditions:
          with: {{equals: [{{get_param: net}}, private]}}
        resources:
          other: {{type: T}}
          own: {{type: T, properties: {properties}}}
        """
    if version == CFN:
        sections = f"""
            Resources:
              other: {{Type: T}}
              own: {{Type: T, Properties: {properties}}}
            """
    template = bound(sections, values, version)
    return written_property(template.resources["own"].properties, "p", template.scope())


def test_a_literal_is_known() -> None:
    assert written("{p: [1, {a: null}]}") == [1, {"a": None}]
    assert written("{q: 1}") is None
    assert written("{}") is None


def test_functions_of_parameters_are_known() -> None:
    assert written("{p: {get_param: net}}", net="public") == "public"
    assert written("{p: {list_join: ['-', {get_param: [nets, one]}]}}") == "a-b"


def test_a_reference_is_the_resource() -> None:
    assert written("{p: [{net: {get_resource: other}}]}") == [{"net": Reference("other")}]
    assert written("{p: {Ref: other}}", CFN) == Reference("other")


def test_what_needs_a_resource_otherwise_is_unknown() -> None:
    assert written("{p: {get_attr: [other, a]}}") is UNKNOWN
    assert written("{p: {a: {list_join: ['', [{get_resource: other}]]}}}") == {"a": UNKNOWN}


def test_the_active_branch_counts() -> None:
    choice = "{p: {if: [with, {get_resource: other}, literal]}}"
    assert written(choice) == Reference("other")
    assert written(choice, net="public") == "literal"


def test_what_a_condition_omits_is_not_written() -> None:
    choice = "{p: [a, {if: [with, b]}, {c: {if: [with, d]}}]}"
    assert written(choice) == ["a", "b", {"c": "d"}]
    assert written(choice, net="public") == ["a", {}]
    assert written("{p: {if: [with, b]}}", net="public") is None


def test_what_cannot_be_resolved_is_unknown() -> None:
    assert written("{p: {str_split: [',', {get_param: nets}]}}") is UNKNOWN


def test_a_function_may_give_all_properties() -> None:
    assert written("{map_merge: [{p: {get_param: net}}, {q: 1}]}") == "private"
    assert written("{map_merge: [{p: {get_resource: other}}, {q: 1}]}") is UNKNOWN
