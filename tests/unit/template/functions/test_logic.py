"""Conditions combine booleans and names of conditions; if chooses."""

import pytest

from tests.unit.template.templates import CFN, bound, fault, resolved

CONDITIONS = "conditions: {good: true, bad: false}"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("{and: [true, good]}", True),
        ("{and: [true, good, bad]}", False),
        ("{or: [bad, false]}", False),
        ("{or: [bad, false, good]}", True),
        ("{not: bad}", True),
        ("{not: {and: [good, {or: [bad, good]}]}}", False),
        ("{equals: [a, a]}", True),
        ("{equals: [1, 1.0]}", True),
        ("{equals: [1, '1']}", False),
        ("{equals: [true, 'true']}", False),
        ("{equals: [null, null]}", True),
        ("{equals: [[a, {b: 1}], [a, {b: 1}]]}", True),
    ],
)
def test_a_condition_function(condition: str, holds: bool) -> None:
    assert bound(f"conditions: {{good: true, bad: false, c: {condition}}}").condition("c") is holds


def test_if_chooses_by_name_boolean_or_function() -> None:
    assert resolved("{if: [good, 1, 2]}", CONDITIONS) == 1
    assert resolved("{if: [false, 1, 2]}", CONDITIONS) == 2
    assert resolved("{if: [{and: [good, {not: bad}]}, 1, 2]}", CONDITIONS) == 1


def test_if_may_stand_inside_if() -> None:
    assert resolved("{if: [bad, 1, {if: [good, {a: {if: [good, 2, 3]}}, 4]}]}", CONDITIONS) == {
        "a": 2
    }


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("goood", 'if: there is no condition "goood"; did you mean "good"?'),
        ("5", "if: there is no condition 5; a condition is true, false, the name of a condition"),
        ("null", "if: there is no condition null"),
        ("[good]", "if: there is no condition "),
        ("{equals: [1]}", "equals: takes 2 arguments, 1 given"),
    ],
)
def test_if_needs_a_condition_that_exists(condition: str, words: str) -> None:
    section = f"{CONDITIONS}\nresources: {{r: {{type: X, properties: {{p: %s}}}}}}"
    assert words in fault("1", section % f"{{if: [{condition}, 1, 2]}}")


def test_cfn_conditions_have_their_own_words() -> None:
    sections = """
        Parameters: {P: {Type: String, Default: x}}
        Mappings: {M: {k: {v: x}}}
        Conditions:
          A: {"Fn::Equals": [{Ref: P}, {"Fn::FindInMap": [M, k, v]}]}
          B: {"Fn::Not": [A]}
          C: {"Fn::And": [A, {"Fn::Or": [A, B]}]}
        """
    template = bound(sections, version=CFN)
    assert [template.condition(name) for name in "ABC"] == [True, False, True]
    assert resolved('{"Fn::If": [B, 1, 2]}', sections, version=CFN) == 2
    assert "takes 1 arguments, 2 given" in fault(
        "1", 'Conditions: {A: {"Fn::Not": [true, true]}}', version=CFN
    )
