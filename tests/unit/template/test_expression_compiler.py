"""Calls are found wherever functions may be called, and only there."""

import pytest

from hotplate.template.expression import Constant, MapExpression
from tests.unit.template.templates import compiled, errors, resolved, warnings


def property_warnings(value: str) -> list[str]:
    return warnings(f"resources: {{r: {{type: X, properties: {{p: {value}}}}}}}")


def property_errors(value: str) -> list[str]:
    return errors(f"resources: {{r: {{type: X, properties: {{p: {value}}}}}}}")


def test_values_without_calls_are_constants() -> None:
    template = compiled("resources: {r: {type: X, properties: {a: {b: [1, {c: d}]}}}}")
    assert isinstance(template.resources["r"].properties, Constant)


def test_only_parts_with_calls_are_more_than_constants() -> None:
    template = compiled(
        "resources: {r: {type: X, properties: {a: {b: 1}, c: [{get_param: 'OS::stack_id'}]}}}"
    )
    properties = template.resources["r"].properties
    assert isinstance(properties, MapExpression)
    assert isinstance(properties.entries["a"], Constant)


def test_a_map_with_a_function_name_and_other_keys_is_data() -> None:
    value = "{get_param: a, other: b}"
    assert resolved(value) == {"get_param": "a", "other": "b"}
    (warning,) = property_warnings(value)
    assert warning.endswith(
        "get_param is not called here, because the map has other keys beside it; "
        "a call is a map with one key"
    )


def test_ordinary_words_beside_other_keys_are_not_warned_of() -> None:
    assert property_warnings("{filter: a, if: b, contains: c}") == []


def test_a_misspelt_function_is_passed_on_with_a_warning() -> None:
    assert property_warnings("{get_parm: x}") == [
        "t.yaml:2:43: resources.r.properties.p.get_parm: "
        'get_parm is not a function and is passed on as it is; did you mean "get_param"?'
    ]


def test_a_misspelt_function_is_warned_of_once() -> None:
    assert len(property_warnings("[{get_parm: x}, {get_parm: y}]")) == 1


@pytest.mark.parametrize("value", ["{get_ready: now}", "{repeat: daily}", "{size: 5}"])
def test_data_with_one_key_is_data(value: str) -> None:
    section = f"resources: {{r: {{type: X, properties: {{p: {value}}}}}}}"
    assert warnings(section, "2013-05-23") == []


def test_calls_inside_arguments_are_calls() -> None:
    inner = "{list_join: [x, [1z, y]]}"
    middle = f"{{str_replace: {{template: ab, params: {{a: {inner}}}}}}}"
    assert resolved(f"{{list_join: [',', [{middle}]]}}") == "1zxyb"


def test_every_faulty_call_is_reported() -> None:
    found = property_errors("[{get_param: a}, {b: {get_resource: zz}}, {list_join: x}]")
    assert [line.split(": ")[1] for line in found] == [
        "resources.r.properties.p.0.get_param",
        "resources.r.properties.p.1.b.get_resource",
        "resources.r.properties.p.2.list_join",
    ]


def test_a_fault_in_a_branch_that_may_not_be_chosen_is_only_warned_of() -> None:
    (warning,) = property_warnings("{if: [false, {get_param: nope}, 1]}")
    assert 'p.if.1.get_param: get_param: there is no parameter "nope"' in warning


def test_an_unknown_name_in_an_output_is_only_warned_of() -> None:
    (warning,) = warnings("outputs: {o: {value: {get_param: nope}}}")
    assert 'outputs.o.value.get_param: get_param: there is no parameter "nope"' in warning


def test_functions_are_called_in_all_parts_of_a_resource() -> None:
    section = "resources: {r: {type: X, %s: {a: {get_param: nope}}}}"
    for part in ("properties", "metadata", "update_policy"):
        assert f"resources.r.{part}.a.get_param" in errors(section % part)[0]
    section = "resources: {r: {type: X, %s: {get_param: nope}}}"
    for part in ("deletion_policy", "external_id"):
        assert f"resources.r.{part}.get_param" in errors(section % part)[0]


def test_functions_are_not_called_in_descriptions_and_parameters() -> None:
    compiled("description: {get_param: x}\nparameters: {p: {type: json, default: {get_param: x}}}")


@pytest.mark.parametrize("version", ["newton", "rocky"])
def test_if_needs_three_arguments_before_wallaby(version: str) -> None:
    text = "outputs: {o: {value: {if: [true, 1]}}}"
    compiled(text)
    (error,) = errors(text, version)
    assert error.endswith(
        "if: takes a list of a condition and the values to choose from; "
        "write if: [CONDITION, VALUE IF TRUE, VALUE IF FALSE]"
    )


@pytest.mark.parametrize("arguments", ["[true]", "[true, 1, 2, 3]", "true", "{a: 1}"])
def test_if_with_other_arguments_is_refused(arguments: str) -> None:
    assert "if: takes a list of a condition" in property_errors(f"{{if: {arguments}}}")[0]


def test_contains_and_yaql_are_allowed_in_conditions_since_pike() -> None:
    contains = "conditions: {c: {contains: [a, [a]]}}"
    compiled(contains, "pike")
    assert "the function contains cannot be used in a condition" in errors(contains, "ocata")[0]
