"""Declarations of parameters: all that may be written, and every fault with its place."""

import pytest

from hotplate.template import Parameter, ParameterType
from tests.unit.template.templates import CFN, compiled, errors, warnings


def parameter(schema: str, version: str = "wallaby") -> Parameter:
    section = "Parameters" if ":" in version else "parameters"
    return compiled(f"{section}: {{p: {schema}}}", version).parameters["p"]


def fault(schema: str, version: str = "wallaby") -> str:
    section = "Parameters" if ":" in version else "parameters"
    (error,) = errors(f"{section}:\n  p: {schema}", version)
    return error.split(f"{section}.p", 1)[1].lstrip(".").removeprefix(": ")


def constraint_fault(kind: str, constraint: str, version: str = "wallaby") -> str:
    return fault(f"{{type: {kind}, constraints: [{constraint}]}}", version).removeprefix(
        "constraints."
    )


def test_a_parameter_with_everything() -> None:
    found = parameter(
        "{type: number, label: L, description: D, default: 4, hidden: true, immutable: yes, "
        "tags: [a, 1], constraints: [{range: {min: 1}}, {modulo: {step: 2, offset: 0}}]}"
    )
    assert found.type is ParameterType.NUMBER
    assert (found.label, found.description, found.default) == ("L", "D", 4)
    assert (found.hidden, found.immutable, found.tags) == (True, True, ("a", "1"))
    assert [constraint.name for constraint in found.constraints] == ["range", "modulo"]
    assert not found.required


def test_the_label_is_the_name_unless_given() -> None:
    assert parameter("{type: string}").label == "p"


def test_a_null_default_is_no_default() -> None:
    assert parameter("{type: string, default: null}").required


def test_keys_that_are_null_count_as_absent() -> None:
    found = parameter("{type: string, label: null, hidden: null, constraints: null}")
    assert (found.label, found.hidden, found.constraints) == ("p", False, ())


@pytest.mark.parametrize("kind", ["string", "number", "json", "boolean", "comma_delimited_list"])
def test_every_type_is_known(kind: str) -> None:
    assert parameter(f"{{type: {kind}}}").type.value == kind


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("text", "a parameter is a map with a type, not a text"),
        ("{default: 1}", 'the key "type" is missing; one of string, number, '),
        ("{type: strin}", "type: there is no parameter type 'strin'; did you mean \"string\"?"),
        ("{type: String}", "type: there is no parameter type 'String'; did you mean \"string\"?"),
        ("{type: [string]}", "type: there is no parameter type ['string']; use one of string, "),
        ("{type: string, defualt: x}", 'defualt: unknown key "defualt"; did you mean "default"?'),
        ("{type: string, zebra: x}", 'zebra: unknown key "zebra"; a parameter has type, label'),
        ("{type: string, hidden: perhaps}", "hidden: 'perhaps' is not a boolean"),
        ("{type: string, tags: a}", "tags: must be a list, not a text"),
        ("{type: string, constraints: {}}", "constraints: the constraints must be a list, not"),
        ("{type: number, default: x}", "default: the default is invalid: 'x' is not a number"),
        ("{type: boolean, default: maybe}", "default: the default is invalid: 'maybe' is not a"),
        ("{type: json, default: '{'}", "default: the default is invalid: the text is not JSON"),
        (
            "{type: number, default: 9, constraints: [{range: {max: 5}}]}",
            "default: the default is invalid: 9 is out of range (min: None, max: 5)",
        ),
    ],
)
def test_a_faulty_declaration_is_refused(schema: str, words: str) -> None:
    assert fault(schema).startswith(words)


def test_tags_exist_since_queens() -> None:
    assert parameter("{type: string, tags: [a]}", "queens").tags == ("a",)
    assert fault("{type: string, tags: [a]}", "pike") == (
        'tags: the key "tags" does not exist in this version; '
        "it exists since heat_template_version: 2018-03-02"
    )


def test_modulo_exists_since_ocata() -> None:
    modulo = "{modulo: {step: 2, offset: 1}}"
    assert parameter(f"{{type: number, constraints: [{modulo}]}}", "ocata").constraints
    assert constraint_fault("number", modulo, "newton") == (
        '0.modulo: the constraint "modulo" does not exist in this version; '
        "it exists since heat_template_version: 2017-02-24"
    )


