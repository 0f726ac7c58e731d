"""Values of different kinds are different, however deep inside."""

import itertools
from typing import Any

import pytest

from hotplate.document import same

KINDS: list[Any] = [0, 0.0, False, None, "", "0", [], {}, 1, 1.0, True, "1"]


def test_kinds_are_told_apart() -> None:
    for one, other in itertools.permutations(KINDS, 2):
        assert not same(one, other)
        assert not same([{"a": one}], [{"a": other}])


@pytest.mark.parametrize("value", KINDS)
def test_the_same_value_of_the_same_kind_is_the_same(value: Any) -> None:
    assert same([{"a": value, "b": [value]}], [{"b": [value], "a": value}])


def test_parts_that_are_missing_count() -> None:
    assert not same({"a": None}, {})
    assert not same([None], [])
