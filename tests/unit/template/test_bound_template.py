"""With values, conditions are decided, dependencies known, and what cannot be is refused."""

import pytest

from hotplate.document import Data
from hotplate.template import DeletionPolicy, Facade, ResolveError, ResourceData
from tests.unit.template.templates import CFN, bound, refusals

SWITCH = "parameters: {good: {type: boolean, default: true}}\nconditions: {c: {get_param: good}}\n"


def refusal(sections: str, **given: object) -> str:
    (only,) = refusals(SWITCH + sections, given)  # type: ignore[arg-type]
    return only


def test_a_condition_switches_resources_and_outputs() -> None:
    sections = (
        SWITCH
        + """
resources: {a: {type: X, condition: c}, b: {type: X, condition: {not: c}}, d: {type: X}}
outputs: {x: {value: 1, condition: c}, y: {value: 2, condition: {not: c}}}
"""
    )
    on, off = bound(sections), bound(sections, {"good": False})
    assert (list(on.resources), list(off.resources)) == (["a", "d"], ["b", "d"])
    assert (list(on.outputs), on.disabled_outputs) == (["x"], ("y",))
    assert (on.output("x"), on.output("y")) == (1, None)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("true", True),
        ("c", True),
        ("{not: c}", False),
        ("{and: [c, alias]}", True),
        ("{or: [{not: c}, {not: alias}]}", False),
        ("{equals: [{get_param: good}, true]}", True),
        ("{equals: [1, '1']}", False),
        ("{get_param: good}", True),
        ("{contains: [b, [a, b]]}", True),
        ("{yaql: {expression: $.data > 1, data: 2}}", True),
    ],
)
def test_a_condition_may_be_written_in_place(condition: str, holds: bool) -> None:
    conditions = "conditions: {c: {get_param: good}, alias: {not: {not: c}}}"
    template = bound(
        f"parameters: {{good: {{type: boolean, default: true}}}}\n{conditions}\n"
        f"resources: {{r: {{type: X, condition: {condition}}}}}"
    )
    assert ("r" in template.resources) is holds


def test_conditions_may_use_later_ones() -> None:
    template = bound("conditions: {a: {not: b}, b: {not: d}, d: true}")
    assert (template.condition("a"), template.condition("b")) == (True, False)


def test_and_and_or_stop_at_the_first_that_decides() -> None:
    """The other side may be a value that is not a boolean."""
    sections = "parameters: {p: {type: string, default: x}}\nconditions:\n"
    assert bound(sections + "  c: {or: [true, {get_param: p}]}").condition("c") is True
    assert bound(sections + "  c: {and: [false, {get_param: p}]}").condition("c") is False


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("{get_param: p}", 'conditions.c: the condition "c" is a text; a condition must give'),
        ("{not: {get_param: p}}", 'conditions.c.not: not: there is no condition "word"'),
        ("{and: [true, {get_param: n}]}", "and: a condition is a boolean or a name, not 5"),
        ("{yaql: {expression: '5', data: 1}}", 'the condition "c" is a number'),
        ("{contains: [5, text]}", "conditions.c.contains: contains: a text can only contain a tex"),
    ],
)
def test_a_condition_that_is_no_boolean_is_refused(condition: str, words: str) -> None:
    sections = "parameters: {p: {type: string}, n: {type: number}}\nconditions: {c: %s}"
    (only,) = refusals(sections % condition, {"p": "word", "n": 5})
    assert words in only


def test_a_parameter_may_name_a_condition() -> None:
    sections = """
        parameters: {which: {type: string}}
        conditions: {good: true, bad: false, chosen: {and: [true, {get_param: which}]}}
        """
    assert bound(sections, {"which": "good"}).condition("chosen") is True
    assert bound(sections, {"which": "bad"}).condition("chosen") is False


def test_conditions_that_need_each_other_through_a_parameter_are_refused() -> None:
    sections = "parameters: {p: {type: string}}\nconditions: {c: {not: {get_param: p}}}"
    (only,) = refusals(sections, {"p": "c"})
    assert 'the condition "c" depends on itself' in only


