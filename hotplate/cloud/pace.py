"""How often to poll: seldom at first, then as often as it is worth."""

import math
from dataclasses import dataclass, field
from typing import Final

SHORTEST: Final = 1.0
LONGEST: Final = 15.0
_EAGER: Final = 0.8
"""The part of the usual duration after which the end may be expected."""

_STEP: Final = 0.3
"""Later pauses are this part of the time that has passed: twice as long, half as often."""

_WEIGHT: Final = 0.3


@dataclass(slots=True)
class Pace:
    """Learns how long something takes here. Kept by the process: what it has learnt may be lost."""

    usual: float | None = None
    """Seconds; None before the first one has ended."""

    _grids: tuple[float, ...] = field(default=(1.0, 2.5, 5.0), repr=False)

    def ended(self, seconds: float) -> None:
        """Note how long one took."""
        self.usual = (
            seconds if self.usual is None else (1 - _WEIGHT) * self.usual + _WEIGHT * seconds
        )

    def pause(self, now: float, began: float) -> float:
        """Return how many seconds to wait before the next poll.

        Those who wait at the same time get the same moments, so that one listing serves all.
        """
        elapsed = max(0.0, now - began)
        wanted = max(SHORTEST, elapsed * _STEP)
        if self.usual is not None and elapsed < self.usual * _EAGER:
            wanted = max(SHORTEST, self.usual * _EAGER - elapsed)
        wanted = min(wanted, LONGEST)
        grid = max((each for each in self._grids if each <= wanted), default=self._grids[0])
        due = math.ceil(round((now + wanted) / grid, 6)) * grid
        return min(due - now, LONGEST)
