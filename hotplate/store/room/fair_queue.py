"""Whose turn it is at the database: projects that wait are served in turn."""

import queue
import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Generic, TypeVar

T = TypeVar("T")

HEALTH: Final = "\0health"
HEARTBEAT: Final = "\0heartbeat"
"""Lines that are served first: work of a moment, seldom. No project has such a name."""

_FIRST: Final = frozenset((HEALTH, HEARTBEAT))

_project: ContextVar[str] = ContextVar("project of the work", default="")


@contextmanager
def on_behalf_of(project: str) -> Iterator[None]:
    """Let what is asked of the database inside wait in the line of a project."""
    token = _project.set(project)
    try:
        yield
    finally:
        _project.reset(token)


class FairQueue(Generic[T]):
    """A line for each project, and one for what is done for nobody in particular.

    In a line the order stays as it is. Whoever comes waits for what is in hand, and for one item
    of each other line, however long these are. Safe for several threads.
    """

    def __init__(self) -> None:
        self._lines: OrderedDict[str, deque[T]] = OrderedDict()
        self._lock = threading.Lock()
        self._tickets: queue.SimpleQueue[None] = queue.SimpleQueue()

    def put(self, item: T) -> None:
        """Add an item to the line of the project that this is done for."""
        project = _project.get()
        with self._lock:
            self._lines.setdefault(project, deque()).append(item)
            if project in _FIRST:
                self._lines.move_to_end(project, last=False)
        self._tickets.put(None)

    def get(self) -> T | None:
        """Return the next item; waits for one. None if the queue is closed and empty."""
        self._tickets.get()
        with self._lock:
            if not self._lines:
                return None
            project, line = next(iter(self._lines.items()))
            item = line.popleft()
            if line:
                self._lines.move_to_end(project)
            else:
                del self._lines[project]
            return item

    def close(self, takers: int) -> None:
        """Let each of the takers find an end, after all items."""
        for _ in range(takers):
            self._tickets.put(None)
