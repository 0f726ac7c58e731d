"""Operations that meet others: cancelled, failed, overtaken, deleted, marked."""

import pytest

from hotplate.engine.refusals import ActionInProgress, NotSupported
from hotplate.model import Action
from hotplate.testing import Plan, Story, plan
from tests.scenarios.plans import BASE, CHAIN, REPL
from tests.scenarios.tellers import Teller

TWO = plan("""
    t1() = "Test1"
    t2(t1) = "Test1"
""")


def renewed(wanted: Plan) -> Plan:
    return plan("\n".join(str(thing) for thing in wanted.things.values()).replace("Test1", "Test2"))


def created(story: Story, wanted: Plan) -> None:
    story.create(wanted)
    story.finish()


def test_concurrent_update_after_create(tell: Teller) -> None:
    """What is in creation is finished, then updated in place."""
    with tell() as story:
        story.cloud.hold("t2", "create")
        story.create(TWO)
        story.until(lambda: story.exists("t2"))
        story.update(renewed(TWO))
        story.cloud.let_go("t2", "create")
        story.finish()
        story.verify(renewed(TWO), "UPDATE_COMPLETE")
        assert story.made("t2") == 1
        story.order(
            ("t2", "CREATE_COMPLETE"), ("t2", "UPDATE_IN_PROGRESS"), ("t2", "UPDATE_COMPLETE")
        )


def test_concurrent_update_failed_create(tell: Teller) -> None:
    """The failure of an older traversal is not the failure of the update: t2 is replaced."""
    with tell() as story:
        story.cloud.hold("t2", "create")
        story.create(TWO)
        story.until(lambda: story.exists("t2"))
        story.update(renewed(TWO))
        story.cloud.named("t2")[0].is_broken = True
        story.cloud.let_go("t2", "create")
        story.finish()
        story.verify(renewed(TWO), "UPDATE_COMPLETE")
        assert story.made("t2") == 2
        assert ("t2", "CREATE_FAILED") in story.news
        assert "UPDATE_FAILED" not in [state for name, state in story.news if name == "story"]
        assert "CREATE_FAILED" not in [state for name, state in story.news if name == "story"]


def test_cancel_update_without_rollback(tell: Teller) -> None:
    """The stack fails at once, what runs finishes, the rest is not touched."""
    with tell() as story:
        created(story, CHAIN)
        story.cloud.hold("t1", "update")
        story.update(renewed(CHAIN))
        story.until(lambda: story.state("t1") == "UPDATE_IN_PROGRESS")
        story.cancel(roll_back=False)
        assert story.status == "UPDATE_FAILED"
        assert story.reason == "Stack UPDATE cancelled"
        story.cloud.let_go("t1", "update")
        story.finish()
        assert story.state("t1") == "UPDATE_COMPLETE"
        assert [item.value for item in story.cloud.named("t1")] == ["Test2"]
        story.quiet("t2", "t3")
        story.update(renewed(CHAIN))
        story.finish()
        story.verify(renewed(CHAIN), "UPDATE_COMPLETE")
        story.kept("t1", "t2", "t3")


def test_cancel_update_with_rollback(tell: Teller) -> None:
    """Cancelled with rollback, the stack goes back to what it was."""
    with tell() as story:
        created(story, CHAIN)
        story.cloud.hold("t1", "update")
        story.update(renewed(CHAIN))
        story.until(lambda: story.state("t1") == "UPDATE_IN_PROGRESS")
        story.cancel(roll_back=True)
        story.cloud.let_go("t1", "update")
        story.finish()
        story.verify(CHAIN, "ROLLBACK_COMPLETE")
        story.kept("t1", "t2", "t3")


def test_cancel_when_idle(tell: Teller) -> None:
    """There is nothing to cancel in a stack that is complete."""
    with tell() as story:
        created(story, BASE)
        with pytest.raises(NotSupported, match="CREATE_COMPLETE is not supported"):
            story.cancel(roll_back=False)
        with pytest.raises(NotSupported, match="CREATE_COMPLETE is not supported"):
            story.cancel(roll_back=True)


