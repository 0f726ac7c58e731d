"""Traversals that are written in portions: what comes between two of them, on every database."""

import pytest

from hotplate.engine.context import SMALLER
from hotplate.model import Action
from hotplate.testing import Story, plan
from hotplate.testing.world import SimulatedWorld
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


@pytest.mark.parametrize("is_first", [True, False])
def test_a_stack_is_written_in_portions_while_its_project_is_in_others_way(
    tell: Teller, monkeypatch: pytest.MonkeyPatch, is_first: bool
) -> None:
    """One operation is, the next one is not: each goes on with what the one before has left."""
    is_heavy = is_first
    monkeypatch.setattr(SimulatedWorld, "is_heavy", lambda world, project: is_heavy)
    with tell(seed=3, workers=2, portion=SMALLER) as story:
        story.create(MANY)
        story.steps(5)
        is_heavy = not is_heavy
        story.update(CHANGED)  # overtakes
        story.finish()
        story.verify(CHANGED, "UPDATE_COMPLETE")
        is_heavy = not is_heavy
        story.update(MANY)
        story.finish()
        story.verify(MANY, "UPDATE_COMPLETE")
        is_heavy = not is_heavy
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


APART = plan("""
    A() = "x"
    B() = "x"
    C() = "x"
    D() = "x"
    E() = "x"
""")
ONE_CHANGED = APART.changed('A() = "y"')
ONE_GONE = ONE_CHANGED.without("E")


def _written(story: Story) -> dict[str, int]:
    """Return the owner that the row of each version has."""
    return dict(story.simulation.database.rows("SELECT name, owner FROM version"))


def test_what_an_update_leaves_alone_is_not_written(tell: Teller) -> None:
    """It belongs to the newest traversal all the same, whatever comes next."""
    with _begun(tell) as story:
        story.create(APART)
        story.finish()
        first = _written(story)
        story.update(ONE_CHANGED)
        story.finish()
        story.verify(ONE_CHANGED, "UPDATE_COMPLETE")
        assert {name for name, owner in _written(story).items() if owner != first[name]} == {"A"}
        story.update(ONE_GONE)
        story.finish()
        story.verify(ONE_GONE, "UPDATE_COMPLETE")
        story.update(APART)
        story.finish()
        story.verify(APART, "UPDATE_COMPLETE")
        story.visit(Action.CHECK)
        story.finish()
        assert story.status == "CHECK_COMPLETE"
        story.delete()
        story.finish()
        story.verify_gone()


def test_an_update_that_leaves_much_alone_is_interrupted(tell: Teller) -> None:
    """By the death of its worker or by another update, at whatever step."""
    for number in range(tell.first, 44, 11):
        with _begun(tell, number) as story:
            story.create(APART)
            story.finish()
            story.update(ONE_CHANGED)
            story.finish()
            story.update(ONE_GONE)
            story.steps(number)
            story.crash(0)
            story.crash(1)
            story.start_worker()
            story.steps(number)
            story.update(APART)
            story.steps(number)
            story.update(ONE_GONE)
            story.finish()
            story.verify(ONE_GONE, "UPDATE_COMPLETE")


def test_older_work_on_what_an_update_removes_ends_late(tell: Teller) -> None:
    """It writes the owner that it knows: were others carried meanwhile, it would seem to be one."""
    with _begun(tell) as story:
        story.create(APART)
        story.finish()
        story.cloud.hold("E", "update")
        story.update(APART.changed('E() = "y"'))
        story.until(lambda: story.cloud.count("update", "E") == 1)
        story.update(APART.without("E"))
        story.steps(100)
        story.cloud.let_go("E", "update")
        story.finish()
        story.verify(APART.without("E"), "UPDATE_COMPLETE")


# Some have to do with others, most do not: a deletion and a check have nodes of both kinds.
MIXED = plan("""
    A() = "x"
    B() = ! att A
    C() = "x"
    D() = "x"
    E() = "x"
""")


def test_a_deletion_is_interrupted_between_two_portions(tell: Teller) -> None:
    """At whatever step: the next worker plans anew, and what has gone is not asked for again."""
    for number in range(tell.first, 66, 11):
        with _begun(tell, number) as story:
            story.create(MIXED)
            story.finish()
            story.delete()
            story.steps(number)
            story.crash(0)
            story.crash(1)
            story.start_worker()
            story.finish()
            story.verify_gone()


def test_a_check_is_interrupted_between_two_portions(tell: Teller) -> None:
    """By the death of its worker, and by a deletion that comes before it has ended."""
    for number in range(tell.first, 44, 11):
        with _begun(tell, number) as story:
            story.create(MIXED)
            story.finish()
            story.visit(Action.CHECK)
            story.steps(number)
            story.crash(0)
            story.crash(1)
            story.start_worker()
            story.finish()
            assert story.status == "CHECK_COMPLETE"
            story.visit(Action.CHECK)
            story.steps(number)
            story.delete()
            story.finish()
            story.verify_gone()


def test_a_deletion_comes_while_a_lone_resource_is_made(tell: Teller) -> None:
    """It waits for the work on that one, and for nothing else."""
    for held in ("D", "A"):
        with _begun(tell) as story:
            story.cloud.hold(held, "create")
            story.create(MIXED)
            story.until(lambda held=held: story.cloud.count("create", held) == 1)  # type: ignore[misc]
            story.steps(60)
            story.delete()
            story.steps(120)
            story.cloud.let_go(held, "create")
            story.finish()
            story.verify_gone()


MOST_CHANGED = MIXED.changed('C() = "y"\nD() = "y"\nE() = "y"')
MOST_GONE = MIXED.without("C").without("D").without("E").changed('A() = "y"')


def test_an_update_of_most_is_interrupted_between_two_portions(tell: Teller) -> None:
    """Lone resources are changed, then removed; a worker dies, or another update comes."""
    for number in range(tell.first, 66, 11):
        with _begun(tell, number) as story:
            story.create(MIXED)
            story.finish()
            story.update(MOST_CHANGED)
            story.steps(number)
            story.crash(0)
            story.crash(1)
            story.start_worker()
            story.finish()
            story.verify(MOST_CHANGED, "UPDATE_COMPLETE")
            story.update(MOST_GONE)
            story.steps(number)
            story.update(MIXED)
            story.steps(number)
            story.update(MOST_GONE)
            story.finish()
            story.verify(MOST_GONE, "UPDATE_COMPLETE")
