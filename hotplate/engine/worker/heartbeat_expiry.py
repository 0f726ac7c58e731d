"""How long a worker may be silent before it counts as dead, also if the database's clock is set."""

import logging

_log = logging.getLogger("hotplate.worker")

_JUMP = 2.0
"""Seconds by which the database's clock may differ from a steady one between two looks."""

_NONE_EXPIRED = 0.0
"""No heartbeat is older."""


class HeartbeatExpiry:
    """Compares the clock of the database, by which heartbeats are noted, with a steady one.

    Put forward, it would make all workers look dead, until each has written its next heartbeat.
    """

    __slots__ = ("_seen", "_trusts_from", "was_put_back")

    def __init__(self) -> None:
        self.was_put_back = False
        """Whether heartbeats may lie in the future since the last look."""

        self._seen: tuple[float, float] | None = None
        self._trusts_from = 0.0

    def expired(self, now: float, steady: float, expiry: float) -> float:
        """Return the time by the database; whose heartbeat is older has died.

        After a jump nobody has, until all have had the time to write another one.
        """
        jump = 0.0
        if self._seen is None:
            # Perhaps it was set a moment ago: who is alive beats while this one looks on.
            self._trusts_from = steady + expiry
        else:
            jump = (now - self._seen[0]) - (steady - self._seen[1])
            self.was_put_back = jump < -_JUMP
        self._seen = now, steady
        if abs(jump) > _JUMP:
            _log.warning(
                "the clock of the database jumped: for a while no worker counts as dead",
                extra={"seconds": round(jump, 1)},
            )
            self._trusts_from = steady + expiry
        return _NONE_EXPIRED if steady < self._trusts_from else now - expiry