@pytest.mark.parametrize(
    ("kind", "constraint", "words"),
    [
        ("string", "length", "0: a constraint must be a map, not a text"),
        ("string", "{}", "0: this item names no constraint; each item of the list is one"),
        ("string", "{description: d}", "0: this item names no constraint"),
        ("number", "{range: {min: 1}, modulo: {step: 2, offset: 0}}", "0: this item has range and"),
        ("string", "{lenght: {min: 1}}", '0.lenght: there is no constraint "lenght"; did you mean'),
        ("string", "{length: 5}", "0.length: must be a map with min and max, not a number"),
        ("string", "{length: {}}", "0.length: needs min or max or both"),
        ("string", "{length: {min: null}}", "0.length: needs min or max or both"),
        ("string", "{length: {min: x}}", "0.length.min: 'x' is not a number"),
        ("string", "{length: {min: 1.5}}", "0.length.min: must be a whole number, not 1.5"),
        ("string", "{length: {mni: 1}}", '0.length.mni: unknown key "mni"; use min and max'),
        ("string", "{length: {min: 3, max: 2}}", "0.length: no value is at least 3 and at most 2"),
        ("number", "{range: {min: 3, max: 2}}", "0.range: no value is at least 3 and at most 2"),
        ("number", "{range: [1, 2]}", "0.range: must be a map with min and max, not a list"),
        ("number", "{modulo: {step: 2}}", "0.modulo: needs both step and offset"),
        ("number", "{modulo: {step: 0, offset: 0}}", "0.modulo.step: must not be 0"),
        ("number", "{modulo: {step: 2, offset: 2}}", "0.modulo.offset: must be smaller than the"),
        ("number", "{modulo: {step: 2, offset: -1}}", "0.modulo.offset: must have the same sign"),
        ("string", "{allowed_values: a}", "0.allowed_values: must be a list, not a text"),
        ("string", "{allowed_pattern: '('}", "0.allowed_pattern: '(' is not a regular expression"),
        ("string", "{allowed_pattern: 5}", "0.allowed_pattern: must be a text, not a number"),
        ("string", "{custom_constraint: [a]}", "0.custom_constraint: a custom constraint is named"),
        ("number", "{length: {min: 1}}", "0: the constraint length does not apply to the type "),
        ("string", "{range: {min: 1}}", "0: the constraint range does not apply to the type str"),
        ("string", "{modulo: {step: 2, offset: 0}}", "0: the constraint modulo does not apply"),
        ("json", "{allowed_values: [a]}", "0: the constraint allowed_values does not apply"),
        ("number", "{allowed_pattern: a}", "0: the constraint allowed_pattern does not apply"),
        ("json", "{custom_constraint: ip_addr}", "0: the constraint custom_constraint does not"),
    ],
)
def test_a_faulty_constraint_is_refused(kind: str, constraint: str, words: str) -> None:
    assert constraint_fault(kind, constraint).startswith(words)


@pytest.mark.parametrize(
    ("kind", "constraint"),
    [
        ("string", "{length: {min: '1', max: 5.0}}"),
        ("comma_delimited_list", "{length: {min: 1}}"),
        ("json", "{length: {max: 1}}"),
        ("number", "{range: {min: '1.5'}}"),
        ("number", "{modulo: {step: -2, offset: -1}}"),
        ("boolean", "{allowed_values: [true]}"),
        ("comma_delimited_list", "{allowed_values: [a, b]}"),
        ("comma_delimited_list", "{custom_constraint: neutron.network}"),
        ("number", "{custom_constraint: whatever, description: d}"),
    ],
)
def test_constraints_apply_to_their_types(kind: str, constraint: str) -> None:
    assert len(parameter(f"{{type: {kind}, constraints: [{constraint}]}}").constraints) == 1


def test_all_faults_of_a_declaration_are_reported() -> None:
    text = """
        parameters:
          p:
            type: number
            zebra: 1
            hidden: perhaps
            default: x
            constraints: [{length: {min: 1}}, 5]
        """
    assert [error.split(": ")[0:2] for error in errors(text)] == [
        ["t.yaml:5:5", "parameters.p.zebra"],
        ["t.yaml:6:5", "parameters.p.hidden"],
        ["t.yaml:7:5", "parameters.p.default"],
        ["t.yaml:8:19", "parameters.p.constraints.0"],
        ["t.yaml:8:39", "parameters.p.constraints.1"],
    ]


