"""A document becomes a template, or every fault of it is told with its place."""

import gc

import pytest

from hotplate.document import InvalidDocument, from_data, parse
from hotplate.template import TemplateLimits, compile_template
from hotplate.template.expression_compiler import ExpressionCompiler
from tests.unit.template.templates import CFN, compiled, errors, text_of, warnings


def refusal(text: str) -> str:
    with pytest.raises(InvalidDocument) as refused:
        compile_template(parse(text, "t.yaml"))
    return str(refused.value)


def error(sections: str, version: str = "wallaby") -> str:
    (only,) = errors(sections, version)
    return only


def test_a_template_with_every_section() -> None:
    template = compiled("""
        description: All of it
        parameter_groups: [{parameters: [p]}]
        parameters: {p: {type: string}}
        conditions: {c: true}
        resources: {r: {type: X}}
        outputs: {o: {value: 1}}
        """)
    assert template.description == "All of it"
    assert template.name == "t.yaml"
    assert [list(s) for s in (template.parameters, template.conditions)] == [["p"], ["c"]]
    assert [list(s) for s in (template.resources, template.outputs)] == [["r"], ["o"]]
    assert template.warnings == ()


@pytest.mark.parametrize("sections", ["", "resources:", "parameters: {}\noutputs:\n"])
def test_sections_may_be_absent_or_null(sections: str) -> None:
    template = compiled(sections)
    assert not template.resources
    assert template.description == "No description"


def test_decoded_data_compiles_like_text() -> None:
    document = from_data({"heat_template_version": "2018-08-31"}, "request")
    assert compile_template(document).dialect.alias == "rocky"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "t.yaml:1:1: a template is a map, not null; begin with heat_template_version: wal"),
        ("[1]", "t.yaml:1:1: a template is a map, not a list"),
        ("resources: {}", "t.yaml:1:1: the template does not say its version; begin with"),
        ("heat_template_vers: pike", "t.yaml:1:1: the template does not say its version (did you"),
        ("heat_template_version: pyke", "there is no version 'pyke'; did you mean \"pike\"?"),
        ("heat_template_version: 2018-03-03", "there is no version '2018-03-03'; did you mean"),
        ("heat_template_version: 5", "there is no version 5; use one of 2013-05-23, "),
        (
            "heat_template_version: pike\nAWSTemplateFormatVersion: 2010-09-09",
            "t.yaml:2:1: AWSTemplateFormatVersion: the template has heat_template_version and",
        ),
    ],
)
def test_a_template_says_its_version_once(text: str, words: str) -> None:
    assert words in refusal(text)


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ("resource: {}", 't.yaml:2:1: resource: unknown section "resource"; did you mean "resour'),
        ("zebra: {}", 'zebra: unknown section "zebra"; a template has heat_template_version, d'),
        ("resources: []", "resources: must be a map, not a list"),
        ("parameters: text", "parameters: must be a map, not a text"),
        ("conditions:", "conditions: is empty; write {} or remove the section"),
        ("resources: {r: }", "resources.r: a resource is a map with a type, not null"),
        ("resources: {r: 'type:X'}", "not a text; a space is missing after a colon"),
        ("resources: {r: {}}", 'resources.r: the key "type" is missing; write type: OS::Heat::'),
        ("resources: {r: {type: }}", "resources.r.type: a type is named by a text"),
        ("resources: {r: {type: [X]}}", "resources.r.type: a type is named by a text"),
        ("resources: {r: {type: ''}}", "resources.r.type: a type is named by a text"),
        ("resources: {r: {Type: X}}", 'resources.r.Type: unknown key "Type"; did you mean "type"?'),
        ("resources: {r: {type: X, foo: 1}}", 'resources.r.foo: unknown key "foo"; a resource ha'),
        ("resources: {r: {type: X, metadata: }}", "resources.r.metadata: is empty; give it a val"),
        ("resources: {r: {type: X, properties: [1]}}", "properties: must be a map, not a list"),
        ("resources: {r: {type: X, metadata: a}}", "metadata: must be a map, not a text"),
        ("resources: {r: {type: X, update_policy: 5}}", "update_policy: must be a map, not a num"),
        ("resources: {r: {type: X, description: [a]}}", "description: must be a text, not a list"),
        ("resources: {a/b: {type: X}}", 'resources.a/b: "a/b" is no name for a resource; it mus'),
        ("resources: {'': {type: X}}", '"" is no name for a resource; it must not be empty'),
        ("resources: {r: {type: X, external_id: 5}}", "external_id: must be a text, not a number"),
        ("outputs: {o: 5}", 'outputs.o: an output is a map with a "value"'),
        ("outputs: {o: {}}", 'outputs.o: an output is a map with a "value"'),
        ("outputs: {o: {vlaue: 1}}", 'outputs.o.vlaue: unknown key "vlaue"; did you mean "value"?'),
        (
            "parameters: {x: {type: string}}\nresources: {x: {type: X}}",
            'resources.x: "x" is the name of a parameter and of a resource; rename one of them',
        ),
    ],
)
def test_a_faulty_section_is_refused(sections: str, words: str) -> None:
    assert words in error(sections)


