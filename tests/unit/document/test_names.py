"""Names of which many are numbers that follow each other are a set like any other."""

import pickle
from itertools import product

import pytest

from hotplate.document.names import Names, names_in, number_of, spans_of

SETS = (
    (),
    ("a",),
    ("0", "1", "2", "3"),
    ("2", "3", "a", "7"),
    ("10", "9", "b", "1", "2"),
    ("01", "1", "-1", "1234567890"),
    tuple(map(str, range(100))),
    tuple(map(str, range(50, 150))),
)


def test_spans_stand_for_names_in_their_order() -> None:
    assert list(spans_of(["0", "1", "a", "7", "8", "3"])) == [(0, 2), "a", (7, 9), (3, 4)]
    for names in SETS:
        assert tuple(names_in(spans_of(names))) == names


@pytest.mark.parametrize(("first", "second"), list(product(SETS, SETS)))
def test_what_is_made_of_two_is_what_sets_make(
    first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    ours, theirs = Names(spans_of(first)), Names(spans_of(second))
    plain, other = frozenset(first), frozenset(second)
    for right in (theirs, other, dict.fromkeys(second).keys()):
        assert set(ours - right) == plain - other
        assert set(ours & right) == plain & other
        assert set(ours | right) == plain | other
    assert set(plain - theirs) == plain - other
    assert set(plain & theirs) == plain & other
    assert set(plain | theirs) == plain | other
    assert tuple(ours - theirs) == tuple(each for each in first if each not in other), "in order"
    assert len(ours | theirs) == len(plain | other)
    assert all(each in ours for each in first)
    assert all((each in ours) is (each in plain) for each in second)
    assert (ours == theirs) is (plain == other)


def test_some_of_them_are_told_by_their_places() -> None:
    for names in SETS:
        ours = Names(spans_of(names))
        for start, stop in product(range(12), range(12)):
            assert tuple(ours.between(start, stop)) == names[start:stop]


def test_only_numbers_in_their_usual_form_are_numbers() -> None:
    assert number_of("17") == 17
    for name in ("", "017", "+1", "٣", "1_0", " 1", "1234567890"):
        assert number_of(name) is None
    assert "17" in Names([(0, 20)])


def test_they_go_to_other_processes() -> None:
    names = Names([(0, 100_000), "a"])
    assert len(pickle.dumps(names)) < 200
    assert pickle.loads(pickle.dumps(names)) == names
