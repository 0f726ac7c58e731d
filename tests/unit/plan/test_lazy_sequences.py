"""Sequences whose items are made when they are asked for."""

import pytest

from hotplate.document.names import Names
from hotplate.plan.lazy_sequences import in_order


def test_names_that_are_numbers_are_not_listed() -> None:
    names = in_order(Names([(0, 90_000), "x"]), ())
    assert len(names) == 90_001
    assert names[89_998:] == ["89998", "89999", "x"]
    assert (names[0], names[-1]) == ("0", "x")
    assert in_order({"c", "b"}, {"b": 1, "a": 2, "c": 3}) == ("b", "c")
    assert in_order(frozenset(), ["a"]) == ()


def test_what_does_not_follow_each_other_is_refused() -> None:
    with pytest.raises(ValueError, match="step"):
        in_order(Names([(0, 9)]), ())[::2]
