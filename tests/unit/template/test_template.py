"""A compiled template is shared by all stacks of its text, so nothing of it can be changed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from hotplate.template import BoundTemplate, parameter_values
from tests.unit.template.templates import compiled

TEXT = """
    parameters: {p: {type: string, default: x}}
    conditions: {c: {equals: [{get_param: p}, x]}}
    resources: {r: {type: X, condition: c, properties: {a: {get_param: p}}}}
    outputs: {o: {value: {if: [c, {get_param: p}, other]}}}
    """


@pytest.mark.parametrize("section", ["parameters", "conditions", "resources", "outputs"])
def test_no_section_of_a_template_can_be_changed(section: str) -> None:
    template = compiled(TEXT)
    entries: Any = getattr(template, section)
    with pytest.raises(TypeError):
        entries["new"] = None
    with pytest.raises(FrozenInstanceError):
        setattr(template, section, {})


def test_no_definition_can_be_changed() -> None:
    template: Any = compiled(TEXT)
    for definition in (template.resources["r"], template.outputs["o"], template.parameters["p"]):
        with pytest.raises(FrozenInstanceError):
            definition.name = "other"


def test_stacks_with_different_values_share_a_template() -> None:
    template = compiled(TEXT)
    one = BoundTemplate(template, parameter_values(template, {}))
    other = BoundTemplate(template, parameter_values(template, {"p": "y"}))
    assert (one.output("o"), other.output("o")) == ("x", "other")
    assert (list(one.resources), list(other.resources)) == (["r"], [])


def test_threads_may_resolve_the_same_template() -> None:
    template = compiled(TEXT)

    def output(number: int) -> object:
        values = parameter_values(template, {"p": "x" if number % 2 else "y"})
        return BoundTemplate(template, values).output("o")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(output, range(100))) == ["other", "x"] * 50
