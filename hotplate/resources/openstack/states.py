"""What the status of an object says of the action that it is in."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Progress(Enum):
    """How far an action is."""

    GOING_ON = "going on"
    ENDED = "ended"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class States:
    """The statuses of an object that an action waits for.

    A status that is in neither set has failed: a service with a new status is better read by
    people than waited for.
    """

    ended: frozenset[str]
    going_on: frozenset[str] = frozenset()
    field: str = "status"

    def progress(self, found: Mapping[str, Any]) -> Progress:
        """Return how far the action is by the object's status; one without a status has ended."""
        status = self.status(found)
        if not status or status in self.ended:
            return Progress.ENDED
        return Progress.GOING_ON if status in self.going_on else Progress.FAILED

    def status(self, found: Mapping[str, Any]) -> str:
        """Return the status; Nova may say more of it in parentheses."""
        return str(found.get(self.field) or "").split("(")[0].strip()
