"""A clock for waits: seconds since 1970 that go on evenly when the clock of the machine is set.

Whatever waits has a time of day in the database until which it waits, for another process may go on
with it. Somebody who puts the machine's clock back by an hour would let all of it wait an hour
longer; put forward, everything would be overdue at once.
"""

import logging
from collections.abc import Callable

_log = logging.getLogger("hotplate.engine")

_TOLERATED = 1.0
"""Seconds that two clocks may drift apart between two looks: not more than that is followed."""

_RATE = 0.1
"""By how much a second may be longer or shorter until both agree again."""

_LONGEST = 86_400.0
"""A machine that is put forward by more stood still for that long, or had no clock at all."""


class Clock:
    """The time of day of one process; any thread may ask for it.

    ``wall`` is the machine's clock, which may be set. ``steady`` is one that is not, and that also
    goes on while the process is stopped or the machine sleeps. After a jump the time goes on by
    the latter, a tenth faster or slower than it until it is the time of day again: no wait takes
    more than a ninth longer, nor less than nine tenths of its length.
    """

    __slots__ = ("_is_off", "_last", "_steady", "_wall")

    def __init__(self, wall: Callable[[], float], steady: Callable[[], float]) -> None:
        self._wall = wall
        self._steady = steady
        self._last: tuple[float, float] | None = None
        """What was told when, by the steady clock. Replaced as a whole."""

        self._is_off = False

    def now(self) -> float:
        """Return seconds since 1970."""
        steady, wall, last = self._steady(), self._wall(), self._last
        if last is None:
            self._last = wall, steady
            return wall
        elapsed = max(0.0, steady - last[1])
        wrong = wall - (last[0] + elapsed)
        if -_TOLERATED <= wrong <= _TOLERATED or wrong > _LONGEST:
            self._is_off = False
            now = wall
        else:
            if not self._is_off:
                self._is_off = True
                _tell(wrong)
            most = _RATE * elapsed
            now = last[0] + elapsed + min(most, max(-most, wrong))
        self._last = now, steady
        return now

    def begin_at(self, noted: float) -> None:
        """Go on from a time that the database has noted, if the machine's clock is behind it.

        Whatever waits began at such a time or before. One that lies more than a day ahead is not
        believed: somebody's clock was wrong when it was noted.
        """
        now = self.now()
        if now < noted - _TOLERATED and noted - now <= _LONGEST:
            self._last = noted, self._steady()


def _tell(wrong: float) -> None:
    _log.warning(
        "the clock of this machine was set; times go on evenly, and agree with it after a while",
        extra={"seconds": round(wrong, 1), "hours": round(abs(wrong) / _RATE / 3600, 1)},
    )
