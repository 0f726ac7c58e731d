"""Traversals that are written in portions: what comes between two of them, on every database."""

from hotplate.testing import Story, plan
from tests.scenarios.tellers import Teller

MANY = plan("""
    A() = "x"
    B() = ! att A
    C(B) = "x"
    D() = "x"
    G[3]() = "x"
""")
CHANGED = MANY.changed('A() = "y"').without("D")


def _begun(tell: Teller, number: int = 0) -> Story:
    return tell(seed=number, workers=2, portion=1)


def test_a_stack_lives_its_life_in_portions(tell: Teller) -> None:
    with _begun(tell) as story:
        story.create(MANY)
        story.finish()
        story.verify(MANY, "CREATE_COMPLETE")
        story.update(CHANGED)
        story.finish()
        story.verify(CHANGED, "UPDATE_COMPLETE")
        story.delete()
        story.finish()
        story.verify_gone()


def test_a_worker_that_dies_between_two_portions_is_replaced(tell: Teller) -> None:
    """At whatever step: the next one writes the graph anew, and nothing is made twice."""
    for number in range(tell.first, 44, 11):
        with _begun(tell, number) as story:
            story.create(MANY)
            story.steps(number)
            story.crash(0)
            story.crash(1)
            story.start_worker()
            story.finish()
            story.verify(MANY, "CREATE_COMPLETE")


def test_requests_between_two_portions_overtake(tell: Teller) -> None:
    """An update, a cancel or a delete comes while the graph of an update is being written."""
    for number in range(tell.first, 33, 11):
        with _begun(tell, number) as story:
            story.create(MANY)
            story.finish()
            story.update(CHANGED)
            story.steps(number)
            story.update(MANY)
            story.steps(number)
            if story.status == "UPDATE_IN_PROGRESS":
                story.cancel(roll_back=False)
            story.steps(number)
            story.update(CHANGED)
            story.steps(number)
            story.delete()
            story.finish()
            story.verify_gone()
