"""Groups whose size signals change, and what may come in between."""

from itertools import islice

import pytest

from hotplate.model import Action
from hotplate.testing import Fault, Plan, Story, plan
from tests.scenarios.tellers import Teller

STRIDE = 3
"""Not all steps are tried where two things come one after the other."""

ONE = plan("""
    A() = "x"
    G[1-3]() = "one"
    up:policy() = "1" of G
    down:policy() = "-1" of G
    S() = att A
""")
TWO = ONE.changed('G[1-3]() = "two"')
OTHER = ONE.changed('A() = "y"')
REPLACED = ONE.changed('G[1-3]() = ! "two"')
BOXES = ONE.holding("G", plan("C() = param"))


def created(story: Story, wanted: Plan = ONE) -> None:
    story.create(wanted)
    story.finish()


def values(story: Story) -> list[str | None]:
    """The values of the members."""
    return [item.value for item in story.cloud.objects.values() if item.name not in "AS"]


def test_growing_and_shrinking(tell: Teller) -> None:
    with tell() as story:
        created(story)
        for name, size in (("up", 2), ("up", 3), ("up", 3), ("down", 2), ("down", 1), ("down", 1)):
            story.signal(name)
            story.finish()
            assert story.size("G") == size
            story.verify(ONE, "CREATE_COMPLETE")
        assert story.state("G") == "UPDATE_COMPLETE"
        story.delete()
        story.finish()
        story.verify_gone()


def test_the_oldest_go_first(tell: Teller) -> None:
    with tell() as story:
        created(story)
        oldest = [v.uuid for v in story.simulation.invariants.now.of_stack(story.nested["G"])]
        story.signal("up")
        story.finish()
        story.signal("down")
        story.finish()
        left = [v.uuid for v in story.simulation.invariants.now.of_stack(story.nested["G"])]
        assert len(left) == 1
        assert left != oldest


@pytest.mark.parametrize("wanted", [ONE, BOXES], ids=["objects", "stacks"])
def test_scaling_outlives_every_worker(tell: Teller, wanted: Plan) -> None:
    """Whenever all workers die, the next one brings the new member along, and no second one."""
    for number in tell.steps():
        with tell(seed=number) as story:
            created(story, wanted)
            story.signal("up")
            is_over = story.steps(number)
            story.crash(0)
            story.crash(1)
            story.start_worker()
            story.finish()
            story.verify(wanted, "CREATE_COMPLETE")
            assert story.size("G") == 2
            assert len(values(story)) == 2
        if is_over:
            assert number > 5, "there was nothing to interrupt"
            return


def test_a_signal_at_every_step_of_a_creation(tell: Teller) -> None:
    """It is kept until the stack is complete."""
    for number in islice(tell.steps(), 0, None, STRIDE):
        with tell(seed=number) as story:
            story.create(ONE)
            story.steps(number)
            is_over = story.status == "CREATE_COMPLETE"
            is_there = story.state("up") not in ("", "INIT_COMPLETE")
            if is_there:
                story.signal("up")
            story.finish()
            story.verify(ONE, "CREATE_COMPLETE")
            assert story.size("G") == (2 if is_there else 1)
        if is_over:
            return


@pytest.mark.parametrize("after", [TWO, OTHER, REPLACED], ids=["group", "other", "replacing"])
def test_a_signal_at_every_step_of_an_update(tell: Teller, after: Plan) -> None:
    """Whether the update changes the group or something else: both happen."""
    for number in islice(tell.steps(), 0, None, STRIDE):
        with tell(seed=number) as story:
            created(story)
            story.update(after)
            story.steps(number)
            is_over = story.status == "UPDATE_COMPLETE"
            story.signal("up")
            story.finish()
            story.verify(after, "UPDATE_COMPLETE")
            assert story.size("G") == 2
        if is_over:
            return


def test_a_signal_at_every_step_of_a_replacement_of_the_group(tell: Teller) -> None:
    """It is for the group that there is in the end; its policies move to that one."""
    for number in islice(tell.steps(), 0, None, STRIDE):
        with tell(seed=number) as story:
            created(story)
            story.mark("G")
            story.update(ONE)
            story.steps(number)
            is_over = story.status == "UPDATE_COMPLETE"
            story.signal("up")
            story.finish()
            story.verify(ONE, "UPDATE_COMPLETE")
            story.replaced("G", "up")
            assert story.size("G") == 2
        if is_over:
            return


