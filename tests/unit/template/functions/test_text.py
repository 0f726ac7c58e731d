"""Functions that make texts."""

import hashlib
from typing import Any

import pytest

from tests.unit.template.templates import fault, resolved


def replaced(template: str, params: str, **given: Any) -> Any:
    return resolved(f"{{str_replace: {{template: {template}, params: {params}}}}}", **given)


@pytest.mark.parametrize(
    ("template", "params", "value"),
    [
        ("hello $name", "{$name: world}", "hello world"),
        ("aa", "{a: b}", "bb"),
        ("a b", "{}", "a b"),
        ("n=N b=B", "{N: 5, B: true}", "n=5 b=True"),
        ("'<a>'", "{a: null}", "<>"),
        ("'<a>'", "{a: {y: 1, x: [true]}}", '<{"x": [true], "y": 1}>'),
        ("'<a>'", "{unused: x}", "<a>"),
    ],
)
def test_str_replace_fills_in_values(template: str, params: str, value: str) -> None:
    assert replaced(template, params) == value


def test_a_longer_placeholder_is_replaced_before_a_shorter_one() -> None:
    assert replaced("'$name $names'", "{$name: one, $names: many}") == "one many"


def test_what_was_filled_in_is_not_searched_again() -> None:
    assert replaced("a b", "{a: b, b: a}") == "b a"
    assert replaced("ab", "{a: x, x: y, b: a}") == "xa"


def test_of_placeholders_of_one_length_the_smaller_goes_first() -> None:
    assert replaced("aba", "{ba: 1, ab: 2}") == "2a"


@pytest.mark.parametrize(
    ("function", "params", "words"),
    [
        ("str_replace", "{'': x}", "a placeholder in the params is empty"),
        ("str_replace", "[a]", "the params must be a map, not a list"),
        ("str_replace_strict", "{a: 1, zz: 2, yy: 3}", 'the template does not contain "yy", "zz"'),
        ("str_replace_vstrict", "{a: null}", 'the value for "a" is empty'),
        ("str_replace_vstrict", "{a: ''}", 'the value for "a" is empty'),
        ("str_replace_vstrict", "{a: []}", 'the value for "a" is empty'),
        ("str_replace_vstrict", "{a: 1, b: 1}", 'the template does not contain "b"'),
    ],
)
def test_a_replacement_that_cannot_be_is_refused(function: str, params: str, words: str) -> None:
    assert words in fault(f"{{{function}: {{template: a, params: {params}}}}}")


def test_the_strict_forms_give_the_same_text() -> None:
    for function in ("str_replace_strict", "str_replace_vstrict"):
        assert resolved(f"{{{function}: {{template: a-b, params: {{a: 1, b: 0}}}}}}") == "1-0"
    assert resolved("{str_replace_strict: {template: <a>, params: {a: ''}}}") == "<>"


def test_maps_can_be_filled_in_since_liberty() -> None:
    call = "{str_replace: {template: a, params: {a: {b: 1}}}}"
    assert resolved(call, version="2015-10-15") == '{"b": 1}'
    assert fault(call, version="2015-04-30") == (
        'str_replace: the value for "a" is a map; '
        "maps and lists can be filled in since heat_template_version 2015-10-15"
    )


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("[', ', [a, b]]", "a, b"),
        ("['', [a, b], [c]]", "abc"),
        ("[',', []]", ""),
        ("[',', [a, null, b]]", "a,,b"),
        ("[',', null, [a]]", "a"),
        ("[',', [{b: 1, a: 2}, [1]]]", '{"a": 2, "b": 1},[1]'),
    ],
)
def test_list_join_joins_lists(arguments: str, value: str) -> None:
    assert resolved(f"{{list_join: {arguments}}}") == value


