"""How long it takes until nothing is held any more by a worker that was killed."""

import threading
import time
from contextlib import suppress

from sqlalchemy import Engine, func, select
from sqlalchemy.exc import DBAPIError

from hotplate.store.database import open_engine
from hotplate.store.schema import node, worker

_PATIENCE = 60.0


class Recoveries:
    """Follows killed workers, each in a thread of its own."""

    def __init__(self, url: str) -> None:
        self._engine: Engine = open_engine(url)
        self._threads: list[threading.Thread] = []
        self.seconds: list[float] = []
        self.held = 0
        """Nodes that all of them had in hand when they were killed."""

    def follow(self, pid: int) -> None:
        """Look at what a process had in hand until others have it."""
        thread = threading.Thread(target=self._follow, args=(pid, time.monotonic()))
        self._threads.append(thread)
        thread.start()

    def close(self) -> None:
        """Wait for all of them."""
        for each in self._threads:
            each.join()
        self._engine.dispose()

    def __str__(self) -> str:
        """The figures, for people."""
        ordered = sorted(self.seconds)
        if not ordered:
            return "no worker had anything in hand when it was killed"
        middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
        return (
            f"{self.held} nodes of {len(ordered)} killed workers were taken over: "
            f"p50 {middle:.2f} s, p99 {late:.2f} s, at most {ordered[-1]:.2f} s"
        )

    def _follow(self, pid: int, killed: float) -> None:
        # With the database down nothing can be seen, and nothing be taken over.
        with suppress(DBAPIError):
            ids = self._workers_of(pid)
            first = self._count(ids)
            while self._count(ids):
                assert time.monotonic() < killed + _PATIENCE, f"{pid} still has nodes in hand"
                time.sleep(0.02)
            if first:
                self.held += first
                self.seconds.append(time.monotonic() - killed)

    def _workers_of(self, pid: int) -> list[int]:
        with self._engine.connect() as connection:
            found = connection.execute(select(worker.c.id, worker.c.name)).all()
        return [each.id for each in found if each.name.split(" ")[-2] == str(pid)]

    def _count(self, ids: list[int]) -> int:
        with self._engine.connect() as connection:
            query = select(func.count()).where(node.c.worker.in_(ids))
            return connection.execute(query).scalar_one()
