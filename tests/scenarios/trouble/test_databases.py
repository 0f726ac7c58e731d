"""A story is the same story on every kind of database."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from hotplate.store.schema import METADATA
from hotplate.store.workers import database_time, known_workers, register_worker
from hotplate.testing import Story
from tests.scenarios.plans import REPL
from tests.scenarios.tellers import Teller


def course(story: Story) -> tuple[Any, ...]:
    """A replacement, a crash and a rollback; return all that can be seen of it from outside."""
    story.create(REPL)
    story.finish()
    story.update(REPL.changed('A() = "updated"'))
    story.steps(20)
    story.crash()
    story.start_worker()
    story.steps(story.simulation.seed // 2)
    story.roll_back()
    story.finish()
    story.verify(REPL, "ROLLBACK_COMPLETE")
    simulation = story.simulation
    calls = [(call.verb, call.name) for call in simulation.cloud.calls]
    steps = (simulation.loop.steps, simulation.loop.time(), simulation.database.transactions)
    return story.history(), calls, steps


@pytest.mark.parametrize("seed", range(0, 50, 7))
def test_a_seed_makes_the_same_run_on_every_kind_of_database(tell: Teller, seed: int) -> None:
    """So a seed that fails on a server can be looked at in memory, unless the server differs."""
    with Story(seed) as story:
        in_memory = course(story)
    with tell(seed) as story:
        assert course(story) == in_memory


def test_the_store_reads_the_simulated_clock(tell: Teller) -> None:
    with tell() as story:
        database, loop = story.simulation.database, story.simulation.loop
        assert database.read(database_time) == loop.time()
        before = loop.time()
        story.until(lambda: loop.time() > before + 60)
        assert database.read(database_time) == loop.time()


def test_what_was_undone_is_not_seen(tell: Teller) -> None:
    """The one who looks on sees what has been committed, and is told that there is something."""
    register: Callable[..., int] = partial(register_worker, name="w", now=0.0)

    with tell(workers=0) as story:
        database = story.simulation.database

        def fail(connection: Any) -> None:
            register(connection)
            raise RuntimeError("no")

        with pytest.raises(RuntimeError, match="no"):
            database.transact(fail)
        assert not database.rows("SELECT id FROM worker")
        changes = database.changes
        database.transact(register, twice=True)
        assert len(database.rows("SELECT id FROM worker")) == 1
        assert database.changes != changes
        changes = database.changes
        database.transact(known_workers)
        assert database.changes == changes


def test_the_next_story_begins_with_nothing(tell: Teller) -> None:
    with tell() as story:
        story.create(REPL)
        story.finish()
    with tell(workers=0) as story:
        for table in METADATA.sorted_tables:
            assert not story.simulation.database.rows(f"SELECT 1 FROM {table.name}")
