"""Which secrets a task has in hand, so that log lines that it writes tell none of them.

What a task logs is known only when it logs it: an error of a library, a traceback. So whoever comes
by secrets notes them, and what formats log lines asks for them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from hotplate.secret.masking import Secrets

_MOST: Final = 1000
"""Notes that are kept for one task."""

_noted: Final[ContextVar[list[Callable[[], Secrets]] | None]] = ContextVar("secrets", default=None)


@contextmanager
def noting_secrets() -> Iterator[None]:
    """Keep in here what is noted, also by threads and tasks that are begun here."""
    token = _noted.set([])
    try:
        yield
    finally:
        _noted.reset(token)


def note_secrets(found: Callable[[], Secrets]) -> None:
    """Note secrets, to be worked out only if a line is logged. Nothing outside `noting_secrets`."""
    noted = _noted.get()
    if noted is not None and len(noted) < _MOST:
        noted.append(found)


def without_secrets(text: str) -> str:
    """Return a text with stars where it repeats a secret that this task has in hand."""
    noted = _noted.get()
    if not noted:
        return text
    secrets = Secrets()
    for found in noted:
        secrets |= found()
    return secrets.text(text)
