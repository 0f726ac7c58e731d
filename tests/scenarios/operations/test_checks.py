"""Checks of what failed before: the object decides, not what became of an earlier operation."""

import pytest

from hotplate.model import Action
from hotplate.plan.decide import Step
from hotplate.testing import Fault, Plan, Story, plan
from tests.scenarios.tellers import Teller
from tests.simulation.previews import previewed

FIRST = plan('A() = "a"\nB(A) = att A')
SECOND = plan('A() = "b"\nB(A) = att A')


def inside(inner: Plan) -> Plan:
    return plan("mid()").holding("mid", inner)


def failed_update(story: Story, first: Plan = FIRST, second: Plan = SECOND) -> None:
    story.create(first)
    story.finish()
    story.failing("A", "update")
    story.update(second)
    story.finish()
    assert story.status == "UPDATE_FAILED"
    story.working("A", "update")


def checked(story: Story) -> str:
    story.visit(Action.CHECK)
    story.finish()
    return story.status


def test_an_object_that_is_well_is_kept_though_its_update_failed(tell: Teller) -> None:
    """The next update applies to it what the failed one did not."""
    with tell() as story:
        failed_update(story)
        assert checked(story) == "CHECK_COMPLETE"
        assert story.state("A") == "CHECK_COMPLETE"
        expected = {each.path: each for each in previewed(story, SECOND)}
        assert expected["A",].step is Step.UPDATE
        story.update(SECOND)
        story.finish()
        story.verify(SECOND, "UPDATE_COMPLETE")
        story.kept("A", "B")
        assert story.cloud.named("A")[0].value == "b"


def test_an_object_that_is_broken_is_replaced(tell: Teller) -> None:
    with tell() as story:
        failed_update(story)
        story.cloud.named("A")[0].is_broken = True
        assert checked(story) == "CHECK_FAILED"
        assert "resources.A: the object is broken" in story.reason
        story.update(SECOND)
        story.finish()
        story.verify(SECOND, "UPDATE_COMPLETE")
        story.replaced("A")


def test_what_has_no_object_fails_the_check(tell: Teller) -> None:
    with tell() as story:
        story.failing("A", "create")
        story.create(FIRST)
        story.finish()
        assert checked(story) == "CHECK_FAILED"
        assert story.state("A") == "CHECK_FAILED"
        assert "resources.A: the create of A failed" in story.reason
        story.working("A", "create")
        story.update(FIRST)
        story.finish()
        story.verify(FIRST, "UPDATE_COMPLETE")


def test_what_may_have_been_made_is_still_looked_for(tell: Teller) -> None:
    """A creation of which nobody heard the end stays open behind a check."""
    with tell() as story:
        story.failing("A", "create", Fault.LOST_REPLY)
        story.create(FIRST)
        story.finish()
        assert len(story.cloud.named("A")) == 1
        assert checked(story) == "CHECK_FAILED"
        story.working("A", "create")
        story.update(FIRST)
        story.finish()
        story.verify(FIRST, "UPDATE_COMPLETE")
        assert len(story.cloud.named("A")) == 1


@pytest.mark.parametrize("roll_on", [True, False])
def test_inside_a_stack_as_well(tell: Teller, roll_on: bool) -> None:
    """What the failed update did not come to is made by the next one, if that wants it."""
    with tell() as story:
        second = SECOND.changed('C(A) = "c"')
        failed_update(story, inside(FIRST), inside(second))
        assert checked(story) == "CHECK_COMPLETE"
        assert story.state("mid") == "CHECK_COMPLETE"
        kept = story.cloud.named("A")[0].id
        wanted = inside(second if roll_on else FIRST)
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        assert story.cloud.named("A")[0].id == kept


def test_a_check_crashed_at_every_step(tell: Teller) -> None:
    for number in tell.steps():
        with tell(seed=number) as story:
            failed_update(story, inside(FIRST), inside(SECOND))
            story.visit(Action.CHECK)
            ended = story.steps(number)
            story.crash()
            story.start_worker()
            story.finish()
            assert story.status == "CHECK_COMPLETE"
            story.update(inside(SECOND))
            story.finish()
            story.verify(inside(SECOND), "UPDATE_COMPLETE")
            if ended:
                break
