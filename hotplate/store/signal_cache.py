"""The signals that resources have got, kept in memory: each is read and opened once."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, Final

from sqlalchemy import Connection

from hotplate.model import Version
from hotplate.store.signals import StoredSignal, signal_edges, signals_after

_MOST_CHARACTERS: Final = 8 * 1024 * 1024
_LEAST: Final = 256
"""Letters that a signal counts for beside its own."""

_MANY: Final = 16
"""Signals that are read again each time before it is worth keeping them."""


@dataclass(frozen=True)
class Signals:
    """The signals of a version, oldest first."""

    stored: tuple[StoredSignal, ...] = ()

    @cached_property
    def size(self) -> int:
        """How many letters they have in the database."""
        return sum(each.size for each in self.stored)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What the type keeps of each."""
        return [each.body for each in self.stored]

    @property
    def last(self) -> int:
        """The number of the newest; 0 if there is none."""
        return self.stored[-1].number if self.stored else 0

    @property
    def weight(self) -> int:
        """How much it costs to keep them."""
        return self.size + _LEAST * (1 + len(self.stored))


class SignalCache:
    """The signals of versions that were looked at lately. Safe for several threads.

    What is kept was committed. A look reads the edges of what is kept, and what came after it.
    """

    def __init__(self, most: int = _MOST_CHARACTERS) -> None:
        self._most = most
        self._size = 0
        self._kept: OrderedDict[int, Signals] = OrderedDict()
        self._due: dict[int, Version] = {}
        self._lock = Lock()

    def read(self, connection: Connection, of: Version) -> Signals:
        """Return the signals of a version, and keep them; in a transaction that only reads."""
        found, _ = self._found(connection, of)
        self._keep(of.id, found)
        return found

    def peek(self, connection: Connection, of: Version) -> Signals:
        """Return the same in any transaction.

        What a transaction has written itself may come to nothing, and is not kept. If there is
        much that was not known, it is due to be read afterwards.
        """
        found, unknown = self._found(connection, of)
        if unknown > _MANY:
            with self._lock:
                self._due[of.id] = of
        return found

    def due(self) -> list[Version]:
        """Return the versions whose signals are to be read, once."""
        with self._lock:
            found = list(self._due.values())
            self._due.clear()
        return found

    def _found(self, connection: Connection, of: Version) -> tuple[Signals, int]:
        with self._lock:
            kept = self._kept.get(of.id, Signals())
        if kept.stored:
            first, last = kept.stored[0], kept.stored[-1]
            if signal_edges(connection, of.id, last.number) != (first.number, last.at):
                kept = Signals()  # some were forgotten
        news = signals_after(connection, of, kept.last)
        return (Signals((*kept.stored, *news)) if news else kept), len(news)

    def _keep(self, version_id: int, signals: Signals) -> None:
        with self._lock:
            old = self._kept.pop(version_id, None)
            if old is not None:
                self._size -= old.weight
            self._kept[version_id] = signals
            self._size += signals.weight
            while self._size > self._most and len(self._kept) > 1:
                self._size -= self._kept.popitem(last=False)[1].weight
