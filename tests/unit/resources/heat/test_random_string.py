"""OS::Heat::RandomString, as a running Heat 27 answered."""

import asyncio
from collections.abc import Mapping
from string import ascii_letters, ascii_uppercase, digits
from typing import Any

import pytest

from hotplate.resources import BadProperty, Done
from hotplate.resources.heat.random_string import CLASSES, RandomString
from tests.unit.resources.acting import resource

KIND = RandomString()
TOO_SHORT = (
    "Length property cannot be smaller than combined character class and character sequence "
    "minimums"
)


def created(given: Mapping[str, Any] | None = None) -> Done:
    done = asyncio.run(KIND.create(resource(KIND, given)))
    assert isinstance(done, Done)
    return done


def drawn(given: Mapping[str, Any] | None = None) -> str:
    return str((created(given).attributes or {})["value"])


def test_the_reference_is_the_value_and_the_id_a_name() -> None:
    done = created()
    assert done.reference == (done.attributes or {})["value"] == (done.data or {})["value"]
    assert done.physical_id == "app-it-0f6f8f0e1111"


def test_without_properties_it_has_32_letters_and_digits() -> None:
    assert len(drawn()) == 32
    assert set(drawn({"length": 512})) == set(ascii_letters + digits)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_gives_its_characters(name: str) -> None:
    assert set(drawn({"length": 512, "character_classes": [{"class": name}]})) == set(CLASSES[name])


def test_sequences_are_added_to_the_classes() -> None:
    value = drawn({"length": 200, "character_sequences": [{"sequence": "!?", "min": 5}]})
    assert sum(value.count(each) for each in "!?") >= 5
    assert set(value) <= set(ascii_letters + digits + "!?")
    assert set(value) & set(ascii_letters)


def test_an_empty_list_of_classes_leaves_the_sequences_alone() -> None:
    given = {"character_classes": [], "character_sequences": [{"sequence": "aab"}]}
    assert set(drawn(given)) == {"a", "b"}


def test_the_minimums_are_kept() -> None:
    classes = [{"class": "digits", "min": 7}, {"class": "uppercase", "min": 3}]
    value = drawn({"length": 10, "character_classes": classes})
    assert sum(each in digits for each in value) == 7
    assert sum(each in ascii_uppercase for each in value) == 3


def test_a_length_below_the_minimums_is_refused() -> None:
    classes = [{"class": "digits", "min": 3}]
    sequences = [{"sequence": "x", "min": 2}]
    given = {"length": 4, "character_classes": classes, "character_sequences": sequences}
    assert KIND.validate(KIND.convert(given)) == TOO_SHORT
    assert KIND.validate(KIND.convert({**given, "length": 5})) == ""


@pytest.mark.parametrize("sequences", [[], [{"sequence": ""}]])
def test_nothing_to_choose_from_is_refused(sequences: list[Any]) -> None:
    values = KIND.convert({"character_classes": [], "character_sequences": sequences})
    assert KIND.validate(values) == "there are no characters to choose from"


def test_the_old_sequence_is_a_class() -> None:
    assert set(drawn({"sequence": "octdigits", "length": 300})) == set("01234567")
    old = KIND.convert({"sequence": "digits"})
    assert old == KIND.convert({"character_classes": [{"class": "digits"}]})


def test_the_old_sequence_and_classes_together_are_refused() -> None:
    with pytest.raises(BadProperty, match="cannot be given together"):
        KIND.convert({"sequence": "digits", "character_classes": [{"class": "letters"}]})


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"length": 0}, "0 is out of range (min: 1, max: 512)"),
        ({"length": 513}, "513 is out of range (min: 1, max: 512)"),
        ({"sequence": "vowels"}, '"vowels" is not an allowed value'),
        ({"character_classes": [{"class": "vowels"}]}, '"vowels" is not an allowed value'),
        ({"character_classes": [{"min": 0}]}, "0 is out of range"),
        ({"character_sequences": [{"min": 1}]}, "Property sequence not assigned"),
        ({"lenght": 3}, "Unknown Property lenght"),
    ],
)
def test_a_wrong_property_is_refused(given: dict[str, Any], text: str) -> None:
    with pytest.raises(BadProperty) as fault:
        KIND.convert(given)
    assert text in fault.value.message


def test_any_change_replaces() -> None:
    assert not any(declared.updatable for declared in KIND.properties.values())


def test_attributes() -> None:
    assert KIND.has_attribute("value")
    assert KIND.has_attribute("show")
    assert not KIND.has_attribute("length")
