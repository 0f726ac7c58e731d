"""A budget counts characters and items, and stops a resolution that makes too many."""

import pytest

from hotplate.template import Budget
from hotplate.template.errors import BadCall
from tests.unit.template.templates import bound, fault


def test_a_budget_is_spent_to_the_last_unit() -> None:
    budget = Budget(10)
    budget.spend(10)
    with pytest.raises(BadCall, match="more than 10 characters and items"):
        budget.spend(1)


def test_a_copied_value_costs_its_items_and_characters() -> None:
    budget = Budget(2000)
    budget.spend_for({"a": ["x" * 1000]})
    assert 1000 < budget.used < 1100
    with pytest.raises(BadCall):
        budget.spend_for({"a": ["x" * 1000]})


def test_short_texts_and_numbers_cost_nothing_by_themselves() -> None:
    budget = Budget(0)
    budget.spend_for("short")
    budget.spend_for(10**9)
    budget.spend_for(None)


@pytest.mark.parametrize(
    "expression",
    [
        "{repeat: {template: a, for_each: {a: {get_param: l}, b: {get_param: l}}}}",
        "{str_replace: {template: {get_param: t}, params: {a: {get_param: t}}}}",
        "{list_concat: [{repeat: {template: a, for_each: {a: {get_param: l}}}}, "
        "{repeat: {template: {get_param: t}, for_each: {b: {get_param: l}}}}]}",
        "{list_join: [{get_param: t}, {get_param: l}]}",
    ],
)
def test_a_small_template_cannot_make_a_huge_result(expression: str) -> None:
    sections = "parameters: {l: {type: json}, t: {type: string}}"
    values = {"l": [str(n) for n in range(5000)], "t": "a" * 5000}
    assert fault(expression, sections, values=values).split(": ", 1)[1] == (
        "the result is too large: more than 16000000 characters and items; "
        "split the template or shorten the lists it repeats over"
    )


def test_each_part_of_a_template_has_a_budget_of_its_own() -> None:
    """Many resources may each use a large file."""
    resources = "\n".join(
        f"  r{n}: {{type: X, properties: {{user_data: {{get_file: big}}}}}}" for n in range(40)
    )
    template = bound(f"resources:\n{resources}\n", files={"big": "x" * 1_000_000})
    template.check_values()
