"""YAML becomes plain data; what is odd is warned of, what is wrong has its place."""

from typing import Any

import pytest

from hotplate.document import InvalidDocument, parse


def refusal(text: str) -> str:
    with pytest.raises(InvalidDocument) as refused:
        parse(text, "t")
    return str(refused.value)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("1", "1"),
        ("0644", "420"),
        ("1.50", "1.5"),
        ("true", "true"),
        ("Yes", "true"),
        ("off", "false"),
        ("null", "null"),
        ("~", "null"),
        ("2015-04-30", "2015-04-30"),
        ("=", "="),
        ("'1'", "1"),
    ],
)
def test_keys_become_texts_as_json_writes_them(key: str, text: str) -> None:
    assert parse(f"{key}: x", "t").data == {text: "x"}


def test_a_repeated_key_is_warned_of_and_the_last_value_counts() -> None:
    document = parse("a: 1\nb:\n  c: 1\n  c: 2\n", "t")
    assert document.data == {"a": 1, "b": {"c": 2}}
    assert [str(warning) for warning in document.warnings] == [
        't:4:3: b.c: the key "c" is given twice; the last one counts; remove the other'
    ]


def test_keys_that_become_equal_texts_are_repeated_keys() -> None:
    document = parse("1: a\n'1': b\n", "t")
    assert document.data == {"1": "b"}
    assert len(document.warnings) == 1


def test_own_keys_win_over_merged_ones_without_a_warning() -> None:
    document = parse("base: &b {x: 1, y: 1}\nuse: {x: 2, <<: *b}\n", "t")
    assert document.data == {"base": {"x": 1, "y": 1}, "use": {"x": 2, "y": 1}}
    assert document.warnings == ()


def test_of_several_merged_maps_the_first_wins() -> None:
    data = parse("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*a, *b]}\n", "t").data
    assert data == {"a": {"x": 1}, "b": {"x": 2, "y": 2}, "c": {"x": 1, "y": 2}}


def test_a_map_may_merge_twice() -> None:
    data = parse("a: &a {x: 1}\nb: &b {y: 2}\nc:\n  <<: *a\n  <<: *b\n", "t").data
    assert isinstance(data, dict)
    assert data["c"] == {"x": 1, "y": 2}


def test_merging_leaves_the_merged_map_as_it_was() -> None:
    data = parse("a: &a {x: 1}\nc: {<<: *a, z: 1}\n", "t").data
    assert data == {"a": {"x": 1}, "c": {"x": 1, "z": 1}}


def test_a_quoted_merge_key_is_an_ordinary_key() -> None:
    assert parse("'<<': {x: 1}", "t").data == {"<<": {"x": 1}}


def test_an_alias_can_be_a_value_or_a_key() -> None:
    assert parse("a: &k name\n*k : 2\n", "t").data == {"a": "name", "name": 2}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: |\n  one\n  two\n", "one\ntwo\n"),
        ("a: >-\n  one\n  two\n", "one two"),
        ("a: 'it''s'", "it's"),
        ('a: "tab\\tquote\\""', 'tab\tquote"'),
        ("a: !!map {b: 1}", {"b": 1}),
        ("a: !!set {b}", {"b": None}),
        ("---\na: 1\n...\n", 1),
    ],
)
def test_other_ways_to_write_values_are_understood(text: str, value: Any) -> None:
    assert parse(text, "t").data == {"a": value}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: 1\n---\nb: 2", "t:2:1: the text holds more than one YAML document"),
        ("a: *nope", 't:1:4: a: there is no anchor "&nope" before this alias'),
        ("a: &x [*x]", 't:1:8: a.0: "*x" refers to the value it stands in'),
        ("? [a]\n: 1", "t:1:3: a key must be a plain name, not a map or a list"),
        ("a: &x [1]\n*x : 1", "t:2:1: a key must be a plain name, not a map or a list"),
        ("a: {<<: 3}", 't:1:9: a: "<<" merges a map or a list of maps'),
        ("a: {<<: [3]}", 't:1:11: a: "<<" merges a map or a list of maps'),
        (
            "a: !!python/object:os.system {}",
            "t:1:4: a: the YAML tag 'tag:yaml.org,2002:python/object:os.system' "
            "is not allowed in a document",
        ),
        ('a: "\\0"', "t:1:4: a: a text contains the character NUL, which cannot be stored"),
    ],
)
def test_what_templates_cannot_use_is_refused(text: str, fault: str) -> None:
    assert refusal(text) == fault


def test_a_syntax_error_has_its_place() -> None:
    assert refusal("a:\n  b: [1\nc: 2").startswith("t:3:2: not valid YAML: ")


def test_indenting_with_tabs_gets_advice() -> None:
    fault = refusal("a:\n\tb: 1\n")
    assert fault.startswith("t:2:1: not valid YAML: ")
    assert fault.endswith("indent with spaces, not tabs")


def test_a_value_that_needs_quotes_gets_advice() -> None:
    assert refusal("a: @home").endswith('a value that begins with "@" must be quoted')
    assert refusal("a: %x%").endswith('a value that begins with "%" must be quoted')


def test_a_control_character_has_its_place_counted_in_characters() -> None:
    assert refusal("a: é\nééb: \x01").startswith("t:2:6: not valid YAML: a character is not")
