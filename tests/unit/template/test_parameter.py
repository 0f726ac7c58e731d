"""A parameter converts and checks values, and keeps hidden ones to itself."""

import pytest

from hotplate.template import Parameter, ParameterType
from hotplate.template.constraint import CustomConstraint, Length, Range
from hotplate.template.value import BadValue

T = ParameterType


def refusal(parameter: Parameter, value: str) -> str:
    with pytest.raises(BadValue) as refused:
        parameter.value_of(value)
    return str(refused.value)


def test_a_value_is_converted_and_then_checked() -> None:
    parameter = Parameter("p", T.NUMBER, "p", constraints=(Range(1, 5),))
    assert parameter.value_of("5") == 5
    assert refusal(parameter, "6") == "6 is out of range (min: 1, max: 5)"
    assert refusal(parameter, "x") == "'x' is not a number"


def test_a_hidden_value_is_shown_as_stars() -> None:
    assert Parameter("p", T.STRING, "p", hidden=True).text_of("secret") == "******"
    assert Parameter("p", T.STRING, "p").text_of("plain") == "plain"


def test_the_refusal_of_a_hidden_value_does_not_quote_it() -> None:
    number = Parameter("p", T.NUMBER, "p", hidden=True)
    assert refusal(number, "secret") == "it is not of the type number"
    text = Parameter("p", T.STRING, "p", hidden=True, constraints=(Length(9, None),))
    assert refusal(text, "secret") == 'it breaks the constraint {"length": {"min": 9}}'
    described = Length(9, None, description="nine characters at least")
    text = Parameter("p", T.STRING, "p", hidden=True, constraints=(described,))
    assert refusal(text, "secret") == "nine characters at least"


def test_custom_constraints_are_told_apart() -> None:
    custom = CustomConstraint("ip_addr")
    parameter = Parameter("p", T.STRING, "p", constraints=(Length(1, 2), custom))
    assert parameter.custom_constraints == (custom,)
