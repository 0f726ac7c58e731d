"""Plain scalars mean what YAML 1.1 says, because templates are written for it."""

from typing import Any

import pytest

from hotplate.document import InvalidDocument, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-12", -12),
        ("+12", 12),
        ("0", 0),
        ("1_000", 1000),
        ("0644", 420),
        ("-0644", -420),
        ("0x1F", 31),
        ("0b101", 5),
        ("1:30", 90),
        ("190:20:30", 685230),
        ("-1:30", -90),
        ("1:30.5", 90.5),
        ("08", "08"),
        ("0o17", "0o17"),
        ("1.5", 1.5),
        ("-1.5e+3", -1500.0),
        ("1e3", "1e3"),
        ("1_0.5", 10.5),
        ("yes", True),
        ("On", True),
        ("TRUE", True),
        ("no", False),
        ("off", False),
        ("y", "y"),
        ("n", "n"),
        ("null", None),
        ("~", None),
        ("", None),
        ("=", "="),
        ("<<", "<<"),
        ("2015-04-30", "2015-04-30"),
        ("2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"),
        ("'12'", "12"),
        ('"yes"', "yes"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("!!float '1.5'", 1.5),
        ("!!bool 'yes'", True),
        ("!!null ''", None),
    ],
)
def test_a_scalar_has_its_yaml_1_1_value(text: str, value: Any) -> None:
    read = parse(f"a: {text}\n", "t").data
    assert read == {"a": value}
    assert isinstance(read, dict)
    assert type(read["a"]) is type(value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (".inf", ".inf is not a number that JSON can carry"),
        ("-.INF", "-.INF is not a number that JSON can carry"),
        (".nan", ".nan is not a number that JSON can carry"),
        ("1.0e+999", "a number is too large"),
        ("0x_", "'0x_' is not a valid int"),
        ("!!int x", "'x' is not a valid int"),
        ("!!float x", "'x' is not a valid float"),
        ("!!bool maybe", "'maybe' is not a valid bool"),
        ("!!binary eHg=", "the YAML tag 'tag:yaml.org,2002:binary' is not allowed in a document"),
        ("!mine x", "the YAML tag '!mine' is not allowed in a document"),
        ("9" * 401, "an integer has more than 400 digits"),
    ],
)
def test_a_scalar_that_json_cannot_carry_is_refused(text: str, fault: str) -> None:
    with pytest.raises(InvalidDocument) as refused:
        parse(f"a: {text}\n", "t")
    assert str(refused.value) == f"t:1:4: a: {fault}"
