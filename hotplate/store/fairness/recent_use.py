"""How much everybody has had lately of something that all share."""

from typing import Final

HALF_LIFE: Final = 1.0
"""Seconds after which what was used counts half."""

_STEPS: Final = 1024
"""So many times what is kept is looked through for what counts no more."""

_NOTHING: Final = 1e-6

PRESENT: Final = 0.05
"""Seconds for which it is remembered that somebody was there."""

CREDIT: Final = 0.005
"""Seconds by which whoever comes anew goes before those that are there and have used little."""

LITTLE: Final = 0.3
"""Seconds that are little: whoever comes seldom goes before those that have used more."""


class RecentUse:
    """Seconds that each user has had, the older the less they count. Time goes forward only."""

    def __init__(self) -> None:
        self._used: dict[str, tuple[float, float]] = {}
        self._present: dict[str, float] = {}
        self._additions = 0

    def of(self, user: str, now: float) -> float:
        """Return what somebody has used lately."""
        used, at = self._used.get(user, (0.0, now))
        return used * 0.5 ** ((now - at) / HALF_LIFE) if used else 0.0

    def arrive(self, user: str, now: float) -> None:
        """Note that somebody asks for some.

        Whoever was away goes before those that have used much, but is not ahead of those that were
        there all the time with little: they would wait until it has used as much.
        """
        at = self._present.get(user)
        if at is None or now - at > PRESENT:
            self._present = {
                each: seen for each, seen in self._present.items() if now - seen <= PRESENT
            }
            if self._present:
                least = min(self.of(each, now) for each in self._present) - CREDIT
                self._used[user] = (max(self.of(user, now), min(least, LITTLE)), now)
        self._present[user] = now

    def add(self, user: str, seconds: float, now: float) -> None:
        """Note that somebody has used something until now."""
        self._used[user] = (self.of(user, now) + seconds, now)
        if user in self._present:
            self._present[user] = now
        self._additions += 1
        if self._additions % _STEPS == 0:
            self._used = {
                each: kept for each, kept in self._used.items() if self.of(each, now) > _NOTHING
            }
