"""Watches the event loop: what runs in it keeps everybody else waiting."""

import asyncio
import gc
import logging
import sys
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

_log = logging.getLogger("hotplate.server")

LATE: Final = 0.05
"""Seconds of the processor that one step of the loop may take."""

MESSAGE: Final = "a step of the event loop took long"
IMPORTING: Final = "import"
"""The place of a step that loads a module on its first use; it happens once."""

COLLECTING: Final = "garbage-collection"
"""The place of a step in which Python looked for garbage; it may happen in any."""

EXCUSED: Final = (IMPORTING, COLLECTING)
"""Places that tell nothing about the code that ran."""

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)

_SAMPLE_SECONDS = 0.025
_NOTE_SECONDS = 0.01
_BETWEEN_LINES = 10.0
_MOST_PLACES = 200
_PACKAGE = str(Path(__file__).parents[1]) + "/"

Run = Callable[[asyncio.Handle], None]


class Watchdog:
    """Times each step of an event loop, and names the code of those that take long.

    A step is what runs from one turn of the loop to the next: a callback, or a task up to its
    next await. It is late if the thread of the loop has used more than LATE seconds of the
    processor for it; seconds in which the machine did something else do not count. While a step
    runs long, another thread looks at where it is.

    Costs a microsecond per step, and a thread that looks forty times a second.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.late: Counter[str] = Counter()
        """How many steps were late so far, by place."""

        self.longest = 0.0
        """Seconds of the processor that the longest step took, but for those at EXCUSED places."""

        self.counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0
        """How many steps took how long, by the clock on the wall; see BOUNDS."""

        self._loop = loop
        self._thread = threading.get_ident()
        self._begun = 0.0
        self._marked_at = float("-inf")
        self._marked_cpu = 0.0
        self._seen: tuple[float, str] = (0.0, "")
        self._imported = -1.0
        self._collecting = 0.0
        self._collected = (-1.0, 0.0)
        self._reported_at: dict[str, float] = {}
        self._is_over = threading.Event()

    @contextmanager
    def watching(self) -> Iterator["Watchdog"]:
        """Watch for the length of a block, in whose thread the loop runs."""
        original: Run = asyncio.Handle._run
        asyncio.Handle._run = self._timed(original)  # type: ignore[method-assign, assignment]
        sampler = threading.Thread(target=self._sample, name="watchdog", daemon=True)
        sampler.start()
        # Asked about every module that is loaded for the first time; it finds none.
        sys.meta_path.insert(0, self)
        gc.callbacks.append(self._note_collection)
        try:
            yield self
        finally:
            gc.callbacks.remove(self._note_collection)
            sys.meta_path.remove(self)
            asyncio.Handle._run = original  # type: ignore[method-assign, assignment]
            self._is_over.set()
            sampler.join()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Note that the step in hand loads a module."""
        if threading.get_ident() == self._thread:
            self._imported = self._begun

    def _note_collection(self, phase: str, info: Any) -> None:
        """Note how long Python looks for garbage in the step in hand."""
        if not self._begun or threading.get_ident() != self._thread:
            return
        if phase == "start":
            self._collecting = time.thread_time()
        elif self._collected[0] == self._begun:
            self._collected = (
                self._begun,
                self._collected[1] + time.thread_time() - self._collecting,
            )
        else:
            self._collected = (self._begun, time.thread_time() - self._collecting)

    def _timed(self, original: Run) -> Run:
        clock, counts, loop = time.perf_counter, self.counts, self._loop

        def run(handle: asyncio.Handle) -> None:
            if handle._loop is not loop:  # type: ignore[attr-defined]
                original(handle)
                return
            begun = clock()
            if begun - self._marked_at > _NOTE_SECONDS:
                # Asking for the processor's time is dear, so it is known to some milliseconds.
                self._marked_at, self._marked_cpu = begun, time.thread_time()
            self._begun = begun
            try:
                original(handle)
            finally:
                self._begun = 0.0
                took = clock() - begun
                counts[bisect_left(BOUNDS, took)] += 1
                self.seconds += took
                if took > LATE:
                    self._judge(handle, begun, took)

        return run

    def _judge(self, handle: asyncio.Handle, begun: float, took: float) -> None:
        before = begun - self._marked_at
        cpu = time.thread_time() - self._marked_cpu - before
        if cpu <= LATE:
            return
        at, place = self._seen
        if self._imported == begun:
            place = IMPORTING
        elif self._collected[0] == begun and cpu - self._collected[1] <= LATE:
            place = COLLECTING
        elif at != begun:
            place = _task_of(handle)
        if place not in self.late and len(self.late) >= _MOST_PLACES:
            place = "other"
        self.late[place] += 1
        if place not in EXCUSED:
            self.longest = max(self.longest, cpu)
        now = time.monotonic()
        if now - self._reported_at.get(place, float("-inf")) >= _BETWEEN_LINES:
            self._reported_at[place] = now
            fields = {"place": place, "cpu": round(cpu, 3), "seconds": round(took, 3)}
            _log.warning(MESSAGE, extra={**fields, "count": self.late[place]})

    def _sample(self) -> None:
        while not self._is_over.wait(_SAMPLE_SECONDS):
            begun = self._begun
            if begun and time.perf_counter() - begun > _SAMPLE_SECONDS and self._seen[0] != begun:
                frame = sys._current_frames().get(self._thread)
                place = _place(frame)
                if self._begun == begun:
                    self._seen = (begun, place)
                del frame


def _place(frame: FrameType | None) -> str:
    """Return the innermost function of this package on a stack, or else the innermost."""
    found = ""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_PACKAGE) and name != __file__:
            return f"{name.removeprefix(_PACKAGE)}:{frame.f_code.co_name}"
        found = found or f"{'/'.join(name.split('/')[-2:])}:{frame.f_code.co_name}"
        frame = frame.f_back
    return found or "unknown"


def _task_of(handle: asyncio.Handle) -> str:
    """Return what a handle ran, when nobody has seen where it was."""
    callback: Any = handle._callback  # type: ignore[attr-defined]
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        return f"task {getattr(owner.get_coro(), '__qualname__', 'unknown')}"
    return f"callback {getattr(callback, '__qualname__', type(callback).__name__)}"