def test_only_the_chosen_branch_is_looked_at() -> None:
    sections = (
        SWITCH
        + """
resources:
  a: {type: X, condition: c}
  b: {type: X, properties: {p: {if: [c, {get_resource: a}, {get_param: nope}]}}}
"""
    )
    assert bound(sections).properties("b") == {"p": "a"}
    (only,) = refusals(sections, {"good": False})
    assert 'b.properties.p.if.2.get_param: get_param: there is no parameter "nope"' in only


def test_an_if_with_a_condition_that_does_not_exist_is_refused_where_it_stands() -> None:
    section = "parameters: {p: {type: string}}\n%s: {x: {%s: {v: {if: [{get_param: p}, 1, 2]}}}}"
    for section_name, part in (
        ("resources", "type: X, properties"),
        ("resources", "type: X, metadata"),
        ("resources", "type: X, update_policy"),
        ("outputs", "value"),
    ):
        (only,) = refusals(section % (section_name, part), {"p": "nope"})
        assert only.endswith('.if.0: if: there is no condition "nope"')


def test_dependencies_come_from_depends_on_and_references() -> None:
    graph = bound("""
        resources:
          a: {type: X}
          b: {type: X, depends_on: a}
          c: {type: X, properties: {p: [{get_resource: a}, {get_attr: [b, x]}]}}
          d: {type: X, metadata: {p: {get_resource: c}}}
          e: {type: X, external_id: {get_resource: d}}
          f: {type: X, update_policy: {p: {get_resource: a}}, deletion_policy: Retain}
        """).graph
    assert {node: sorted(graph.requires(node)) for node in graph} == {
        "a": [],
        "b": ["a"],
        "c": ["a", "b"],
        "d": ["c"],
        "e": ["d"],
        "f": [],
    }


def test_dependencies_may_hang_on_parameters_and_conditions() -> None:
    sections = """
        parameters: {which: {type: string}}
        conditions: {c: {equals: [{get_param: which}, a]}}
        resources:
          a: {type: X}
          b: {type: X}
          by_name: {type: X, properties: {p: {get_resource: {get_param: which}}}}
          by_choice: {type: X, properties: {p: {if: [c, {get_attr: [a, x]}, {get_attr: [b, x]}]}}}
        """
    for which in ("a", "b"):
        graph = bound(sections, {"which": which}).graph
        assert list(graph.requires("by_name")) == [which]
        assert list(graph.requires("by_choice")) == [which]


def test_a_reference_to_a_resource_that_a_parameter_misnames_is_refused() -> None:
    sections = """
        parameters: {which: {type: string}}
        resources:
          server: {type: X}
          b: {type: X, properties: {p: {get_resource: {get_param: which}}}}
        """
    (only,) = refusals(sections, {"which": "servr"})
    assert 'get_resource: there is no resource "servr"; did you mean "server"?' in only


def test_depending_on_a_disabled_resource_is_no_mistake() -> None:
    sections = SWITCH + "resources: {a: {type: X, condition: c}, b: {type: X, depends_on: a}}"
    assert list(bound(sections).graph.requires("b")) == ["a"]
    assert list(bound(sections, {"good": False}).graph.requires("b")) == []


@pytest.mark.parametrize("call", ["{get_resource: a}", "{get_attr: [a, x]}"])
def test_referring_to_a_disabled_resource_is_refused_with_a_way_out(call: str) -> None:
    sections = f"""
resources:
  a: {{type: X, condition: c}}
  b: {{type: X, properties: {{p: {call}}}}}
"""
    assert refusal(sections, good=False).endswith(
        'the resource "a" is switched off by its condition; '
        "guard the reference with the same condition, by means of if"
    )


def test_a_disabled_resource_may_refer_to_a_disabled_one() -> None:
    sections = (
        SWITCH
        + """
resources:
  a: {type: X, condition: c}
  b: {type: X, condition: c, properties: {p: {get_resource: a}}}
"""
    )
    assert list(bound(sections, {"good": False}).resources) == []


def test_an_output_that_asks_a_disabled_resource_for_an_attribute_is_refused() -> None:
    sections = "resources: {a: {type: X, condition: c}}\noutputs: {o: {value: {get_attr: [a, x]}}}"
    assert 'the resource "a" is switched off' in refusal(sections, good=False)


