"""Processor time that patterns and queries may take, each alone and all of one task together.

What can be counted is counted, because counts are the same on every machine. The steps of a
pattern cannot be, so a clock has the last word.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import thread_time


class Allowance:
    """Seconds that are left."""

    __slots__ = ("left",)

    def __init__(self, seconds: float) -> None:
        self.left = seconds


_current: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def time_limit(seconds: float) -> Iterator[Allowance]:
    """Let the patterns and queries inside take so many seconds together.

    Other work inside is not counted. A limit inside another takes from it and never extends it.
    """
    outer = _current.get()
    granted = seconds if outer is None else min(seconds, outer.left)
    inner = Allowance(granted)
    token = _current.set(inner)
    try:
        yield inner
    finally:
        _current.reset(token)
        if outer is not None:
            outer.left -= granted - inner.left


@contextmanager
def timed(seconds: float) -> Iterator[float]:
    """Yield how many seconds one piece of work may take, and take off what it took."""
    with time_limit(seconds) as allowance:
        granted, started = allowance.left, thread_time()
        try:
            yield max(granted, 0.0)
        finally:
            allowance.left = granted - (thread_time() - started)
