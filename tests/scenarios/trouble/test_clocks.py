"""Somebody sets the clocks of all machines: waits keep their lengths, and nobody dies of it."""

import pytest

from hotplate.testing import Story, plan
from tests.scenarios.tellers import Teller

HOUR = 3600.0
LENGTH = 150.0
"""Seconds that a condition waits."""

WAITING = plan("""
    H:handle()
    W:condition() = "1" of H
""")
PAIR = plan("""
    A()
    B(A)
""")


def waiting_for(story: Story, seconds: float) -> float:
    """Create a condition, wait for so long, and return when that began."""
    loop = story.simulation.loop
    story.create(WAITING)
    story.until(lambda: story.state("W") == "CREATE_IN_PROGRESS")
    begun = loop.time()
    story.until(lambda: loop.time() >= begun + seconds)
    return begun


@pytest.mark.parametrize("jump", [-HOUR, HOUR])
def test_a_wait_is_as_long_as_it_was_to_be(tell: Teller, jump: float) -> None:
    with tell() as story:
        loop = story.simulation.loop
        begun = waiting_for(story, 40)
        loop.set_by += jump
        story.until(lambda: story.status == "CREATE_FAILED")
        assert "received" in story.reason
        assert 0.9 * LENGTH <= loop.time() - begun <= 1.15 * LENGTH


def test_a_wait_that_another_process_goes_on_with_is_not_an_hour_longer(tell: Teller) -> None:
    with tell() as story:
        loop = story.simulation.loop
        begun = waiting_for(story, 40)
        for worker in story.workers:
            worker.crash()
        loop.set_by -= HOUR
        story.start_worker()
        story.until(lambda: story.status == "CREATE_FAILED")
        assert loop.time() - begun <= 2 * LENGTH


@pytest.mark.parametrize("jump", [-HOUR, HOUR])
def test_a_stack_has_the_time_that_it_was_given(tell: Teller, jump: float) -> None:
    with tell() as story:
        loop = story.simulation.loop
        begun = loop.time()
        story.cloud.behaviour.building = lambda verb, name: 10_000.0
        story.create(PAIR, timeout=2)
        story.until(lambda: loop.time() >= begun + 60)
        loop.set_by += jump
        story.until(lambda: story.status == "CREATE_FAILED")
        assert "Timed out" in story.reason
        assert 0.9 * 120 <= loop.time() - begun <= 1.15 * 120


def test_a_stack_that_is_asked_for_after_the_jump_is_not_overdue(tell: Teller) -> None:
    with tell() as story:
        story.create(PAIR)
        story.finish()
        story.simulation.loop.set_by -= HOUR
        story.update(plan("A()\nB(A)\nC(B)"))
        story.finish(60)
        assert story.status == "UPDATE_COMPLETE"


def test_what_a_dead_worker_had_in_hand_is_taken_over_soon(tell: Teller) -> None:
    """Its last heartbeat lies an hour ahead."""
    with tell(workers=1) as story:
        story.cloud.behaviour.latency = lambda verb, name: 3.0
        story.create(PAIR)
        story.until(lambda: story.cloud.count("create") == 1)
        story.crash()
        story.simulation.loop.set_by -= HOUR
        story.start_worker()
        story.finish(60)
        story.verify(PAIR, "CREATE_COMPLETE")


def test_nobody_is_taken_for_dead_because_the_clock_was_put_forward(tell: Teller) -> None:
    for steps in range(0, 40, 5):
        with tell() as story:
            story.cloud.behaviour.latency = lambda verb, name: 1.5
            story.create(PAIR)
            before = _workers(story)
            story.steps(steps)
            story.simulation.loop.set_by += HOUR
            story.finish()
            story.verify(PAIR, "CREATE_COMPLETE")
            assert _workers(story) >= before


def _workers(story: Story) -> set[int]:
    return {row[0] for row in story.simulation.database.rows("SELECT id FROM worker")}