def test_a_default_is_not_put_to_custom_constraints() -> None:
    parameter("{type: string, default: x, constraints: [{custom_constraint: ip_addr}]}")


def test_a_map_as_default_of_a_text_is_warned_of() -> None:
    (warning,) = warnings("parameters: {p: {type: string, default: {get_param: q}}}")
    assert "a map as the default of a text is turned into text; functions are not" in warning


def test_a_label_that_is_not_a_text_is_warned_of() -> None:
    (warning,) = warnings("parameters: {p: {type: string, label: [a]}}")
    assert warning == "t.yaml:2:32: parameters.p.label: should be a text, not a list"


def test_a_pseudo_parameter_cannot_be_declared() -> None:
    (error,) = errors("parameters: {'OS::stack_id': {type: string}}")
    assert error.endswith("the name OS::stack_id is taken")


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ("{}", "parameter_groups: must be a list, not a map"),
        ("[text]", 'parameter_groups.0: a group is a map with a list "parameters"'),
        ("[{label: g}]", 'parameter_groups.0: a group is a map with a list "parameters"'),
        ("[{parameters: p}]", 'parameter_groups.0.parameters: a group is a map with a list "par'),
        ("[{parameters: [x]}]", "parameter_groups.0.parameters.0: there is no parameter 'x'"),
        ("[{parameters: [5]}]", "parameter_groups.0.parameters.0: there is no parameter 5"),
        (
            "[{parameters: [p]}, {parameters: [p]}]",
            'parameter_groups.1.parameters.0: the parameter "p" is already in another group',
        ),
        ("[{parameters: [p, p]}]", 'parameter_groups.0.parameters.1: the parameter "p" is already'),
    ],
)
def test_a_faulty_parameter_group_is_refused(groups: str, words: str) -> None:
    (error,) = errors(f"parameters: {{p: {{type: string}}}}\nparameter_groups: {groups}")
    assert error.split(": ", 1)[1].startswith(words)


def test_parameter_groups_keep_their_order_and_words() -> None:
    template = compiled("""
        parameters: {a: {type: string}, b: {type: string}}
        parameter_groups:
        - {label: First, description: D, parameters: [b]}
        - {parameters: [a]}
        """)
    assert [group.as_data() for group in template.groups] == [
        {"label": "First", "description": "D", "parameters": ["b"]},
        {"label": "", "description": "", "parameters": ["a"]},
    ]


def test_a_cfn_parameter_with_everything() -> None:
    found = parameter(
        "{Type: String, Default: abc, NoEcho: 'true', AllowedValues: [abc], AllowedPattern: '.*', "
        "MinLength: '1', MaxLength: 5, Description: D, ConstraintDescription: C, Label: L}",
        CFN,
    )
    assert (found.type, found.default, found.hidden) == (ParameterType.STRING, "abc", True)
    assert (found.label, found.description) == ("L", "D")
    assert [c.name for c in found.constraints] == ["length", "allowed_values", "allowed_pattern"]
    assert {c.description for c in found.constraints} == {"C"}


@pytest.mark.parametrize("kind", ["String", "Number", "CommaDelimitedList", "Json", "Boolean"])
def test_every_cfn_type_is_known(kind: str) -> None:
    parameter(f"{{Type: {kind}}}", CFN)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("{Type: string}", "Type: there is no parameter type 'string'; did you mean \"String\"?"),
        ("{type: String}", 'type: unknown key "type"; did you mean "Type"?'),
        ("{Type: Number, MinValue: x}", "MinValue: 'x' is not a number"),
        ("{Type: Number, MaxValue: 5, Default: 6}", "Default: the default is invalid: 6 is out of"),
        ("{Type: String, MinValue: 1}", "MinValue: the constraint range does not apply to the"),
        ("{Type: String, AllowedPattern: '('}", "AllowedPattern: '(' is not a regular expression"),
    ],
)
def test_a_faulty_cfn_parameter_is_refused(schema: str, words: str) -> None:
    section = f"Parameters:\n  p: {schema}"
    assert any(f"Parameters.p.{words}" in error for error in errors(section, CFN))
