"""A request is checked as a whole: template, environments, values and nested templates."""

from datetime import UTC, datetime
from typing import Any

from hotplate.document import Document, from_data, parse
from hotplate.validation import Report, Request, validate

NOW = datetime(2030, 1, 1, tzinfo=UTC)
VERSION = "heat_template_version: wallaby\n"


def report(
    template: str,
    *environments: str,
    parameters: dict[str, Any] | None = None,
    files: dict[str, str] | None = None,
) -> Report:
    documents: list[Document] = [
        parse(text, f"env{number}.yaml") for number, text in enumerate(environments, 1)
    ]
    request = Request(
        parse(VERSION + template, "t.yaml"), tuple(documents), parameters or {}, files or {}
    )
    return validate(request, NOW)


def errors(template: str, *environments: str, **more: Any) -> list[str]:
    return [str(problem) for problem in report(template, *environments, **more).errors]


NUMBER = "parameters: {n: {type: number, default: 1}}"


def test_a_good_request_has_nothing_to_report() -> None:
    found = report(NUMBER, "parameters: {n: 5}")
    assert (found.errors, found.warnings, found.missing) == ([], [], ())
    assert found.is_valid


def test_a_faulty_template_and_faulty_environments_are_reported_together() -> None:
    assert errors("zebra: 1", "lion: 1", "tiger: 1") == [
        't.yaml:2:1: zebra: unknown section "zebra"; a template has heat_template_version, '
        "description, parameters, parameter_groups, resources, outputs, conditions",
        *(
            f"env{number}.yaml:1:1: {name}: unknown section, and there is no other that is known; "
            'write the values of parameters below "parameters:"'
            for number, name in ((1, "lion"), (2, "tiger"))
        ),
    ]


def test_a_wrong_value_is_reported_where_the_last_environment_gives_it() -> None:
    wrong = "parameters.n: the value of n is invalid: 'x' is not a number"
    assert errors(NUMBER, "parameters: {n: 1}", "\nparameters: {n: x}") == [
        f"env2.yaml:2:14: {wrong}"
    ]
    assert errors(NUMBER, "parameters: {n: x}", "parameters: {n: 1}") == []


def test_a_wrong_default_of_an_environment_is_reported_there() -> None:
    assert errors(NUMBER, "parameter_defaults: {n: x}") == [
        "env1.yaml:1:22: parameter_defaults.n: the value of n is invalid: 'x' is not a number"
    ]


def test_an_explicit_parameter_wins_over_all_environments() -> None:
    assert errors(NUMBER, "parameters: {n: x}", parameters={"n": 5}) == []
    assert errors(NUMBER, "parameters: {n: 5}", parameters={"n": "x"}) == [
        "explicit parameters: parameters.n: the value of n is invalid: 'x' is not a number"
    ]


def test_a_value_for_an_unknown_parameter_is_reported() -> None:
    assert errors(NUMBER, "parameters: {m: 1}") == [
        'env1.yaml:1:14: parameters.m: the template has no parameter "m"'
    ]
    assert errors(NUMBER, "parameter_defaults: {m: 1}") == []


def test_missing_parameters_are_named_and_are_no_error() -> None:
    found = report("parameters: {a: {type: string}, b: {type: string}}", "parameters: {a: x}")
    assert found.is_valid
    assert found.missing == ("b",)


def test_what_only_a_value_shows_is_reported() -> None:
    template = """
parameters: {text: {type: string, default: "a,b"}}
resources: {r: {type: X, properties: {p: {str_split: [",", {get_param: text}, 5]}}}}
"""
    assert errors(template) == [
        "t.yaml:4:43: resources.r.properties.p.str_split: "
        "str_split: there is no part 5; the last one is 1"
    ]


def test_a_failing_output_is_a_warning() -> None:
    found = report("outputs: {o: {value: {str_split: [',', a, 5]}}}")
    assert found.is_valid
    assert [str(warning) for warning in found.warnings] == [
        "t.yaml:2:23: outputs.o.value.str_split: str_split: there is no part 5; the last one is 0"
    ]


def test_a_file_that_was_not_sent_is_reported() -> None:
    template = "resources: {r: {type: X, properties: {p: {get_file: a.sh}}}}"
    assert 'the content of the file "a.sh" was not given' in errors(template)[0]
    assert errors(template, files={"a.sh": "echo"}) == []


CONSTRAINED = """
parameters:
  p: {type: string, default: nowhere, constraints: [{custom_constraint: %s}]}
"""


def test_constraints_that_need_no_cloud_are_checked() -> None:
    assert (
        "Error validating value 'nowhere': it is not an IP address"
        in errors(CONSTRAINED % "ip_addr")[0]
    )


def test_constraints_of_services_are_not_looked_at() -> None:
    assert errors(CONSTRAINED % "nova.flavor") == []


def test_an_unknown_constraint_is_reported() -> None:
    assert errors(CONSTRAINED % "nova.flavour") == [
        "t.yaml:4:53: parameters.p.constraints.0: "
        'there is no custom constraint "nova.flavour"; did you mean "nova.flavor"?'
    ]


def test_an_expiration_is_measured_against_the_given_time() -> None:
    text = CONSTRAINED.replace("nowhere", "2030-01-01T00:00:01Z") % "expiration"
    assert errors(text) == []
    text = CONSTRAINED.replace("nowhere", "2029-12-31T00:00:00Z") % "expiration"
    assert "is in the past" in errors(text)[0]


def test_a_template_that_arrived_decoded_is_checked_as_well() -> None:
    data = {"heat_template_version": "wallaby", "zebra": 1}
    found = validate(Request(from_data(data, "request")), NOW)
    assert str(found.errors[0]).startswith('request: zebra: unknown section "zebra"')
