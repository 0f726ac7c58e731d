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
"""Seconds between two checks."""

T = TypeVar("T")

Stamps = tuple[tuple[str, int, int, int], ...]


class Watched(Generic[T]):
    """What files say now. If they come to say something that makes no sense, what they said before.

    ``files`` returns those that there are; ``load`` reads them and raises CannotStart.
    """

    def __init__(self, files: Callable[[], Iterable[Path]], load: Callable[[], T]) -> None:
        self._files = files
        self._load = load
        self._last = self._stamps()
        self.current = load()

    async def keep_checking(self) -> None:
        """Read the files again whenever they change, until the task is cancelled."""
        while True:
            await asyncio.sleep(_PAUSE)
            try:
                await asyncio.to_thread(self.check)
            except Exception:  # the next try may go well
                _log.exception("files that may have changed cannot be checked")

    def check(self) -> None:
        """Read the files again if they have changed. Reads files; blocks."""
        stamps = self._stamps()
        if stamps == self._last:
            return
        self._last = stamps
        names = ", ".join(name for name, *_ in stamps)
        try:
            self.current = self._load()
        except CannotStart as error:
            _log.error(
                "a changed file is invalid: what it said before stays in use",
                extra={"files": names, "reason": str(error)},
            )
        else:
            _log.info("a changed file was read", extra={"files": names})

    def _stamps(self) -> Stamps:
        found = []
        for path in self._files():
            try:
                state = os.stat(path)
            except OSError:
                found.append((str(path), 0, 0, 0))
            else:
                found.append((str(path), state.st_mtime_ns, state.st_size, state.st_ino))
        return tuple(found)
