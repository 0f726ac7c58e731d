"""Inline environments, kept: the same text is parsed once in a process."""

from collections import OrderedDict
from threading import Lock

from hotplate.bounded import must_be_light
from hotplate.document import parse
from hotplate.environment.environment_file import EnvironmentFile
from hotplate.environment.environment_file import parse as parse_environment
from hotplate.environment.names import INLINE

_LEAST_TEXT = 2048
"""Characters that a parsed text counts for beside its own."""


class InlineEnvironments:
    """Inline environments that were parsed lately: all members of a group have the same.

    ``text_bytes`` is how long their texts may be together: what is parsed takes twenty times that.
    """

    def __init__(self, text_bytes: int = 256 * 1024) -> None:
        self._most = text_bytes
        self._size = 0
        self._kept: OrderedDict[str, EnvironmentFile] = OrderedDict()
        self._lock = Lock()

    def inline(self, text: str) -> EnvironmentFile:
        """Return a parsed environment. Raises InvalidDocument."""
        with self._lock:
            found = self._kept.get(text)
        if found is None:
            must_be_light(len(text))
            found = parse_environment(parse(text, INLINE))
            with self._lock:
                if text not in self._kept:
                    self._kept[text] = found
                    self._size += len(text) + _LEAST_TEXT
                while self._size > self._most and len(self._kept) > 1:
                    self._size -= len(self._kept.popitem(last=False)[0]) + _LEAST_TEXT
        return found
