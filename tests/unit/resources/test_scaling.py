"""By how much an adjustment changes a size."""

import pytest

from hotplate.resources.scaling import Adjustment, Measure


def adjustment(measure: Measure, amount: float, least: int = 0) -> Adjustment:
    return Adjustment("group", measure, amount, "words", least)


@pytest.mark.parametrize(
    ("measure", "amount", "least", "size", "wanted"),
    [
        (Measure.CHANGE, 1, 0, 3, 4),
        (Measure.CHANGE, -2, 0, 3, 1),
        (Measure.CHANGE, -9, 0, 3, 0),
        (Measure.CHANGE, 99, 0, 3, 10),
        (Measure.CHANGE, 1.9, 0, 3, 4),
        (Measure.EXACT, 7, 0, 3, 7),
        (Measure.EXACT, 70, 0, 3, 10),
        # A small part is one member, a large one is rounded towards what is there.
        (Measure.PERCENT, 10, 0, 3, 4),
        (Measure.PERCENT, -10, 0, 3, 2),
        (Measure.PERCENT, 50, 0, 3, 4),
        (Measure.PERCENT, -50, 0, 5, 3),
        (Measure.PERCENT, 0, 0, 5, 5),
        (Measure.PERCENT, 50, 0, 0, 0),
        (Measure.PERCENT, 10, 3, 4, 7),
        (Measure.PERCENT, -10, 3, 4, 1),
        (Measure.PERCENT, 100, 3, 4, 8),
        (Measure.PERCENT, 10**399, 0, 4, 10),
        (Measure.PERCENT, -1e308, 0, 4, 0),
    ],
)
def test_sizes(measure: Measure, amount: float, least: int, size: int, wanted: int) -> None:
    assert adjustment(measure, amount, least).applied(size, 0, 10) == wanted


def test_it_comes_back_from_what_is_stored() -> None:
    stored = Adjustment("group", Measure.PERCENT, 2.5, "words", 3, 60)
    assert Adjustment.from_data(stored.as_data()) == stored