def test_mark_unhealthy_replace(tell: Teller) -> None:
    """The next update replaces what was marked; only those whose value changes follow."""
    with tell() as story:
        created(story, BASE)
        story.mark("C")
        assert story.state("C") == "CHECK_FAILED"
        story.update(BASE)
        story.finish()
        story.verify(BASE, "UPDATE_COMPLETE")
        story.replaced("C")
        story.kept(*"ABDE")
        story.quiet(*"ABE")
        story.order(("D", "UPDATE_COMPLETE"), ("C", "DELETE_IN_PROGRESS"))


def test_mark_well_again(tell: Teller) -> None:
    """A mark that was taken back leaves no trace."""
    with tell() as story:
        created(story, BASE)
        story.mark("C")
        story.mark("C", unhealthy=False)
        assert story.state("C") == "CHECK_COMPLETE"
        story.update(BASE)
        story.finish()
        story.verify(BASE, "UPDATE_COMPLETE")
        story.kept(*"ABCDE")


def test_a_mark_that_is_taken_back_heals_nothing(tell: Teller) -> None:
    """What had failed before the mark has failed after it, and the next update mends it."""
    with tell() as story:
        created(story, TWO)
        story.failing("t1", "update")
        story.update(renewed(TWO))
        story.finish()
        assert story.state("t1") == "UPDATE_FAILED"
        story.working("t1", "update")
        for _ in range(2):
            story.mark("t1")
            assert story.state("t1") == "CHECK_FAILED"
        story.mark("t1", unhealthy=False)
        assert story.state("t1") == "UPDATE_FAILED"
        story.update(renewed(TWO))
        story.finish()
        story.verify(renewed(TWO), "UPDATE_COMPLETE")


def test_mark_while_busy(tell: Teller) -> None:
    """Nothing is marked while the stack is busy; what was never created has no health to mark."""
    with tell() as story:
        story.cloud.hold("A", "create")
        story.create(BASE)
        story.until(lambda: story.exists("A"))
        for name in "AC":
            with pytest.raises(ActionInProgress) as refused:
                story.mark(name)
            assert str(refused.value) == "Stack story already has an action (CREATE) in progress."
        story.cancel(roll_back=False)
        with pytest.raises(ActionInProgress):
            story.mark("A")
        story.mark("C")
        assert story.state("C") == "INIT_COMPLETE"
        story.cloud.let_go("A", "create")
        story.finish()


def test_update_fail_then_fix(tell: Teller) -> None:
    """A failed resource is replaced by the update that mends it."""
    wrong, right = BASE.changed('C(A, B) = "wrong"'), BASE.changed('C(A, B) = "right"')
    with tell() as story:
        created(story, BASE)
        story.failing("C", "update")
        story.update(wrong)
        story.finish()
        assert story.status == "UPDATE_FAILED"
        assert story.state("C") == "UPDATE_FAILED"
        story.quiet("D", "E")
        story.working("C", "update")
        story.update(right)
        story.finish()
        story.verify(right, "UPDATE_COMPLETE")
        story.replaced("C")
        story.kept(*"ABDE")


def test_update_fail_auto_rollback(tell: Teller) -> None:
    """With rollback on a failed update goes back by itself."""
    with tell() as story:
        created(story, BASE)
        story.failing("C", "update")
        story.update(BASE.changed('C(A, B) = "wrong"').changed("F()"), rollback=True)
        story.finish()
        story.verify(BASE, "ROLLBACK_COMPLETE")
        story.replaced("C")
        story.kept(*"ABDE")
        states = [state for name, state in story.news if name == "story"]
        assert states[:3] == ["UPDATE_IN_PROGRESS", "UPDATE_FAILED", "ROLLBACK_IN_PROGRESS"]


def test_delete_during_update(tell: Teller) -> None:
    """A deletion stops what waits and takes everything away in order."""
    with tell() as story:
        created(story, CHAIN)
        story.cloud.hold("t1", "update")
        story.update(renewed(CHAIN))
        story.until(lambda: story.state("t1") == "UPDATE_IN_PROGRESS")
        story.delete()
        story.finish()
        story.verify_gone()
        story.order(
            ("t3", "DELETE_COMPLETE"), ("t2", "DELETE_COMPLETE"), ("t1", "DELETE_IN_PROGRESS")
        )


