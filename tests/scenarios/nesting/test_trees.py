"""What a stack asks of the stacks inside it, and what becomes of these when it stops."""

from contextlib import suppress
from itertools import islice

from hotplate.engine.refusals import Refused
from hotplate.testing import plan
from tests.scenarios.tellers import Teller

GROUP = plan('A[2]() = "x"')
INSIDE = plan("B() = param")


def test_more_is_asked_of_a_group_that_stays_as_it_is(tell: Teller) -> None:
    """The values of its members are taken over although nothing in it is touched."""
    wanted = GROUP.changed("C() = att A")
    with tell() as story:
        story.create(GROUP)
        story.finish()
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        story.kept("A")
        story.quiet("A")


def test_a_template_in_place_of_a_group_replaces_it(tell: Teller) -> None:
    """Two types are two things, also if both are stacks inside; and so on the way back."""
    template = plan('A() = "x"').holding("A", INSIDE)
    with tell() as story:
        story.create(GROUP)
        story.finish()
        for wanted in (template, GROUP):
            story.update(wanted)
            story.finish()
            story.verify(wanted, "UPDATE_COMPLETE")
            story.replaced("A")


def test_a_cancelled_tree_comes_to_rest(tell: Teller) -> None:
    """Wherever it is cancelled: nothing stays in progress, and the next update finds its way."""
    wanted = GROUP.holding("A", INSIDE)
    for number in islice(tell.steps(), 0, None, 5):
        with tell(seed=number) as story:
            story.create(wanted)
            if story.steps(number):
                assert number > 20, "there was nothing to cancel"
                return
            with suppress(Refused):  # it came to its end while it was asked
                story.cancel(roll_back=False)
            story.finish()
            story.update(wanted)
            story.finish()
            story.verify(wanted, "UPDATE_COMPLETE")
