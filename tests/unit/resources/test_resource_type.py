"""What every type has from its base."""

import asyncio

import pytest

from hotplate.model import Action
from hotplate.resources import Done, ResourceType
from hotplate.resources.acting import act
from tests.unit.resources.acting import resource


class Least(ResourceType):
    name = "Example::Least"
    attributes = {"colour": "what it looks like"}


KIND = Least()


@pytest.mark.parametrize("action", [each for each in Action if each is not Action.INIT])
def test_a_method_that_is_not_there_succeeds(action: Action) -> None:
    assert asyncio.run(act(KIND, action, resource(KIND))) == Done()


def test_nothing_is_found_wrong_or_replaced() -> None:
    assert KIND.validate({}) == KIND.replacement_reason({}, {}) == ""


def test_every_type_has_show() -> None:
    assert [KIND.has_attribute(name) for name in ("colour", "show", "size")] == [True, True, False]


def test_a_physical_name_tells_the_stack_and_the_resource() -> None:
    assert resource(KIND).physical_name == "app-it-0f6f8f0e1111"


@pytest.mark.parametrize(("most", "name"), [(19, "app-it-0f6f8f0e1111"), (15, "ap-0f6f8f0e1111")])
def test_a_long_physical_name_keeps_its_begin_and_its_end(most: int, name: str) -> None:
    assert resource(KIND).shortened_name(most) == name


def test_the_longest_physical_name_has_255_characters() -> None:
    it = resource(KIND, stack_name="x" * 300)
    assert len(it.physical_name) == 255
    assert it.physical_name.endswith("x-it-0f6f8f0e1111")