@pytest.mark.parametrize("after", [TWO, OTHER, REPLACED], ids=["group", "other", "replacing"])
def test_an_update_at_every_step_of_a_scaling(tell: Teller, after: Plan) -> None:
    """What is being made is taken over, not forgotten."""
    for number in islice(tell.steps(), 0, None, STRIDE):
        with tell(seed=number) as story:
            created(story)
            story.signal("up")
            is_over = story.steps(number)
            story.update(after)
            story.finish()
            story.verify(after, "UPDATE_COMPLETE")
            assert story.size("G") == 2
        if is_over:
            return


def test_a_deletion_at_every_step_of_a_scaling(tell: Teller) -> None:
    for number in islice(tell.steps(), 0, None, STRIDE):
        with tell(seed=number) as story:
            created(story)
            story.signal("up")
            is_over = story.steps(number)
            story.delete()
            story.finish()
            story.verify_gone()
        if is_over:
            return


def test_a_signal_during_a_deletion_that_fails_is_forgotten(tell: Teller) -> None:
    """What is to be deleted does not grow any more."""
    with tell() as story:
        created(story, ONE.changed("S(G) = att A"))
        story.failing("S", "delete", Fault.REFUSED)
        story.delete()
        story.signal("up")
        story.finish()
        assert story.status == "DELETE_FAILED"
        assert story.size("G") == 1


def test_a_suspension_at_every_step_of_a_scaling(tell: Teller) -> None:
    """It waits until the group has its size."""
    for number in islice(tell.steps(), 0, None, STRIDE):
        with tell(seed=number) as story:
            created(story)
            story.signal("up")
            is_over = story.steps(number)
            story.visit(Action.SUSPEND)
            story.finish()
            assert story.status == "SUSPEND_COMPLETE"
            assert story.size("G") == 2
            assert all(item.is_suspended for item in story.cloud.objects.values())
            story.visit(Action.RESUME)
            story.finish()
            story.signal("up")
            story.finish()
            assert story.size("G") == 3
        if is_over:
            return


def test_signals_while_the_size_changes_are_dropped(tell: Teller) -> None:
    """As in Heat: who wants more signals again."""
    with tell() as story:
        created(story)
        story.signal("up")
        story.signal("up")
        story.signal("down")
        story.finish()
        assert story.size("G") == 2


def test_a_signal_during_an_update_that_fails_and_rolls_back(tell: Teller) -> None:
    with tell() as story:
        created(story)
        story.failing("S", "update")
        story.update(OTHER, rollback=True)
        story.until(lambda: story.state("A") == "UPDATE_COMPLETE")
        story.signal("up")
        story.working("S", "update")
        story.failing("S", "update", Fault.REFUSED)
        story.finish()
        assert story.status in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED")
        assert story.size("G") == 2


def test_a_failed_scaling_leaves_the_stack_as_it_is(tell: Teller) -> None:
    """The group has failed; a further signal, or an update, mends it."""
    for repair in ("signal", "update"):
        with tell() as story:
            created(story)
            story.cloud.behaviour.fault = lambda verb, name: (
                Fault.REFUSED if verb == "create" else None
            )
            story.signal("up")
            story.finish()
            assert (story.status, story.state("G")) == ("CREATE_COMPLETE", "UPDATE_FAILED")
            assert len(values(story)) == 1
            story.cloud.behaviour.fault = lambda verb, name: None
            if repair == "signal":
                story.signal("up")
            else:
                story.update(ONE)
            story.finish()
            assert story.state("G") == "UPDATE_COMPLETE"
            assert story.size("G") == 2


def test_a_scaling_that_takes_too_long_ends(tell: Teller) -> None:
    with tell() as story:
        story.create(ONE, timeout=2)
        story.finish()
        story.cloud.behaviour.building = lambda verb, name: 100_000.0
        story.signal("up")
        story.until(lambda: story.state("G") == "UPDATE_FAILED")
        assert story.status == "CREATE_COMPLETE"
        story.cloud.behaviour.building = lambda verb, name: 0.0
        story.delete()
        story.finish()


def test_groups_inside_stacks_are_scaled_and_the_stacks_above_know(tell: Teller) -> None:
    inner = plan("""
        G[1-3]() = "one"
        up:policy() = "1" of G
        E() = param
    """)
    wanted = plan('B() = "x"').holding("B", inner)
    with tell() as story:
        created(story, wanted)
        story.signal("up", inside="B")
        story.finish()
        assert story.size("B.G") == 2
        story.verify(wanted, "CREATE_COMPLETE")
