"""yaql evaluates an expression on its data."""

import pytest

from tests.unit.template.templates import fault, resolved


def test_the_data_is_called_data() -> None:
    call = "{yaql: {expression: '$.data.list.where($ > 1)', data: {list: [1, 2, 3]}}}"
    assert resolved(call) == [2, 3]


def test_data_may_come_from_functions_and_so_may_the_expression() -> None:
    sections = "parameters: {p: {type: json, default: [3, 4]}, e: {type: string, default: '1+1'}}"
    assert resolved("{yaql: {expression: $.data.sum(), data: {get_param: p}}}", sections) == 7
    assert resolved("{yaql: {expression: {get_param: e}}}", sections) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("text", "the arguments must be a map; write yaql: {expression: $.data.list.len(), data"),
        ("{data: 1}", 'the argument "expression" is missing'),
        ("{expression: 5, data: 1}", "the expression must be a text, not a number"),
        ("{expression: '$.(', data: 1}", "the expression is not YAQL: "),
        ("{expression: '$.data.x', data: {y: 1}}", "there is no key 'x'"),
        ("{expression: 'range(99999999)', data: 1}", "Collection length exceeds 10000 elements"),
    ],
)
def test_a_query_that_cannot_be_is_refused(arguments: str, words: str) -> None:
    assert fault(f"{{yaql: {arguments}}}").startswith(f"yaql: {words}")
