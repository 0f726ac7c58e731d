"""A document is JSON or YAML text within limits, and finds the place of every value."""

import pytest

from hotplate.document import InvalidDocument, Limits, Problem, from_data, parse


def refusal(text: str, limits: Limits | None = None) -> str:
    with pytest.raises(InvalidDocument) as refused:
        parse(text, "t.yaml", limits or Limits())
    return str(refused.value)


def test_json_and_yaml_of_the_same_data_read_alike() -> None:
    assert parse('{"a": [1, "x", null]}', "t").data == parse("a: [1, x, null]", "t").data


def test_yaml_flow_style_that_is_not_json_is_read_as_yaml() -> None:
    assert parse("{a: 1, 'b': [x, ],}", "t").data == {"a": 1, "b": ["x"]}


def test_a_text_that_begins_like_json_and_is_neither_is_explained_as_json() -> None:
    assert refusal('{"a": 1,\n "b" 2}') == "t.yaml:2:6: not valid JSON: expecting ':' delimiter"


def test_an_empty_text_is_null() -> None:
    assert parse("", "t").data is None
    assert parse("# only a comment\n", "t").data is None


def test_a_byte_order_mark_is_overlooked() -> None:
    document = parse("\ufeffa: 1\nb: 2", "t")
    assert document.data == {"a": 1, "b": 2}
    assert str(document.locate(("b",))) == "t:2:1"
    assert parse('\ufeff{"a": 1}', "t").data == {"a": 1}


def test_the_size_of_a_text_is_counted_in_bytes() -> None:
    limits = Limits(text_bytes=8)
    assert parse("abcd: é", "t", limits).data == {"abcd": "é"}
    assert refusal("abcd: éé", limits) == "t.yaml: the text is larger than 8 bytes"


def test_half_a_surrogate_pair_is_refused_with_its_place() -> None:
    assert refusal("a: 1\nb: é\ud800").startswith("t.yaml:2:5: a text contains half of a surrogate")
    assert refusal('{"a": "\ud800"}').startswith("t.yaml:1:8: a text contains half of a surrogate")


def test_data_that_arrived_decoded_has_paths_but_no_lines() -> None:
    document = from_data({"a": [1]}, "request")
    assert document.locate(("a", 0)) is None
    assert str(document.placed(Problem("is odd", ("a", 0)))) == "request: a.0: is odd"


def test_a_problem_is_placed_in_its_document() -> None:
    document = parse("a:\n  - 1\n  - 2\n", "t.yaml")
    assert str(document.placed(Problem("is odd", ("a", 1)))) == "t.yaml:3:5: a.1: is odd"


def test_a_problem_that_has_a_place_keeps_it() -> None:
    placed = parse("a: 1", "one.yaml").placed(Problem("is odd", ("a",)))
    assert parse("\n\na: 1", "other.yaml").placed(placed) == placed


def test_a_path_that_leads_nowhere_is_placed_at_the_nearest_value_above() -> None:
    document = parse("a:\n  b:\n    c: 1\n", "t.yaml")
    assert str(document.locate(("a", "b", "missing", "deeper"))) == "t.yaml:2:3"
    assert str(document.locate(("missing",))) == "t.yaml:1:1"
    assert str(document.locate(())) == "t.yaml:1:1"


def test_an_empty_text_has_its_first_line_as_the_place_of_everything() -> None:
    assert str(parse("", "t.yaml").locate(("a",))) == "t.yaml:1:1"
