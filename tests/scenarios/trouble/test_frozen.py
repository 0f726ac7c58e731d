"""Processes that are stopped past their lease while calls to the provider wait in them."""

from hotplate.testing import Story, plan
from hotplate.testing.cloud import QUEUED
from tests.scenarios.tellers import Teller

NUMBER = 40
MANY = plan("\n".join(f't{number}() = "x"' for number in range(NUMBER)))
CHANGED = plan("\n".join(f't{number}() = "y"' for number in range(NUMBER)))


def freeze(story: Story, seconds: float) -> None:
    """Stop the first worker as soon as all its calls wait in it."""
    worker, loop = story.workers[0], story.simulation.loop
    story.cloud.behaviour.queued = lambda: True

    def in_hand() -> int:
        return sum(gate.label == QUEUED and gate.process is worker for gate in loop.gates)

    story.until(lambda: in_hand() == NUMBER)
    worker.pause(seconds)


def wake(story: Story) -> None:
    """Go on until the first worker has done whatever it does on waking."""
    worker, loop = story.workers[0], story.simulation.loop
    story.until(lambda: loop.time() > worker.wakes_at + 20)
    story.finish()


def test_frozen_with_many_creations_in_hand(tell: Teller) -> None:
    """Another worker deletes the stack meanwhile; on waking none of the calls is made."""
    with tell(workers=1) as story:
        story.create(MANY)
        freeze(story, 60.0)
        story.start_worker()
        story.delete()
        story.until(lambda: story.is_gone)
        wake(story)
        story.verify_gone()
        assert story.cloud.count("create") == 0


def test_frozen_with_many_updates_in_hand(tell: Teller) -> None:
    """Another worker goes back to the old values meanwhile; on waking nothing is changed."""
    with tell(workers=1) as story:
        story.create(MANY)
        story.finish()
        story.update(CHANGED)
        freeze(story, 60.0)
        story.start_worker()
        story.update(MANY)
        story.until(lambda: story.status == "UPDATE_COMPLETE")
        wake(story)
        story.verify(MANY, "UPDATE_COMPLETE")


def test_a_nap_within_the_lease_costs_nothing(tell: Teller) -> None:
    """The calls that waited are made when the worker has been heard of again."""
    with tell(workers=1) as story:
        story.create(MANY)
        freeze(story, 7.0)
        story.finish()
        story.verify(MANY, "CREATE_COMPLETE")
        assert story.cloud.count("create") == NUMBER