def test_all_faults_are_reported_in_reading_order() -> None:
    text = """
        outputs:
          o: 5
        zebra: 1
        resources:
          r: {type: X, properties: {a: {get_param: nope}}}
        parameters:
          p: {type: nothing}
        """
    assert [line.split(": ")[:2] for line in errors(text)] == [
        ["t.yaml:3:3", "outputs.o"],
        ["t.yaml:4:1", "zebra"],
        ["t.yaml:6:33", "resources.r.properties.a.get_param"],
        ["t.yaml:8:7", "parameters.p.type"],
    ]


@pytest.mark.parametrize(
    ("depends_on", "words"),
    [
        ("b", 'depends_on: there is no resource "b"'),
        ("[a, servr]", 'depends_on.1: there is no resource "servr"; did you mean "server"?'),
        ("5", "depends_on: must be the name of a resource or a list of names"),
        ("[a, [server]]", "depends_on.1: must be the name of a resource or a list of names"),
        ("{get_param: p}", "a list of names; functions cannot be used here"),
        ("[{get_resource: a}]", "depends_on.0: must be the name of a resource or a list of names"),
    ],
)
def test_depends_on_names_resources(depends_on: str, words: str) -> None:
    section = "resources: {a: {type: X}, server: {type: X}, r: {type: X, depends_on: %s}}"
    assert words in error(section % depends_on)


def test_depends_on_takes_a_name_or_names_each_once() -> None:
    template = compiled("""
        resources:
          a: {type: X}
          b: {type: X, depends_on: a}
          c: {type: X, depends_on: [b, a, b]}
          d: {type: X, depends_on: []}
        """)
    assert template.resources["b"].depends_on == ("a",)
    assert template.resources["c"].depends_on == ("b", "a")
    assert template.resources["d"].depends_on == ()


@pytest.mark.parametrize("policy", ["Delete", "Retain", "Snapshot", "delete", "retain", "snapshot"])
def test_deletion_policies_may_be_in_lower_case_since_newton(policy: str) -> None:
    text = f"resources: {{r: {{type: X, deletion_policy: {policy}}}}}"
    assert compiled(text, "newton").resources["r"].deletion_policy
    if policy.islower():
        assert error(text, "2016-04-08").endswith(
            f"there is no deletion policy '{policy}'; "
            f"before 2016-10-14 it is written {policy.capitalize()}"
        )
    else:
        assert compiled(text, "2013-05-23").resources["r"].deletion_policy


def test_an_unknown_deletion_policy_is_refused() -> None:
    section = "resources: {r: {type: X, deletion_policy: %s}}"
    assert error(section % "Keep").endswith(
        "there is no deletion policy 'Keep'; use one of Delete, Retain, Snapshot, "
        "delete, retain, snapshot"
    )
    assert 'did you mean "Retain"?' in error(section % "Retian")
    assert "there is no deletion policy 5" in error(section % "5")
    assert "there is no deletion policy 'DELETE'" in error(section % "DELETE")


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ("conditions: {}", 'conditions: the section "conditions" does not exist in version 2016-0'),
        ("resources: {r: {type: X, condition: true}}", 'the key "condition" does not exist in ver'),
        ("resources: {r: {type: X, external_id: a}}", 'the key "external_id" does not exist in v'),
    ],
)
def test_conditions_and_external_ids_exist_since_newton(sections: str, words: str) -> None:
    compiled(sections, "newton")
    refused = error(sections, "2016-04-08")
    assert words in refused
    assert refused.endswith("it exists since heat_template_version: 2016-10-14")


def test_an_unknown_key_of_an_output_with_a_value_is_only_warned_of() -> None:
    (warning,) = warnings("outputs: {o: {value: 1, descripton: x}}")
    assert warning.endswith('unknown key "descripton"; did you mean "description"?')


def test_a_description_that_is_not_a_text_is_only_warned_of() -> None:
    (warning,) = warnings("description: {a: 1}")
    assert warning == "t.yaml:2:1: description: should be a text, not a map"


