"""A watchdog for hostile input: whatever takes half a minute of processor time has hung."""

import signal
from collections.abc import Iterator
from types import FrameType

import pytest


class Hung(BaseException):
    """A test took too long. No ordinary handler of exceptions may catch it."""


@pytest.fixture(autouse=True)
def watchdog() -> Iterator[None]:
    def bark(signum: int, frame: FrameType | None) -> None:
        raise Hung("half a minute is over")

    before = signal.signal(signal.SIGPROF, bark)
    signal.setitimer(signal.ITIMER_PROF, 30)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)
