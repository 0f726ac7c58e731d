"""Suspend, resume, check and snapshot: how they fail, and the way on from there."""

import pytest

from hotplate.engine.refusals import NotSupported
from hotplate.model import Action
from hotplate.testing import Story
from tests.scenarios.plans import BASE, CHAIN
from tests.scenarios.tellers import Teller
from tests.scenarios.trouble.test_interruptions import created, renewed


def visited(story: Story, action: Action) -> None:
    story.visit(action)
    story.finish()


def suspended_but_not_resumed(story: Story) -> None:
    """Leave the chain with t1 awake, t2 that could not be resumed, and t3 still at rest."""
    created(story, CHAIN)
    visited(story, Action.SUSPEND)
    story.failing("t2", "resume")
    visited(story, Action.RESUME)
    assert story.status == "RESUME_FAILED"
    assert story.state("t3") == "SUSPEND_COMPLETE"


def all_awake(story: Story) -> bool:
    return not any(item.is_suspended for item in story.cloud.objects.values())


def test_a_check_looks_at_everything_and_tells_all_that_failed(tell: Teller) -> None:
    with tell() as story:
        created(story, CHAIN)
        for name in ("t1", "t3"):
            story.cloud.named(name)[0].is_broken = True
        visited(story, Action.CHECK)
        assert story.status == "CHECK_FAILED"
        assert story.reason == (
            "Resource CHECK failed: ResourceFailed: resources.t1: the object is broken; "
            "ResourceFailed: resources.t3: the object is broken"
        )
        assert [story.state(name) for name in ("t1", "t2", "t3")] == [
            "CHECK_FAILED",
            "CHECK_COMPLETE",
            "CHECK_FAILED",
        ]
        story.order(("t1", "CHECK_FAILED"), ("t2", "CHECK_COMPLETE"), ("t3", "CHECK_FAILED"))


def test_a_failed_check_can_be_repeated(tell: Teller) -> None:
    with tell() as story:
        created(story, CHAIN)
        story.cloud.named("t2")[0].is_broken = True
        visited(story, Action.CHECK)
        assert story.status == "CHECK_FAILED"
        story.cloud.named("t2")[0].is_broken = False
        story.retry()
        story.finish()
        assert (story.status, story.state("t2")) == ("CHECK_COMPLETE", "CHECK_COMPLETE")


def test_an_update_replaces_what_a_check_found_broken(tell: Teller) -> None:
    with tell() as story:
        created(story, BASE)
        story.cloud.named("C")[0].is_broken = True
        visited(story, Action.CHECK)
        story.update(BASE)
        story.finish()
        story.verify(BASE, "UPDATE_COMPLETE")
        story.replaced("C")
        story.kept(*"ABDE")


def test_an_update_after_a_failed_resume_wakes_everything_up(tell: Teller) -> None:
    with tell() as story:
        suspended_but_not_resumed(story)
        story.update(CHAIN)
        story.finish()
        story.verify(CHAIN, "UPDATE_COMPLETE")
        story.replaced("t2")
        story.kept("t1", "t3")
        assert all_awake(story)
        story.order(("t3", "RESUME_IN_PROGRESS"), ("t3", "RESUME_COMPLETE"))


def test_what_an_update_changes_is_resumed_first(tell: Teller) -> None:
    with tell() as story:
        suspended_but_not_resumed(story)
        story.update(renewed(CHAIN))
        story.finish()
        story.verify(renewed(CHAIN), "UPDATE_COMPLETE")
        story.kept("t1", "t3")
        assert all_awake(story)
        story.order(("t3", "RESUME_COMPLETE"), ("t3", "UPDATE_IN_PROGRESS"))


def test_what_an_update_cannot_resume_it_replaces(tell: Teller) -> None:
    with tell() as story:
        suspended_but_not_resumed(story)
        story.failing("t3", "resume")
        story.update(CHAIN)
        story.finish()
        story.verify(CHAIN, "UPDATE_COMPLETE")
        story.replaced("t2", "t3")
        assert all_awake(story)


def test_an_interrupted_update_wakes_everything_up_all_the_same() -> None:
    def beginning(story: Story) -> None:
        suspended_but_not_resumed(story)
        story.working("t2", "resume")
        story.update(renewed(CHAIN))

    def ending(story: Story) -> None:
        story.verify(renewed(CHAIN), "UPDATE_COMPLETE")
        assert all_awake(story)

    Teller().at_every_step(beginning, lambda story: story.update(renewed(CHAIN)), ending)


def test_a_failed_resume_can_be_repeated(tell: Teller) -> None:
    with tell() as story:
        suspended_but_not_resumed(story)
        story.working("t2", "resume")
        story.retry()
        story.finish()
        assert story.status == "RESUME_COMPLETE"
        assert all_awake(story)
        story.quiet("t1")


def test_what_is_at_rest_is_not_checked(tell: Teller) -> None:
    """A check would hide that objects are suspended; they are resumed, updated or deleted first."""
    with tell() as story:
        suspended_but_not_resumed(story)
        with pytest.raises(NotSupported, match="Checking a stack when it is suspended"):
            story.visit(Action.CHECK)
        story.update(CHAIN)
        story.finish()
        visited(story, Action.CHECK)
        assert story.status == "CHECK_COMPLETE"


def test_a_failed_suspension_can_be_taken_back(tell: Teller) -> None:
    """Only what was put to rest, or may have been, is resumed."""
    with tell() as story:
        created(story, CHAIN)
        story.failing("t2", "suspend")
        visited(story, Action.SUSPEND)
        assert story.status == "SUSPEND_FAILED"
        with pytest.raises(NotSupported, match="Updating a stack when it is suspended"):
            story.update(CHAIN)
        visited(story, Action.RESUME)
        assert story.status == "RESUME_COMPLETE"
        assert all_awake(story)
        story.quiet("t1")
        story.update(renewed(CHAIN))
        story.finish()
        story.verify(renewed(CHAIN), "UPDATE_COMPLETE")
        story.kept("t1", "t2", "t3")


def test_a_failed_suspension_can_be_repeated(tell: Teller) -> None:
    with tell() as story:
        created(story, CHAIN)
        story.failing("t2", "suspend")
        visited(story, Action.SUSPEND)
        story.working("t2", "suspend")
        story.retry()
        story.finish()
        assert story.status == "SUSPEND_COMPLETE"
        assert all(item.is_suspended for item in story.cloud.objects.values())


def test_a_stack_whose_suspension_failed_can_be_deleted(tell: Teller) -> None:
    with tell() as story:
        created(story, CHAIN)
        story.failing("t2", "suspend")
        visited(story, Action.SUSPEND)
        story.delete()
        story.finish()
        story.verify_gone()


def test_suspending_what_is_suspended_changes_nothing(tell: Teller) -> None:
    with tell() as story:
        created(story, CHAIN)
        visited(story, Action.SUSPEND)
        visited(story, Action.SUSPEND)
        assert (story.status, story.news) == ("SUSPEND_COMPLETE", [])
        visited(story, Action.RESUME)
        visited(story, Action.RESUME)
        assert (story.status, story.news) == ("RESUME_COMPLETE", [])
