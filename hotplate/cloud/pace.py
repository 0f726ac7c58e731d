"""How often to poll: seldom at first, then as often as it is worth."""

import math
from dataclasses import dataclass
from typing import Final

SHORTEST: Final = 2.0
LONGEST: Final = 16.0
_EAGER: Final = 0.8
"""The part of the usual duration after which the end may be expected."""

_STEP: Final = 0.15
"""Later pauses are this part of the time that has passed: so late is the end noticed at most."""

_WEIGHT: Final = 0.3


@dataclass(slots=True)
class Pace:
    """Learns how long something takes here. Kept by the process: what it has learnt may be lost."""

    usual: float | None = None
    """Seconds; None before the first one has ended."""

    def ended(self, seconds: float) -> None:
        """Note how long one took."""
        self.usual = (
            seconds if self.usual is None else (1 - _WEIGHT) * self.usual + _WEIGHT * seconds
        )

    def pause(self, now: float, began: float) -> float:
        """Return how many seconds to wait before the next poll.

        Those who wait at the same time get the same moments, so that one listing serves all: even
        seconds, for longer pauses only every second or fourth of them.
        """
        elapsed = max(0.0, now - began)
        expected = (self.usual or 0.0) * _EAGER
        wanted = max(SHORTEST, elapsed * _STEP, expected - elapsed)
        wanted = min(wanted, LONGEST * 0.75)
        grid = max(SHORTEST, 2.0 ** math.floor(math.log2(wanted * 0.75)))
        # The nearest of these moments: half of them are earlier than wanted, half later.
        due = math.ceil(round((now + wanted - grid / 2) / grid, 6)) * grid
        return due - now
