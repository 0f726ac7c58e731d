"""Whose turn it is at the database: who has used it least goes first."""

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import Context, ContextVar
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from hotplate.store.fairness.precedence import LONGEST, PAUSE, Precedence

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
    is_one = len(different) == 1 and "" not in different
    return on_behalf_of(_WORK + different.pop() if is_one else "")


def project_of(context: Context) -> str:
    """Return for which project something is done in a context; empty if for nobody."""
    return context.get(_project, "").removeprefix(_WORK)


def is_first(project: str) -> bool:
    """Tell whether it is no project, but one of the lines that are served first."""
    return project in _FIRST


@dataclass(frozen=True, slots=True)
class Taken(Generic[T]):
    """An item in hand, and the line that it came from."""

    item: T
    line: str
    since: float


class FairQueue(Generic[T]):
    """A line for each project, and one for what is done for nobody in particular.

    In a line the order stays as it is. The line goes first whose items took the least time lately,
    so whoever asks for little waits for what is in hand, however much all others ask for. Lines
    that took as much as each other go in turn. Of a project's line so many items at most are in
    hand at a time, and an item of one that has used much is held back for a moment if somebody
    else is likely to ask in the next. Queues of one process share the ``precedence``. Safe for
    several threads.
    """

    def __init__(
        self, most: int, is_work_apart: bool = False, precedence: Precedence | None = None
    ) -> None:
        self._most = most
        self._is_work_apart = is_work_apart
        self._lines: OrderedDict[str, deque[T]] = OrderedDict()
        self._in_hand: Counter[str] = Counter()
        self._precedence = precedence or Precedence()
        self._held: dict[str, float] = {}
        """Until when the next item of a line is held back at most."""

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
        if project and project not in _FIRST:
            self._precedence.ask(project)
        with self._changed:
            self._note(project)
            self._lines.setdefault(line, deque()).append(item)
            self._changed.notify()

    def get(self) -> Taken[T] | None:
        """Return the next item; waits for one. None if the queue is closed and empty."""
        with self._changed:
            while True:
                now = time.monotonic()
                line = self._next(now)
                if line is not None:
                    seconds = self._held_back(line, now)
                    if seconds <= 0:
                        break
                    self._changed.wait(seconds)
                elif self._is_closed and not self._lines:
                    return None
                else:
                    self._changed.wait()
            self._held.pop(line, None)
            waiting = self._lines[line]
            item = waiting.popleft()
            if waiting:
                self._lines.move_to_end(line)
            else:
                del self._lines[line]
            self._in_hand[line] += 1
            self._precedence.begin(line.removeprefix(_WORK))
            return Taken(item, line, time.monotonic())

    def done(self, taken: Taken[T], processor: float = 0.0) -> None:
        """Note that an item is not in hand any more. Called once for each.

        ``processor``: for so many seconds it had that.
        """
        project = taken.line.removeprefix(_WORK)
        self._precedence.end(project, time.monotonic() - taken.since)
        self._precedence.add(project, processor)
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

    def _next(self, now: float) -> str | None:
        free = [line for line in self._lines if self._in_hand[line] < self._most_of(line)]
        if len(free) < 2:
            return free[0] if free else None
        return min(free, key=lambda line: self._rank(line, now))

    def _rank(self, line: str, now: float) -> tuple[bool, float]:
        return line not in _FIRST, self._precedence.use(line.removeprefix(_WORK), now)

    def _held_back(self, line: str, now: float) -> float:
        """Return how long the next item of a line has to wait although nobody else is there."""
        if not line or line in _FIRST or self._is_closed:
            return 0.0
        project = line.removeprefix(_WORK)
        seconds = self._precedence.held_back(project, now)
        if seconds <= 0 and self._precedence.yields(project, now):
            seconds = PAUSE
        if seconds <= 0:
            return 0.0
        return min(seconds, self._held.setdefault(line, now + LONGEST) - now)

    def _most_of(self, line: str) -> float:
        return float("inf") if not line or line in _FIRST else self._most
