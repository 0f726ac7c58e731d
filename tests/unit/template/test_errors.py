"""Problems are collected, told once, and listed in reading order."""

import pytest

from hotplate.document import Severity, parse
from hotplate.template.errors import InvalidTemplate, Problems, kind_of
from tests.unit.template.templates import errors

TEXT = parse("a: 1\nb: 2\nc: {d: 1, e: 2}\n", "t.yaml")


def test_problems_are_listed_in_reading_order() -> None:
    problems = Problems(TEXT)
    for path in (("c", "e"), ("b",), ("c", "d"), ("a",)):
        problems.add("is odd", path)
    assert [str(problem) for problem in problems.errors] == [
        "t.yaml:1:1: a: is odd",
        "t.yaml:2:1: b: is odd",
        "t.yaml:3:5: c.d: is odd",
        "t.yaml:3:11: c.e: is odd",
    ]


def test_the_same_problem_is_told_once() -> None:
    problems = Problems(TEXT)
    problems.add("is odd", ("a",))
    problems.add("is odd", ("a",))
    assert len(problems.errors) == 1


def test_warnings_refuse_nothing() -> None:
    problems = Problems(TEXT)
    problems.add("is odd", ("a",), severity=Severity.WARNING)
    problems.raise_if_any()
    assert len(problems.warnings) == 1
    problems.add("is wrong", ("b",))
    with pytest.raises(InvalidTemplate, match=r"t\.yaml:2:1: b: is wrong"):
        problems.raise_if_any()


def test_at_most_a_hundred_warnings_are_kept() -> None:
    problems = Problems(TEXT)
    for number in range(150):
        problems.add(f"{number}", severity=Severity.WARNING)
    assert len(problems.warnings) == 100


def test_after_a_hundred_errors_no_more_are_looked_for() -> None:
    problems = Problems(TEXT)
    for number in range(100):
        problems.add(f"{number}")
    with pytest.raises(InvalidTemplate) as refused:
        problems.add("one more")
    assert len(refused.value.problems) == 100


def test_a_refusal_tells_the_warnings_too() -> None:
    problems = Problems(TEXT)
    problems.add("is odd", ("a",), severity=Severity.WARNING)
    problems.add("is wrong", ("b",))
    with pytest.raises(InvalidTemplate) as refused:
        problems.raise_if_any()
    assert [str(warning) for warning in refused.value.warnings] == ["t.yaml:1:1: a: is odd"]


def test_many_warnings_do_not_hide_an_error() -> None:
    branches = ", ".join(f"{{if: [false, {{get_param: no{n}}}, 1]}}" for n in range(150))
    text = f"resources: {{r: {{type: X, properties: {{p: [{branches}]}}}}}}\noutputs: {{o: 5}}"
    assert errors(text) == ['t.yaml:3:11: outputs.o: an output is a map with a "value"']


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "a boolean"),
        ("x", "a text"),
        (1, "a number"),
        (1.5, "a number"),
        ({}, "a map"),
        ([], "a list"),
    ],
)
def test_kinds_have_the_words_of_the_guide(value: object, words: str) -> None:
    assert kind_of(value) == words  # type: ignore[arg-type]
