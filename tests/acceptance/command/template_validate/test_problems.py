"""`hotplate template validate`: what is wrong with a template is told with its place."""

from tests.acceptance.command.template_validate.validation import (
    NUMBERS,
    VERSION,
    Answer,
    Validate,
    Write,
)


def test_a_valid_template_is_said_to_be_valid(write: Write, validate: Validate) -> None:
    write("t.yaml", VERSION + "resources: {r: {type: OS::Heat::None}}\n")
    assert validate("t.yaml") == Answer(0, "t.yaml: valid\n", [])


def test_a_template_in_json_is_valid_too(write: Write, validate: Validate) -> None:
    write("t.json", '{"heat_template_version": "2018-08-31"}')
    assert validate("t.json").code == 0


def test_parameters_without_a_value_are_named(write: Write, validate: Validate) -> None:
    write("t.yaml", NUMBERS)
    assert validate("t.yaml") == Answer(0, "t.yaml: valid; still needs a value for n\n", [])


def test_every_error_is_printed_with_its_place_in_reading_order(
    write: Write, validate: Validate
) -> None:
    text = """resources:
  r:
    type: X
    propertys: {}
    metadata: {m: {get_param: nope}}
parameters:
  p: {type: number, default: x}
zebra: 1
"""
    write("t.yaml", VERSION + text)
    answer = validate("t.yaml")
    assert answer.code == 1
    assert answer.out == "t.yaml: not valid, 4 errors\n"
    assert [line.rsplit("; ")[0] for line in answer.problems] == [
        'error: t.yaml:5:5: resources.r.propertys: unknown key "propertys"',
        "error: t.yaml:6:20: resources.r.metadata.m.get_param: "
        'get_param: there is no parameter "nope"',
        "error: t.yaml:8:21: parameters.p.default: the default is invalid: 'x' is not a number",
        'error: t.yaml:9:1: zebra: unknown section "zebra"',
    ]


def test_types_and_properties_are_looked_at_even_while_values_are_missing(
    write: Write, validate: Validate
) -> None:
    write(
        "t.yaml",
        NUMBERS
        + "resources:\n"
        + "  a: {type: OS::Heat::Noen}\n"
        + "  b: {type: OS::Heat::RandomString, properties: {lenght: 3}}\n"
        + "  c: {type: inner.yaml, properties: {n: {get_param: n}}}\n",
    )
    write("inner.yaml", NUMBERS + "resources:\n  d: {type: OS::Heat::Valeu}\n")
    answer = validate("t.yaml")
    assert answer.code == 1
    assert answer.problems == [
        'error: t.yaml:4:7: resources.a.type: there is no resource type "OS::Heat::Noen"; '
        'did you mean "OS::Heat::None"?',
        "error: t.yaml:5:50: resources.b.properties.lenght: Unknown Property lenght; "
        'did you mean "length"?',
        'error: inner.yaml:4:7: resources.d.type: there is no resource type "OS::Heat::Valeu"; '
        'did you mean "OS::Heat::Value"?',
    ]


def test_a_syntax_error_is_printed_with_its_place(write: Write, validate: Validate) -> None:
    write("t.yaml", VERSION + "resources:\n\tr: {}\n")
    answer = validate("t.yaml")
    assert answer.code == 1
    (problem,) = answer.problems
    assert problem.startswith("error: t.yaml:3:1: not valid YAML: ")
    assert problem.endswith("indent with spaces, not tabs")


def test_warnings_are_printed_and_refuse_nothing(write: Write, validate: Validate) -> None:
    write(
        "t.yaml", VERSION + "resources: {}\noutputs: {}\nresources: {r: {type: OS::Heat::None}}\n"
    )
    answer = validate("t.yaml")
    assert answer.code == 0
    assert answer.out == "t.yaml: valid, 1 warning\n"
    assert answer.problems == [
        'warning: t.yaml:4:1: resources: the key "resources" is given twice; '
        "the last one counts; remove the other"
    ]


def test_a_warning_is_printed_once(write: Write, validate: Validate) -> None:
    write("t.yaml", VERSION + "description: [a]\n")
    assert validate("t.yaml").problems == [
        "warning: t.yaml:2:1: description: should be a text, not a list"
    ]


def test_a_template_that_cannot_stand_for_a_type_is_named_with_its_line(
    write: Write, validate: Validate
) -> None:
    write("app.yaml", f"{VERSION}resources: {{s: {{type: 'OS::Heat::RandomString'}}}}\n")
    write("env.yaml", "resource_registry: {'OS::Heat::RandomString': sub/secret.yaml}\n")
    write("sub/secret.yaml", f"{VERSION}outputs:\n  secret: {{value: x}}\n")
    answer = validate("app.yaml", "-e", "env.yaml")
    assert answer.code == 1
    (problem,) = answer.problems
    assert problem.startswith("error: sub/secret.yaml:2:1: outputs: ")
    assert 'cannot stand for OS::Heat::RandomString: it has no output "value"' in problem


def test_properties_are_checked_and_types_of_other_engines_are_not(
    write: Write, validate: Validate
) -> None:
    write(
        "app.yaml",
        f"{VERSION}resources:\n"
        "  other: {type: 'OS::Nowhere::Thing', properties: {x: 1}}\n"
        "  secret:\n    type: OS::Heat::RandomString\n    properties:\n      lenth: 3\n",
    )
    answer = validate("app.yaml")
    assert answer.code == 1
    wrong, warned = answer.problems
    assert "app.yaml:7:7: resources.secret.properties.lenth: Unknown Property lenth" in wrong
    assert warned == (
        "warning: app.yaml:3:11: resources.other.type: there is no resource type "
        '"OS::Nowhere::Thing"; a server may have it; name it with --url'
    )


def test_what_is_wrong_with_the_text_hides_nothing_of_the_types(
    write: Write, validate: Validate
) -> None:
    write(
        "t.yaml",
        VERSION
        + "resources:\n"
        + "  a: {type: OS::Heat::RandomString, properties: {length: {get_param: no}}}\n"
        + "  b: {type: OS::Heat::RandomStrin}\n"
        + "  c: {type: OS::Heat::TestResource, properties: {value: {get_attr: [a, value]}}}\n"
        + "outputs:\n"
        + "  o: {value: {get_attr: [c, outptu]}}\n"
        + "  p: {value: {get_param: nothing}}\n",
    )
    found = validate("t.yaml")
    assert found.code == 1
    assert [line.split(": ")[1:3] for line in found.problems] == [
        ["t.yaml:3:59", "resources.a.properties.length.get_param"],
        ["t.yaml:4:7", "resources.b.type"],
        ["t.yaml:7:29", "outputs.o.value.get_attr.1"],
        ["t.yaml:8:15", "outputs.p.value.get_param"],
    ]
