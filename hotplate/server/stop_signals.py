"""Signals that end a process in good order."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterator


class StopSignals:
    """The first signal stops in good order; the second ends the process at once."""

    def __init__(self) -> None:
        self.first = ""
        self._stop: Callable[[], None] = lambda: None

    @property
    def stop(self) -> Callable[[], None]:
        """What stops the process."""
        return self._stop

    @stop.setter
    def stop(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        if self.first:
            stop()

    @contextlib.contextmanager
    def handled(self) -> Iterator[None]:
        """Take SIGTERM and SIGINT."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._take, number)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)

    def _take(self, number: signal.Signals) -> None:
        if self.first:
            # Nothing is lost: what is in hand is taken over as after a crash.
            os._exit(128 + number)
        self.first = number.name
        self._stop()
