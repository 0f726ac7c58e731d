"""Constraints say what is wrong with a value, at every edge."""

import pytest

from hotplate.bounded import Pattern
from hotplate.document import Data
from hotplate.template import ParameterType
from hotplate.template.constraint import (
    AllowedPattern,
    AllowedValues,
    Constraint,
    CustomConstraint,
    Length,
    Modulo,
    Range,
)

T = ParameterType


@pytest.mark.parametrize(
    ("constraint", "kind", "value"),
    [
        (Range(1, 5), T.NUMBER, 1),
        (Range(1, 5), T.NUMBER, 5),
        (Range(None, 5), T.NUMBER, -1e9),
        (Range(0.5, None), T.NUMBER, 0.5),
        (Length(0, 3), T.STRING, ""),
        (Length(3, 3), T.STRING, "äöü"),
        (Length(1, None), T.LIST, ["a"]),
        (Length(None, 1), T.JSON, {"a": 1}),
        (Modulo(2, 0), T.NUMBER, 4),
        (Modulo(2, 1), T.NUMBER, 5),
        (Modulo(2, 1), T.NUMBER, -5),
        (Modulo(-3, -1), T.NUMBER, -4),
        (Modulo(2, 0), T.NUMBER, 4.0),
        (AllowedValues(("a", "b")), T.STRING, "b"),
        (AllowedValues((1, 2)), T.STRING, "2"),
        (AllowedValues(("1", "2")), T.NUMBER, 2),
        (AllowedValues(("x", 2)), T.NUMBER, 2),
        (AllowedValues(("yes",)), T.BOOLEAN, True),
        (AllowedValues(("a", "b")), T.LIST, ["b", "a", "b"]),
        (AllowedValues(("a",)), T.LIST, []),
        (AllowedPattern(Pattern("[a-z]+")), T.STRING, "abc"),
        (CustomConstraint("nova.flavor"), T.STRING, "anything"),
    ],
)
def test_a_value_within_the_rule_has_no_fault(
    constraint: Constraint, kind: ParameterType, value: Data
) -> None:
    assert constraint.fault(value, kind) == ""


@pytest.mark.parametrize(
    ("constraint", "kind", "value", "fault"),
    [
        (Range(1, 5), T.NUMBER, 6, "6 is out of range (min: 1, max: 5)"),
        (Range(1, None), T.NUMBER, 0.9, "0.9 is out of range (min: 1, max: None)"),
        (Length(2, 3), T.STRING, "a", "length (1) is out of range (min: 2, max: 3)"),
        (Length(None, 0), T.LIST, ["a"], "length (1) is out of range (min: None, max: 0)"),
        (Length(1, None), T.JSON, 5, "5 has no length"),
        (Modulo(2, 1), T.NUMBER, 4, "4 is not a multiple of 2 with an offset of 1"),
        (AllowedValues(("a", "b")), T.STRING, "c", '"c" is not an allowed value ["a", "b"]'),
        (AllowedValues(("a",)), T.LIST, ["a", "c"], '["a", "c"] is not an allowed value ["a"]'),
        (AllowedValues((True,)), T.BOOLEAN, False, "false is not an allowed value [true]"),
        (AllowedPattern(Pattern("[a-z]+")), T.STRING, "a1", '"a1" does not match pattern "[a-z]+"'),
        (AllowedPattern(Pattern("a")), T.STRING, "ba", '"ba" does not match pattern "a"'),
        (
            AllowedPattern(Pattern("(?=a)(?:a|aa)+$")),
            T.STRING,
            "a" * 60 + "b",
            "the pattern '(?=a)(?:a|aa)+$' takes too long to match",
        ),
    ],
)
def test_a_value_outside_the_rule_has_a_fault(
    constraint: Constraint, kind: ParameterType, value: Data, fault: str
) -> None:
    assert constraint.fault(value, kind) == fault


def test_a_description_replaces_the_words_of_the_fault() -> None:
    assert Range(1, 5, description="one to five").fault(6, T.NUMBER) == "one to five"
    assert Range(1, 5, description="one to five").fault(3, T.NUMBER) == ""


@pytest.mark.parametrize(
    ("constraint", "data"),
    [
        (Range(1, None), {"range": {"min": 1}}),
        (Length(None, 5), {"length": {"max": 5}}),
        (Modulo(2, 1), {"modulo": {"step": 2, "offset": 1}}),
        (AllowedValues(("a",)), {"allowed_values": ["a"]}),
        (AllowedPattern(Pattern("a")), {"allowed_pattern": "a"}),
        (CustomConstraint("ip_addr"), {"custom_constraint": "ip_addr"}),
        (Range(1, 2, description="d"), {"description": "d", "range": {"min": 1, "max": 2}}),
    ],
)
def test_a_constraint_is_written_as_a_template_would(
    constraint: Constraint, data: dict[str, Data]
) -> None:
    assert constraint.as_data() == data


def test_a_custom_constraint_asks_the_check_of_its_name() -> None:
    def short(value: Data) -> str:
        return "" if len(str(value)) < 3 else "too long"

    assert CustomConstraint("short").check("ab", {"short": short}) == ""
    assert CustomConstraint("short").check("abc", {"short": short}) == (
        "Error validating value 'abc': too long"
    )
    assert CustomConstraint("short").check(["ab", "abc"], {"short": short}).endswith("too long")
    assert CustomConstraint("long").check("abc", {"short": short}) == ""
    described = CustomConstraint("short", description="two letters")
    assert described.check("abc", {"short": short}) == "two letters"
