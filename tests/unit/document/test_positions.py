"""Every value of a text has its line and column, however it was written."""

import pytest

from hotplate.document import parse

TEXT = """\
# a comment
base: &base
  size: 1
  tags: [x, &second y]

copy: *base
merged:
  <<: *base
  color: red
list:
- a
-   b: 1
    c: 2
-
  - deep
several:
  <<: [*base, {extra: 1}]
1: number
true: boolean
~: nothing
'<<': quoted
"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("base",), "2:1"),
        (("base", "size"), "3:3"),
        (("base", "tags", 0), "4:10"),
        (("base", "tags", 1), "4:13"),
        (("copy",), "6:1"),
        (("copy", "size"), "3:3"),
        (("merged", "color"), "9:3"),
        (("merged", "size"), "3:3"),
        (("merged", "tags", 1), "4:13"),
        (("list", 0), "11:3"),
        (("list", 1), "12:5"),
        (("list", 1, "c"), "13:5"),
        (("list", 2, 0), "15:5"),
        (("several", "size"), "3:3"),
        (("several", "extra"), "17:16"),
        (("1",), "18:1"),
        (("true",), "19:1"),
        (("null",), "20:1"),
        (("<<",), "21:1"),
    ],
)
def test_keys_and_list_items_have_places(path: tuple[str | int, ...], place: str) -> None:
    """Also through aliases, merge keys and keys that are not texts."""
    assert str(parse(TEXT, "t").locate(path)) == f"t:{place}"


def test_places_are_the_same_with_carriage_returns() -> None:
    document = parse(TEXT.replace("\n", "\r\n"), "t")
    assert str(document.locate(("list", 1, "c"))) == "t:13:5"


def test_columns_count_characters_not_bytes() -> None:
    assert str(parse("{é: ü, b: 1}", "t").locate(("b",))) == "t:1:8"


def test_json_has_places_in_spite_of_tabs_and_escapes() -> None:
    text = '{\n\t"a\\/\\u00e9":\t"x\\ty",\n\t"b":\t[\n\t\t{"c": "\\""}, {"d": 1}]}'
    document = parse(text, "t.json")
    assert str(document.locate(("a/é",))) == "t.json:2:2"
    assert str(document.locate(("b",))) == "t.json:3:2"
    assert str(document.locate(("b", 1, "d"))) == "t.json:4:17"


def test_places_behind_an_escaped_surrogate_pair_are_found() -> None:
    document = parse('{"a": "\\ud83d\\ude00",\n "\\uD83D\\uDE00": 1,\n "b": 1}', "t.json")
    assert str(document.locate(("😀",))) == "t.json:2:2"
    assert str(document.locate(("b",))) == "t.json:3:2"


def test_an_escaped_backslash_before_a_surrogate_pair_is_left_alone() -> None:
    document = parse('{"a": "\\\\ud83d\\\\ude00",\n "b": 1}', "t.json")
    assert str(document.locate(("b",))) == "t.json:2:2"


def test_of_a_repeated_key_the_one_that_counts_is_found() -> None:
    assert str(parse("a: 1\nb: 2\na: 3\n", "t").locate(("a",))) == "t:3:1"


def test_a_scalar_document_has_a_place() -> None:
    assert str(parse("\n\n  hello", "t").locate(())) == "t:3:3"
