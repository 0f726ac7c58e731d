"""Whose turn it is at the database: projects that wait are served in turn."""

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

T = TypeVar("T")

HEALTH: Final = "\0health"
HEARTBEAT: Final = "\0heartbeat"
"""Lines that are served first: work of a moment, seldom. No project has such a name."""

_FIRST: Final = frozenset((HEALTH, HEARTBEAT))

_WORK: Final = "\0work/"
"""Before the project, where a worker asks and not a caller."""

_LATELY: Final = 1.0
"""Seconds for which it is remembered that another project was there."""

_project: ContextVar[str] = ContextVar("project of the work", default="")


@contextmanager
def on_behalf_of(project: str) -> Iterator[None]:
    """Let what is asked of the database inside wait in the line of a project."""
    token = _project.set(project)
    try:
        yield
    finally:
        # A coroutine that nobody awaits any more is closed in another context, which knows nothing.
        with suppress(ValueError):
            _project.reset(token)


def at_work_for(projects: Iterable[str]) -> AbstractContextManager[None]:
    """Let what a worker asks inside wait in the line of a project.

    Where of a project only some items are in hand at a time, it has a line of its own: requests
    must not hold the worker up. What is done for several projects at a time is done for nobody in
    particular.
    """
    different = set(projects)
    return on_behalf_of(_WORK + different.pop() if len(different) == 1 else "")


@dataclass(frozen=True, slots=True)
class Taken(Generic[T]):
    """An item in hand, and the line that it came from."""

    item: T
    line: str


class FairQueue(Generic[T]):
    """A line for each project, and one for what is done for nobody in particular.

    In a line the order stays as it is. Whoever comes waits for what is in hand, and for one item
    of each other line, however long these are. Of a project's line so many items at most are in
    hand at a time. Safe for several threads.
    """

    def __init__(self, most: int, is_work_apart: bool = False) -> None:
        self._most = most
        self._is_work_apart = is_work_apart
        self._lines: OrderedDict[str, deque[T]] = OrderedDict()
        self._in_hand: Counter[str] = Counter()
        self._changed = threading.Condition()
        self._is_closed = False
        self._latest = ""
        self._contended_at = float("-inf")

    @property
    def is_contended(self) -> bool:
        """Whether several projects have come lately, and wait for each other."""
        return time.monotonic() - self._contended_at < _LATELY

    def put(self, item: T) -> None:
        """Add an item to the line of the project that this is done for."""
        line = _project.get()
        project = line.removeprefix(_WORK)
        if not self._is_work_apart:
            line = project
        with self._changed:
            self._note(project)
            self._lines.setdefault(line, deque()).append(item)
            if line in _FIRST:
                self._lines.move_to_end(line, last=False)
            self._changed.notify()

    def get(self) -> Taken[T] | None:
        """Return the next item; waits for one. None if the queue is closed and empty."""
        with self._changed:
            while True:
                line = self._next()
                if line is not None:
                    break
                if self._is_closed and not self._lines:
                    return None
                self._changed.wait()
            waiting = self._lines[line]
            item = waiting.popleft()
            if waiting:
                self._lines.move_to_end(line)
            else:
                del self._lines[line]
            self._in_hand[line] += 1
            return Taken(item, line)

    def done(self, taken: Taken[T]) -> None:
        """Note that an item is not in hand any more. Called once for each."""
        with self._changed:
            self._in_hand[taken.line] -= 1
            if not self._in_hand[taken.line]:
                del self._in_hand[taken.line]
            self._changed.notify_all()

    def close(self) -> None:
        """Let all takers find an end, after all items."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _note(self, project: str) -> None:
        if project and project not in _FIRST and project != self._latest:
            if self._latest:
                self._contended_at = time.monotonic()
            self._latest = project

    def _next(self) -> str | None:
        for line in self._lines:
            if not line or line in _FIRST or self._in_hand[line] < self._most:
                return line
        return None
