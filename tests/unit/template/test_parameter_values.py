"""Values of parameters: who wins, what is missing, what is wrong, and what is never shown."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hotplate.document import InvalidDocument, Path, Position
from hotplate.template import (
    ParameterValues,
    changed_immutable,
    local_checks,
    parameter_values,
)
from tests.unit.template.templates import CFN, compiled

CHECKS = local_checks(datetime(2030, 1, 1, tzinfo=UTC))


def values(
    parameters: str,
    given: dict[str, Any] | None = None,
    defaults: dict[str, Any] | None = None,
    **more: Any,
) -> ParameterValues:
    template = compiled(f"parameters: {parameters}")
    return parameter_values(template, given or {}, defaults, **more)


def refusals(
    parameters: str,
    given: dict[str, Any] | None = None,
    defaults: dict[str, Any] | None = None,
    **more: Any,
) -> list[str]:
    with pytest.raises(InvalidDocument) as refused:
        values(parameters, given, defaults, **more)
    return [str(problem) for problem in refused.value.problems]


WITH_DEFAULT = "{p: {type: string, default: template}}"


def test_a_given_value_wins_over_the_environments_default_and_that_over_the_templates() -> None:
    assert values(WITH_DEFAULT, {"p": "given"}, {"p": "environment"})["p"] == "given"
    assert values(WITH_DEFAULT, {}, {"p": "environment"})["p"] == "environment"
    assert values(WITH_DEFAULT, {}, {})["p"] == "template"


def test_null_is_no_value() -> None:
    assert values(WITH_DEFAULT, {"p": None}, {"p": "environment"})["p"] == "environment"
    assert values(WITH_DEFAULT, {"p": None}, {"p": None})["p"] == "template"


def test_empty_values_are_values() -> None:
    assert values(WITH_DEFAULT, {"p": ""})["p"] == ""
    assert values("{p: {type: boolean, default: true}}", {"p": False})["p"] is False
    assert values("{p: {type: number, default: 5}}", {"p": 0})["p"] == 0


def test_environment_defaults_for_other_templates_are_overlooked() -> None:
    assert "other" not in values(WITH_DEFAULT, {}, {"other": 1})


def test_a_value_for_an_unknown_parameter_is_refused() -> None:
    assert refusals("{size: {type: string, default: x}}", {"siez": 1}) == [
        'parameters.siez: the template has no parameter "siez"; did you mean "size"?'
    ]


def test_a_parameter_without_a_value_is_refused_unless_that_is_allowed() -> None:
    assert refusals("{p: {type: string}}") == [
        'parameters.p: the parameter "p" has no value; '
        "give it in an environment file or as an explicit parameter"
    ]
    allowed = values("{p: {type: string}, q: {type: string, default: x}}", allow_missing=True)
    assert allowed.missing == ("p",)
    assert "p" not in allowed


def test_everything_that_is_wrong_is_reported() -> None:
    found = refusals("{a: {type: number}, b: {type: boolean}}", {"a": "x", "b": "maybe", "c": 1})
    assert [line.split(":")[0] for line in found] == [
        "parameters.c",
        "parameters.a",
        "parameters.b",
    ]


def test_a_wrong_value_is_reported_where_it_was_given() -> None:
    def locate(path: Path) -> Position:
        return Position("env.yaml", 7, 3)

    number = "{p: {type: number, default: 1}}"
    wrong = "the value of p is invalid: 'x' is not a number"
    assert refusals(number, {"p": "x"}, locate=locate) == [f"env.yaml:7:3: parameters.p: {wrong}"]
    assert refusals(number, {}, {"p": "x"}, locate=locate) == [
        f"env.yaml:7:3: parameter_defaults.p: {wrong}"
    ]


IP = "{p: {type: string, default: nowhere, constraints: [{custom_constraint: ip_addr}]}}"


def test_custom_constraints_are_skipped_without_checks() -> None:
    assert values(IP)["p"] == "nowhere"


def test_custom_constraints_are_checked_on_every_value_the_default_included() -> None:
    assert values(IP, {"p": "10.0.0.1"}, checks=CHECKS)["p"] == "10.0.0.1"
    assert refusals(IP, {}, checks=CHECKS) == [
        "t.yaml:2:32: parameters.p.default: the value of p is invalid: "
        "Error validating value 'nowhere': it is not an IP address"
    ]


def test_an_unknown_custom_constraint_is_refused_where_it_stands() -> None:
    text = "{p: {type: string, default: x, constraints: [{custom_constraint: ip_adr}]}}"
    assert refusals(text, checks=CHECKS) == [
        "t.yaml:2:58: parameters.p.constraints.0: "
        'there is no custom constraint "ip_adr"; did you mean "ip_addr"?'
    ]


def test_hidden_values_are_in_no_text() -> None:
    found = values("{p: {type: string, hidden: true}, q: {type: string}}", {"p": "se", "q": "x"})
    assert found["p"] == "se"
    assert "se" not in repr(found).replace("values", "")
    assert found.shown()["p"] == "******"
    assert found.shown()["q"] == "x"


def test_the_refusal_of_a_hidden_value_does_not_quote_it() -> None:
    text = "{p: {type: string, hidden: true, constraints: [{custom_constraint: ip_addr}]}}"
    assert refusals(text, {"p": "secret"}, checks=CHECKS) == [
        "parameters.p: the value of p is invalid: it breaks the constraint "
        '{"custom_constraint": "ip_addr"}'
    ]


def test_values_are_shown_as_text() -> None:
    shown = values(
        "{n: {type: number}, l: {type: comma_delimited_list}, j: {type: json}, b: {type: boolean}}",
        {"n": "5", "l": ["a", "b"], "j": {"a": 1}, "b": "on"},
    ).shown()
    assert shown["n"] == "5"
    assert shown["l"] == "a,b"
    assert shown["j"] == '{"a": 1}'
    assert shown["b"] == "True"


def test_pseudo_parameters_are_empty_until_the_stack_has_them() -> None:
    assert values("{}")["OS::stack_id"] == ""
    known = values("{}", pseudo={"OS::stack_name": "web", "AWS::Region": "x"})
    assert known["OS::stack_name"] == "web"
    assert "AWS::Region" not in known
    assert set(parameter_values(compiled("", CFN), {})) == {
        "AWS::StackId",
        "AWS::StackName",
        "AWS::Region",
    }


def test_what_was_given_is_kept_as_it_was_given() -> None:
    assert values("{p: {type: number}}", {"p": "5"}).given == {"p": "5"}


def test_a_changed_immutable_parameter_is_named() -> None:
    text = "{fixed: {type: number, immutable: true}, free: {type: number}}"
    old = values(text, {"fixed": 1, "free": 1})
    assert changed_immutable(old, values(text, {"fixed": 2, "free": 2})) == ("fixed",)
    assert changed_immutable(old, values(text, {"fixed": "1", "free": 2})) == ()


def test_a_new_immutable_parameter_has_not_changed() -> None:
    old = values("{}")
    assert changed_immutable(old, values("{p: {type: number, immutable: true}}", {"p": 1})) == ()


def test_a_parameter_that_became_immutable_counts_by_the_new_template() -> None:
    old = values("{p: {type: number}}", {"p": 1})
    new = values("{p: {type: number, immutable: true}}", {"p": 2})
    assert changed_immutable(old, new) == ("p",)
