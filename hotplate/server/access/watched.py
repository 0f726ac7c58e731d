"""Files that an operator may change while the server runs."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Generic, TypeVar

from hotplate.server.refusal import CannotStart

_log = logging.getLogger("hotplate.server")

_PAUSE: Final = 1.0
"""Seconds between two looks."""

T = TypeVar("T")

Mark = tuple[tuple[str, int, int, int], ...]


class Watched(Generic[T]):
    """What files say now. If they come to say something that makes no sense, what they said before.

    ``files`` returns those that there are; ``load`` reads them and raises CannotStart.
    """

    def __init__(self, files: Callable[[], Iterable[Path]], load: Callable[[], T]) -> None:
        self._files = files
        self._load = load
        self._mark = self._look()
        self.current = load()

    async def keep_looking(self) -> None:
        """Read the files again whenever they change, until the task is cancelled."""
        while True:
            await asyncio.sleep(_PAUSE)
            try:
                await asyncio.to_thread(self.look)
            except Exception:  # the next look may go well
                _log.exception("files that may have changed cannot be looked at")

    def look(self) -> None:
        """Read the files again if they have changed. Reads files; blocks."""
        mark = self._look()
        if mark == self._mark:
            return
        self._mark = mark
        names = ", ".join(name for name, *_ in mark)
        try:
            self.current = self._load()
        except CannotStart as error:
            _log.error(
                "a changed file makes no sense: what it said before still holds",
                extra={"files": names, "reason": str(error)},
            )
        else:
            _log.info("a changed file was read", extra={"files": names})

    def _look(self) -> Mark:
        found = []
        for path in self._files():
            try:
                state = os.stat(path)
            except OSError:
                found.append((str(path), 0, 0, 0))
            else:
                found.append((str(path), state.st_mtime_ns, state.st_size, state.st_ino))
        return tuple(found)
