"""Updates that add and remove resources."""

from hotplate.testing import Story
from tests.scenarios.plans import BASE
from tests.scenarios.tellers import Teller


def created(story: Story) -> None:
    story.create(BASE)
    story.finish()


def test_update_add(tell: Teller) -> None:
    """Only what is new is touched."""
    wanted = BASE.changed("F(D, E)")
    with tell() as story:
        created(story)
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        story.kept(*"ABCDE")
        story.quiet(*"ABCDE")


def test_no_change_update(tell: Teller) -> None:
    """An update without a change makes two events of the stack and nothing else."""
    with tell() as story:
        created(story)
        calls = len(story.cloud.calls)
        story.update(BASE)
        story.finish()
        story.verify(BASE, "UPDATE_COMPLETE")
        assert story.news == [("story", "UPDATE_IN_PROGRESS"), ("story", "UPDATE_COMPLETE")]
        assert len(story.cloud.calls) == calls


def test_update_add_rollback(tell: Teller) -> None:
    """Rolled back while F is in creation: F is finished, then deleted; the others stay."""
    with tell() as story:
        created(story)
        story.cloud.hold("F", "create")
        story.update(BASE.changed("F(A)"))
        story.until(lambda: story.exists("F"))
        story.roll_back()
        story.cloud.let_go("F", "create")
        story.finish()
        story.verify(BASE, "ROLLBACK_COMPLETE")
        story.kept(*"ABCDE")
        story.quiet(*"ABCDE")
        assert "UPDATE_COMPLETE" not in [state for name, state in story.news if name == "story"]
        story.order(("F", "CREATE_COMPLETE"), ("F", "DELETE_IN_PROGRESS"))


def test_update_add_rollback_at_every_step(tell: Teller) -> None:
    def beginning(story: Story) -> None:
        created(story)
        story.update(BASE.changed("F(A)"))

    def ending(story: Story) -> None:
        story.verify(BASE, "ROLLBACK_COMPLETE")
        story.kept(*"ABCDE")
        story.quiet(*"ABCDE")

    tell.at_every_step(beginning, Story.roll_back, ending)


def test_update_add_rollback_early(tell: Teller) -> None:
    """Rolled back before F is begun: F never begins, and A gets its old value back."""
    first = BASE.changed('A() = "old"')
    with tell() as story:
        story.create(first)
        story.finish()
        story.cloud.hold("A", "update")
        story.update(BASE.changed('A() = "new"').changed("F(A)"))
        story.until(lambda: story.state("A") == "UPDATE_IN_PROGRESS")
        story.roll_back()
        story.cloud.let_go("A", "update")
        story.finish()
        story.verify(first, "ROLLBACK_COMPLETE")
        story.kept(*"ABCDE")
        assert not story.made("F")


def test_update_remove(tell: Teller) -> None:
    """What is no longer wanted is gone before the update is complete."""
    wanted = BASE.without("E")
    with tell() as story:
        created(story)
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        story.kept(*"ABCD")
        story.quiet(*"ABCD")
        story.order(("E", "DELETE_COMPLETE"), ("story", "UPDATE_COMPLETE"))


def test_update_remove_rollback(tell: Teller) -> None:
    """Rolled back before B is cleaned up: B is never touched."""
    with tell() as story:
        created(story)
        story.cloud.hold("C", "update")
        story.update(BASE.without("B").changed('C(A) = "other"'))
        story.until(lambda: story.state("C") == "UPDATE_IN_PROGRESS")
        story.roll_back()
        story.cloud.let_go("C", "update")
        story.finish()
        story.verify(BASE, "ROLLBACK_COMPLETE")
        story.kept(*"ABCDE")
        assert not story.cloud.count("delete")
        assert not story.cloud.count("update", "B")


def test_update_remove_rollback_at_every_step(tell: Teller) -> None:
    def beginning(story: Story) -> None:
        created(story)
        story.update(BASE.without("B").changed('C(A) = "other"'))

    def ending(story: Story) -> None:
        story.verify(BASE, "ROLLBACK_COMPLETE")
        story.kept(*"ACDE")

    tell.at_every_step(beginning, Story.roll_back, ending)
