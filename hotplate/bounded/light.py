"""Work that must be over in a moment: in the event loop, and inside a transaction that writes.

Such work is done inside `light`. Whatever could take longer asks `must_be_light` first, and is
refused there with TooHeavy: the caller has it done elsewhere, where nobody waits behind it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

LIGHT_TEXT: Final = 2048
"""Characters that are read or matched in a moment."""

_is_light: ContextVar[bool] = ContextVar("light", default=False)


class TooHeavy(Exception):
    """This may take longer than a moment. Not an error of what is evaluated."""


@contextmanager
def light() -> Iterator[None]:
    """Refuse inside what may take longer than a moment."""
    token = _is_light.set(True)
    try:
        yield
    finally:
        _is_light.reset(token)


def is_light() -> bool:
    """Tell whether only light work may be done here."""
    return _is_light.get()


def must_be_light(size: int | None = None) -> None:
    """Raise TooHeavy where only light work may be done; ``size``: if more than that is read."""
    if _is_light.get() and (size is None or size > LIGHT_TEXT):
        raise TooHeavy
