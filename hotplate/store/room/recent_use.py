"""How much everybody has had lately of something that all share."""

from typing import Final

HALF_LIFE: Final = 1.0
"""Seconds after which what was used counts half."""

_STEPS: Final = 1024
"""So many times what is kept is looked through for what counts no more."""

_NOTHING: Final = 1e-6


class RecentUse:
    """Seconds that each user has had, the older the less they count. Time goes forward only."""

    def __init__(self) -> None:
        self._used: dict[str, tuple[float, float]] = {}
        self._additions = 0

    def of(self, user: str, now: float) -> float:
        """Return what somebody has used lately."""
        used, at = self._used.get(user, (0.0, now))
        return used * 0.5 ** ((now - at) / HALF_LIFE) if used else 0.0

    def add(self, user: str, seconds: float, now: float) -> None:
        """Note that somebody has used something until now."""
        self._used[user] = (self.of(user, now) + seconds, now)
        self._additions += 1
        if self._additions % _STEPS == 0:
            self._used = {
                each: kept for each, kept in self._used.items() if self.of(each, now) > _NOTHING
            }
