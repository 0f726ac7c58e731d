"""Problems in the words of Heat."""

import pytest

from hotplate.api.http.wording import dotted, kind_of_problems, words_for
from hotplate.document import Cause, Path, Position, Problem

PLACE = Position("template", 3, 5)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("resources", "a", "properties", "n", 0, "p"), "resources.a.properties.n[0].p"),
        (("resources", "0", "type"), "resources[0].type"),
    ],
)
def test_numbers_in_paths_stand_in_brackets(path: Path, text: str) -> None:
    assert dotted(path) == text


def test_sentence_hint_and_place() -> None:
    problem = Problem(
        "ours", ("parameters", "p"), "give it", PLACE, cause=Cause.MISSING_PARAMETER, subject="p"
    )
    assert words_for(problem) == "The Parameter (p) was not provided. Give it (template:3:5)"
    assert kind_of_problems([problem, Problem("x")]) == "UserParameterMissing"


def test_an_undeclared_parameter_is_told_at_the_property_that_needs_it() -> None:
    path = ("resources", "two", "properties", "value", "list_join", 1, "get_param")
    problem = Problem("ours", path, cause=Cause.PARAMETER_REFERENCE, subject="missing")
    assert words_for(problem) == (
        "Property error: : resources.two.properties.value: : "
        "The Parameter (missing) was not provided."
    )
    other = Problem("ours", ("outputs", "o"), cause=Cause.PARAMETER_REFERENCE, subject="missing")
    assert words_for(other) == "outputs.o: ours"


@pytest.mark.parametrize(
    ("path", "message", "cause", "said"),
    [
        (
            ("resources", "r", "properties", "length"),
            "Value 'BAD' is not an integer",
            Cause.CONVERSION,
            "ValueError: : resources.g<nested_stack>.resources.0<p.yaml>.resources.r: : "
            "Value 'BAD' is not an integer",
        ),
        (
            ("resources", "r", "properties", "lenght"),
            "Unknown Property lenght",
            Cause.PROPERTY,
            "Property error: : resources.g<nested_stack>.resources.0<p.yaml>.resources.r.properties"
            ".lenght: : Unknown Property lenght",
        ),
        (
            ("resources", "r", "properties", "length", "get_param"),
            "ours",
            Cause.PARAMETER_REFERENCE,
            "ValueError: : resources.g<nested_stack>.resources.0<p.yaml>.resources.r: : "
            "The Parameter (nope) was not provided.",
        ),
    ],
)
def test_what_is_wrong_inside_is_told_with_the_way(
    path: Path, message: str, cause: Cause, said: str
) -> None:
    way = (("g", "nested_stack"), ("0", "p.yaml"))
    problem = Problem(message, path, position=PLACE, cause=cause, subject="nope", through=way)
    assert words_for(problem) == f"{said} (template:3:5)"


def test_a_fault_without_a_sentence_of_heat_keeps_ours() -> None:
    problem = Problem("is wrong", ("a", "b"), file="env.yaml")
    assert words_for(problem) == "a.b: is wrong (env.yaml)"
    assert kind_of_problems([problem]) == "StackValidationFailed"


def test_braces_in_names_do_no_harm() -> None:
    problem = Problem("{message}", cause=Cause.SECTION, subject="{path}")
    assert words_for(problem) == "The template section is invalid: {path}"


@pytest.mark.parametrize("cause", Cause)
def test_every_cause_has_words(cause: Cause) -> None:
    assert words_for(Problem("m", ("a",), cause=cause, subject="s"))