def test_an_output_that_names_a_disabled_resource_fails_alone() -> None:
    sections = (
        SWITCH
        + """
resources: {a: {type: X, condition: c}}
outputs: {o: {value: {get_resource: a}}}
"""
    )
    template = bound(sections, {"good": False})
    (problem,) = template.failing_outputs()
    assert 'outputs.o.value.get_resource: get_resource: the resource "a" is switched' in str(
        problem
    )
    with pytest.raises(ResolveError, match="is switched off by its condition"):
        template.output("o")


def test_resources_that_need_each_other_are_refused() -> None:
    sections = """
resources:
  a: {type: X, properties: {p: {get_resource: b}}}
  b: {type: X, depends_on: d}
  d: {type: X, metadata: {m: {get_attr: [a, x]}}}
"""
    assert "these need each other: a -> b -> d -> a; remove one of the references" in refusal(
        sections
    )


def test_a_resource_that_needs_itself_is_refused() -> None:
    assert refusal("resources: {a: {type: X, depends_on: a}}") == (
        "t.yaml:4:26: resources.a.depends_on: a needs itself; remove the reference"
    )


def test_a_cycle_through_a_disabled_resource_is_none() -> None:
    sections = (
        SWITCH
        + """
resources:
  a: {type: X, condition: {not: c}, depends_on: b}
  b: {type: X, depends_on: a}
"""
    )
    assert list(bound(sections).graph) == ["b"]


def test_deletion_policies_in_all_spellings() -> None:
    template = bound(
        """
        parameters: {policy: {type: string, default: retain}}
        conditions: {bad: false}
        resources:
          none: {type: X}
          upper: {type: X, deletion_policy: Retain}
          lower: {type: X, deletion_policy: snapshot}
          call: {type: X, deletion_policy: {get_param: policy}}
          omitted: {type: X, deletion_policy: {if: [bad, Retain]}}
          disabled: {type: X, condition: bad, deletion_policy: Retain}
        """
    )
    assert {name: template.deletion_policy(name) for name in template.resources} == {
        "none": DeletionPolicy.DELETE,
        "upper": DeletionPolicy.RETAIN,
        "lower": DeletionPolicy.SNAPSHOT,
        "call": DeletionPolicy.RETAIN,
        "omitted": DeletionPolicy.DELETE,
    }


@pytest.mark.parametrize("policy", ["keep", "RETAIN", ""])
def test_a_deletion_policy_that_does_not_exist_is_refused(policy: str) -> None:
    sections = """
        parameters: {p: {type: string}}
        resources: {r: {type: X, deletion_policy: {get_param: p}}}
        """
    (only,) = refusals(sections, {"p": policy})
    assert f"resources.r.deletion_policy: there is no deletion policy '{policy}'; use one" in only


def test_a_lower_case_policy_from_a_parameter_is_refused_in_old_versions() -> None:
    sections = """
        parameters: {p: {type: string}}
        resources: {r: {type: X, deletion_policy: {get_param: p}}}
        """
    bound(sections, {"p": "Retain"}, version="2016-04-08")
    (only,) = refusals(sections, {"p": "retain"}, version="2016-04-08")
    assert only.endswith("use one of Delete, Retain, Snapshot")


def test_the_parts_of_a_resource_are_resolved() -> None:
    template = bound(
        """
        parameters: {p: {type: number, default: 5}}
        resources:
          r:
            type: X
            properties: {a: {get_param: p}}
            metadata: {b: [{get_param: p}]}
            update_policy: {c: {get_param: p}}
            external_id: {get_param: p}
          plain: {type: X}
          nothing: {type: X, external_id: null}
        """
    )
    assert template.properties("r") == {"a": 5}
    assert template.metadata("r") == {"b": [5]}
    assert template.update_policy("r") == {"c": 5}
    assert template.external_id("r") == "5"
    assert template.properties("plain") == template.metadata("plain") == {}
    assert template.external_id("plain") is None
    assert template.external_id("nothing") is None


