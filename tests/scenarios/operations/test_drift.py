"""Objects that others have changed: a check says so, an update that converges brings them back."""

from collections.abc import Sequence
from typing import Any

from hotplate.engine.requests.operations import Operations
from hotplate.model import Action
from hotplate.plan.decide import Step
from hotplate.testing import Fault, Plan, Story, plan
from tests.scenarios.tellers import Teller
from tests.simulation.previews import previewed

OURS = plan('A() = "a"\nB(A) = att A')
FIXED = plan('A() = ! "a"\nB() = "b"')


def inside(inner: Plan) -> Plan:
    return plan("mid()").holding("mid", plan("deep()").holding("deep", inner))


def created(story: Story, wanted: Plan = OURS) -> None:
    story.create(wanted)
    story.finish()


def drifted(story: Story, name: str = "A") -> None:
    story.cloud.named(name)[0].value = "theirs"


def checked(story: Story) -> str:
    story.visit(Action.CHECK)
    story.finish()
    return story.status


def differing(story: Story) -> dict[str, list[tuple[str, Any, Any]]]:
    found: dict[str, list[tuple[str, Any, Any]]] = {}

    async def ask(operations: Operations) -> None:
        for each in await operations.differing(await operations.stack(story.stack_id)):
            found[".".join(each.path)] = [
                (one.path, one.applied, one.live) for one in each.differences
            ]

    request = story.simulation.ask("differences", ask)
    story.until(lambda: request.is_over)
    assert request.error is None
    return found


def steps(story: Story, wanted: Plan, converges: bool = True) -> dict[str, Step | None]:
    return {
        ".".join(each.path): each.step for each in previewed(story, wanted, converges=converges)
    }


def converged(story: Story, wanted: Plan) -> Sequence[tuple[str, str]]:
    story.update(wanted, converges=True)
    story.finish()
    story.verify(wanted, "UPDATE_COMPLETE")
    return story.news


def test_a_check_notes_what_differs_and_does_not_fail(tell: Teller) -> None:
    with tell() as story:
        created(story)
        drifted(story)
        assert checked(story) == "CHECK_COMPLETE"
        assert differing(story) == {"A": [("value", "a", "theirs")]}
        assert ("A", "CHECK_COMPLETE", "differs in: value") in story.events


def test_what_differs_is_forgotten_when_a_check_finds_it_mended(tell: Teller) -> None:
    with tell() as story:
        created(story)
        drifted(story)
        checked(story)
        story.cloud.named("A")[0].value = "a"
        checked(story)
        assert differing(story) == {}


def test_an_update_leaves_what_differs_unless_the_property_changes(tell: Teller) -> None:
    with tell() as story:
        created(story)
        drifted(story)
        checked(story)
        assert steps(story, OURS, converges=False) == {"A": Step.LEAVE, "B": Step.LEAVE}
        story.update(OURS)
        story.finish()
        story.quiet("A", "B")
        assert story.cloud.named("A")[0].value == "theirs"
        assert differing(story) == {"A": [("value", "a", "theirs")]}
        changed = plan('A() = "b"\nB(A) = att A')
        story.update(changed)
        story.finish()
        story.verify(changed, "UPDATE_COMPLETE")
        assert differing(story) == {}


def test_an_update_that_converges_brings_back_what_differs(tell: Teller) -> None:
    """In place, whether a check has found it or not; what does not differ is left alone."""
    with tell() as story:
        created(story)
        drifted(story)
        assert steps(story, OURS)["A"] is Step.UPDATE
        news = converged(story, OURS)
        story.kept("A", "B")
        assert ("A", "UPDATE_COMPLETE") in news
        story.quiet("B")
        converged(story, OURS)
        story.quiet("A", "B")


def test_what_cannot_be_brought_back_in_place_is_replaced(tell: Teller) -> None:
    with tell() as story:
        created(story, FIXED)
        drifted(story)
        assert steps(story, FIXED) == {"A": Step.REPLACE, "B": Step.LEAVE}
        converged(story, FIXED)
        story.replaced("A")
        story.kept("B")


def test_what_somebody_has_changed_to_what_is_wanted_now_is_kept(tell: Teller) -> None:
    """Also if it could not be changed in place. The type takes notice, and so do others."""
    wanted = plan('A() = ! "theirs"\nB() = att A')
    with tell() as story:
        created(story, plan('A() = ! "a"\nB() = att A'))
        drifted(story)
        assert steps(story, wanted) == {"A": Step.UPDATE, "B": Step.UPDATE}
        converged(story, wanted)
        story.kept("A", "B")
        assert story.cloud.named("B")[0].value == "theirs"
        assert checked(story) == "CHECK_COMPLETE"
        assert differing(story) == {}


def test_an_object_that_is_gone_is_replaced(tell: Teller) -> None:
    with tell() as story:
        created(story, FIXED)
        del story.cloud.objects[story.ids["A"] or ""]
        assert steps(story, FIXED) == {"A": Step.REPLACE, "B": Step.LEAVE}
        converged(story, FIXED)
        story.replaced("A")


def test_an_object_that_a_check_does_not_find_is_replaced_by_any_update(tell: Teller) -> None:
    with tell() as story:
        created(story, FIXED)
        del story.cloud.objects[story.ids["A"] or ""]
        assert checked(story) == "CHECK_FAILED"
        assert "there is no object" in story.reason
        story.update(FIXED)
        story.finish()
        story.verify(FIXED, "UPDATE_COMPLETE")
        story.replaced("A")


def test_what_cannot_be_read_counts_as_it_was_applied(tell: Teller) -> None:
    with tell() as story:
        created(story)
        drifted(story)
        story.failing("A", "read", Fault.REFUSED)
        assert steps(story, OURS) == {"A": Step.LEAVE, "B": Step.LEAVE}
        story.update(OURS, converges=True)
        story.finish()
        assert story.status == "UPDATE_COMPLETE"
        story.kept("A", "B")
        (row,) = story.simulation.database.rows("SELECT reason FROM version WHERE name = 'A'")
        assert "could not be compared" in row[0]


def test_all_of_it_goes_through_nested_stacks(tell: Teller) -> None:
    wanted = inside(OURS)
    with tell() as story:
        created(story, wanted)
        drifted(story)
        assert checked(story) == "CHECK_COMPLETE"
        assert differing(story) == {"mid.deep.A": [("value", "a", "theirs")]}
        assert steps(story, wanted)["mid.deep.A"] is Step.UPDATE
        converged(story, wanted)
        story.kept("mid")
        assert differing(story) == {}


def test_a_converging_update_interrupted_at_every_step(tell: Teller) -> None:
    for number in tell.steps():
        with tell(seed=number) as story:
            created(story)
            drifted(story)
            story.update(OURS, converges=True)
            ended = story.steps(number)
            story.crash()
            story.start_worker()
            story.finish()
            story.verify(OURS, "UPDATE_COMPLETE")
            story.kept("A", "B")
            if ended:
                break


def test_a_retry_of_an_update_that_converges_converges(tell: Teller) -> None:
    with tell() as story:
        created(story, FIXED)
        drifted(story, "B")
        story.failing("B", "update")
        story.update(FIXED, converges=True)
        story.finish()
        assert story.status == "UPDATE_FAILED"
        story.working("B", "update")
        drifted(story)
        story.retry()
        story.finish()
        story.verify(FIXED, "UPDATE_COMPLETE")
        story.replaced("A")
