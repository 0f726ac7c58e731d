"""How often Python looks for garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

THRESHOLDS: Final = (50_000, 20, 10)
"""Of the three generations, as `gc.set_threshold` takes them."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Let Python look for objects that only refer to each other less often than it would.

    An engine at work makes very many small objects at once and hardly ever a loop of them, so most
    looks are for nothing. Objects without loops go at once as ever.
    """
    before = gc.get_threshold()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
