"""What was read from texts, kept for the next who asks."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """The last few things, read from texts of so many characters together. For any thread.

    A number alone would be no bound: what is read from a text may be fifty times as large.
    """

    def __init__(self, most: int = 512, most_characters: int = 8_000_000) -> None:
        self._most = most
        self._most_characters = most_characters
        self._kept: OrderedDict[tuple[str, ...], T] = OrderedDict()
        self._characters = 0
        self._lock = Lock()

    def get(self, key: tuple[str, ...], read: Callable[[], T]) -> T:
        """Return what is kept under a key, which begins with the text; read it if nothing is."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = read()
        with self._lock:
            if key not in self._kept:
                self._characters += len(key[0])
            self._kept[key] = found
            while len(self._kept) > 1 and self._is_too_much():
                (text, *_), _ = self._kept.popitem(last=False)
                self._characters -= len(text)
        return found

    def _is_too_much(self) -> bool:
        return len(self._kept) > self._most or self._characters > self._most_characters
