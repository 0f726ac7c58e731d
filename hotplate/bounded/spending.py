"""What one evaluation may cost: units that are counted, and processor time."""

import collections.abc
from time import thread_time
from typing import Any, Final

from yaql.language import utils

_UNITS_BETWEEN_READINGS: Final = 1000
_MOST_BITS: Final = 4096
_COLLECTIONS: Final = (tuple, list, utils.FrozenDict, dict, frozenset, set)


class Spending:
    """What one evaluation has left of its units and its time."""

    def __init__(self, units: int, seconds: float, refusal: type[ValueError]) -> None:
        self._units = self._left = self._next_reading = units
        self._deadline = thread_time() + seconds
        self._weights: dict[int, tuple[Any, int]] = {}
        self._refusal = refusal

    def spend(self, units: int) -> None:
        """Take units off, or raise the refusal when they or the time are used up."""
        self._left -= units
        if self._left < 0:
            raise self._refusal("the expression takes too many steps")
        if self._left < self._next_reading:
            # Reading the clock is dear, so not for every unit.
            self._next_reading = self._left - _UNITS_BETWEEN_READINGS
            if thread_time() > self._deadline:
                raise self._refusal("the expression takes too long")

    def check_bits(self, bits: float) -> None:
        """Refuse a number of more than so many bits."""
        if bits > _MOST_BITS:
            raise self._refusal("a number is too large")

    def check_weight(self, value: Any) -> None:
        """Refuse a collection that would be too large if it were written out.

        One that is in another twice takes no more memory than once, until it is compared, hashed
        or printed: then each step may double what there is to do.
        """
        if self._weight(value) > self._units:
            raise self._refusal("a list or map is too large")

    def _weight(self, value: Any) -> int:
        if isinstance(value, str):
            return 1 + len(value) // 16
        if not isinstance(value, _COLLECTIONS):
            return 1
        known = self._weights.get(id(value))
        if known is None:
            items = value.items() if isinstance(value, collections.abc.Mapping) else value
            known = (value, 1 + sum(map(self._weight, items)))
            self._weights[id(value)] = known  # kept alive, so that its identity stays its own
        return known[1]
