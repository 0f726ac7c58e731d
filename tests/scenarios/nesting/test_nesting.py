"""Stacks inside stacks: what is asked above happens below, and what comes of it is known above."""

from functools import partial

import pytest

from hotplate.store.stacks import stacks_of_root
from hotplate.testing import Plan, Story, plan
from tests.scenarios.tellers import Teller


def root(value: str, beside: str = "") -> Plan:
    """T is in inner, inner in mid, and S beside mid gets the value of T from below.

    ``beside`` are further resources in the innermost stack.
    """
    inner = plan(f"{beside}\nT() = param")
    mid = plan("inner() = param").holding("inner", inner)
    return plan(f'mid() = "{value}"\nS() = att mid').holding("mid", mid)


def created(story: Story) -> None:
    story.create(root("first"))
    story.finish()


def updated(story: Story) -> None:
    created(story)
    story.update(root("second", "U()"))


def levels(story: Story) -> dict[str, int]:
    """The names of all stacks of the tree as a listing finds them, with their depths."""
    below = partial(stacks_of_root, root_id=story.stack_id)
    names = {stack_id: path for path, stack_id in story.nested.items()}
    found = story.simulation.database.read(below)
    return {names.get(stack.id, ""): stack.depth for stack in found}


def test_nested_update(tell: Teller) -> None:
    """An update travels down to T and its value up to S; all that exists is kept."""
    with tell() as story:
        created(story)
        story.verify(root("first"), "CREATE_COMPLETE")
        assert levels(story) == {"": 0, "mid": 1, "mid.inner": 2}
        stacks, things = story.nested, set(story.cloud.objects)
        story.update(root("second"))
        story.finish()
        story.verify(root("second"), "UPDATE_COMPLETE")
        assert story.nested == stacks
        assert set(story.cloud.objects) == things
        story.kept("mid", "S")
        assert story.cloud.named("S")[0].value == "second"
        assert story.cloud.count("update", "T") == 1
        story.order(("mid", "UPDATE_COMPLETE"), ("S", "UPDATE_IN_PROGRESS"))
        assert levels(story) == {"": 0, "mid": 1, "mid.inner": 2}
        story.delete()
        story.finish()
        story.verify_gone()
        assert levels(story) == {}


def test_nested_no_change_update(tell: Teller) -> None:
    """Nothing changed, nothing is asked of the provider; the stacks inside stay the same."""
    with tell() as story:
        created(story)
        stacks, calls = story.nested, len(story.cloud.calls)
        story.update(root("first"))
        story.finish()
        story.verify(root("first"), "UPDATE_COMPLETE")
        assert story.nested == stacks
        assert len(story.cloud.calls) == calls


@pytest.mark.slow
def test_nested_update_rollback_at_every_step(tell: Teller) -> None:
    """The stacks inside go back with the one that they are in."""

    def ending(story: Story) -> None:
        story.verify(root("first"), "ROLLBACK_COMPLETE")
        story.kept("mid", "S")
        assert not story.cloud.named("U")

    tell.at_every_step(updated, Story.roll_back, ending)


@pytest.mark.slow
def test_nested_update_overtaken_at_every_step(tell: Teller) -> None:
    """A newer update reaches what an older one has begun below."""
    wanted = root("third")

    def ending(story: Story) -> None:
        story.verify(wanted, "UPDATE_COMPLETE")
        story.kept("mid", "S")

    tell.at_every_step(updated, lambda story: story.update(wanted), ending)


def test_nested_create_early_delete_at_every_step(tell: Teller) -> None:
    """However far the creation has come below, nothing is left."""
    tell.at_every_step(lambda story: story.create(root("first")), Story.delete, Story.verify_gone)


@pytest.mark.slow
def test_nested_update_goes_on_after_a_restart(tell: Teller) -> None:
    """The only worker dies at any step; another one brings all levels to their end."""
    for number in tell.steps():
        with tell(seed=number, workers=1) as story:
            updated(story)
            was_over = story.steps(number)
            story.crash()
            story.start_worker()
            story.finish()
            story.verify(root("second", "U()"), "UPDATE_COMPLETE")
            story.kept("mid", "S")
            assert story.made("U") == 1
            if was_over:
                return


def test_nested_failure_is_told_at_the_top(tell: Teller) -> None:
    """The words of the leaf reach the root; the update that mends it keeps the stacks."""
    with tell() as story:
        created(story)
        stacks = story.nested
        story.failing("T", "update")
        story.update(root("second"))
        story.finish()
        assert story.status == "UPDATE_FAILED"
        place = "resources.mid.resources.inner.resources.T"
        assert story.reason.endswith(f"{place}: the update of T failed")
        story.quiet("S")
        story.working("T", "update")
        story.update(root("third"))
        story.finish()
        story.verify(root("third"), "UPDATE_COMPLETE")
        assert story.nested == stacks
