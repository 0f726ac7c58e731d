"""Memory that is free goes back to the system: what one large request took, others need."""

import ctypes
import gc
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

MEGABYTE: Final = 1 << 20

_ARENA_MAX: Final = -8
_MMAP_THRESHOLD: Final = -3
_TRIM_THRESHOLD: Final = -1
"""Parameters of glibc's mallopt."""

_ARENAS: Final = 2
_OWN_PAGES: Final = 256 * 1024
"""Blocks from this size on are pages of their own, which go back as soon as they are free."""

_GROWTH: Final = 12 * MEGABYTE
"""A process that has so much more than it once had is looked at."""

_WORTH: Final = 4 * MEGABYTE
_SHORTEST_PAUSE: Final = 5.0
_LONGEST_PAUSE: Final = 80.0
"""Seconds between two tries: twice as long after each that gave back less than was worth it."""

_BUSY: Final = 0.25
"""The share of a processor from which on a process is at work."""

_PAGE: Final = resource.getpagesize()


def bound_allocator() -> None:
    """Make the C library keep little of what is freed; before there is a second thread.

    By itself it makes a pool of memory for every thread, and after the first large block that is
    freed it keeps blocks of that size. Nothing happens where there is no glibc.
    """
    tune = getattr(_library(), "mallopt", None)
    if tune is not None:
        tune(_ARENA_MAX, _ARENAS)
        tune(_MMAP_THRESHOLD, _OWN_PAGES)
        tune(_TRIM_THRESHOLD, 2 * _OWN_PAGES)


class Memory:
    """Looks at how much the process has, and gives back what is free. For one thread at a time.

    ``let_go`` lets go of what is kept only to save time, once there is nothing more to do. ``used``
    tells the seconds of the processor that the process has had.
    """

    def __init__(
        self,
        resident: Callable[[], int] | None = None,
        clock: Callable[[], float] = time.monotonic,
        let_go: Callable[[], None] = lambda: None,
        used: Callable[[], float] = time.process_time,
    ) -> None:
        self._resident = resident or resident_bytes
        self._clock = clock
        self._let_go = let_go
        self._used = used
        self._work = _Work(clock(), used())
        self._trim = getattr(_library(), "malloc_trim", None)
        self._least = self._resident()
        self._pause = _SHORTEST_PAUSE
        self._next = float("-inf")

    def check(self) -> bool:
        """Give back what is free if the process has grown; return whether it was tried.

        That is so when it has come to rest after work, soon after that once more, since some is let
        go only if nobody has asked for it meanwhile, and now and then at any time. Objects that
        only refer to each other are let go first: an error and the frames that it came through may
        hold a request of megabytes.
        """
        resident = self._resident()
        self._least = min(self._least, resident)
        now = self._clock()
        self._work.note(now, self._used())
        if resident < self._least + _GROWTH:
            return False
        is_over = self._work.is_over and now >= self._next - self._pause + _SHORTEST_PAUSE
        if now < self._next and not is_over:
            return False
        if not self._work.is_at_work:
            self._let_go()
            self._work.is_over = False
        gc.collect()
        if self._trim is not None:
            self._trim(0)
        is_worth_more = is_over or resident - self._resident() >= _WORTH
        self._pause = _SHORTEST_PAUSE if is_worth_more else min(2 * self._pause, _LONGEST_PAUSE)
        self._next = now + self._pause
        return True


@dataclass(slots=True)
class _Work:
    """Whether a process has something to do."""

    _at: float
    _used: float
    is_at_work: bool = False
    is_over: bool = False
    """Whether it was at work and is not any more, and nobody has made use of that."""

    def note(self, now: float, used: float) -> None:
        """Note how long it has had the processor."""
        if now <= self._at:
            return
        was_at_work = self.is_at_work
        self.is_at_work = used - self._used > _BUSY * (now - self._at)
        self._at, self._used = now, used
        self.is_over = not self.is_at_work and (self.is_over or was_at_work)


def keep_what_is_loaded() -> None:
    """Tell Python that nothing of what there is becomes garbage: it need not look there again."""
    gc.freeze()


def resident_bytes() -> int:
    """Return the memory of this process, shared pages included; 0 where nobody tells."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * _PAGE
    except OSError:
        return 0


def _library() -> Any:
    return ctypes.CDLL(None) if sys.platform == "linux" else None
