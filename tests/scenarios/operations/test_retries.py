"""Objects that come up broken are deleted and made anew, if their type wants that."""

from hotplate.testing import NOTHING, Fault, Story, plan
from tests.scenarios.tellers import Teller

PAIR = plan("""
    A:retried()
    B:retried(A)
""")


def made_twice(story: Story) -> None:
    """A has come up broken once, and another one is being made."""
    story.failing("A", "create", Fault.BREAKS)
    story.create(PAIR)
    story.until(lambda: story.made("A") == 2)


def test_what_comes_up_broken_is_made_anew(tell: Teller) -> None:
    with tell() as story:
        made_twice(story)
        story.working("A", "create")
        story.finish()
        story.verify(PAIR, "CREATE_COMPLETE")
        assert story.made("A") == 3
        assert len(story.versions) == 2
        anew = ("A", "CREATE_IN_PROGRESS", "it has failed and is created anew")
        assert story.events.count(anew) == 2


def test_it_is_not_made_anew_for_ever(tell: Teller) -> None:
    with tell() as story:
        story.failing("A", "create", Fault.BREAKS)
        story.create(PAIR)
        story.finish()
        assert story.status == "CREATE_FAILED"
        assert (story.made("A"), story.made("B")) == (4, 0)
        story.working("A", "create")
        story.update(PAIR)
        story.finish()
        story.verify(PAIR, "UPDATE_COMPLETE")


def test_a_stack_can_be_deleted_while_something_is_made_anew(tell: Teller) -> None:
    for steps in range(0, 60, 3):
        with tell() as story:
            made_twice(story)
            story.steps(steps)
            story.delete()
            story.finish()
            story.verify_gone()
            story.simulation.invariants.fulfilled(story.stack_id, NOTHING)


def test_whoever_takes_over_from_a_crash_makes_nothing_twice(tell: Teller) -> None:
    for steps in range(0, 60, 3):
        with tell() as story:
            made_twice(story)
            story.working("A", "create")
            story.steps(steps)
            story.crash()
            story.start_worker()
            story.finish()
            story.verify(PAIR, "CREATE_COMPLETE")
