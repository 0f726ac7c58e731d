"""Resolving gives values that belong to the caller, and what is omitted disappears."""

from hotplate.template import ResourceData
from hotplate.template.expression import OMITTED, Constant, walk
from tests.unit.template.templates import CFN, bound, compiled, resolved

GOOD_AND_BAD = "conditions: {bad: false, good: true}"


def test_resolving_twice_gives_independent_values() -> None:
    template = bound(
        """
        parameters: {p: {type: json}}
        resources:
          r:
            type: X
            properties:
              constant: {a: [1]}
              mixed: {a: [1], b: {get_param: p}}
              path: {get_param: [p, list]}
              attribute: {get_attr: [s, map]}
              merged: {map_merge: [{get_param: p}]}
          s: {type: X}
        """,
        {"p": {"list": [1]}},
    )
    data = {"s": ResourceData("s", {"map": {"list": [1]}})}
    first = template.properties("r", data)
    spoilt = template.properties("r", data)
    for value in spoilt.values():
        _spoil(value)
    assert template.properties("r", data) == first


def test_changing_a_result_does_not_change_the_template() -> None:
    template = bound(
        """
        Mappings: {M: {k: {v: [1]}}}
        Resources: {R: {Type: X, Properties: {p: {a: []}}}}
        Outputs: {O: {Value: {"Fn::FindInMap": [M, k, v]}}}
        """,
        version=CFN,
    )
    _spoil(template.output("O"))
    _spoil(template.properties("R"))
    assert template.output("O") == [1]
    assert template.template.data == {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Mappings": {"M": {"k": {"v": [1]}}},
        "Resources": {"R": {"Type": "X", "Properties": {"p": {"a": []}}}},
        "Outputs": {"O": {"Value": {"Fn::FindInMap": ["M", "k", "v"]}}},
    }


def _spoil(value: object) -> None:
    if isinstance(value, list):
        value.append("spoilt")
    elif isinstance(value, dict):
        for inner in value.values():
            _spoil(inner)
        value["spoilt"] = True


def test_a_two_argument_if_that_is_false_omits_its_key() -> None:
    assert resolved("{a: 1, b: {if: [bad, 2]}}", GOOD_AND_BAD) == {"a": 1}
    assert resolved("{a: 1, b: {if: [good, 2]}}", GOOD_AND_BAD) == {"a": 1, "b": 2}


def test_a_two_argument_if_that_is_false_omits_its_list_item() -> None:
    assert resolved("[1, {if: [bad, 2]}, 3]", GOOD_AND_BAD) == [1, 3]
    assert resolved("[{if: [bad, 2]}]", GOOD_AND_BAD) == []


def test_what_is_omitted_inside_an_if_is_omitted_outside() -> None:
    assert resolved("[1, {if: [good, {if: [bad, 2]}, 3]}]", GOOD_AND_BAD) == [1]


def test_what_is_omitted_at_the_top_is_null() -> None:
    assert resolved("{if: [bad, 2]}", GOOD_AND_BAD) is None


def test_omitted_properties_are_no_properties() -> None:
    template = bound(
        f"{GOOD_AND_BAD}\nresources: {{r: {{type: X, properties: {{if: [bad, {{a: 1}}]}}}}}}"
    )
    assert template.properties("r") == {}


def test_what_is_omitted_inside_arguments_is_left_out_or_null() -> None:
    assert resolved("{list_join: [',', [a, {if: [bad, b]}, c]]}", GOOD_AND_BAD) == "a,c"
    assert resolved("{list_join: [',', {if: [bad, [b]]}, [c]]}", GOOD_AND_BAD) == "c"
    assert resolved("{map_merge: [{a: 1}, {if: [bad, {b: 2}]}]}", GOOD_AND_BAD) == {"a": 1}
    assert (
        resolved("{str_replace: {template: ab, params: {a: {if: [bad, x]}}}}", GOOD_AND_BAD) == "ab"
    )
    assert resolved("{repeat: {template: {if: [bad, x]}, for_each: {v: [a]}}}", GOOD_AND_BAD) == [
        None
    ]


def test_a_null_is_not_omitted() -> None:
    assert resolved("[{if: [bad, 1, null]}]", GOOD_AND_BAD) == [None]
    assert resolved("{a: {if: [bad, 1, null]}}", GOOD_AND_BAD) == {"a": None}


def test_the_mark_of_an_omitted_value_has_a_name() -> None:
    assert repr(OMITTED) == "OMITTED"


def test_walking_visits_every_branch() -> None:
    template = compiled("outputs: {o: {value: {a: {if: [true, [1, {if: [false, 2, 3]}], 4]}}}}")
    visited = [e.value for e in walk(template.outputs["o"].value) if isinstance(e, Constant)]
    assert visited == [True, 1, False, 2, 3, 4]