@pytest.mark.parametrize(
    ("arguments", "version", "words"),
    [
        ("[5, [a]]", "wallaby", "the delimiter must be a text, not a number"),
        ("[',', text]", "wallaby", "what is joined must be a list, not a text"),
        ("[',', [a, 5]]", "wallaby", "an item to join must be a text, not a number"),
        ("[',', [a, true]]", "wallaby", "an item to join must be a text, not a boolean"),
        ("[',', [{a: 1}]]", "2015-04-30", "an item to join must be a text, not a map"),
        ("[',', [a], [b]]", "2015-04-30", "takes 2 arguments, 3 given"),
    ],
)
def test_list_join_refuses_what_is_no_text(arguments: str, version: str, words: str) -> None:
    assert words in fault(f"{{list_join: {arguments}}}", version=version)


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("[',', 'a,b,c']", ["a", "b", "c"]),
        ("[',', 'a,b,c', 1]", "b"),
        ("[',', 'a,b,c', '2']", "c"),
        ("[',', 'a,b,c', -1]", "c"),
        ("[',', '']", [""]),
        ("[',', null]", None),
        ("[', ', 'a, b']", ["a", "b"]),
    ],
)
def test_str_split_gives_parts_or_one_of_them(arguments: str, value: Any) -> None:
    assert resolved(f"{{str_split: {arguments}}}") == value


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("['', a]", "the delimiter must not be empty"),
        ("[5, a]", "the delimiter must be a text, not a number"),
        ("[',', 5]", "what is split must be a text, not a number"),
        ("[',', 'a,b', 2]", "there is no part 2; the last one is 1"),
        ("[',', 'a,b', x]", 'the index must be a whole number, not "x"'),
        ("[',', 'a,b', null]", "the index must be a whole number, not null"),
    ],
)
def test_str_split_refuses_what_it_cannot_split(arguments: str, words: str) -> None:
    assert fault(f"{{str_split: {arguments}}}") == f"str_split: {words}"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("{str_replace: {template: a, params: {get_param: j}}}", "the params must be a map, not a"),
        ("{str_replace: {template: {get_param: j}, params: {}}}", "the template must be a text, n"),
        ("{list_join: [{get_param: j}, [a]]}", "the delimiter must be a text, not a list"),
        ("{list_join: [',', {get_param: n}]}", "what is joined must be a list, not a number"),
        ("{str_split: {get_param: n}}", "takes 2 or 3 arguments"),
        ("{str_split: [',', {get_param: n}]}", "what is split must be a text, not a number"),
        ("{digest: {get_param: n}}", "takes 2 arguments"),
    ],
)
def test_arguments_from_functions_are_checked_when_they_are_known(
    expression: str, words: str
) -> None:
    sections = "parameters: {j: {type: json, default: [1]}, n: {type: number, default: 5}}"
    assert words in fault(expression, sections)


def test_whole_argument_lists_may_come_from_functions() -> None:
    sections = "parameters: {a: {type: json, default: [',', 'x,y', 1]}, d: {type: json}}"
    values = {"d": ["md5", "x"]}
    assert resolved("{str_split: {get_param: a}}", sections, values) == "y"
    assert resolved("{digest: {get_param: d}}", sections, values) == hashlib.md5(b"x").hexdigest()


def test_digest_is_hexadecimal() -> None:
    assert resolved("{digest: [sha512, text]}") == hashlib.sha512(b"text").hexdigest()
    assert resolved("{digest: [MD5, é]}") == hashlib.md5(b"\xe9").hexdigest()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("[sha0, x]", 'there is no algorithm "sha0"; use one of blake2b'),
        ("[shake_128, x]", 'there is no algorithm "shake_128"'),
        ("[md5, 5]", "what is digested must be a text, not a number"),
        ("[md5, €]", "what is digested must be Latin-1 text"),
        ("[md5]", "takes 2 arguments, 1 given"),
    ],
)
def test_digest_refuses_what_it_cannot_digest(arguments: str, words: str) -> None:
    assert fault(f"{{digest: {arguments}}}").startswith(f"digest: {words}")


def test_algorithms_without_a_length_are_not_offered() -> None:
    assert "shake" not in fault("{digest: [sha0, x]}")