def test_a_repeated_key_of_the_document_is_among_the_warnings() -> None:
    (warning,) = warnings("resources: {}\nresources: {r: {type: X}}")
    assert 'resources: the key "resources" is given twice' in warning


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("5", "a condition is true, false or a condition function, not 5"),
        ("text", 'a condition is true, false or a condition function, not "text"'),
        ("null", "a condition is true, false or a condition function, not null"),
        ("[true]", "a condition is true, false or a condition function, not [true]"),
        ("{not: nope}", 'conditions.c.not: not: there is no condition "nope"'),
        ("{and: [true, nope]}", 'conditions.c.and.1: and: there is no condition "nope"'),
        ("{and: [true]}", "conditions.c.and: and: takes 2 or more arguments, 1 given"),
        ("{get_attr: [r, a]}", "the function get_attr cannot be used in a condition; a condition"),
        ("{equals: [1, {get_resource: r}]}", "the function get_resource cannot be used in a cond"),
        ("{str_split: [a, b]}", "the function str_split cannot be used in a condition"),
    ],
)
def test_a_faulty_condition_is_refused(body: str, words: str) -> None:
    assert words in error(f"conditions: {{c: {body}}}\nresources: {{r: {{type: X}}}}")


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ("{a: {not: a}}", "conditions.a: a needs itself; remove the reference"),
        ("{a: {not: b}, b: {and: [true, a]}}", "these need each other: a -> b -> a; remove one of"),
        ("{a: {or: [{not: b}, c]}, b: {not: a}, c: true}", "these need each other: a -> b -> a"),
    ],
)
def test_conditions_that_need_each_other_are_refused(conditions: str, words: str) -> None:
    assert words in error(f"conditions: {conditions}")


@pytest.mark.parametrize("condition", ["nope", "5", "[a]", "{a: 1}", "{a: 1, b: 2}"])
def test_a_resource_needs_a_condition_that_exists(condition: str) -> None:
    assert errors(f"resources: {{r: {{type: X, condition: {condition}}}}}")
    assert errors(f"outputs: {{o: {{value: 1, condition: {condition}}}}}")


def test_a_misspelt_condition_gets_a_suggestion() -> None:
    text = "conditions: {is_prod: true}\nresources: {r: {type: X, condition: is_prd}}"
    assert error(text) == (
        't.yaml:3:26: resources.r.condition: there is no condition "is_prd"; '
        'did you mean "is_prod"?'
    )


def test_a_cycle_that_no_condition_can_break_is_warned_of() -> None:
    text = """
        resources:
          a: {type: X, depends_on: b}
          b: {type: X, properties: {x: {get_resource: a}}}
        """
    (warning,) = warnings(text)
    assert warning == (
        "t.yaml:3:16: resources.a.depends_on: these need each other: a -> b -> a; "
        "remove one of the references"
    )


def test_the_number_of_entries_is_limited() -> None:
    document = parse(text_of("resources: {a: {type: X}, b: {type: X}}"), "t")
    with pytest.raises(InvalidDocument, match="resources: has 2 entries, at most 1 are allowed"):
        compile_template(document, TemplateLimits(resources=1))


def test_the_garbage_collector_runs_again_after_compiling() -> None:
    assert gc.isenabled()
    compiled("")
    assert gc.isenabled()
    with pytest.raises(InvalidDocument):
        compiled("zebra: 1")
    assert gc.isenabled()


def test_a_cfn_template_with_every_section() -> None:
    template = compiled(
        """
        Description: D
        Parameters: {P: {Type: String}}
        Mappings: {M: {k: {v: 1}}}
        Conditions: {C: {"Fn::Equals": [1, 1]}}
        Resources:
          R: {Type: X, Properties: {}, Metadata: {}, DependsOn: S, DeletionPolicy: Retain,
              UpdatePolicy: {}, Condition: C, Description: text}
          S: {Type: X}
        Outputs: {O: {Value: 1, Description: text, Condition: C}}
        """,
        CFN,
    )
    assert template.description == "D"
    assert template.resources["R"].depends_on == ("S",)
    assert template.warnings == ()


def test_a_cfn_resource_with_an_unknown_key_is_only_warned_of() -> None:
    (warning,) = warnings("Resources: {R: {Type: X, Zebra: 1}}", CFN)
    assert 'Resources.R.Zebra: unknown key "Zebra"' in warning


def test_the_older_cfn_version_has_no_conditions() -> None:
    old = "HeatTemplateFormatVersion: 2012-12-12"
    assert error("Conditions: {}", old).endswith(
        'the section "Conditions" does not exist in version 2012-12-12'
    )


def test_what_compiles_goes_with_its_work() -> None:
    """Nothing in it refers to itself: else the text would stay until somebody looks for garbage."""
    gc.collect()
    gc.disable()
    try:
        compiled("resources: {r: {type: X, properties: {a: {get_resource: r2}}}, r2: {type: X}}")
        left = [each for each in gc.get_objects() if isinstance(each, ExpressionCompiler)]
    finally:
        gc.enable()
    assert left == []
