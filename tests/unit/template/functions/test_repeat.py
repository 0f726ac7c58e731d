"""repeat makes one copy of a template for each element."""

from typing import Any

import pytest

from tests.unit.template.templates import fault, resolved


def repeated(arguments: str, version: str = "wallaby") -> Any:
    return resolved(f"{{repeat: {{{arguments}}}}}", version=version)


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("template: port-<p>, for_each: {<p>: ['1', '2']}", ["port-1", "port-2"]),
        ("template: {k-v: [v, {v: 5}]}, for_each: {v: [a]}", [{"k-a": ["a", {"a": 5}]}]),
        ("template: 5, for_each: {v: [a, b]}", [5, 5]),
        ("template: xy, for_each: {x: [a, b], y: ['1', '2']}", ["a1", "a2", "b1", "b2"]),
        ("template: v, for_each: {v: []}", []),
        ("template: v, for_each: {v: null}", []),
        ("template: xy, for_each: {x: [a, b], y: []}", []),
        ("template: v, for_each: {v: {a: 1, b: 2}}", ["a", "b"]),
        ("template: xy, for_each: {x: [a, b], y: ['1', '2']}, permutations: false", ["a1", "b2"]),
        ("template: xy, for_each: {x: [a, b], y: []}, permutations: false", []),
        ("template: xy, for_each: {x: [a], y: ['1', '2']}, permutations: true", ["a1", "a2"]),
    ],
)
def test_a_copy_is_made_for_each_element(arguments: str, value: Any) -> None:
    assert repeated(arguments) == value


def test_the_template_is_resolved_before_it_is_copied() -> None:
    call = "{repeat: {template: {list_join: ['-', [v, {get_param: p}]]}, for_each: {v: [a, b]}}}"
    sections = "parameters: {p: {type: string, default: x}}"
    assert resolved(call, sections) == ["a-x", "b-x"]


def test_copies_are_independent() -> None:
    first, second = repeated("template: {a: [v]}, for_each: {v: [x, x]}")
    first["a"].append("more")
    assert second == {"a": ["x"]}


@pytest.mark.parametrize(
    ("arguments", "version", "words"),
    [
        ("template: v", "wallaby", 'the argument "for_each" is missing; write repeat: '),
        ("for_each: {v: [a]}", "wallaby", 'the argument "template" is missing'),
        ("template: v, for_each: [a]", "wallaby", '"for_each" must be a map of lists, not a list'),
        ("template: v, for_each: {}", "wallaby", '"for_each" names no list'),
        ("template: v, for_each: {v: text}", "wallaby", '"v" must be a list, not a text'),
        ("template: v, for_each: {v: [5]}", "wallaby", 'an element of "v" must be a text, not a'),
        ("template: v, for_each: {v: {a: 1}}", "2016-04-08", '"v" must be a list, not a map'),
        (
            "template: xy, for_each: {x: [a], y: [b, c]}, permutations: false",
            "wallaby",
            "with permutations: false all lists of for_each must have the same length",
        ),
        (
            "template: v, for_each: {v: [a]}, permutations: maybe",
            "wallaby",
            '"permutations" must be true or false, not a text',
        ),
    ],
)
def test_what_cannot_be_repeated_is_refused(arguments: str, version: str, words: str) -> None:
    assert words in fault(f"{{repeat: {{{arguments}}}}}", version=version)
