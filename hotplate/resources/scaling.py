"""Groups whose size is changed from outside: what is asked of them, and what they make of it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from hotplate.resources.stages import Stage

_GREATEST_PART = 10**9
"""Percent."""


class Measure(Enum):
    """What the number of an adjustment means."""

    CHANGE = "change"
    EXACT = "exact"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What a signal to a policy asks of a group.

    ``group`` is the reference of the group, ``words`` says it as the policy does. ``least`` is how
    many members a change by percentage changes at least. Without a ``cooldown`` the group has its
    own.
    """

    group: str
    measure: Measure
    amount: float
    words: str
    least: int = 0
    cooldown: float | None = None

    def as_data(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return {
            "group": self.group,
            "measure": self.measure.value,
            "amount": self.amount,
            "words": self.words,
            "least": self.least,
            "cooldown": self.cooldown,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Adjustment":
        """Return what `as_data` was made of."""
        return cls(**{**data, "measure": Measure(data["measure"])})

    def applied(self, size: int, lower: int, upper: int) -> int:
        """Return the size that a group of some size shall have, between the bounds.

        Of a percentage there is at least one member, more are rounded towards what is there.
        """
        if self.measure is Measure.EXACT:
            wanted = int(self.amount)
        elif self.measure is Measure.CHANGE:
            wanted = size + int(self.amount)
        else:
            wanted = size + self._part(size)
        return max(lower, min(upper, wanted))

    def _part(self, size: int) -> int:
        # No group is so large that a greater part of it would make a difference.
        part = size * max(-_GREATEST_PART, min(_GREATEST_PART, self.amount)) / 100
        if abs(part) < 1:
            change = math.ceil(part) if part > 0 else math.floor(part)
        else:
            change = math.trunc(part)
        if self.least > abs(change):
            return self.least if change > 0 else -self.least
        return change


@dataclass(frozen=True, slots=True)
class Scaled:
    """What becomes of an adjustment: the next stage of the group, or why there is none."""

    stage: Stage | None
    reason: str = ""
