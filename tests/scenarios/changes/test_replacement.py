"""Resources that must be replaced, by a change of a property or by a new name."""

from hotplate.testing import Story, plan
from tests.scenarios.plans import REPL
from tests.scenarios.tellers import Teller

UPDATED = REPL.changed('A() = "updated"')
RENAMED = plan("""
    A() = "updated"
    B()
    newC(B) = ! att A
    D() = ref newC
    E() = att newC
""")


def created(story: Story) -> None:
    story.create(REPL)
    story.finish()


def replacing_until_d_has_moved(story: Story) -> None:
    created(story)
    story.cloud.hold("E", "update")
    story.update(UPDATED)
    story.until(lambda: story.state("D") == "UPDATE_COMPLETE")


def test_update_replace(tell: Teller) -> None:
    """The new one is made, those who need it move, the old one goes."""
    with_f = UPDATED.changed("F(D, E)")
    with tell() as story:
        created(story)
        story.update(UPDATED)
        story.finish()
        story.verify(UPDATED, "UPDATE_COMPLETE")
        story.kept(*"ABDE")
        story.replaced("C")
        story.quiet("B")
        story.order(
            ("A", "UPDATE_COMPLETE"),
            ("C", "CREATE_IN_PROGRESS"),
            ("C", "CREATE_COMPLETE"),
            ("D", "UPDATE_COMPLETE"),
            ("C", "DELETE_IN_PROGRESS"),
            ("C", "DELETE_COMPLETE"),
            ("story", "UPDATE_COMPLETE"),
        )
        story.order(("E", "UPDATE_COMPLETE"), ("C", "DELETE_IN_PROGRESS"))
        story.update(with_f)
        story.finish()
        story.verify(with_f, "UPDATE_COMPLETE")
        story.kept(*"ABCDE")
        story.quiet(*"ABCDE")
        story.delete()
        story.finish()
        story.verify_gone()


def test_update_replace_missed_cleanup(tell: Teller) -> None:
    """Interrupted before the old one is deleted: the next update keeps the new one."""
    wanted = UPDATED.changed("F(D, E)")
    with tell() as story:
        replacing_until_d_has_moved(story)
        assert len([v for v in story.versions if v.name == "C"]) == 2
        story.update(wanted)
        story.cloud.let_go("E", "update")
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        story.kept(*"ABCDE")
        assert story.made("C") == 2
        assert story.cloud.count("update", "E") == 1
        story.order(("E", "UPDATE_COMPLETE"), ("C", "DELETE_IN_PROGRESS"))
        story.delete()
        story.finish()
        story.verify_gone()


def test_update_replace_missed_cleanup_at_every_step(tell: Teller) -> None:
    wanted = UPDATED.changed("F(D, E)")

    def beginning(story: Story) -> None:
        created(story)
        story.update(UPDATED)

    def ending(story: Story) -> None:
        story.verify(wanted, "UPDATE_COMPLETE")
        story.kept(*"ABDE")
        assert story.made("C") == 2

    tell.at_every_step(beginning, lambda story: story.update(wanted), ending)


def test_update_replace_rollback(tell: Teller) -> None:
    """Rolled back in the middle: the original is taken up again, its replacement goes."""
    with tell() as story:
        created(story)
        original = story.ids["C"]
        story.cloud.hold("E", "update")
        story.update(UPDATED)
        story.until(lambda: story.state("D") == "UPDATE_COMPLETE")
        story.roll_back()
        story.cloud.let_go("E", "update")
        story.finish()
        story.verify(REPL, "ROLLBACK_COMPLETE")
        assert story.ids["C"] == original
        story.delete()
        story.finish()
        story.verify_gone()


def test_update_replace_rollback_at_every_step(tell: Teller) -> None:
    ids = {}

    def beginning(story: Story) -> None:
        created(story)
        ids.update(story.ids)
        story.update(UPDATED)

    def ending(story: Story) -> None:
        story.verify(REPL, "ROLLBACK_COMPLETE")
        assert {name: story.ids[name] for name in "ABDE"} == {name: ids[name] for name in "ABDE"}
        deleted = [call.object_id for call in story.cloud.calls if call.verb == "delete"]
        assert story.ids["C"] == ids["C"] or ids["C"] in deleted

    tell.at_every_step(beginning, Story.roll_back, ending)


def test_update_user_replace(tell: Teller) -> None:
    """A resource under a new name is another resource; those who refer to it move."""
    with_f = RENAMED.changed("F(D, E)")
    with tell() as story:
        created(story)
        story.update(RENAMED)
        story.finish()
        story.verify(RENAMED, "UPDATE_COMPLETE")
        story.kept(*"ABDE")
        story.order(
            ("newC", "CREATE_COMPLETE"), ("D", "UPDATE_COMPLETE"), ("C", "DELETE_IN_PROGRESS")
        )
        story.order(("E", "UPDATE_COMPLETE"), ("C", "DELETE_IN_PROGRESS"))
        story.update(with_f)
        story.finish()
        story.verify(with_f, "UPDATE_COMPLETE")
        story.quiet("A", "B", "newC", "D", "E")
        story.delete()
        story.finish()
        story.verify_gone()


def test_update_user_replace_rollback(tell: Teller) -> None:
    """Rolled back after D has moved: C is kept, the new one goes after D and E are back."""
    with tell() as story:
        created(story)
        story.cloud.hold("E", "update")
        story.update(RENAMED)
        story.until(lambda: story.state("D") == "UPDATE_COMPLETE")
        story.roll_back()
        story.cloud.let_go("E", "update")
        story.finish()
        story.verify(REPL, "ROLLBACK_COMPLETE")
        story.kept(*"ABCDE")
        story.order(("D", "UPDATE_COMPLETE"), ("newC", "DELETE_IN_PROGRESS"))
        story.delete()
        story.finish()
        story.verify_gone()


def test_update_user_replace_rollback_at_every_step(tell: Teller) -> None:
    def beginning(story: Story) -> None:
        created(story)
        story.update(RENAMED)

    def ending(story: Story) -> None:
        story.verify(REPL, "ROLLBACK_COMPLETE")
        story.kept(*"ABDE")

    tell.at_every_step(beginning, Story.roll_back, ending)


def test_replace_fail_manual_rollback(tell: Teller) -> None:
    """After a replacement failed, going back by hand takes the original up again."""
    with tell() as story:
        created(story)
        original = story.ids
        story.failing("C", "create")
        story.update(UPDATED)
        story.finish()
        assert story.status == "UPDATE_FAILED"
        story.working("C", "create")
        story.update(REPL)
        story.finish()
        story.verify(REPL, "UPDATE_COMPLETE")
        assert story.ids == original


def test_replace_fail_auto_rollback(tell: Teller) -> None:
    """The same by itself, with rollback on."""
    with tell() as story:
        created(story)
        original = story.ids
        story.failing("C", "create")
        story.update(UPDATED, rollback=True)
        story.finish()
        story.verify(REPL, "ROLLBACK_COMPLETE")
        assert story.ids == original
