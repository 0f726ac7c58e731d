"""Who goes before whom in one process: a project that has used little before one that used much."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from hotplate.store.fairness.recent_use import RecentUse

MUCH: Final = 0.3
"""Seconds of threads lately, from which on a project gives way to those that have used less."""

SOME: Final = 0.15
"""Seconds of the processor lately, from which on a project leaves the interpreter to others."""

GAP: Final = 0.003
"""Seconds for which it is expected that who was just there asks for more."""

LATELY: Final = 0.05
"""Seconds for which it is remembered that somebody was there."""

PAUSE: Final = 0.001
LONGEST: Final = 0.02
"""Seconds until it is looked again whether a piece of work may begin, and after which it may."""


_MOST_SEEN: Final = 100

_AROUND: Final = 1.0
"""Seconds after which who was there counts as gone."""


class Precedence:
    """Knows what projects have used lately of all threads that speak to a database, and when.

    What a small request asks of a database is a dozen pieces, one after the other. If between any
    two of them somebody else began one, it would wait a dozen times. Safe for several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._use = RecentUse()
        self._interpreter = RecentUse()
        self._seen: dict[str, float] = {}
        self._in_hand: Counter[str] = Counter()
        self._requests: Counter[str] = Counter()

    @contextmanager
    def asking(self, project: str) -> Iterator[None]:
        """Note that a project has a request in hand inside: who has many gives way to who has few.

        Whatever somebody asks for one after the other comes before what others ask for at once.
        """
        with self._lock:
            self._requests[project] += 1
        try:
            yield
        finally:
            with self._lock:
                self._requests[project] -= 1
                if not self._requests[project]:
                    del self._requests[project]

    def ask(self, project: str) -> None:
        """Note that a project asks for something. What nobody asks for holds nobody back."""
        now = time.monotonic()
        with self._lock:
            if len(self._seen) > _MOST_SEEN:
                self._seen = {each: at for each, at in self._seen.items() if now - at < LATELY}
            self._seen[project] = now

    def begin(self, project: str) -> None:
        """Note that a thread works for a project."""
        with self._lock:
            self._in_hand[project] += 1

    def end(self, project: str, seconds: float) -> None:
        """Note that it has done so, for so many seconds."""
        now = time.monotonic()
        with self._lock:
            if project in self._seen:
                self._seen[project] = now
            self._use.add(project, seconds, now)
            self._in_hand[project] -= 1
            if not self._in_hand[project]:
                del self._in_hand[project]

    def add(self, project: str, seconds: float) -> None:
        """Note that a project has had the processor for so many seconds, in whatever thread."""
        now = time.monotonic()
        with self._lock:
            self._interpreter.add(project, seconds, now)

    def use(self, project: str, now: float) -> float:
        """Return what a project has used lately."""
        with self._lock:
            return self._use.of(project, now)

    def held_back(self, project: str, now: float) -> float:
        """Return for how many seconds a piece of work waits before it is looked again.

        A project that has used much has one thread at a time while somebody is there who has used
        less, and begins nothing while that one is being worked for, or is likely to ask.
        """
        with self._lock:
            if self._use.of(project, now) < MUCH:
                return 0.0
            weight = self._weight(self._use, project, now)
            seen = [
                now if each in self._in_hand else at
                for each, at in self._seen.items()
                if each != project
                and (now - at < LATELY or each in self._in_hand)
                and self._weight(self._use, each, now) < weight
            ]
            is_busy = self._in_hand[project] > 0
        if not seen:
            return 0.0
        return PAUSE if is_busy else max(0.0, max(seen) + GAP - now)

    def yields(self, project: str, now: float) -> bool:
        """Tell whether a project leaves the interpreter to others for the moment.

        One that has had it for long does while somebody who had less of it is being worked for, or
        is likely to ask: threads that work at the same time take it from each other. Who has waited
        for a database for long needs no interpreter.
        """
        if len(self._seen) < 2 and project in self._seen:
            return False  # it is alone
        with self._lock:
            weight = self._weight(self._interpreter, project, now)
            return self._interpreter.of(project, now) >= SOME and any(
                each != project
                and now - at < (LATELY if each in self._in_hand else GAP)
                and self._weight(self._interpreter, each, now) < weight
                for each, at in self._seen.items()
            )

    def is_heavy(self, project: str) -> bool:
        """Tell whether a project has computed so much that it gives way, and others are there."""
        now = time.monotonic()
        with self._lock:
            return self._interpreter.of(project, now) >= SOME and any(
                each != project and now - at < _AROUND for each, at in self._seen.items()
            )

    def give_way(self, project: str) -> None:
        """Let others go first in the middle of a long piece of work. Blocks for moments."""
        now = time.monotonic()
        end = now + LONGEST
        while now < end and (self._is_in_the_way(project, now) or self.yields(project, now)):
            time.sleep(PAUSE)
            now = time.monotonic()

    def _is_in_the_way(self, project: str, now: float) -> bool:
        with self._lock:
            weight = self._weight(self._use, project, now)
            return self._use.of(project, now) >= MUCH and any(
                each != project and now - at < GAP and self._weight(self._use, each, now) < weight
                for each, at in self._seen.items()
            )

    def _weight(self, use: RecentUse, project: str, now: float) -> float:
        return use.of(project, now) * max(1, self._requests[project])
