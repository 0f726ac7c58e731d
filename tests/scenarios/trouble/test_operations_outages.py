"""The database goes away and comes back: nothing is forgotten, nothing is done twice."""

import logging
import sqlite3
from dataclasses import dataclass

import pytest
from sqlalchemy.exc import OperationalError

from hotplate.engine.worker import lease
from hotplate.testing import Story
from tests.scenarios.plans import CHAIN

MINUTE = 60.0


@dataclass(slots=True)
class Outage:
    """Lets every transaction fail for a while."""

    story: Story
    ends: float = 0.0

    def __call__(self) -> bool:
        if self.story.simulation.loop.time() < self.ends:
            cause = sqlite3.OperationalError("connection refused")
            raise OperationalError("", None, cause, connection_invalidated=True)
        return False

    def begin(self, seconds: float = MINUTE) -> None:
        self.ends = self.story.simulation.loop.time() + seconds

    def wait(self) -> None:
        self.story.until(lambda: self.story.simulation.loop.time() >= self.ends)


def with_outages(story: Story, workers: int) -> Outage:
    outage = Outage(story)
    story.simulation.gives_up = outage
    for _ in range(workers):
        story.start_worker()
    return outage


def test_what_was_done_while_the_database_was_away_is_recorded_later() -> None:
    with Story(workers=0) as story:
        outage = with_outages(story, workers=1)
        story.cloud.behaviour.latency = lambda verb, name: 5.0 if verb == "create" else 0.01
        story.create(CHAIN)
        story.until(lambda: bool(story.cloud.in_flight))
        outage.begin()
        outage.wait()
        assert story.made("t1") == 1
        assert not story.exists("t1")
        story.finish()
        story.verify(CHAIN, "CREATE_COMPLETE")
        assert [story.made(name) for name in ("t1", "t2", "t3")] == [1, 1, 1]
        assert story.cloud.count("find") == 0


@pytest.mark.parametrize("seed", range(10))
def test_who_is_taken_for_dead_during_an_outage_does_nothing_twice(seed: int) -> None:
    """The first worker to come back takes over; the invariants watch that nobody interferes."""
    with Story(seed, workers=0) as story:
        outage = with_outages(story, workers=3)
        story.cloud.behaviour.latency = lambda verb, name: 3.0 if verb == "create" else 0.01
        story.create(CHAIN)
        story.steps(20 + 7 * seed)
        outage.begin()
        outage.wait()
        story.finish()
        story.verify(CHAIN, "CREATE_COMPLETE")


def test_an_idle_worker_lives_through_an_outage_and_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Story(workers=0) as story, caplog.at_level(logging.INFO, "hotplate.worker"):
        outage = with_outages(story, workers=1)
        story.create(CHAIN)
        story.finish()
        outage.begin(5 * MINUTE)
        outage.wait()
        story.update(CHAIN.changed('t3(t2) = "Test2"'))
        story.finish()
        story.verify(CHAIN.changed('t3(t2) = "Test2"'), "UPDATE_COMPLETE")
        told = [record.message for record in caplog.records]
        assert told.count("the database is away") == 1
        assert told.count("the database is back") == 1


def test_a_worker_that_could_never_be_sure_of_a_node_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lease, "LONGEST_CALL", lease.EXPIRY)
    with pytest.raises(ValueError, match="a heartbeat must be due"), Story(workers=1):
        pass
