"""Arguments are demanded in one set of words, whatever the function."""

import pytest

from hotplate.template.functions.arguments import as_json, shown
from tests.unit.template.templates import fault, warnings


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (
            "{str_split: text}",
            "the arguments must be a list; write str_split: [DELIMITER, TEXT, IN",
        ),
        ("{str_split: [a]}", "takes 2 to 3 arguments, 1 given; write str_split:"),
        ("{filter: [a, b, c]}", "takes 2 arguments, 3 given; write filter: "),
        ("{list_join: [a]}", "takes 2 or more arguments, 1 given; write list_join: "),
        ("{str_replace: text}", "the arguments must be a map; write str_replace: {template"),
        ("{str_replace: {template: a}}", 'the argument "params" is missing; write str_replace:'),
        ("{yaql: {expression: a, dta: 1}}", 'there is no argument "dta"; did you mean "data"?'),
        ("{make_url: {zebra: a}}", 'there is no argument "zebra"; write make_url: '),
    ],
)
def test_wrong_arguments_are_answered_with_the_right_form(expression: str, words: str) -> None:
    assert fault(expression).split(": ", 1)[1].startswith(words)


def test_an_argument_that_heat_overlooks_is_warned_of() -> None:
    text = "outputs: {o: {value: {str_replace: {template: a, params: {}, parms: {}}}}}"
    (warning,) = warnings(text)
    assert 'str_replace: there is no argument "parms", it is ignored; did you mean' in warning


def test_long_values_are_shown_in_short() -> None:
    assert shown({"a": "é"}) == '{"a": "é"}'
    assert shown("x" * 500) == '"' + "x" * 119 + "…"


def test_maps_inside_texts_have_sorted_keys() -> None:
    assert as_json({"b": 1, "a": [True, None]}) == '{"a": [true, null], "b": 1}'
