"""An event loop in which projects take turns: who has used it least goes first.

In asyncio's own loop whatever is ready runs in the order in which it became so. A project with a
hundred requests in hand has a hundred steps between any two of another's.
"""

import asyncio
import select
import selectors
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from hotplate.store.fairness.fair_queue import is_first, project_of
from hotplate.store.fairness.precedence import LONGEST, PAUSE, Precedence
from hotplate.store.fairness.recent_use import RecentUse

_FEW: Final = 4
"""Steps between two looks at who else has come, while several projects are there."""

_LATELY: Final = 1.0
"""Seconds for which it is remembered that another project was there."""

_BETWEEN_POLLS: Final = 0.0005
"""Seconds between two looks at the sockets while something is ready. Each lets other threads take
the interpreter, and one that computes keeps it for a while."""

_HAS_EPOLL: Final = hasattr(select, "epoll")
_NO_PROJECT: Final = ""
_FIRST: Final = "\0first"
"""Lines of what is done for no project: all that, and what goes before everything."""


class FairLoop(asyncio.SelectorEventLoop):
    """The loop of a server and of a worker."""

    def __init__(self) -> None:
        ready = Ready()
        super().__init__(_Selector(ready))
        self._ready = ready

    def heed(self, precedence: Precedence) -> None:
        """Let steps of who has used much wait while the database works for who has used less.

        They would take the interpreter from its threads, which need it a hundred times for one
        small stack.
        """
        self._ready.heed(precedence)


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
        self._processor = 0.0
        self._computed: dict[str, float] = {}
        """Seconds of the processor that nobody else knows of yet."""

        self._before = _NO_PROJECT
        self._latest = _NO_PROJECT
        self._contended_at = float("-inf")
        self._precedence: Precedence | None = None
        self._held: dict[str, float] = {}
        """Lines that wait for others, and until when they do at most."""

        self._polled_at = float("-inf")

    @property
    def is_holding(self) -> bool:
        """Whether there are steps that are held back for a moment."""
        return bool(self._held)

    def is_held(self, handle: asyncio.Handle | None) -> bool:
        """Tell whether a step is ready and held back."""
        return handle is not None and id(handle) in self._waiting

    def heed(self, precedence: Precedence) -> None:
        """Hold back who has used much while others are worked for, as ``precedence`` says."""
        self._precedence = precedence
        self._processor = time.thread_time()

    def __bool__(self) -> bool:
        """Return whether anything may run. The loop asks after its steps, before it may sleep."""
        self._note_use()
        self._sort()
        return self._count > self._held_back()

    def __len__(self) -> int:
        """Return how many steps the loop takes before it looks who else has come."""
        self._sort()
        count = self._count - self._held_back()
        is_contended = count > _FEW and self._clock() - self._contended_at < _LATELY
        return _FEW if is_contended else count

    def popleft(self) -> asyncio.Handle:
        """Return what runs next."""
        self._note_use()
        if not self._count:
            self._sort()
        project = self._next()
        self._held.pop(project, None)
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
        self._held.clear()
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
        if self._precedence is not None:
            self._precedence.ask(project)
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
        return min(
            filter(None, self._lines),
            key=lambda project: (project in self._held, self._use.of(project, now)),
        )

    def _held_back(self) -> int:
        """Return how many steps may not run yet."""
        precedence = self._precedence
        if precedence is None or not self._lines:
            return 0
        now = time.monotonic()
        if now - self._polled_at > PAUSE:
            self._polled_at = now
            while self._computed:
                precedence.add(*self._computed.popitem())
            self._held = {
                project: until
                for project in self._lines
                if project not in (_NO_PROJECT, _FIRST)
                and now < (until := self._held.get(project, now + LONGEST))
                and precedence.yields(project, now)
            }
        return sum(len(self._lines[project]) for project in self._held)

    def _note_use(self) -> None:
        if self._running is None:
            return
        project, begun = self._running
        self._running, now = None, self._clock()
        if project not in (_NO_PROJECT, _FIRST):
            self._use.add(project, now - begun, now)
        if self._precedence is not None:
            # What the loop itself needs between two steps counts with the later one.
            before, self._processor = self._processor, time.thread_time()
            if project not in (_NO_PROJECT, _FIRST):
                used = self._processor - before
                self._computed[project] = self._computed.get(project, 0.0) + used


def _project_of(handle: asyncio.Handle) -> str:
    project = project_of(handle._context)  # type: ignore[attr-defined]
    if not project:
        # What a socket has brought is the project's that has used its connection before.
        transport = getattr(handle._callback, "__self__", None)  # type: ignore[attr-defined]
        if isinstance(transport, asyncio.Transport):
            return getattr(transport.get_protocol(), "project", _NO_PROJECT)
    return _FIRST if is_first(project) else project


class _Selector(selectors.DefaultSelector):
    """A selector that does not look at every turn while the loop has something to run.

    While steps are held back it does not look at the sockets that they would read from: those are
    ready all the time.
    """

    def __init__(self, ready: Ready) -> None:
        super().__init__()
        self._ready = ready
        self._polled_at = float("-inf")
        self._muted: set[int] = set()

    def select(self, timeout: float | None = None) -> Any:
        if self._muted:
            self._unmute()
        if self._ready.is_holding and (timeout is None or timeout > PAUSE):
            timeout = PAUSE
        now = time.perf_counter()
        if timeout == 0 and now - self._polled_at < _BETWEEN_POLLS:
            return []
        found = super().select(timeout)
        if _HAS_EPOLL and self._ready.is_holding:
            found = self._without_held(found)
            if not found and timeout:
                # Those were all; there may be others in what is left of the time.
                found = super().select(timeout)
        self._polled_at = time.perf_counter()
        return found

    def _without_held(self, found: Any) -> Any:
        others = []
        for key, events in found:
            if self._is_held(key):
                self._muted.add(key.fd)
                self._watch(key.fd, 0)
            else:
                others.append((key, events))
        return others

    def _unmute(self) -> None:
        keys = self.get_map()
        for fd in [*self._muted]:
            if fd in keys and self._is_held(keys[fd]):
                continue
            self._muted.discard(fd)
            if fd in keys:
                self._watch(fd, keys[fd].events)

    def _watch(self, fd: int, events: int) -> None:
        """Look at a socket for these events only, whatever is registered."""
        reads, writes = events & selectors.EVENT_READ, events & selectors.EVENT_WRITE
        mask = (select.EPOLLIN if reads else 0) | (select.EPOLLOUT if writes else 0)
        self._selector.modify(fd, mask)  # type: ignore[attr-defined]

    def _is_held(self, key: selectors.SelectorKey) -> bool:
        return isinstance(key.data, tuple) and self._ready.is_held(key.data[0])
