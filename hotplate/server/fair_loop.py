"""An event loop in which projects take turns: who has used it least goes first.

In asyncio's own loop whatever is ready runs in the order in which it became so. A project with a
hundred requests in hand has a hundred steps between any two of another's.
"""

import asyncio
import selectors
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from hotplate.store.fairness.fair_queue import is_first, project_of
from hotplate.store.fairness.recent_use import RecentUse

_FEW: Final = 4
"""Steps between two looks at who else has come, while several projects are there."""

_LATELY: Final = 1.0
"""Seconds for which it is remembered that another project was there."""

_BETWEEN_POLLS: Final = 0.0005
"""Seconds between two looks at the sockets while something is ready. Each lets other threads take
the interpreter, and one that computes keeps it for a while."""

_NO_PROJECT: Final = ""
_FIRST: Final = "\0first"
"""Lines of what is done for no project: all that, and what goes before everything."""


class FairLoop(asyncio.SelectorEventLoop):
    """The loop of a server and of a worker."""

    def __init__(self) -> None:
        super().__init__(_Selector())
        self._ready = Ready()


class Ready:
    """What is ready to run, as far as a loop asks: a queue with a line for each project.

    In a line the order stays as it is. What is done for nobody in particular, such as reading from
    a socket, has every other step; health checks and heartbeats go first. Any thread may append;
    all else is for that of the loop.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._arrived: deque[asyncio.Handle] = deque()
        self.append = self._arrived.append
        self._lines: dict[str, deque[asyncio.Handle]] = {}
        self._waiting: set[int] = set()
        self._count = 0
        self._use = RecentUse()
        self._running: tuple[str, float] | None = None
        self._before = _NO_PROJECT
        self._latest = _NO_PROJECT
        self._contended_at = float("-inf")

    def __bool__(self) -> bool:
        """Return whether anything is ready. The loop asks after its steps, before it may sleep."""
        self._note_use()
        return bool(self._count or self._arrived)

    def __len__(self) -> int:
        """Return how many steps the loop takes before it looks who else has come."""
        self._sort()
        is_contended = self._count > _FEW and self._clock() - self._contended_at < _LATELY
        return _FEW if is_contended else self._count

    def popleft(self) -> asyncio.Handle:
        """Return what runs next."""
        self._note_use()
        if not self._count:
            self._sort()
        project = self._next()
        line = self._lines[project]
        handle = line.popleft()
        self._waiting.discard(id(handle))
        if not line:
            del self._lines[project]
        self._count -= 1
        self._before = project
        self._running = project, self._clock()
        return handle

    def clear(self) -> None:
        """Forget everything."""
        self._arrived.clear()
        self._lines.clear()
        self._waiting.clear()
        self._count = 0

    def _sort(self) -> None:
        while self._arrived:
            handle = self._arrived.popleft()
            if id(handle) in self._waiting:
                # A socket is ready for as long as nobody has read from it, and says so at each
                # look: once is enough.
                continue
            self._waiting.add(id(handle))
            project = _project_of(handle)
            if project not in (_NO_PROJECT, _FIRST):
                self._note(project)
            self._lines.setdefault(project, deque()).append(handle)
            self._count += 1

    def _note(self, project: str) -> None:
        """Note that something of a project has come."""
        if project in self._lines and project == self._latest:
            return
        now = self._clock()
        self._use.arrive(project, now)
        if project != self._latest:
            if self._latest:
                self._contended_at = now
            self._latest = project

    def _next(self) -> str:
        if len(self._lines) == 1:
            return next(iter(self._lines))
        if _FIRST in self._lines:
            return _FIRST
        if self._before and _NO_PROJECT in self._lines:
            return _NO_PROJECT
        now = self._clock()
        return min(filter(None, self._lines), key=lambda project: self._use.of(project, now))

    def _note_use(self) -> None:
        if self._running is not None:
            project, begun = self._running
            self._running, now = None, self._clock()
            if project not in (_NO_PROJECT, _FIRST):
                self._use.add(project, now - begun, now)


def _project_of(handle: asyncio.Handle) -> str:
    project = project_of(handle._context)  # type: ignore[attr-defined]
    if not project:
        # What a socket has brought is the project's that has used its connection before.
        transport = getattr(handle._callback, "__self__", None)  # type: ignore[attr-defined]
        if isinstance(transport, asyncio.Transport):
            return getattr(transport.get_protocol(), "project", _NO_PROJECT)
    return _FIRST if is_first(project) else project


class _Selector(selectors.DefaultSelector):
    """A selector that does not look at every turn while the loop has something to run."""

    def __init__(self) -> None:
        super().__init__()
        self._polled_at = float("-inf")

    def select(self, timeout: float | None = None) -> Any:
        now = time.perf_counter()
        if timeout == 0 and now - self._polled_at < _BETWEEN_POLLS:
            return []
        found = super().select(timeout)
        self._polled_at = time.perf_counter()
        return found
