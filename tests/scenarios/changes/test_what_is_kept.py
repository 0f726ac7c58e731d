"""What a process keeps in memory of stacks that are gone: nothing."""

from hotplate.testing import plan
from tests.scenarios.tellers import Teller

TREE = (
    plan("""
    A() = "x"
    B() = att A
    C[2]() = att B
""")
    .holding("B", plan("D() = param"))
    .holding("C", plan("E() = param"))
)


def test_nothing_is_kept_of_a_tree_that_was_deleted(tell: Teller) -> None:
    """Neither of the stack nor of those inside it, whatever they were made of in their time."""
    with tell() as story:
        story.create(TREE)
        story.finish()
        weight = story.simulation.book.weight
        assert weight
        for value in "yzyz":
            story.update(TREE.changed(f'A() = "{value}"'))
            story.finish()
        assert story.simulation.book.weight <= 2 * weight
        story.delete()
        story.finish()
        story.verify_gone()
        assert story.simulation.book.weight == 0