def test_delete_during_update_at_every_step(tell: Teller) -> None:
    def beginning(story: Story) -> None:
        created(story, CHAIN)
        story.update(renewed(CHAIN))

    tell.at_every_step(beginning, Story.delete, Story.verify_gone)


def test_update_while_deleting(tell: Teller) -> None:
    """A stack that is being deleted cannot be updated, and the deletion goes on."""
    with tell() as story:
        created(story, CHAIN)
        story.cloud.hold("t3", "delete")
        story.delete()
        with pytest.raises(NotSupported, match="Updating a stack when it is deleting"):
            story.update(renewed(CHAIN))
        story.cloud.let_go("t3", "delete")
        story.finish()
        story.verify_gone()


def test_failed_delete_is_tried_again(tell: Teller) -> None:
    """What could not be deleted is deleted by the next try."""
    with tell() as story:
        created(story, CHAIN)
        story.failing("t2", "delete")
        story.delete()
        story.finish()
        assert story.status == "DELETE_FAILED"
        assert story.state("t1") == "CREATE_COMPLETE"
        story.working("t2", "delete")
        story.retry()
        story.finish()
        story.verify_gone()


def test_rollback_goes_to_what_completed_last(tell: Teller) -> None:
    """T1 complete, T2 interrupted by T3, T3 rolled back: back to T1."""
    second, third = REPL.changed('A() = "second"'), REPL.changed('A() = "third"')
    with tell() as story:
        created(story, REPL)
        story.update(second)
        story.steps(15)
        story.update(third)
        story.steps(15)
        story.roll_back()
        story.finish()
        story.verify(REPL, "ROLLBACK_COMPLETE")


def test_check_after_a_failure_does_not_change_where_rollback_goes(tell: Teller) -> None:
    """A check that completes says nothing about the recipe: rollback still goes to the old one."""
    with tell() as story:
        created(story, BASE)
        story.failing("C", "update")
        story.update(BASE.changed('C(A, B) = "wrong"'))
        story.finish()
        story.working("C", "update")
        story.visit(Action.CHECK)
        story.finish()
        assert story.state("C") == "CHECK_COMPLETE"
        story.roll_back()
        story.finish()
        story.verify(BASE, "ROLLBACK_COMPLETE")


def test_suspend_and_resume(tell: Teller) -> None:
    """Suspending goes from the dependants down, resuming the other way; nothing is changed."""
    with tell() as story:
        created(story, CHAIN)
        story.visit(Action.SUSPEND)
        story.finish()
        assert story.status == "SUSPEND_COMPLETE"
        story.order(("t3", "SUSPEND_COMPLETE"), ("t1", "SUSPEND_IN_PROGRESS"))
        assert all(item.is_suspended for item in story.cloud.objects.values())
        story.visit(Action.RESUME)
        story.finish()
        story.order(("t1", "RESUME_COMPLETE"), ("t3", "RESUME_IN_PROGRESS"))
        assert not any(item.is_suspended for item in story.cloud.objects.values())
        story.update(CHAIN)
        story.finish()
        story.verify(CHAIN, "UPDATE_COMPLETE")
        story.kept("t1", "t2", "t3")


def test_a_visit_waits_for_what_still_runs(tell: Teller) -> None:
    """A check that comes while a sibling of a failure still runs does not disturb it."""
    wanted = plan("""
        A()
        B()
    """)
    with tell() as story:
        story.cloud.hold("A", "create")
        story.failing("B", "create")
        story.create(wanted)
        story.until(lambda: story.status == "CREATE_FAILED")
        story.visit(Action.CHECK)
        story.steps(10)
        assert story.state("A") == "CREATE_IN_PROGRESS"
        story.cloud.let_go("A", "create")
        story.finish()
        assert story.state("A") == "CHECK_COMPLETE"
        assert story.state("B") == "CHECK_FAILED"
