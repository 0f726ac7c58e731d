"""What evaluates comes last: what answers requests, and what writes, has the processor first."""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_NICENESS: Final = 5
_LAST: Final = 10
_OF_PROCESS: Final = 2
_SESSION: Final = Path("/proc/self/autogroup")


def come_last() -> None:
    """Let this process, which leads a session, and all that it starts take what others leave.

    They never take the processor from somebody who has just been woken.
    """
    os.nice(_NICENESS)
    with suppress(OSError):
        # Where Linux shares the processor between sessions, niceness counts inside of one only.
        _SESSION.write_text(str(_NICENESS), "ascii")
    if hasattr(os, "SCHED_BATCH"):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def come_very_last(pid: int) -> None:
    """Let a process take what the others that evaluate leave. It cannot be undone."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, _LAST)


def processor_seconds(pid: int) -> float:
    """Return how much of the processor a process has had; 0 if it has ended, or nobody tells."""
    try:
        # What clock_getcpuclockid(3) would say, which Python does not offer.
        return time.clock_gettime((~pid << 3) | _OF_PROCESS)
    except OSError:
        return 0.0
