"""What was sealed or opened lately, in memory: most of a row is written as it was read."""

from typing import Final

_SHORT: Final = 1024
_LARGEST: Final = 1_000_000
"""Characters of each of the two halves; of all projects of a process together."""

Known = tuple[str, str, str]
"""A text, what is stored of it, and the id of the key."""


class Recent:
    """Short texts by what they are bound to: table, column, row and project.

    Whatever is found must still be compared with the one side that is known: rows change. Two
    halves: when the younger one is full it becomes the older one, and that is forgotten. Any
    thread may use it; what two of them note at the same time may be forgotten.
    """

    __slots__ = ("_older", "_size", "_younger")

    def __init__(self) -> None:
        self._younger: dict[str, Known] = {}
        self._older: dict[str, Known] = {}
        self._size = 0

    def get(self, bound: str) -> Known | None:
        """Return what is known, None if nothing is."""
        return self._younger.get(bound) or self._older.get(bound)

    def forget(self) -> None:
        """Let go of everything: of a process that has nothing to do it would be kept for ever."""
        self._older, self._younger, self._size = {}, {}, 0

    def note(self, bound: str, text: str, stored: str, key_id: str = "") -> None:
        """Remember a text, unless it is long."""
        if len(text) > _SHORT:
            return
        self._size += len(bound) + len(text) + len(stored)
        if self._size > _LARGEST:
            self._older, self._younger, self._size = self._younger, {}, 0
        self._younger[bound] = text, stored, key_id
