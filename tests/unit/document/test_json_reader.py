"""JSON, and data decoded by others, hold only what can be stored."""

from typing import Any

import pytest

from hotplate.document import InvalidDocument, Limits, from_data, parse


def refusal(data: Any, limits: Limits | None = None) -> str:
    with pytest.raises(InvalidDocument) as refused:
        from_data(data, "request", limits or Limits())
    return str(refused.value)


def test_a_repeated_key_is_warned_of_at_its_second_place_and_the_last_value_counts() -> None:
    document = parse('{"a": 1,\n\t"b": {"c": 1,\n\t\t"c": 2}}', "t.json")
    assert document.data == {"a": 1, "b": {"c": 2}}
    assert [str(warning) for warning in document.warnings] == [
        't.json:3:3: b.c: the key "c" is given twice; the last one counts; remove the other'
    ]


def test_json_that_yaml_cannot_read_still_warns_of_repeated_keys() -> None:
    document = parse('{"a": "\\ud83d\\ude00", "a": 1}', "t.json")
    assert [str(warning) for warning in document.warnings] == [
        't.json: the key "a" is given twice in one map; the last one counts; remove the other'
    ]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_json_does_not_have_are_the_texts_that_yaml_takes_them_for(word: str) -> None:
    assert parse(f'{{"a": {word}}}', "t.json").data == {"a": word}


def test_a_nul_character_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="a: a text contains the character NUL"):
        parse('{"a": "x\\u0000"}', "t.json")


def test_an_escaped_half_of_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="half of a surrogate pair"):
        parse('{"a": "\\ud800"}', "t.json")


def test_an_escaped_surrogate_pair_is_one_character() -> None:
    assert parse('{"a": "\\ud83d\\ude00"}', "t.json").data == {"a": "😀"}


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({"a": {1: 2}}, "request: a: the key 1 is not a text"),
        ({"a": {1, 2}}, "request: a: a value of type set cannot be stored"),
        ({"a": [(1,)]}, "request: a.0: a value of type tuple cannot be stored"),
        ({"a": b"x"}, "request: a: a value of type bytes cannot be stored"),
        ({"a": float("nan")}, "request: a: nan is not a number that JSON can carry"),
        ({"a\0": 1}, "request: a text contains the character NUL, which cannot be stored"),
    ],
)
def test_decoded_data_that_is_not_json_is_refused(data: Any, fault: str) -> None:
    assert refusal(data) == fault


def test_decoded_data_that_contains_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert "nested deeper than 200 levels" in refusal(loop)


def test_decoded_data_keeps_to_the_limits() -> None:
    assert refusal([[[]]], Limits(depth=2)) == "request: 0.0: nested deeper than 2 levels"
    assert refusal([1, 2, 3, 4], Limits(nodes=4)) == "request: more than 4 values"
    assert "more than 5 digits" in refusal({"a": 10**9}, Limits(integer_digits=5))


def test_json_keeps_to_the_limits() -> None:
    with pytest.raises(InvalidDocument, match="nested deeper than 200 levels"):
        parse("[" * 100_000 + "]" * 100_000, "t.json")
    with pytest.raises(InvalidDocument, match="an integer has more than 400 digits"):
        parse('{"a": ' + "9" * 401 + "}", "t.json")
