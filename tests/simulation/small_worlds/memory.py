"""A database that remembers what transactions answered, so that a run is repeated cheaply.

Runs that differ late begin in the same way. What the shared beginning did is not done again: each
transaction gives the answer it gave before, and then the tables are filled with what they held.
"""

import copyreg
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy import Connection

from hotplate.testing import Simulation
from hotplate.testing.loop import SimulatedLoop
from hotplate.testing.store import SimulatedDatabase


def _read_only(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


# A plan refers to resources of a template, whose maps are read-only.
copyreg.pickle(MappingProxyType, lambda found: (_read_only, (dict(found),)))

T = TypeVar("T")
_TABLES = ("stack", "version", "node", "worker")


class Numbers(Random):
    """No chance at all: each id is the next number."""

    drawn = 0

    def getrandbits(self, bits: int, /) -> int:
        """Return the next number."""
        self.drawn += 1
        return self.drawn


@dataclass(frozen=True, slots=True)
class Moment:
    """All that is needed to come back to one moment of a run."""

    path: tuple[Any, ...]
    """The steps that led to it."""

    answers: tuple[bytes, ...]
    quiet: tuple[bool, bool] | None
    """What was found by looking around, if that was done."""

    rows: tuple[tuple[str, Any], ...]
    picture: Any
    completed: dict[str, str | None]


@dataclass(frozen=True, slots=True)
class _Raised:
    """What a transaction raised instead of an answer."""

    error: Exception


class RememberingDatabase(SimulatedDatabase):
    """Serves one run after the other; ``answers`` are those of the present one."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[bytes] = []
        self.replayed: tuple[bytes, ...] = ()
        self.numbers = Numbers()

    def begin(self, loop: SimulatedLoop) -> None:
        """Forget everything: another run begins."""
        self.transactions = 0
        self.answers = []
        self.numbers = Numbers()
        self.after_commit = lambda: None
        self._clock = loop.time
        for table in (*_TABLES, "event", "recipe", "content", "inclusion", "sqlite_sequence"):
            self.driver.execute(f"DELETE FROM {table}")

    def transact(self, work: Callable[[Connection], T], twice: bool = False) -> T:
        """Run the work, or answer as it did before."""
        at = len(self.answers)
        recorded = work.keywords.get("outcomes", ()) if isinstance(work, partial) else ()
        if at < len(self.replayed):
            self.answers.append(self.replayed[at])
            answer, claims, self.numbers.drawn = pickle.loads(self.replayed[at])
            if isinstance(answer, _Raised):
                raise answer.error
            for outcome, (node, stack) in zip(recorded, claims, strict=True):
                outcome.claim.node, outcome.claim.stack = node, stack
            result: T = answer
            return result
        try:
            result = super().transact(work, twice)
        except Exception as error:
            self.answers.append(pickle.dumps((_Raised(error), [], self.numbers.drawn)))
            raise
        # Recording outcomes changes their claims as well.
        claims = [(outcome.claim.node, outcome.claim.stack) for outcome in recorded]
        self.answers.append(pickle.dumps((result, claims, self.numbers.drawn)))
        return result

    def moment(
        self, simulation: Simulation, path: tuple[Any, ...], quiet: tuple[bool, bool] | None
    ) -> Moment:
        """Return how to come back to where the run is now."""
        rows = tuple((table, self.rows(f"SELECT * FROM {table}")) for table in _TABLES)
        invariants = simulation.invariants
        return Moment(
            path,
            tuple(self.answers),
            quiet,
            rows,
            invariants.now,
            dict(invariants.completed),
        )

    def come_back(self, simulation: Simulation, moment: Moment) -> None:
        """Hold what was held at a moment, all answers up to which have been given."""
        for table, rows in moment.rows:
            self.driver.execute(f"DELETE FROM {table}")
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self.driver.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        invariants = simulation.invariants
        invariants.now = moment.picture
        invariants.completed = dict(moment.completed)
        invariants._changes = self.changes
