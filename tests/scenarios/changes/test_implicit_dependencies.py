"""A resource waits for others that its template does not name: its type knows them.

Waiting things wait for all repeatable ones with the same value.
"""

from typing import Any

from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.operations import Operations
from hotplate.testing import Story, plan
from tests.scenarios.tellers import Teller

PORT = plan(
    """
    P:waiting() = "net"
    S:repeatable() = "net"
    T:repeatable() = "elsewhere"
    """
)


def created(story: Story) -> None:
    story.create(PORT)
    story.finish()


def requires(story: Story, name: str) -> set[str]:
    names = {version.id: version.name for version in story.versions}
    return {names[number] for number in story.version(name).requires}


def test_it_is_made_after_them_and_deleted_before_them(tell: Teller) -> None:
    with tell() as story:
        story.cloud.hold("S", "create")
        story.create(PORT)
        story.until(lambda: story.state("T") == "CREATE_COMPLETE" and story.exists("S"))
        assert story.state("P") == "INIT_COMPLETE"
        story.cloud.let_go("S", "create")
        story.finish()
        story.verify(PORT, "CREATE_COMPLETE")
        story.order(("S", "CREATE_COMPLETE"), ("P", "CREATE_IN_PROGRESS"))
        assert requires(story, "P") == {"S"}
        story.delete()
        story.finish()
        story.verify_gone()
        story.order(("P", "DELETE_COMPLETE"), ("S", "DELETE_IN_PROGRESS"))


def test_one_that_is_added_later_is_waited_for_without_a_change(tell: Teller) -> None:
    with tell() as story:
        created(story)
        wanted = PORT.changed('U:repeatable() = "net"')
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        story.kept("P", "S", "T")
        assert requires(story, "P") == {"S", "U"}
        story.delete()
        story.finish()
        story.order(("P", "DELETE_COMPLETE"), ("U", "DELETE_IN_PROGRESS"))


def test_one_that_is_taken_out_goes_after_what_waited_for_it(tell: Teller) -> None:
    with tell() as story:
        created(story)
        wanted = PORT.without("P", "S")
        story.update(wanted)
        story.finish()
        story.verify(wanted, "UPDATE_COMPLETE")
        story.order(("P", "DELETE_COMPLETE"), ("S", "DELETE_IN_PROGRESS"))


def test_what_the_template_says_wins(tell: Teller) -> None:
    with tell() as story:
        wanted = PORT.changed('S:repeatable(P) = "net"')
        story.create(wanted)
        story.finish()
        story.verify(wanted, "CREATE_COMPLETE")
        story.order(("P", "CREATE_COMPLETE"), ("S", "CREATE_IN_PROGRESS"))


def test_a_worker_that_takes_over_comes_to_the_same_graph(tell: Teller) -> None:
    for number in tell.steps():
        with tell(seed=number, workers=1) as story:
            story.create(PORT)
            was_over = story.steps(number)
            story.crash()
            story.simulation.book.forget(story.stack_id)
            story.start_worker()
            story.finish()
            story.verify(PORT, "CREATE_COMPLETE")
            story.order(("S", "CREATE_COMPLETE"), ("P", "CREATE_IN_PROGRESS"))
            if was_over:
                return


def test_a_preview_tells_of_it(tell: Teller) -> None:
    with tell() as story:
        created(story)
        recipe = Recipe(PORT.hot())

        async def preview(operations: Operations) -> Any:
            return await operations.preview_update(story.stack_id, recipe)

        (planned,) = [
            each for each in story.simulation.answer(preview).planned if each.path == ("S",)
        ]
        assert planned.required_by == ("P",)


def test_a_traversal_that_began_without_knowing_of_it_comes_to_its_end(tell: Teller) -> None:
    """Types may learn of dependencies between two starts of a process."""
    with tell(workers=1) as story:
        book = story.simulation.book
        known, book._catalogue = book._catalogue, type(book._catalogue)(())
        story.cloud.hold("S", "create")
        story.create(PORT)
        book.forget(story.stack_id)
        book._catalogue = known
        story.until(lambda: story.state("P") == "CREATE_COMPLETE")
        story.cloud.let_go("S", "create")
        story.finish()
        story.verify(PORT, "CREATE_COMPLETE")
