"""What fuzzing and reading with a fuzzer's eyes have found. Each case is as small as it gets."""

from typing import Any

import pytest

from hotplate.bounded import BadQuery, Query, QueryLimits
from hotplate.document import InvalidDocument, from_data, parse
from hotplate.template import BoundTemplate, ResolveError, compile_template, parameter_values

HOT = {"heat_template_version": "wallaby"}


def refusal(text: str) -> str:
    with pytest.raises(InvalidDocument) as caught:
        parse(text, "found.yaml")
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["1" + ":00" * 180 + ".5", '!!int "1:1.0e999"', '!!float " nan "', '!!float "-infinity "'],
)
def test_numbers_beyond_floating_point_are_refused(text: str) -> None:
    # OverflowError, and a NaN in the data.
    assert "number" in refusal(text) or "not a valid" in refusal(text)


def test_aliases_do_not_nest_deeper_than_written_collections() -> None:
    # Data of any depth, and a RecursionError in whatever came next.
    levels = [f"a{n}: &a{n} {'[' * 90}{f'*a{n - 1}' if n else '1'}{']' * 90}" for n in range(3)]
    assert "nested deeper than 200 levels" in refusal("\n".join(levels))
    assert parse("\n".join(levels[:2]), "found.yaml").data


def test_a_long_chain_of_merged_maps_is_no_nesting() -> None:
    levels = [f"a{n}: &a{n} {{{f'<<: *a{n - 1}' if n else 'x: 1'}}}" for n in range(300)]
    document = parse("\n".join(levels), "found.yaml")
    assert isinstance(document.data, dict)
    assert document.data["a299"] == {"x": 1}
    place = document.locate(("a299", "x"))
    assert place is not None
    assert place.line == 1


def test_a_long_text_behind_many_aliases_is_refused() -> None:
    # A gigabyte as soon as anybody wrote it as JSON.
    text = f"a: &a {'x' * 30_000}\nb: [{', '.join(['*a'] * 1000)}]"
    assert "aliases expand to more than 16777216 characters" in refusal(text)


def test_a_huge_key_of_decoded_data_is_refused() -> None:
    # Printing it raised ValueError.
    data: Any = {10**5000: 1}
    with pytest.raises(InvalidDocument, match="more than 400 digits"):
        from_data(data, "found")


def test_a_step_beyond_floating_point_has_no_multiples() -> None:
    constraint = {"modulo": {"step": 10**390, "offset": 0}}
    parameter = {"type": "number", "default": 1.5, "constraints": [constraint]}
    template = {**HOT, "parameters": {"p": parameter}}
    with pytest.raises(InvalidDocument, match="is not a multiple of"):
        compile_template(from_data(template, "found"))


@pytest.mark.parametrize("text", ["[NaN]", '["\\ud800"]', "[" * 900 + "]" * 900])
def test_json_inside_a_text_keeps_to_the_limits_of_documents(text: str) -> None:
    value = {"Fn::Select": ["0", text]}
    template = {"AWSTemplateFormatVersion": "2010-09-09", "Outputs": {"o": {"Value": value}}}
    compiled = compile_template(from_data(template, "found"))
    with pytest.raises(ResolveError, match="JSON is refused"):
        BoundTemplate(compiled, parameter_values(compiled, {})).output("o")


@pytest.mark.parametrize("expression", ["'\\ud800'", "'\\x00'", "[float(nan)]"])
def test_results_of_queries_keep_to_the_limits_of_documents(expression: str) -> None:
    value = {"yaql": {"expression": expression}}
    compiled = compile_template(from_data({**HOT, "outputs": {"o": {"value": value}}}, "found"))
    with pytest.raises(ResolveError):
        BoundTemplate(compiled, parameter_values(compiled, {})).output("o")


@pytest.mark.parametrize("expression", ["9" * 5000, "'\\N{no such}'"])
def test_what_the_lexer_cannot_read_is_refused(expression: str) -> None:
    # ValueError and UnicodeDecodeError.
    with pytest.raises(BadQuery, match="not YAQL"):
        Query(expression, QueryLimits())
