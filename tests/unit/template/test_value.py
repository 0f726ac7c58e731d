"""Each parameter type accepts what Heat accepts, and gives one kind of value."""

import pytest

from hotplate.document import Data
from hotplate.template import ParameterType
from hotplate.template.value import BadValue, as_text, convert

T = ParameterType


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (T.STRING, "x", "x"),
        (T.STRING, "", ""),
        (T.STRING, 5, "5"),
        (T.STRING, 1.0, "1.0"),
        (T.STRING, True, "True"),
        (T.STRING, ["a"], "['a']"),
        (T.NUMBER, 5, 5),
        (T.NUMBER, 5.5, 5.5),
        (T.NUMBER, "5", 5),
        (T.NUMBER, " -5 ", -5),
        (T.NUMBER, "5.0", 5.0),
        (T.NUMBER, "1e3", 1000.0),
        (T.LIST, ["a", 1, True], ["a", "1", "True"]),
        (T.LIST, "a,b", ["a", "b"]),
        (T.LIST, "a, b", ["a", " b"]),
        (T.LIST, "a,,b", ["a", "", "b"]),
        (T.LIST, "", []),
        (T.LIST, [], []),
        (T.JSON, {"a": 1}, {"a": 1}),
        (T.JSON, [1], [1]),
        (T.JSON, '{"a": [1, null]}', {"a": [1, None]}),
        (T.JSON, '"text"', "text"),
        (T.JSON, "5", 5),
        (T.JSON, "", ""),
        (T.BOOLEAN, True, True),
        (T.BOOLEAN, False, False),
        (T.BOOLEAN, 1, True),
        (T.BOOLEAN, 0, False),
    ],
)
def test_a_value_is_converted_to_its_type(kind: ParameterType, given: Data, value: Data) -> None:
    found = convert(kind, given)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("word", ["t", "TRUE", "on", "Y", "yes", "1", " true "])
def test_words_for_true(word: str) -> None:
    assert convert(T.BOOLEAN, word) is True


@pytest.mark.parametrize("word", ["f", "False", "OFF", "n", "no", "0"])
def test_words_for_false(word: str) -> None:
    assert convert(T.BOOLEAN, word) is False


@pytest.mark.parametrize(
    ("kind", "given", "fault"),
    [
        (T.NUMBER, "x", "'x' is not a number"),
        (T.NUMBER, "", "'' is not a number"),
        (T.NUMBER, "nan", "'nan' is not a number that can be stored"),
        (T.NUMBER, "inf", "'inf' is not a number that can be stored"),
        (T.NUMBER, [1], "a number is needed, not a list"),
        (T.NUMBER, "9" * 401, "the number is longer than 400 digits"),
        (T.LIST, {"a": 1}, "a list or a text with commas is needed, not a map"),
        (T.LIST, 5, "a list or a text with commas is needed, not a number"),
        (T.BOOLEAN, "maybe", "'maybe' is not a boolean: use true, on, yes or 1"),
        (T.BOOLEAN, "", "'' is not a boolean"),
        (T.BOOLEAN, 2, "2 is not a boolean"),
        (T.JSON, "{", "the text is not JSON: "),
        (T.JSON, '{"a": NaN}', "the JSON cannot be used: nan is not a number that JSON can carry"),
        (T.JSON, '"\\u0000"', "the JSON cannot be used: a text contains the character NUL"),
        (T.JSON, "[" * 500 + "]" * 500, "the JSON cannot be used: nested deeper than 200 levels"),
        (T.JSON, "[" * 99_999, "the JSON is nested too deeply"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(kind: ParameterType, given: Data, fault: str) -> None:
    with pytest.raises(BadValue) as refused:
        convert(kind, given)
    assert str(refused.value).startswith(fault)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (T.STRING, "x", "x"),
        (T.NUMBER, 5, "5"),
        (T.LIST, ["a", "b"], "a,b"),
        (T.JSON, {"a": [1]}, '{"a": [1]}'),
        (T.BOOLEAN, True, "True"),
    ],
)
def test_a_value_is_shown_as_text(kind: ParameterType, value: Data, text: str) -> None:
    assert as_text(kind, value) == text