def test_needed_attributes_are_known_before_any_resource_exists() -> None:
    template = bound(
        """
        parameters: {key: {type: string, default: ip}}
        conditions: {bad: false}
        resources:
          a: {type: X}
          b: {type: X, properties: {p: {get_attr: [a, {get_param: key}, 0]}}}
          d: {type: X, metadata: {p: {if: [bad, {get_attr: [a, unused]}, {get_attr: [b, x]}]}}}
        outputs:
          one: {value: {get_attr: [a, name]}}
          all: {value: {get_attr: [d]}}
          bad: {value: {get_attr: [a, other]}, condition: bad}
        """
    )
    assert template.needed_attributes() == {
        "a": {("ip", 0), ("name",)},
        "b": {("x",)},
        "d": {()},
    }


def test_an_attribute_that_another_resource_decides_is_needed_as_far_as_it_is_known() -> None:
    template = bound(
        """
        resources: {a: {type: X}, b: {type: X}, d: {type: X}}
        outputs:
          name: {value: {get_attr: [a, {get_attr: [b, x]}]}}
          step: {value: {get_attr: [d, addresses, {get_resource: a}]}}
        """
    )
    assert template.needed_attributes() == {"a": {()}, "b": {("x",)}, "d": {("addresses",)}}


@pytest.mark.parametrize("value", [["x"], {"a": 1}, True])
def test_an_external_id_must_be_a_text(value: Data) -> None:
    template = bound(
        """
        parameters: {p: {type: json}}
        resources: {r: {type: X, external_id: {get_param: p}}}
        """,
        {"p": value},
    )
    with pytest.raises(ResolveError, match=r"resources\.r\.external_id: must give a text, not a"):
        template.external_id("r")


def test_check_values_resolves_whatever_needs_no_resource() -> None:
    sections = """
        parameters: {p: {type: string, default: x}, n: {type: number, default: 9}}
        resources:
          a: {type: X, properties: {ok: {get_param: p}, bad: {str_split: [',', {get_param: p}, 5]}}}
          b:
            type: X
            metadata:
              both: {list_join: [{get_param: n}, [{get_resource: a}]]}
              inner: {list_join: [',', [{get_resource: a}, {str_split: [',', a, {get_param: n}]}]]}
        """
    assert [line.split(": ", 1)[1] for line in refusals(sections)] == [
        "resources.a.properties.bad.str_split: str_split: there is no part 5; the last one is 0",
        "resources.b.metadata.inner.list_join.1.1.str_split: "
        "str_split: there is no part 9; the last one is 0",
    ]


def test_check_values_can_be_asked_again() -> None:
    template = bound("resources: {a: {type: X}}")
    template.check_values()
    template.check_values()


def test_a_failing_output_spoils_no_stack() -> None:
    template = bound(
        """
        outputs:
          good: {value: 1}
          bad: {value: {str_split: [',', a, 5]}}
          unknown: {value: {get_param: nope}}
        """
    )
    template.check_values()
    assert [str(problem).split(": ")[1] for problem in template.failing_outputs()] == [
        "outputs.bad.value.str_split",
        "outputs.unknown.value.get_param",
    ]
    assert template.output("good") == 1
    with pytest.raises(ResolveError, match="there is no part 5"):
        template.output("bad")


def test_a_nested_template_sees_its_facade() -> None:
    section = "outputs: {o: {value: {resource_facade: %s}}}"
    facade = Facade({"a": 1}, "Retain", {"b": 2})
    assert bound(section % "metadata", facade=facade).output("o") == {"a": 1}
    assert bound(section % "deletion_policy", facade=facade).output("o") == "Retain"
    assert bound(section % "update_policy", facade=facade).output("o") == {"b": 2}
    with pytest.raises(ResolveError, match="this stack is not nested in another one"):
        bound(section % "metadata").output("o")


def test_an_output_is_resolved_from_the_resources_at_hand() -> None:
    template = bound("resources: {a: {type: X}}\noutputs: {o: {value: {get_attr: [a, ip]}}}")
    assert template.output("o") is None
    assert template.output("o", {"a": ResourceData("id", {"ip": "10.0.0.1"})}) == "10.0.0.1"


def test_a_cfn_condition_that_is_no_boolean_is_refused_where_it_stands() -> None:
    sections = """
        Parameters: {P: {Type: String}}
        Resources:
          R:
            Type: X
            Condition: {Ref: P}
        """
    (only,) = refusals(sections, {"P": "nope"}, CFN)
    assert only == 't.yaml:6:5: Resources.R.Condition: there is no condition "nope"'
